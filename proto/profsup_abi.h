/*
 * The contract between a profiled image and its supervisor: the call, the state that the image
 * keeps in its own memory, and the bounds both sides hold to.  Everything is little-endian, as
 * both machines we know are, and of fixed width.  abi_check.c asserts every size and offset.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_ABI_H
#define PROFSUP_ABI_H

/* Usable from assembler: the numbers come before the types. */

/*
 * profil(buf, buflen, samplesize, offset, scale, dirfd), a system call that no kernel has: it is
 * above every native number and below the x32 range (0x40000000).  A kernel answers ENOSYS, and a
 * supervisor, which sees the call before the kernel does, whatever profil(2) says.
 */
#define PROFSUP_NR_PROFIL 0x0b5d0001

#define PROFSUP_ABI_VERSION 2

/* struct profsup_state.mode: what mcount does. */
#define PROFSUP_MODE_OFF    0 /* nothing: before start-up, after moncontrol(0), or no room */
#define PROFSUP_MODE_ON     1 /* a table for each thread, no lock */
#define PROFSUP_MODE_SHARED 2 /* threads share a thread pointer: one table, atomic adds */

/* struct profsup_state.supervised: what a supervisor has said of itself.  If there was none at the
 * start, the runtime itself sets HELD. */
#define PROFSUP_SUPERVISED 1 /* profil will be answered */
#define PROFSUP_HELD       2 /* the profile is off, whatever moncontrol says */

#define PROFSUP_STATE_MAGIC 0x50555350 /* "PSUP" */

#define PROFSUP_MAILBOX_MAGIC 0x584f424d /* "MBOX" */

/* struct profsup_mailbox.call, and its arguments. */
#define PROFSUP_CALL_BSD      1 /* buf, size, offset, scale */
#define PROFSUP_CALL_ILLUMOS  2 /* buf, size, offset, scale */
#define PROFSUP_CALL_AIX      3 /* as BSD's; size 0xffffffff: struct profsup_aix_range[] */
#define PROFSUP_CALL_SPROFIL  4 /* struct profsup_sprofil_range[], number, flags */
#define PROFSUP_CALL_PCSAMPLE 5 /* uint64_t[], number */

/* sprofil's flags, as glibc and AIX number them. */
#define PROFSUP_SPROFIL_32_BIT 1

/* Stands in every TLS block that was made for this image, and so in no other memory. */
#define PROFSUP_TLS_MARK 0x70726f6673757021

/* profil's scale: bytes of histogram for each byte of text, as a fraction of this. */
#define PROFSUP_SCALE_ONE 65536

/* Bounds on what a target may claim, in bytes.  Past them the call is EINVAL. */
#define PROFSUP_MAX_BUFLEN     (1UL << 40)
#define PROFSUP_MAX_SAMPLESIZE (1UL << 28)

/* A thread's first table has this many arcs, later ones twice as many each; past the end of every
 * table lie PROFSUP_TABLE_PAD more, so that a probe need not wrap around. */
#define PROFSUP_TABLE_FIRST 256
#define PROFSUP_TABLE_PAD   8
#define PROFSUP_ARC_SIZE    16

/* struct profsup_thread_slot: one for each thread pointer that has counted. */
#define PROFSUP_THREAD_SLOTS 4096

#ifndef __ASSEMBLER__

#include <stdint.h>

/*
 * What the runtime keeps in the image's own data, where the note points.  The target owns it: the
 * supervisor reads it as claims.  `mode` is the first byte because mcount looks at it on each call.
 */
