/*
 * A profile: where its file is to be, its bins, arcs and stacks, and what is due.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_PROFILE_H
#define PROFSUP_PROFILE_H

#include "memory/memory.h"
#include "process/run.h"

/* How often a program that gives no cause for more is looked at, ns: at first, and later. */
#define CALM_NS (NSEC / 100)
#define REST_NS (NSEC / 10)

/* A file's place and owner, fixed by the first profil call; shared by the forks of a process. */
struct place {
	unsigned refs;
	int dirfd;
	bool may_hang; /* see mounts.c */
	bool tried;    /* see foresee.c */
	struct identity id;
	unsigned owner;          /* the number of that identity: see owners.c */
	char name[16];           /* the program's own name, safe in a file name */
	char path[WRITTEN_MOST]; /* of the program, as we see it; "": not known */
};

/* What the runtime says of itself in struct profsup_state, and where its arcs are. */
struct runtime {
	uint64_t low, high; /* the runtime's own code */
	uint64_t mcount_pc;
	uint64_t tls_mark;
	uint64_t arcs_off; /* offset of the arc area in the buffer */
};

/* state.c: whether the program counts, by its own state. */
struct mode {
	bool on;           /* as last read */
	uint64_t read_at;  /* when it was read, ns */
	uint32_t toggles;  /* changes of the mode, as last read */
	uint8_t geometry;  /* the state's count of new ranges, as last seen */
	uint64_t range_at; /* when the next one is taken, ns */
	unsigned serial;   /* sampler_perf: number of the drain it was read in */
};

/* sampler.c: when a process's arcs are read. */
struct arcs_due {
	uint64_t due;   /* when they are read next, ns */
	uint64_t cpu;   /* the process's CPU time at the last reading, ns */
	uint64_t began; /* when the last reading began, ns */
};

/* sampler_perf.c: the CPU time that samples must be covered by. */
struct cover {
	uint64_t began;      /* when the profile began, ns */
	uint64_t since;      /* older samples are another image's, ns */
	uint64_t cpu_before; /* the process's CPU time at `since`, ns */
	uint64_t cpu;        /* the process's CPU time as last read, ns */
	uint64_t seen;       /* samples that CPU time has covered */
	uint64_t lost;       /* samples of the run that had found no room at `since` */
};

/* bins.c: bins that are not yet in the target's memory. */
struct fresh {
	size_t n;
	struct mem_16 bin[BINS_FRESH];
};

/* A registered profile: what one process has used since it called profil, or was forked. */
enum { THREADS_PCS = 64 };
struct profile {
	struct place *place;
	struct counts counts;
	time_t started;
	uint64_t buf_addr;
	uint64_t buflen;
	struct runtime runtime;
	struct mode mode;
	struct arcs_due reading;
	struct cover paid;
	struct perf_events *events;       /* sampler_perf: shared with the forks, or NULL */
	uint64_t last_pc;                 /* pc of the last sample */
	uint64_t threads_pc[THREADS_PCS]; /* those of threads but the first */
	unsigned threads_samples;         /* how many those have had */
	uint64_t viewed;                  /* ticks when --top last showed it */
	bool forked;                      /* began by a fork, not with its image */
	bool attached; /* a process that ran already, or a fork of one: see attach.c */
	bool off;      /* a bin could not be written */
	bool fileless; /* counts by older dialects only */
	bool bare;     /* of a program without our runtime: see bare.c */
	struct dialect *dialect[DIALECTS]; /* by PROFSUP_CALL_* - 1; NULL: off */
	struct waiting *waiting;           /* samples whose stacks are still to be walked */
	size_t waiting_bytes[2];           /* as in waiting.c */
	unsigned walked;                   /* objects_serial() when that was last tried */
	uint64_t walk_at;                  /* when it may be tried again, ns */
	uint64_t
	    lost_at; /* when the last of them was found in code of which we know no mapping, ns */
	struct fresh fresh;
};

/* profile.c */
struct profile *profile_new(void);
struct profile *profile_fork(const struct profile *from);
void profile_free(struct profile *p);
void profile_give_up(struct proc *proc, struct profile *p);
uint64_t profile_calm_ns(const struct profsup *ps, uint64_t began, uint64_t now);
void profile_take_state(struct profile *p, const struct proc *proc, const struct profsup_state *s);
bool profile_is_bare_and_empty(const struct profile *p);
struct place *place_share(struct place *place);
void place_drop(struct place *place);

/* state.c */
bool state_wants_samples(const struct proc *proc);
bool state_is_still_on(const struct profsup *ps, const struct proc *proc, uint64_t now);
bool state_is_on(struct proc *proc);
uint8_t state_flags(const struct profsup *ps);
int state_set(struct proc *proc, size_t member, uint8_t value);
int state_tell(struct proc *proc, uint8_t flags);
void state_follow(const struct profsup *ps, struct profile *p);
void state_update(const struct profsup *ps, struct proc *proc);

/* bins.c */
bool bins_set_range(struct profile *p, uint64_t samplesize, uint64_t offset, uint32_t scale);
void bins_put(struct proc *proc, uint64_t index, uint16_t value);
void bins_flush(struct proc *proc);
void bins_tick(const struct profsup *ps, struct proc *proc, uint64_t now);
int bins_flush_and_read(struct proc *proc, uint64_t addr, void *buf, size_t len);

/* arctable.c */
int arctable_read(struct proc *proc);
int arctable_read_to(struct proc *proc, struct arcs *to);
void arctable_restart(struct proc *proc);
void arctable_give_room(struct arcs *a);

/* dialect_count.c: counts of the older dialects */
struct dialect *dialect_new(uint64_t call, size_t ranges);
bool dialect_counts(const struct proc *proc);
void dialect_credit(struct profsup *ps, struct proc *proc, uint64_t pc, uint64_t ticks);
void dialect_fork(struct profile *p);
void dialect_close(struct profile *p);

#endif
