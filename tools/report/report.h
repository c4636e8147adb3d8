/*
 * profsup-report: a profile as text.  Each view is one file, made from the model alone.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef REPORT_H
#define REPORT_H

#include "model.h"

struct view {
	bool wanted;
	const char *pattern; /* functions whose names match; NULL: all */
};

struct report {
	const struct model *m;
	FILE *out;
	size_t most;        /* rows, or functions, of a view; 0: each view has its own number */
	bool all;           /* as many as there are */
	double percent;     /* least share of the time of a row */
	bool wide;          /* names are not cut */
	const char *source; /* directory of sources; NULL: none */
	bool hints;         /* say which views there are */
};

/* head.c: what the profile is of. */
void head_note_runs(const struct model *m);
void head_note_names(const struct model *m);
void head_write(const struct report *r);

/* table.c: what the tables have in common. */
enum { NAME_SIZE = 1024 };
/* A name as it stands behind `before` columns: cut, and as the user wants it. */
const char *table_short(const char *name, unsigned before, char buf[NAME_SIZE]);
const char *table_name(const struct report *r, const char *name, unsigned before,
                       char buf[NAME_SIZE]);
/* The same of other text. */
const char *table_text(const struct report *r, const char *text, unsigned before,
                       char buf[NAME_SIZE]);
/* The function's name, with the number of its cycle where time is by shares. */
const char *table_function(const struct report *r, uint32_t function, unsigned before,
                           char buf[NAME_SIZE]);
bool table_matches(const char *name, const char *pattern);
double table_percent(double part, double whole);
/* The heading of a function's own time, and how wide its column is. */
const char *table_own_time(const struct report *r);
int table_own_width(const struct report *r, int least);
/* Writes a column that is about calls, with a space before it, if any calls were counted. */
void table_put_column(const struct report *r, int width, const char *text);
/* Columns before a name, of which so many are about calls. */
unsigned table_before(const struct report *r, unsigned before, unsigned about_calls);
/* "-" if it is 0. */
const char *table_calls(uint64_t calls, char text[32]);
/* Calls by others and, behind "+", by itself, as gprof's graph has them. */
const char *table_own_calls(const struct report *r, uint32_t function, char text[64]);
/* Calls by others. */
uint64_t table_calls_of(const struct report *r, uint32_t function);

/* name.c: parts of a demangled name. */
size_t name_start(const char *name, size_t len);
size_t name_without_arguments(const char *name, size_t len);
char *name_without_any_arguments(const char *name, size_t len);

/* choose.c: functions, sorted. */
enum choose_by { BY_SELF, BY_TOTAL };
struct chosen {
	uint32_t *functions;
	size_t n;     /* to be shown */
	size_t left;  /* left out */
	size_t small; /* of these, by --percent */
};
struct chosen choose(const struct report *r, const char *pattern, enum choose_by by, size_t most);
/* Exits if there are no source lines of any function that is meant. */
void choose_need_lines(const struct report *r, const char *pattern);
/* One line of what is left out, if anything is. */
void choose_say_left(const struct report *r, const struct chosen *c);

/* flat.c, graph.c, lines.c, annotate.c */
void flat_write(const struct report *r, const char *pattern);
void graph_write(const struct report *r, const char *pattern);
void lines_write(const struct report *r, const char *pattern);
void annotate_write(const struct report *r, const char *pattern);

/* hints.c: the last lines. */
void hints_write(const struct report *r);

/* costs.c: the time and the calls of source lines. */
struct line_cost {
	uint32_t function;
	const char *file; /* as in the table of lines, so that pointers can be compared */
	unsigned line;    /* 0: not known */
	double self, total;
	uint64_t calls; /* made from here */
	bool code;      /* there is code of this line, whatever it cost */
};
struct line_costs {
	struct line_cost *cost; /* by file and line, each once */
	size_t n;
};
void costs_add(const struct report *r, struct line_costs *c, uint32_t function);
void costs_add_code(const struct report *r, struct line_costs *c, uint32_t function);
void costs_merge(struct line_costs *c);

/* source.c: a source file's lines. */
struct source {
	char **line; /* printable UTF-8 */
	size_t n;
};
/* NULL: it can't be read.  Says so, once for each file. */
const struct source *source_find(const struct report *r, const char *file);

/* power.c: from here on this process writes, makes and executes nothing, where the kernel can see
 * to it, and has no power over what is another user's, but to read it. */
void power_only_to_read(void);

/* top.c: shows what profsup --top tells. */
void top_run(void) __attribute__((noreturn));

/* worker.c: the rows of one program, made by a process of its own. */
enum { WORKER_ROWS = 24, WORKER_NAME = 512 };
struct row {
	char name[WORKER_NAME]; /* fit for a terminal, and maybe cut */
	double fresh, ticks, total;
	uint64_t calls; /* by others */
};
struct rows {
	double fresh, ticks; /* of all functions */
	bool has_totals;
	unsigned n;
	struct row row[WORKER_ROWS];
};
struct worker;
/* NULL: there can be no process. */
struct worker *worker_start(const char *program);
/* The rows of a process, those with the most ticks since its last ones first.  Closes the files; no
 * stacks: -1.  False: there are none, and it is useless from now on. */
bool worker_ask(struct worker *w, int pid, int gmon, int stacks, struct rows *rows);
void worker_end(struct worker *w);

/* screen.c */
struct screen_line {
	char text[512];
};
void screen_init(void);
unsigned screen_room(void);
bool screen_put(const char *text, size_t len);
void screen_draw(const struct screen_line *line, unsigned lines);
void screen_end(void);

/* child.c: a process that ends with us, and one that is not to go on.  -1, with errno: there is
 * none. */
pid_t child_start(void);
void child_kill(pid_t pid);

/* list.c: returns in a process for each program of the list on standard input. */
void list_each(const char **program, char *const **files);

#endif
