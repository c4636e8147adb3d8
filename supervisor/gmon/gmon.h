/*
 * Bins, arcs, and the file that is made of them.  Pure: nothing here knows a process or a system
 * call.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_GMON_ROOM_H
#define PROFSUP_GMON_ROOM_H

#include "profsup_abi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Without memory uthash does not add an entry, and leaves its hh.tbl NULL. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* hist.c: pure */
struct hist_bin {
	uint64_t index;
	uint64_t mixed; /* its hash's key: a target chooses the index */
	uint64_t ticks;
	UT_hash_handle hh;
};
struct hist {
	struct hist_bin *bins; /* only bins that were hit */
	uint64_t nbins;        /* how many bins the range has */
	uint64_t offset;       /* lowest address sampled */
	uint32_t scale;
	uint64_t ticks; /* in all bins together */
};
bool hist_index(const struct hist *h, uint64_t pc, uint64_t *index);
uint64_t hist_span(const struct hist *h, uint64_t bins);
uint64_t hist_add(struct hist *h, uint64_t index, uint64_t ticks);
uint64_t hist_take(struct hist *h, uint64_t *index);
void hist_clear(struct hist *h);

/* arcs.c */
struct arc_count {
	uint64_t key; /* from << 32 | self, low halves of the addresses */
	uint64_t count;
};
struct arcs {
	struct arc_count *arc; /* sorted by key, no key twice */
	size_t n, room;
	uint64_t dropped; /* calls that the runtime or the supervisor had no room for */
};
bool arcs_hold(size_t before, size_t bytes, size_t sure);
bool arcs_are_many(void);
uint64_t arcs_add(uint64_t a, uint64_t b);
void arcs_clear(struct arcs *a);
void arcs_merge(struct arcs *a);
int arcs_copy(struct arcs *to, const struct arcs *from);
int arcs_append(struct arcs *to, const struct arcs *more);
void arcs_subtract(struct arcs *a, const struct arcs *less);

/* arcset.c */
struct arcset {
	struct arc_count *place; /* key 0: free */
	size_t n;
	unsigned log2; /* log2 of the number of places */
	bool full;     /* must not grow any more */
	uint64_t dropped;
};
int arcset_add(struct arcset *s, uint64_t key, uint64_t count);
void arcset_take(struct arcset *s, struct arcs *to);
void arcset_clear(struct arcset *s);

/* A call stack, the innermost frame first.  A frame is a link-time address and, above it, the
 * number of the object that has the code.  A caller's address is that of its call's last byte. */
enum { STACK_FRAMES = 127, FRAME_BITS = 48 };
struct stack {
	size_t n;
	bool cut;      /* the outermost frames are missing */
	bool guessed;  /* a return address was looked for */
	bool waits;    /* the rows of the next one's code are still to come */
	uint64_t time; /* for a timeline: when its sample was taken, ns; 0: it has no time */
	pid_t tid;     /* and of which thread */
	uint64_t frame[STACK_FRAMES];
};

/* How much of it there is. */
static inline size_t
stack_bytes(const struct stack *stack)
{
	return offsetof(struct stack, frame) + stack->n * sizeof(stack->frame[0]);
}

/* Objects that each process has: its own program, and code of no file, whose addresses are those in
 * the process.  Numbers above these name files of the whole run. */
enum { OBJECT_PROGRAM, OBJECT_NO_FILE, OBJECTS_OF_RUN };

static inline uint64_t
frame_of_object(uint32_t object)
{
	return (uint64_t)object << FRAME_BITS;
}

static inline uint32_t
frame_object(uint64_t frame)
{
	return (uint32_t)(frame >> FRAME_BITS);
}

static inline uint64_t
frame_address(uint64_t frame)
{
	return frame & ((1ULL << FRAME_BITS) - 1);
}

/* secret.c */
void secret_set(uint64_t random);
uint64_t secret_mix(uint64_t key);

/* stacks.c: pure */
#define STACK_CUT      0          /* the outermost frame of a stack that is cut */
#define STACK_HOMELESS UINT64_MAX /* stands for the stacks that found no room */
/* Time that was no CPU time, ns. */
struct waits {
	uint64_t blocked;  /* asleep */
	uint64_t runnable; /* waiting for a CPU */
};
/* Innermost frames that stand for what a thread waited in: a system call, by its number, or one of
 * these.  They have an object's number that no object has. */
enum { OBJECT_WAITS = 0xfffe };
enum wait_frame { WAIT_NO_CALL = 1 << 20, WAIT_UNSEEN, WAIT_FOR_CPU };
struct stack_node {
	struct stack_key {
		struct stack_node *caller; /* NULL: an outermost frame */
		uint64_t mixed;            /* secret_mix(pc) */
	} key;
	uint64_t pc;
	uint64_t ticks;          /* in this frame itself */
	struct waits waits;      /* but for those in the timeline */
	struct stack_node *copy; /* during a merge: the same in the sum */
	uint32_t timed;          /* those of `ticks` that are in the timeline */
	bool sampled;            /* a sample was here, which may have had no tick */
	UT_hash_handle hh;
};
/* timeline.c: pure */
struct moment {
	struct stack_node *node;
	uint64_t time; /* of CLOCK_MONOTONIC, ns */
	pid_t tid;
	uint32_t ticks;
	struct waits waits; /* of a wait, whose end is `time` */
};
struct timeline {
	struct moment *moment;
	size_t n;
};
bool timeline_add(struct timeline *t, struct stack_node *node, const struct moment *moment);
void timeline_clear(struct timeline *t);

