/*
 * What a run leaves: files, reports, and the lines at its end.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_OUTPUT_H
#define PROFSUP_OUTPUT_H

#include "process/process.h"

/* output.c */
struct output {
	const struct counts *what;
	const struct image_id *image;
	struct place *place;
	pid_t pid, parent; /* for the file's name */
	time_t started;
	unsigned snapshot;  /* number of the snapshot; 0: none */
	const char *called; /* the name that the file has had before; NULL: it is to get one */
	bool replaces;      /* a file of this run has that name */
	/* NULL: nobody wants to know.  If not `made`, the reason has been printed, and `name` is
	 * what the file is to be called at another try, or NULL. */
	void (*done)(struct profsup *ps, void *arg, const char *name, bool made);
	void *arg;
};
bool output_has_room(const struct profsup *ps, const struct place *place);
bool output_holds_up(unsigned number);
unsigned output_write(struct profsup *ps, const struct output *o);
unsigned output_step(struct profsup *ps);
void output_wait(struct profsup *ps);

/* stacks_file.c */
int stacks_file_encode(const struct counts *what, const struct image_id *image, const char *program,
                       unsigned hz, struct buffer *out);

/* template.c: pure */
struct template_values {
	const char *program;
	const char *host;
	pid_t pid, parent;
	time_t started;
	unsigned snapshot; /* number of the snapshot; 0: none */
};
const char *template_wrong(const char *t);
bool template_tells(const char *t, char field);
void template_expand(const char *t, const struct template_values *v, unsigned number, char *out,
                     size_t size);

/* names.c */
void names_reserve(int dir, const char *template, const struct template_values *v, char *name,
                   size_t size);

/* written.c: the files of a run */
void written_where(int dir, char where[WRITTEN_MOST]);
enum { WRITTEN_PATH = 2 * WRITTEN_MOST }; /* a directory and a name */
void written_path(const char *where, const char *name, char path[WRITTEN_PATH]);
void written_add(struct written *w, const char *dir, const char *name, const char *program,
                 const char *path, uint64_t ticks);
void written_ticks(struct written *w, const char *dir, const char *name, const char *program,
                   const char *path, uint64_t ticks);
void written_say(const struct written *w, char *text, size_t size);
void written_words(const struct written *w, const char *here, char *text, size_t size);
void written_hint(const struct written *w, const char *here, char *text, size_t size);

/* foresee.c */
void foresee_step(const struct profsup *ps);

/* sums.c */
unsigned sums_write(struct profsup *ps, const struct proc *proc);
void sums_collect(struct profsup *ps, const struct proc *proc);
void sums_snapshot(struct profsup *ps, unsigned number);
void sums_zero(void);

/* view.c */
int view_prepare(void);
void view_add(const char *program, const char *dir, const char *name);
void view_end(void);
int view_list(void);

/* top.c */
int top_prepare(struct profsup *ps);
void top_end(const struct profile *p);
void top_tick(struct profsup *ps);

/* summary.c */
struct summary {
	struct stats stats;
	const struct written *written;
	const char *sampler;
	unsigned hz;
	uint64_t period;   /* ns */
	uint64_t own_cpu;  /* ns */
	uint64_t mappings; /* part of own_cpu for the targets' mappings, ns */
};
void summary_seen(const struct summary *s, char *line, size_t size);
void summary_wall(const struct summary *s, char *line, size_t size);
void summary_cost(const struct summary *s, char *line, size_t size);
int summary_json(const struct summary *s, char *text, size_t size);
struct summary summary_of(const struct profsup *ps, const char *sampler);
void summary_print(const struct profsup *ps, const struct summary *s);

#endif
