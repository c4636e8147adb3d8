/*
 * profsup-diff: two profiles, each of one run or of several, and what has changed between them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef DIFF_H
#define DIFF_H

#include "model.h"

enum { BEFORE, AFTER, SIDES };
enum { EXIT_GROWN = 3 }; /* --fail-over */

/* A function of a side. */
struct subject {
	const struct model *m; /* of the first run that has it */
	uint32_t function;
};

/* What the command line names of one side. */
struct side {
	const char *program;
	struct run *runs;
	size_t nruns;
	const struct model *first; /* of the first run */
	struct subject *subjects;  /* those of the program's symbols first */
	size_t nsubjects;
	uint32_t **subject; /* the subject of each function of each run */
	uint32_t *entries;  /* match.c's: the entry of each subject */
	bool *split;        /* match.c's: it is a part that a compiler took out of another */
	bool measured;      /* all runs have stacks */
	double squares;     /* of the time of each run */
	double ticks;
	uint64_t calls;
};

/* What was counted: calls. */
struct count {
	bool inlined[SIDES]; /* some are not counted, since the callee is inlined there */
	uint64_t now;        /* of the run that is being added */
	uint64_t sum[SIDES];
	bool any[SIDES], differs[SIDES]; /* from run to run */
	uint64_t last[SIDES];
};

/* What was sampled: ticks. */
struct amount {
	double now;
	double ticks[SIDES], squares[SIDES]; /* of seconds, run by run */
};

/* Time, and what has changed it; seconds and calls of a run, on the average. */
struct item {
	struct amount time;
	struct count calls;
	double seconds[SIDES];
	double change, error; /* half of the interval that has the change with 95 % */
	double p;             /* of so much change by chance */
	bool tested, significant;
	bool divided; /* the change into these: */
	double by_calls, by_cost, by_calls_error, by_cost_error;
};

/* A function, by its name in both programs. */
struct entry {
	const char *name;
	bool there[SIDES];  /* in the program */
	bool symbol[SIDES]; /* as a function of its own, and not only inlined into others */
	bool own[SIDES];    /* judge.c's: by a symbol of the program's, not of a library's */
	struct item self;
	struct item total;  /* with what it called, measured by stacks */
	uint32_t in_stack;  /* the last stack that it was in */
	uint32_t first_arc; /* arcs into it, in diff.into */
	uint32_t narcs;
};

struct arc {
	uint32_t caller, callee;
	/* Calls, in the run that is being added: of parts of the callee, and by what is inlined
	 * into the callee. */
	uint64_t split, by_self;
	struct item item;
};

/* A measured stack, as entries; the outermost first. */
struct path {
	size_t at;
	uint32_t n;
	double ticks[SIDES];
};

struct diff {
	struct side sides[SIDES];
	struct entry *entries;
	size_t nentries;
	struct arc *arcs; /* by caller, callee */
	size_t narcs;
	uint32_t *into; /* numbers of arcs, by callee */
	struct path *paths;
	size_t npaths;
	uint32_t *frames;
	size_t nframes;
	struct item total;
	bool measured;    /* there are stacks on both sides */
	double noise;     /* the deviation of a run's time, as a part of it, if there is one run */
	bool noise_taken; /* it was needed */
	double sample_95, run_95; /* deviations, by samples and by runs, of what has 95 % */
	bool all, calls;          /* what to show */
};

/* subjects.c */
void subjects_find(struct side *s, struct model *const *models);

/* match.c: functions of both programs, by name. */
void match(struct diff *d);

/* gather.c: adds a run's time and calls. */
void gather_run(struct diff *d, int side, size_t run, const struct model *m);
void gather_end(struct diff *d);

/* paths.c: the stacks of both sides, each once. */
void paths_add(struct diff *d, int side, const uint32_t *frames, uint32_t n, double ticks);
void paths_merge(struct diff *d);
/* Calls enter() for each frame from the outermost on, and leave() behind its callees. */
struct path_walker {
	void *arg;
	void (*enter)(void *arg, uint32_t entry, const double ticks[SIDES], bool first);
	void (*leave)(void *arg);
};
void paths_walk(const struct diff *d, double least_share, const struct path_walker *w);

/* judge.c: what is a change, and what is chance. */
void judge(struct diff *d);
/* What the square of a sample's ticks is more than it, if nothing but one run shows it. */
extern const double ticks_a_sample;
/* With fewer ticks nothing is said of a time. */
extern const double least_ticks;
double judge_runs(const struct diff *d, int side);
double judge_seconds(const struct diff *d, int side, double ticks);
/* Half of the interval that has the change of a time with 95 %, by the number of its samples. */
double judge_sampling_error(const struct diff *d, const double ticks[SIDES]);
/* Whether more of a frame has changed than chance explains, of so many frames. */
double judge_frames_beyond(size_t frames);
bool judge_frame_changed(const struct diff *d, const struct entry *e, const double ticks[SIDES],
                         double beyond);
double judge_calls(const struct diff *d, const struct count *c, int side);
/* Calls are counted: so this is a fact, unless the runs of one side differ. */
bool judge_calls_changed(const struct diff *d, const struct count *c);
/* Whether that side alone has it; gone: BEFORE. */
bool judge_is_new(const struct entry *e, int side);

/* student.c: Student's distribution; of no degrees of freedom, the normal one. */
double student_p(double t, unsigned freedom); /* of both tails */
double student_beyond(double p, unsigned freedom);

/* The object may stand in a page. */
#define JSON_NUMBERS "<"

static inline void
json_string(FILE *out, const char *s)
{
	json_string_but(out, s, JSON_NUMBERS);
}

/* text.c, json.c, html.c */
void text_write(const struct diff *d, FILE *out);
void json_write(const struct diff *d, FILE *out);
void html_write(const struct diff *d, FILE *out);

/* html.c: a page whose script finds the data in it as JSON. */
struct page {
	const char *policy, *style, *script;
};

void html_page(const struct page *p, void (*put_data)(const void *arg, FILE *out), const void *arg,
               FILE *out);

/* page.c and growth-page.c, which page.sh makes of scripts and styles. */
extern const char page_script[], page_style[], page_policy[];
extern const char growth_script[], growth_style[], growth_policy[];

#endif