struct stack_block;
struct stacks {
	struct stack_node *nodes;   /* callers before those whom they call */
	struct stack_block *blocks; /* where nodes are: freed together, since they may be many */
	uint64_t cut;               /* ticks whose outermost frames are missing */
	uint64_t homeless;          /* ticks whose stack found no room */
	uint64_t guessed;           /* ticks of whose stack a frame is a guess */
	bool has_waits;             /* waits are counted, too */
	struct waits homeless_waits;
	struct timeline timeline;
};
bool stack_keep(struct stack **kept, const struct stack *stack);
void stacks_add(struct stacks *s, const struct stack *stack, uint64_t ticks);
void stacks_add_waits(struct stacks *s, const struct stack *stack, const struct moment *what);
bool stacks_are_near(uint64_t a, uint64_t b);
/* Whether two frames are of one function. */
typedef bool stacks_near(const void *arg, uint64_t a, uint64_t b);
bool stacks_add_like(struct stacks *s, uint64_t pc, uint64_t ticks, stacks_near *near,
                     const void *arg);
void stacks_merge(struct stacks *to, const struct stacks *from);
void stacks_clear(struct stacks *s);

/* Identifies an executable: by what it claims to be, and as the file that the kernel knows. */
enum { BUILD_ID_MOST = 32 };
struct image_id {
	uint8_t build_id[BUILD_ID_MOST]; /* a claim: any file may have any */
	size_t build_id_len;             /* 0: no build id, or a longer one */
	dev_t dev;
	ino_t ino;
	uint64_t size, changed, made; /* as in struct file_version */
	unsigned owner; /* for whom its functions are read: see owners.c; no part of the file */
};

/* What has been counted of one image, in one process or in several. */
struct counts {
	uint64_t bias; /* load address less link-time address */
	uint64_t low_pc, high_pc;
	uint64_t samplesize;
	struct hist hist;
	uint64_t outside;  /* ticks whose pc had no bin */
	struct arcs arcs;  /* as last read from the target */
	struct arcs minus; /* arcs to subtract: counted before an attach or a "zero" */
	struct stacks stacks;
	uint64_t since; /* from when on, ns; UINT64_MAX: a sum of nobody yet */
};

/* All ticks, where they were and where not. */
static inline uint64_t
counts_ticks(const struct counts *c)
{
	return c->hist.ticks + c->outside;
}

/* counts.c: pure */
bool counts_fit(uint64_t buf_addr, uint64_t buflen, uint64_t samplesize);
bool counts_has_range(const struct counts *p, uint64_t samplesize, uint64_t offset, uint32_t scale);
void counts_clear(struct counts *p);
void counts_set_range(struct counts *p, uint64_t samplesize, uint64_t offset, uint32_t scale);

/* merge.c: pure */
bool image_same_claim(const struct image_id *a, const struct image_id *b);
bool image_same_file(const struct image_id *a, const struct image_id *b);
void merge_start(struct counts *sum, const struct counts *p);
bool merge_fits(const struct counts *sum, const struct counts *p);
int merge_add(struct counts *sum, const struct counts *p);

/* buffer.c */
struct buffer {
	uint8_t *data;
	size_t len, size;
	uint64_t *touched;
};
int buffer_new(struct buffer *b, size_t size);
void buffer_put(struct buffer *b, const void *data, size_t len);
void buffer_put_at(struct buffer *b, size_t at, const void *data, size_t len);
size_t buffer_next(const struct buffer *b, size_t *at);
void buffer_free(struct buffer *b);

/* gmon.c: pure */
int gmon_encode(const struct counts *p, const struct image_id *image, unsigned hz,
                struct buffer *out);
void gmon_mark(struct buffer *b, uint64_t run);

/* What an older dialect's call has turned on. */
struct dialect_range {
	uint64_t buf, size;   /* address and length in the target, bytes */
	uint64_t offset, end; /* addresses that may have a bin */
	uint64_t scale;
};
enum { DIALECTS = 5 };
struct dialect {
	uint64_t call;  /* PROFSUP_CALL_* */
	unsigned width; /* of a bin, bytes */
	unsigned hz;    /* 0: the sampler's rate */
	uint64_t owed;  /* part of a tick of rate `hz`, in units of 1 / sampler's rate */
	uint64_t taken; /* program counters given to it so far */
	size_t n;
	struct dialect_range range[];
};

/* dialect.c: pure */
uint64_t dialect_bin(const struct dialect *d, uint64_t pc);
uint32_t dialect_count(uint64_t call, unsigned width, uint32_t count, uint64_t ticks, bool *full);
uint64_t dialect_ticks(struct dialect *d, uint64_t ticks, unsigned hz);
struct dialect_range dialect_aix_range(const struct profsup_aix_range *from);

#endif
