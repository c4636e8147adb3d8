/*
 * A program: its functions and their names, its source lines, its build, its segments.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_MODEL_PROGRAM_H
#define PROFSUP_MODEL_PROGRAM_H

#include "gmon_layout.h"
#include "tool.h"

#include <sys/types.h>

struct gmon;

/* line_reader.c: a process that reads source lines.  `elf` is libelf's, of the file `fd`. */
enum { FILE_UNKNOWN = 0 }; /* Nothing is known from the line's address on. */

struct line {
	uint64_t pc;
	uint32_t file, number; /* the file's number, from 1 on, and the line's */
};

struct lines {
	pid_t reader;
	FILE *entries; /* struct line */
	FILE *names;   /* of files, printable UTF-8, each with its '\0' */
	struct line *table;
	size_t n;
	char *texts; /* what was in `names` */
	const char **files;
	size_t nfiles;
};

struct Elf;
void lines_start(struct lines *l, struct Elf *elf, int fd);

/* lines.c: takes what line_reader.c has found; nothing if that was not started. */
void lines_finish(struct lines *l, const char *program);
/* False, "???" and 0: not known. */
bool lines_find(const struct lines *l, uint64_t pc, const char **file, unsigned *number);

/* symbols.c: the program's functions. */

enum { FUNCTION_UNKNOWN = 0 }; /* stands for all code outside of the text, first in the table */

struct function {
	const char *raw;  /* as the linker knows it; it may hold anything and be of any length */
	const char *name; /* naming.c's: demangled, printable UTF-8 */
	size_t name_len;
	const char *symbol; /* naming.c's: as the linker knows it, printable UTF-8 */
	uint64_t low, high;
	uint32_t local_to; /* which of the source files; 0: it is global, or that is not known */
	bool runtime;      /* its time is the profiler's own, not the program's */
	bool no_symbol;    /* stands for code that no symbol covers */
	bool inlined;      /* stands for all code of a function that is inlined into others */
	/* Where an inlined one is declared; NULL, 0: not known. */
	const char *file;
	unsigned line;
};

/* Addresses that belong to one function.  Sorted, and no two of them overlap. */
struct span {
	uint64_t low, high;
	uint32_t function;
	uint32_t part; /* parts.c's: the function's part that this is; 0: none */
};

/* Code as it is mapped; segments.c */
struct segment {
	uint64_t low, high; /* link-time addresses */
	uint64_t offset;    /* in the file */
};

struct symbols {
	const char *program; /* as given, printable UTF-8 */
	char *path;          /* the whole path, whatever is in it */
	struct function *functions;
	size_t nfunctions;
	struct span *spans;
	size_t nspans;
	const char *build_id;               /* hexadecimal, "" if there is none */
	uint64_t runtime_low, runtime_high; /* the profiler's own code; 0, 0: not known */
	struct segment *segments;
	size_t nsegments;
	uint64_t entry;   /* where the program starts */
	uint16_t machine; /* EM_X86_64 and the like */
	bool pie;         /* it is loaded anywhere */
	bool exported;    /* only functions that it exports have names */
	struct lines lines;
	struct Elf *elf, *debug;
	int fd, debug_fd; /* of these; -1: it is closed */
};

/* `keep`: the files stay open. */
void symbols_read(struct symbols *s, const char *program, bool with_lines, bool keep);
void symbols_close(struct symbols *s);
/* The first span that ends above the address; nspans if none does. */
size_t symbols_span(const struct symbols *s, uint64_t pc);
/* The same, starting with a span that ends above a lower address. */
size_t symbols_next_span(const struct symbols *s, size_t span, uint64_t pc);
uint32_t symbols_function(const struct symbols *s, uint64_t pc);
/* The same, by the first span that ends above the address. */
uint32_t symbols_function_at(const struct symbols *s, size_t span, uint64_t pc);
void symbols_add_pseudo(struct symbols *s, const char *name);
void symbols_add_inlined(struct symbols *s, const char *name, const char *file, unsigned line);

/* parts.c: what a compiler has taken out of a function. */
void parts_join(struct symbols *s);
uint32_t parts_at(const struct symbols *s, uint64_t pc);

/* elf_header.c */
const char *elf_header_wrong(int fd, bool linked);

/* build_id.c: which build of the program a file is of. */
struct Elf *program_open(const char *path, int *fd);
char *build_id_of(struct Elf *elf);
char *build_id_read(const char *path);
char *build_id_in_gmon(const uint8_t id[GMON_BUILD_ID]);
char *build_id_of_gmon(const char *path);
bool build_id_fits(const char *of_gmon, const char *of_program);
void build_id_check(const struct gmon *g, const struct symbols *s, bool force);

/* runtime_note.c: the program is linked to count its calls. */
bool runtime_note_is_in(const char *path);

/* segments.c */
void segments_read(struct symbols *s, struct Elf *elf);

/* debug_file.c: what was stripped from a program. */
struct Elf *debug_file_open(const char *build_id, int *fd);
/* What several files of debugging information have in common. */
struct Elf *debug_file_shared(struct Elf *elf, int *fd);

/* naming.c: the names of functions from the number `first` on: of all, or of those that are in the
 * profile. */
struct model;
void naming_all(struct symbols *s, const struct model *m, uint32_t first, bool all);
/* What stands behind an inlined function's name.  Its name without that: */
#define NAMING_INLINED " [inlined]"
char *naming_plain(const struct function *f);

/* base_name.c: the length of a function's symbol without what compilers have added.  `split`: it is
 * a part that a compiler took out of another function. */
size_t base_name_length(const struct function *f, bool *split);
size_t base_name_without_suffix(const char *name, size_t len, bool *split);

#endif