struct profsup_state {
	uint8_t mode;        /* PROFSUP_MODE_*; moncontrol stores here, the supervisor reads it */
	uint8_t shared_tp;   /* stored by the supervisor: from now on ON means SHARED */
	uint8_t supervised;  /* PROFSUP_SUPERVISED and PROFSUP_HELD, stored by the supervisor */
	uint8_t geometry;    /* goes up when offset, scale or samplesize change after start-up */
	uint32_t magic;      /* PROFSUP_STATE_MAGIC */
	uint32_t version;    /* PROFSUP_ABI_VERSION */
	uint32_t scale;      /* as given to profil */
	uint64_t buf;        /* the region: header, bins, arcs; 0 before start-up */
	uint64_t buflen;     /* bytes */
	uint64_t samplesize; /* bytes of 16-bit bins */
	uint64_t arcs;       /* struct profsup_arcs, inside the region */
	uint64_t places;     /* arcs that its pool has room for */
	uint64_t offset;     /* as given to profil: the lowest address that has a bin */
	uint64_t low_pc;     /* text range, as loaded */
	uint64_t high_pc;
	uint64_t runtime_low; /* the runtime's own code, as loaded: its time is not the program's */
	uint64_t runtime_high;
	uint64_t mcount_pc;  /* where samples in the runtime are booked: gprof hides this symbol */
	uint64_t outside_pc; /* a symbol that stands for callers outside of the text */
	uint64_t tls_mark;   /* where PROFSUP_TLS_MARK stands, less the thread pointer */
	uint32_t toggles;    /* how often moncontrol has changed the mode */
	uint32_t paused;     /* how many moncontrol(0) have not had their moncontrol(1) */
	uint64_t spare;      /* a region, all zero, if nobody watched the image at its start */
	uint64_t spare_len;  /* bytes of the region for a later supervisor, or 0 */
};

/*
 * The mailbox: where a program leaves a call of one of the older dialects, and finds the answer. No
 * system call is made for it, so it works in any sandbox: the supervisor looks in the mailbox at
 * every tick, and the program waits.  `result` is stored before `answered`.
 */
struct profsup_mailbox {
	uint32_t magic;      /* PROFSUP_MAILBOX_MAGIC */
	uint32_t version;    /* PROFSUP_ABI_VERSION */
	uint32_t supervised; /* stored by the supervisor at exec: somebody will answer */
	uint32_t lock;       /* taken by the program: one call at a time */
	int64_t result;      /* of the call, or -errno */
	uint32_t answered;   /* number of the last call answered */
	uint32_t posted;     /* number of the last call made */
	uint64_t call;       /* PROFSUP_CALL_* */
	uint64_t arg[4];
};

/* What AIX's profil(buf, -1, 0, 0) points to; p_high 0 ends the array. */
struct profsup_aix_range {
	uint64_t low, high, buf; /* bytes [low, high) of text */
	int32_t bufsize;         /* bytes */
	int32_t scale;           /* -1: given by range and size */
};

/* What sprofil's profp points to. */
struct profsup_sprofil_range {
	uint64_t buf, size, offset, scale; /* size in bytes */
};

/* The head of the region, at `buf`.  The bins start right behind it, the arc area at `arcs_off`. */
struct profsup_header {
	uint32_t magic;   /* PROFSUP_STATE_MAGIC */
	uint32_t version; /* PROFSUP_ABI_VERSION */
	uint64_t low_pc;  /* as in the state */
	uint64_t high_pc;
	uint64_t arcs_off; /* offset of struct profsup_arcs from buf */
	uint64_t spare[4];
};

/* A thread's newest table: `where` is the first arc's index << 8 | log2 of the number of arcs. */
struct profsup_thread_slot {
	uint64_t thread_pointer; /* 0 = free; never freed: a later thread may have the same */
	uint64_t where;          /* 0 = none yet */
};

/*
 * Stands before each thread's table in the pool, in the place of an arc: no arc has a `self` of 0.
 * It leads from the newest table, which the slot names, to the tables that the thread had before.
 */
struct profsup_table_head {
	uint64_t zero;
	uint64_t older; /* `where` of the table before this one; 0 = none */
};

/*
 * An arc: `from` is the low half of the return address in the caller, `self` that of the return
 * address in the callee; both are inside 4 GiB of text, so the low halves are enough.  For a caller
 * outside of the text `from` is that of outside_pc.  0 in both is an empty place, in `self` alone a
 * table's head.
 */
struct profsup_arc {
	uint32_t self;
	uint32_t from;
	uint64_t count;
};

/*
 * The arc area.  Everything in it starts as zero and is zero again in a forked child
 * (MADV_WIPEONFORK; but a spare region is a copy of the parent's); zero is a valid, empty state.  A
 * reader needs only `used` and `pool`: it adds up equal arcs wherever they stand.
 */
struct profsup_arcs {
	uint64_t used;        /* places of the pool given out to threads, behind the shared table */
	uint64_t dropped;     /* calls that found no place */
	uint64_t shared_used; /* nonzero: the shared table holds arcs */
	uint64_t spare[5];
	struct profsup_thread_slot slots[PROFSUP_THREAD_SLOTS];
	struct profsup_arc pool[]; /* first the shared table, a quarter of the places */
};

#endif /* !__ASSEMBLER__ */
#endif
