/*
 * What the supervisor and profsup-export both know of a program: which symbol names which code, and
 * how a name is made fit to be shown.  No allocation, no messages.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <gelf.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* functions.c */
struct code_section {
	uint64_t low, high;
	const char *name;
};
struct code_symbol {
	uint64_t low, high; /* equal if the symbol has no size */
	const char *name;
	int rank;
	uint32_t file; /* which source file it is local to, as a number; 0: none, or not known */
};
struct code {
	struct code_section *sections; /* sections with code, by address */
	size_t nsections;
	struct code_symbol *symbols;
	size_t nsymbols;
};
/* Takes what was found: function() returns a number for a function, and then span() gives it
 * addresses, in order.  Code that no symbol names stands under its section's name; `symbol` is NULL
 * then. */
struct code_taker {
	void *arg;
	uint32_t (*function)(void *arg, const char *name, const struct code_symbol *symbol,
	                     uint64_t low, uint64_t high);
	void (*span)(void *arg, uint64_t low, uint64_t high, uint32_t function);
};
bool code_take_section(struct code_section *section, const GElf_Shdr *header, const char *name);
void code_sort_sections(struct code *code);
bool code_take_symbol(const struct code *code, struct code_symbol *symbol, const GElf_Sym *sym,
                      const char *name);
void code_choose(struct code *code);
void code_cover(const struct code *code, const struct code_taker *to);
bool code_is_runtime(const char *name);
bool code_is_startup(const char *name);

/* unicode.c */
bool unicode_is_fit(uint32_t c);
bool unicode_is_mark(uint32_t c); /* a mark that stands on the character before it */

/* symname.c */
/* Changes the text in place: what is not printable UTF-8 becomes '?'. */
void symname_clean(char *s);
size_t symname_cut(const char *s, size_t len);
size_t symname_head(const char *s, size_t most);
/* The name, or its two ends, with dots between them, if it is more than `room` characters wide. */
const char *symname_short(const char *name, size_t room, char *buf, size_t size);
/* The same of other text, whose beginning says most. */
const char *symname_begin(const char *text, size_t room, char *buf, size_t size);

/* demangle.c */
enum { MOST_DEMANGLED = 32 << 10 };
struct demangled {
	char text[MOST_DEMANGLED];
	size_t len;
	jmp_buf leave;
	volatile sig_atomic_t inside; /* we are in the demangler */
	bool left;                    /* symname_leave() has left it */
};
const char *symname_demangle(const char *symbol, struct demangled *d);
/* For a signal handler of the thread that demangles: the demangler ends now. */
void symname_leave(struct demangled *d);

#endif
