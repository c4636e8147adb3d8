/*
 * profsup-cc's own declarations.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_CC_H
#define PROFSUP_CC_H

#include <stdbool.h>
#include <stddef.h>

enum { EXIT_OURS = 125, EXIT_CANNOT_EXEC = 126, EXIT_NOT_FOUND = 127, RESPONSE_DEPTH = 16 };

struct words {
	char **word;
	size_t n, size;
};

/* What a command line asks for. */
struct request {
	size_t compiler;      /* among our words: the last one that is no option */
	const char *pending;  /* the option whose argument is the next word */
	const char *language; /* -x's argument; NULL: the file's name tells */
	bool input;           /* there is something to compile or link */
	bool source;          /* there is something to compile */
	bool includes;        /* of that, something is to be preprocessed */
	bool header;          /* there is a header, which by itself is never linked */
	bool not_header;
	bool no_link;          /* -c, -S, -E, -M and the like */
	bool no_code;          /* -E, -M and the like */
	bool untouched;        /* -r, -nostdlib: not a program of ours */
	bool relocatable;      /* -r: of these, what makes an object */
	bool shared;           /* -shared */
	bool no_default;       /* -nodefaultlibs, with which rustc names its libraries itself */
	bool libc;             /* -lc */
	const char *foreign;   /* -m32: not for the machine of our runtime */
	const char *sanitizer; /* one that can't be linked statically */
	const char *checks;    /* -fsanitize=undefined and the like, by clang */
	bool traps;            /* those trap, or have clang's minimal runtime */
	const char *output;
	bool has_runtime;           /* pkg-config has put our runtime there already */
	bool is_static;             /* -static is there already */
	bool clang;                 /* the compiler is clang */
	bool script;                /* the compiler, or a command before it, is a script */
	bool musl_wrapper;          /* musl-gcc, a script that calls gcc with specs of its own */
	bool lld;                   /* the linker is lld */
	bool omits_frames;          /* -fomit-frame-pointer, which no compiler takes beside -pg */
	bool large;                 /* -mcmodel=large */
	bool says_pic;              /* -fPIE, -fno-pie and the like */
	struct words libraries;     /* -l: they are searched as a group */
	struct words directories;   /* -L */
	bool linker_argument;       /* the linker's next word is an option's argument */
	const char *shared_library; /* one that has no archive, or NULL */
	bool grouped;               /* the user has grouped libraries already */
	bool build_id;              /* the user says whether there is to be a build id */
	bool changed;               /* a word had to be changed */
	enum { NO_PIE, PIE, STATIC_PIE } pie;
};

/* words.c */
void add(struct words *w, const char *word);
char *join(const char *before, const char *middle, const char *after);
char *next_word(char **text);
bool is_one_of(const char *word, const char *const *list);
bool begins(const char *word, const char *with);
bool ends(const char *word, const char *with);

/* request.c */
bool is_static_pie(const struct request *r);
void take_word(struct request *r, struct words *w, const char *word, int depth);

/* ask.c */
void compiler_ask(const struct words *compiler, const char *question, char *answer, size_t size);

/* library.c */
const char *library_suffix(const char *path);
const char *library_input(struct request *r, const char *file);
void library_find_shared(struct request *r, const struct words *compiler);

/* compiler.c */
bool called_as(const char *end);
char *find_ourselves(void);
const char *prefix_of(char *path);
const char *library_of(const char *prefix);
void add_compiler(struct words *w, struct request *r, const char *ourselves);
void __attribute__((noreturn))
become_binutil(const struct request *r, const struct words *words, char **argv);

#endif
