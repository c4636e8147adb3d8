/*
 * The files of profiles: gmon files, those of stacks beside them, and which of them count.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_MODEL_PROFILES_H
#define PROFSUP_MODEL_PROFILES_H

#include "program.h"

#include <time.h>

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

/* files.c: which of the files are to be added up. */
char **files_choose(char *const *files, bool intervals);

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
 * are among n operands, which NULL ends, out of them, puts their gmon files in the place of others,
 * and returns how many are left. */
char *stacks_path(const char *gmon);
int stacks_leave_out(int n, char **operand);

/* find.c: the program, which a command line need not name.  The first returns the gmon files, or
 * directories of them, among the operands; `program` is NULL if they are all.  The second finds the
 * program of the first file, and exits if there is none; the third returns NULL then. */
char *const *find_operands(int n, char **operand, const char **program);
char *find_program(char *const *files, bool force);
char *find_program_if(const char *file);
bool find_is_directory(const char *name);

/* builds.c: the files of the program as it is now; `last`: of its newest run.  Finds the program,
 * too, if it is NULL. */
char *const *builds_choose(char *const *files, const char **program, bool force, bool last);

/* newest.c: the files of the newest run. */
char *const *newest_choose(char *const *files);
/* When the run began that a file is of, in microseconds since 1970; 0: the file does not say. */
uint64_t newest_run_of(const char *path, struct timespec *when);

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
