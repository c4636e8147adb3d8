/*
 * What the tools that read profiles share.  gmon files, the files of stacks beside them, and the
 * program's symbols become one model; all that a tool writes is made from the model alone.
 *
 * A tool runs once and ends: a function that finds the input wrong says so in one line and exits.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef MODEL_H
#define MODEL_H

#include "gmon_layout.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { EXIT_BAD = 1, EXIT_USAGE = 2 };

/* command.c: what the tools' command lines have in common. */
struct command {
	const char *name; /* the tool's: profsup-export */
	const char *examples, *usage, *help;
};
enum { OPTION_LONG = 256 }; /* the least value of an option that has no letter */

void command_is(const struct command *c);
/* One line on stderr; exits with EXIT_USAGE. */
void command_refuse(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* The same of an option's value, with the one that may be meant. */
void command_refuse_value(const char *option, const char *value, const char *why)
    __attribute__((noreturn));
/* Takes an option that all tools have, or refuses what getopt_long has refused: what that has
 * returned, optopt, and the word. */
void command_option(int c, int option, const char *word);
/* Refuses an option among the operands, unless a file is called so. */
void command_operands(char *const *words);

/* suggest.c: ": did you mean X?", or "" if nothing in the help is like the word. */
const char *suggest_option(const char *help, const char *word);
const char *suggest_value(const char *help, const char *option, const char *word);

/* memory.c */

/* Room for one more behind the n elements of an array.  The array may move; no memory: exits. */
void *memory_grow(void *array, size_t n, size_t element);
void *memory_array(size_t n, size_t element); /* zeros */
char *memory_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A file without a name.  What is passed over in it is a hole and takes no memory. */
FILE *memory_file(void);
/* Goes on at another place. */
void memory_file_pass(FILE *f, uint64_t at);
/* Makes the file end where it is: what was passed over last may be all hole. */
void memory_file_end(FILE *f);
/* What another process has written to it, with a '\0' behind it.  Closes it. */
void *memory_file_take(FILE *f, size_t *len);

/* names.c */
struct names {
	struct name *table;
	uint32_t n;
};

uint32_t names_number(struct names *names, const char *text, const char **kept);
void names_free(struct names *names);

/* note.c: what a format can't hold, one line on stderr unless -q. */
void note_quiet(void);
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* regular.c */
struct stat;
int regular_open(const char *path, struct stat *st);

/* reader.c: a file, read from front to back.  No request may go beyond the file's length. */
struct reader {
	char *name; /* printable UTF-8 */
	int fd;
	uint64_t at, size;
	uint64_t data_end; /* before it there is no hole */
	uint8_t *block;    /* bytes of the file from `start` on */
	uint64_t start;
	size_t have;
};

void reader_open(struct reader *r, const char *name, struct timespec *when);
void reader_close(struct reader *r);
void reader_need(const struct reader *r, uint64_t len);
void reader_take(struct reader *r, void *to, size_t len);
void reader_pass(struct reader *r, uint64_t len);
uint64_t reader_run(struct reader *r, bool *hole);

/* bins.c: the bins that have ticks. */
struct bin {
	uint64_t ticks;
	uint32_t index;
};
struct bins {
	struct bin *bin; /* after bins_merge sorted, each index once */
	size_t n, merged;
};

void bins_add(struct bins *b, uint32_t index, uint64_t ticks);
void bins_merge(struct bins *b);

/* gmon_read.c: the files, added up. */

/* The bins of all records of one range and one number of bins. */
struct gmon_range {
	uint64_t low, high; /* link-time addresses */
	uint32_t nbins;
	struct bins bins;
};

struct gmon_arc {
	uint64_t from, self, count;
};

struct gmon {
	struct gmon_range *ranges;
	size_t nranges;
	struct gmon_arc *arcs; /* sorted, each pair of addresses once */
	size_t narcs, merged;
	uint32_t rate;          /* ticks a second */
	struct timespec when;   /* time of the newest file */
	struct timespec *times; /* of all files */
	size_t nfiles;
	const char *build_id;      /* how it begins, hexadecimal; "": no file has one */
	const char *build_id_file; /* the first file that has it */
};

/* `force`: files of different builds, too. */
void gmon_read(struct gmon *g, char *const *files, bool force);
void gmon_free(struct gmon *g);
/* Where bin i begins; for i = nbins, where the last one ends. */
uint64_t gmon_bin_start(const struct gmon_range *r, uint32_t i);
/* Whether the address is in a histogram. */
bool gmon_has(const struct gmon *g, uint64_t pc);

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
	bool runtime;   /* its time is the profiler's own, not the program's */
	bool no_symbol; /* stands for code that no symbol covers */
	bool inlined;   /* stands for all code of a function that is inlined into others */
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
const char *symbols_header_wrong(int fd, bool linked);

/* parts.c: what a compiler has taken out of a function. */
void parts_join(struct symbols *s);
uint32_t parts_at(const struct symbols *s, uint64_t pc);

/* build_id.c: which build of the program a file is of. */
char *build_id_of(struct Elf *elf);
char *build_id_read(const char *path);
char *build_id_in_gmon(const uint8_t id[GMON_BUILD_ID]);
char *build_id_of_gmon(const char *path);
bool build_id_fits(const char *of_gmon, const char *of_program);
void build_id_check(const struct gmon *g, const struct symbols *s, bool force);

/* files.c: which of the files are to be added up. */
char **files_choose(char *const *files, bool intervals);

/* segments.c */
void segments_read(struct symbols *s, struct Elf *elf);

/* debug_file.c: what was stripped from a program. */
struct Elf *debug_file_open(const char *build_id, int *fd);
/* What several files of debugging information have in common. */
struct Elf *debug_file_shared(struct Elf *elf, int *fd);

/* inflate.c: all of a file that is compressed. */
uint8_t *inflate_file(struct reader *r, size_t most, size_t *len);

/* stacks.c: measured call stacks. */

/* Where a frame is: the sample's address, or the last byte of a call; 0 in pseudo functions, but
 * for those of other files if addresses are wanted. */
struct place {
	uint64_t pc;
	uint32_t function;
	uint32_t object; /* the other file's number, from 1 on; 0: it is in none, or not wanted */
	uint32_t call;   /* of the inlined function that is here: inlines.h's number; 0: none */
};

/* Another file that has code, such as a library. */
struct object {
	const char *path, *build_id; /* printable UTF-8; "": it has none */
	uint64_t low, high;          /* link-time addresses of its code */
	uint64_t offset;             /* where that begins in the file */
};

/* What the stacks' ticks are: those of CPU time, or else nanoseconds.  STACKS_ALL: of all kinds of
 * time that the files have. */
enum stacks_what { STACKS_CPU, STACKS_BLOCKED, STACKS_RUNNABLE, STACKS_WALL, STACKS_ALL };

struct stack {
	size_t at;  /* in stacks.frames, the outermost first */
	uint32_t n; /* one at least */
	uint64_t ticks;
	uint64_t time;   /* ns since 1970, if times are kept; 0: not known */
	uint32_t thread; /* its number, if times are kept */
	uint32_t file;   /* its process's in load's `files`, from 0 on, if times are kept */
};

/* Most frames of a stack; profsup writes 128 at most. */
enum { MOST_STACK = 512 };

struct stacks {
	struct stack *stack; /* once settled: sorted by functions, then places, each once */
	size_t n;
	bool times;              /* those of different times or threads are different ones */
	bool addresses;          /* those at different addresses of other files are, too */
	uint32_t *frames;        /* numbers of places */
	size_t nframes, settled; /* the latter is their number when last settled */
	struct place *places;    /* once settled: sorted by function, then address, each once */
	size_t nplaces, settled_places;
	uint32_t cut, no_room; /* pseudo functions */
	/* Functions of shared libraries and of the kernel's vdso, "name [file]": pseudo functions,
	 * from no_room + 1 on. */
	struct names others;
	const char **other;
	const char **other_build_id; /* of their files; NULL: that of none */
	struct names object_names;   /* all that is known of each */
	struct object *objects;      /* if addresses are wanted */
	uint64_t ticks;              /* of all stacks, with the runtime's, which are not kept: */
	uint64_t runtime_ticks;
	uint64_t outside;  /* those at addresses that no histogram has */
	uint64_t homeless; /* those of [no room] */
	uint64_t period;   /* of a tick of CPU time, ns */
	enum stacks_what what;
	bool waits; /* the files have the other kinds of time, too */
};

uint32_t stacks_place(struct stacks *s, const struct place *place);
void stacks_begin(struct stacks *s, const struct stack *what);
void stacks_frame(struct stacks *s, uint32_t place);
void stacks_settle(struct stacks *s);
void stacks_settle_many(struct stacks *s);
void stacks_free(struct stacks *s);
bool stacks_same_functions(const struct stacks *s, size_t i, size_t j);
/* Which kind of time an innermost frame of the function has: that of a CPU, blocked or runnable. */
enum stacks_what stacks_kind(const struct stacks *s, uint32_t function);

/* What such a kind of time is called, which is none of STACKS_ALL. */
const char *stacks_type(enum stacks_what what);
/* command.c: the one that the option --type names, or refuses the name. */
enum stacks_what command_type(const char *name);

/* stack_read.c: the files of stacks beside gmon files.  False: there are none that are of use, for
 * the reason `why`, if it is not that there are none at all. */
struct load;
bool stacks_read(struct stacks *s, const struct gmon *g, struct symbols *symbols,
                 char *const *files, const struct load *load, char **why);
/* What the file of stacks beside a gmon file calls the program; NULL: there is none. */
char *stacks_program(const char *gmon);

/* beside.c: where the file of stacks of a gmon file is.  The second takes those whose gmon files
 * are among n operands, which NULL ends, out of them, and returns how many are left. */
char *stacks_path(const char *gmon);
int stacks_leave_out(int n, char **operand);

/* find.c: the program, which a command line need not name.  The first returns the gmon files, or
 * directories of them, among the operands; `program` is NULL if they are all.  The second finds the
 * program of the first file, and exits if there is none; the third returns NULL then. */
char *const *find_operands(int n, char **operand, const char **program);
char *find_program(char *const *files, bool force);
char *find_program_if(const char *file);
bool find_is_directory(const char *name);

/* builds.c: the files of the program as it is now.  Finds the program, too, if it is NULL. */
char *const *builds_choose(char *const *files, const char **program, bool force);

/* newest.c: the files of the newest run. */
char *const *newest_choose(char *const *files);
/* When the run began that a file is of, in microseconds since 1970; 0: the file does not say. */
uint64_t newest_run_of(const char *path, struct timespec *when);

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

/* text.c: names come from files that anyone may have made. */
enum { MOST_PATH = 4096 };

/* Copies `most` bytes of a text; what is not printable UTF-8 becomes '?'. */
char *text_clean(const char *s, size_t most);
/* The same of what is printed. */
char *text_message(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/* model.c */

/* Ticks of one bin, or of the part of it that lies in the function. */
struct spot {
	uint32_t function;
	uint32_t bytes; /* of the bin, or of the part */
	uint64_t pc;
	double ticks;
};

struct edge {
	uint32_t caller, callee;
	uint64_t calls;
	double ticks;          /* the caller's share of ticks in the callee and below, or, with
	                        * stacks, the sum of its sites' */
	size_t site, nsites;   /* in model.sites */
	uint32_t group_caller; /* groups of caller and callee */
	uint32_t group_callee;
	uint64_t by_self;    /* calls that the callee's own code makes */
	size_t part, nparts; /* in model.parts */
};

struct site {
	uint32_t caller, callee;
	uint64_t from, calls; /* no calls: only stacks have it, or the callee is inlined */
	double ticks;         /* in the callee and below: a share, or measured */
	uint32_t call;        /* the inlined one: inlines.h's number; 0: none */
	bool by_self;         /* the callee's own code makes it, or what is inlined into that */
};

struct cost {
	double self;      /* ticks */
	double body;      /* the same, with what is inlined into it */
	double total;     /* with what it called; by shares, in a cycle, only with its own calls out
	                   * of it */
	uint64_t calls;   /* by others and by itself */
	uint64_t by_self; /* calls that are direct recursion */
	uint32_t group;
	size_t edge, nedges; /* edges to its callees, in model.edges */
	size_t spot, nspots; /* in model.spots */
	size_t part, nparts; /* in model.parts */
};

/* Functions that all call each other, directly or not; most are alone in theirs. */
struct group {
	double total; /* ticks, with what the group called */
	double self;
	uint64_t calls;  /* from outside of the group */
	size_t first, n; /* in model.members */
	uint32_t cycle;  /* 1...; 0 for a function alone */
};

struct model {
	const struct symbols *symbols;
	const struct gmon *gmon;
	const struct stacks *stacks; /* NULL: there are none, and shares are worked out */
	char *const *files;
	struct cost *costs; /* one for each function */
	struct spot *spots; /* by function, then address */
	size_t nspots;
	struct site *sites; /* by caller, callee, address */
	size_t nsites, merged_sites;
	struct edge *edges; /* by caller, callee */
	size_t nedges;
	struct group *groups; /* callees before their callers */
	size_t ngroups;
	uint32_t *members;
	double ticks;         /* of all functions but the runtime's */
	double runtime_ticks; /* left out of all else */
	uint64_t calls;
	const struct inlines *inlines; /* NULL: inlined functions are not told apart */
	uint32_t first_inlined;        /* number of the first of them, which are the last ones */
	struct model *physical;        /* the same without them; NULL: this is it */
	struct inline_part *parts;     /* only of the physical model of another */
	size_t nparts, nown;           /* the first ones are those of own time */
};

/* `stacks`: NULL if there are none. */
void model_make(struct model *m, const struct gmon *g, const struct symbols *s,
                const struct stacks *stacks, char *const *files);
void model_free(struct model *m);
double model_seconds(const struct model *m, double ticks);
enum stacks_what model_what(const struct model *m);       /* what ticks are of */
bool model_has(const struct model *m, uint32_t function); /* it ran, was called or called */
/* How many functions are the program's own, which come before those of libraries, and those that
 * are inlined. */
uint32_t model_own_functions(const struct model *m);
/* Makes edges of the sites, which are merged. */
void model_add_edges(struct model *m);

/* inlined.c: makes functions of their own of those that are inlined, where the program tells. */
struct inlines;
/* Of models of one program; the first one's is still open.  False: there are none. */
bool inlined_read(struct inlines *in, struct model *const *models, size_t n);
void inlined_expand(struct model *m, const struct inlines *in, struct symbols *s,
                    struct stacks *stacks);
/* The function of an inlined call. */
uint32_t inlined_function(const struct model *m, uint32_t call);
/* Adds what the function's code in a call has cost to the calls. */
void inlined_add_calls(struct model *m, uint32_t function, uint32_t call, double ticks);

/* inline_parts.c: for the physical model of m.  Spots, parts of own time; parts of the calls of
 * edges. */
void inline_parts_of_spots(struct model *m);
void inline_parts_of_edges(struct model *m);

/* where.c: source lines.  All return false, "???" and 0 if they are not known. */
/* Of an address, or of the inlined call that is there. */
bool where_place(const struct model *m, uint64_t pc, uint32_t call, const char **file,
                 unsigned *line);
/* Where a function begins, or is declared. */
bool where_function(const struct model *m, uint32_t function, const char **file, unsigned *line);

/* spots.c: the ticks of all bins. */
double spots_make(struct model *m);

/* sites.c: call sites, each once when they are merged. */
void sites_add(struct model *m, const struct site *site);
void sites_merge(struct model *m);

/* measured.c: time by measured stacks. */
void measured_make(struct model *m);
void measured_totals(struct model *m);

/* groups.c: the cycles, and each function's share of what it called. */
void groups_make(struct model *m);

/* round.c: whole numbers whose sum is that of the fractions, to the nearest. */
struct round {
	double exact;
	uint64_t given;
};

uint64_t round_take(struct round *r, double amount);

/* chains.c: chains of callers: the measured stacks, or as the shares make them. */

/* The frames from the outermost on: functions, or, from nfunctions on, the cycle of that number
 * less nfunctions. */
struct chain {
	const uint32_t *frames;
	size_t n;
	uint64_t ticks;
	/* Without stacks, of the last function's own time: a part of the physical model, or, if
	 * inlined functions are not told apart, the function. */
	size_t part;
};

void chains_walk(const struct model *m, void (*take)(void *arg, const struct chain *c), void *arg);
char *chains_frame_name(const struct model *m, uint32_t frame);

/* output.c */

/* The profile goes from memory to the file; NULL: to standard output. */
void output_write(FILE *profile, const char *path);

/* load.c */
struct load {
	const char *program;
	char *const *files;    /* gmon files, NULL behind the last one */
	bool stacks;           /* take the files of stacks beside them, too */
	bool times;            /* and the times that are in them: each is a stack of its own */
	bool addresses;        /* and the addresses in libraries, which are places of their own */
	enum stacks_what what; /* other than STACKS_CPU: exits if the files don't have it */
	const char *only;      /* what is made of stacks only: exits if there are none; or NULL */
	const char *by;        /* the option of profsup that writes what that needs */
	bool lines;            /* source lines are wanted: load_lines() */
	bool inlines;          /* inlined functions are wanted: load_inlines() */
	bool all;              /* functions that did not run are wanted, too */
	bool no_names;         /* the program's functions need none: another model has them */
	bool parts;            /* parts of functions are functions of their own */
	bool force;            /* build ids may differ */
	bool intervals;        /* snapshots are parts, none of which is in another */
};
/* The model is there until the end. */
struct model *load_model(const struct load *what);
/* Takes one other file of the model's program in place of its files: the names of functions and
 * lines stay, and what the model had besides them goes. */
void load_again(struct model *m, const struct load *what, char *file);
void load_lines(struct model *m);
void load_drop_stacks(struct model *m);
/* Tells inlined functions apart, in models of one program, the first of which was loaded for that.
 * After load_drop_stacks(). */
void load_inlines(struct model *const *models, size_t n);

/* runs.c: several runs of one program. */
struct run {
	char **files; /* gmon files of one run, NULL behind the last one */
};

/* `words` ends with NULL.  Each file is a run, but for snapshots of a later one, and so is a
 * directory of files. */
struct run *runs_find(char *const *words, bool one_run, bool intervals, size_t *nruns);
/* The models of all; that of the first has names, and lines if they are wanted. */
struct model **runs_load(const struct load *what, const struct run *runs, size_t n);

#endif
