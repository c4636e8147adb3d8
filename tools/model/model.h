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

#include "profiles.h"

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
	uint32_t group_caller; /* groups of caller and callee, if there are no stacks */
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

/* inline_parts.c: for the physical model of m.  Spots, parts of own time; parts of the calls of
 * edges. */
void inline_parts_of_spots(struct model *m);
void inline_parts_of_edges(struct model *m);
/* The function of an inlined call. */
uint32_t inline_parts_function(const struct model *m, uint32_t call);
/* Adds what the function's code in a call has cost to the calls. */
void inline_parts_add_calls(struct model *m, uint32_t function, uint32_t call, double ticks);

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

/* load.c */
struct load {
	const char *program;
	char *const *files;      /* gmon files, NULL behind the last one */
	bool stacks;             /* take the files of stacks beside them, too */
	const char *stacks_file; /* that of the only file; NULL: it is beside it */
	bool times;              /* and the times that are in them: each is a stack of its own */
	bool addresses;          /* and the addresses in libraries, which are places of their own */
	enum stacks_what what;   /* other than STACKS_CPU: exits if the files don't have it */
	const char *only;        /* what is made of stacks only: exits if there are none; or NULL */
	const char *by;          /* the option of profsup that writes what that needs */
	bool lines;              /* source lines are wanted: load_lines() */
	bool inlines;            /* inlined functions are wanted: load_inlines() */
	bool all;                /* functions that did not run are wanted, too */
	bool no_names;           /* the program's functions need none: another model has them */
	bool parts;              /* parts of functions are functions of their own */
	bool force;              /* build ids may differ */
	bool intervals;          /* snapshots are parts, none of which is in another */
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

#endif
