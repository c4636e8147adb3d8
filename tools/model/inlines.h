/*
 * Inlined functions, as DWARF has them: which calls of them an address is in.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef INLINES_H
#define INLINES_H

#include "model.h"

/* Calls that an address is in, one in the other, at the most. */
enum { MOST_INLINED = 100 };

/* A piece of code. */
struct extent {
	uint64_t low, high;
};

/* A call in whose place the code of the called function is.  Its texts have numbers from 1 on;
 * 0: not known. */
struct inline_call {
	uint64_t low;                  /* where its code begins */
	uint32_t parent;               /* the call that it is in, which has a smaller number */
	uint32_t name;                 /* of the function, as the linker would know it */
	uint32_t file, line;           /* where the function is declared, or else its code begins */
	uint64_t origin;               /* DWARF's entry of one that nobody declares; 0 */
	uint32_t call_file, call_line; /* where it is called */
};

/* The innermost call that a piece of code is of. */
struct inline_span {
	uint64_t low, high;
	uint32_t call;
};

/* A function that is called so.  It is known by its name and where it is declared: functions of one
 * name in several files are different ones, and one of a header is the same in all units.  One that
 * nobody declares, such as a lambda, is known by its entry. */
struct inline_function {
	uint32_t name, file, line;
};

/* The functions of the calls that code is in, from the outermost on. */
struct inline_context {
	uint32_t parent;   /* without the last function; 0: none, the code is its symbol's own */
	uint32_t function; /* the last one */
};

/* A part of a function's own time, or of an edge's calls: of code that is in the same inlined
 * functions. */
struct inline_part {
	uint32_t function, context; /* 0: in none */
	double ticks;
	uint64_t calls;
	size_t spot, nspots; /* in the spots of the model with inlined functions */
};

struct inlines {
	pid_t reader;
	FILE *names_file, *calls_file, *spans_file;
	char *names;
	const char **texts; /* number 1 first */
	size_t ntexts;
	struct inline_call *calls; /* number 1 first */
	size_t ncalls;
	struct inline_span *spans; /* sorted, and no two of them overlap */
	size_t nspans;
	struct inline_function *functions; /* number 0 first */
	size_t nfunctions;
	struct inline_context *contexts; /* number 1 first */
	size_t ncontexts;
	uint32_t *function, *context; /* of each call */
};

/* inline_reader.c: starts a process that reads the calls which the wanted code is in; it is sorted,
 * and no two pieces overlap.  `elf` is libelf's, of the file `fd`. */
void inline_reader_start(struct inlines *in, struct Elf *elf, int fd, const struct extent *wanted,
                         size_t n);

/* inline_flatten.c: gives the spans of ranges, in order; `parents`: of calls, number 1 first. */
void inline_flatten(struct inline_span *range, size_t n, const uint32_t *parents,
                    void (*take)(void *arg, const struct inline_span *span), void *arg);

/* inlines.c */
/* Takes what the process has found.  Prints. */
void inlines_finish(struct inlines *in, const char *program);
void inlines_free(struct inlines *in);
/* The innermost call that the address is in, or 0; from there on up to `next` it is the same. */
uint32_t inlines_at(const struct inlines *in, uint64_t pc, uint64_t *next);
/* The calls that a call is in, and itself, from the outermost on.  Returns how many. */
size_t inlines_chain(const struct inlines *in, uint32_t call, uint32_t chain[MOST_INLINED]);
/* The functions of a context, from the outermost on.  Returns how many. */
size_t inlines_functions(const struct inlines *in, uint32_t context,
                         uint32_t functions[MOST_INLINED]);
/* NULL: number 0. */
const char *inlines_text(const struct inlines *in, uint32_t number);

#endif
