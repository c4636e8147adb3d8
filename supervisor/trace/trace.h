/*
 * Events and what they mean.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_TRACE_H
#define PROFSUP_TRACE_H

#include "output/output.h"
#include "sampler/sampler.h"

#include <sys/uio.h>

/* loop.c */
bool loop_take_news(struct profsup *ps);
void loop_run(struct profsup *ps);

/* dispatch.c */
void dispatch(struct profsup *ps, const struct event *ev);
void dispatch_held(struct profsup *ps);

/* resume.c */
enum resume { /* how to go on from a stop */
	      RESUME,
	      LEAVE, /* the thread has gone on already */
	      HOLD,  /* what the stop asks for is not done yet */
};
void resume(struct profsup *ps, struct tracee *t, int sig);

/* births.c */
struct tracee *births_of(struct profsup *ps, struct tracee *creator, bool vfork);
void births_of_killed(struct profsup *ps, struct tracee *creator);
void births_unclaimed(struct profsup *ps, const struct event *ev);
bool births_replaces(struct profsup *ps, struct tracee *t);
enum resume births_first_stop(const struct profsup *ps, struct tracee *t);
bool births_alone(struct profsup *ps);

/* exits.c */
enum resume exits_stop(struct profsup *ps, struct tracee *t);
enum resume exits_go_on(struct profsup *ps, struct tracee *t);

/* detach.c */
bool detach_is_for_new(const struct profsup *ps);
void detach(struct profsup *ps, struct tracee *t, int sig);
bool detach_state(struct proc *proc);
void detach_all(struct profsup *ps);
bool detach_is_last_call(const struct profsup *ps);
bool detach_has_calls(const struct profsup *ps);
void detach_end(struct profsup *ps, const char *why);

/* attach_all.c */
int attach(struct profsup *ps, bool (*serve)(struct profsup *ps));

/* attach.c */
enum { ATTACH_NAMED = 5 }; /* of those that were only found */
int attach_to(struct profsup *ps, pid_t pid, uint64_t patience, bool found);
bool attach_has_ended(pid_t pid);
void attach_stop_all(const struct proc *proc);
bool attach_child(const struct profsup *ps, struct tracee *t);
bool attach_has_none(const struct profsup *ps);
bool attach_is_over(struct profsup *ps);

/* signal.c */
void signal_mend_eintr(struct tracee *t, const struct arch_regs *regs);
struct signal_news {
	int number;
	struct signal_use use;
	bool does_nothing; /* it would not even wake the thread, if that were not traced */
};
void signal_read(const struct tracee *t, int sig, struct signal_news *news);
void signal_delivered(struct tracee *t, const struct signal_news *news);
bool signal_needs_no_tracer(const struct tracee *t, const struct signal_news *news);

/* image.c: what exec means; `caller`: NULL if it was made by a thread that is gone */
void image_exec(struct profsup *ps, struct proc *proc, struct tracee *caller);
bool image_start(struct profsup *ps, struct proc *proc, enum chance chance);
const char *image_attach(struct profsup *ps, struct proc *proc, uint64_t patience);

/* bare.c: programs that were not linked for us */
bool bare_fits(const struct profsup *ps, const struct elf_info *elf);
void bare_note_user(const struct profsup *ps, struct proc *proc);
const char *bare_start(struct profsup *ps, struct proc *proc);

/* finish.c: the end of an image */
bool finish_image(struct profsup *ps, struct proc *proc, enum chance chance);
bool finish_read_arcs(struct proc *proc, enum chance chance, bool goes_on);
void finish_save_calls(struct profsup *ps);
void finish_save(struct profsup *ps);
void finish_snapshot(struct profsup *ps, struct proc *proc, unsigned number);
void finish_zero(struct proc *proc, uint64_t until);

/* result.c: what an image leaves */
bool result_has_stacks(const struct profsup *ps, struct proc *proc);
void result_write(struct profsup *ps, struct proc *proc);
void result_snapshot(struct profsup *ps, struct proc *proc, unsigned number);

/* late.c: profiles that outlive their process */
bool late_keep(const struct profsup *ps, struct proc *proc);
void late_write(struct profsup *ps, struct proc *proc);
void late_step(struct profsup *ps, bool all);
bool late_is_enough(const struct profsup *ps);
void late_finish(struct profsup *ps);

/* profil_call.c */
int profil_call_place(struct profsup *ps, const struct tracee *t, int dirfd, struct place *place);
int64_t profil_call(struct profsup *ps, struct tracee *t, const uint64_t args[6]);

/* mailbox.c: the calls of the older profil(2)s */
bool mailbox_open(struct profsup *ps, struct proc *proc);
void mailbox_detach(struct proc *proc);
void mailbox_look(struct profsup *ps, struct proc *proc);
void mailbox_tick(struct profsup *ps, struct proc *proc, const struct tracee *t, uint64_t now);

/* window.c: when a run is profiled */
void window_first_profile(struct profsup *ps);
bool window_child(const struct profsup *ps, const struct tracee *t);
uint64_t window_wait(const struct profsup *ps);
bool window_tick(struct profsup *ps);
void window_enable(struct profsup *ps);
void window_disable(struct profsup *ps);
void window_attached(struct profsup *ps);
void window_stop(struct profsup *ps);
void window_zero(struct profsup *ps);
void window_book(struct profsup *ps);
void window_finish_all(struct profsup *ps);

/* control.c: what the user wants of a run that is under way */
enum { CONTROL_SIGNAL = SIGIO }; /* taken after SIGCHLD */
void control_open(struct profsup *ps);
void control_start(const struct profsup *ps);
uint64_t control_wait(struct profsup *ps);
bool control_has_news(struct profsup *ps);
bool control_step(struct profsup *ps);

/* snapshot.c */
void snapshot_begin(struct profsup *ps);
enum snapshot_end {
	SNAPSHOT_DONE,
	SNAPSHOT_MORE, /* there are more files to write */
	SNAPSHOT_LATE, /* the others' calls are still being read */
};
enum snapshot_end snapshot_step(struct profsup *ps);

/* transfer.c: system calls that a stop ends before they are done, and how each goes on */
enum transfer_moves {
	BYTES,    /* an address and a length */
	COUNT,    /* a length alone: the kernel moves the positions on */
	VECTOR,   /* an array of struct iovec, and its length */
	MESSAGE,  /* a struct msghdr, which has such an array */
	EVENTS,   /* an array of struct io_event, so many at the least */
	MESSAGES, /* an array of struct mmsghdr, and its length; the result is how many are done */
	WORK,     /* the work is handed in, but what was to be waited for may not be there */
	AGAIN,    /* nothing: the thread waits, and the call is begun again as it was */
};
enum transfer_file { /* what a descriptor is open on */
	             OTHER = 0,
	             STREAM = 1,     /* a stream socket */
	             PIPE = 2,       /* a pipe, with a name or without */
	             FLOW = 4,       /* a terminal, or another device */
	             REGULAR = 8,    /* if sizes are not limited: only a second call has SIGXFSZ */
	             ENDLESS = 16,   /* a device whose reads are as long as asked for */
	             DATAGRAMS = 32, /* a socket whose messages are whole */
	             OWN_RING =
	                 64 /* io_uring's, of one thread: another might take what is waited for */
};
enum transfer_clock { /* how a call says how long it may wait */
	              NO_CLOCK,
	              MILLISECONDS, /* an int */
	              TIMESPEC,     /* the address of one */
	              RING,    /* of io_uring's arguments, which have the address of a timespec */
	              RECEIVE, /* by an option of the socket */
	              SEND,
};
struct transfer_row {
	long nr;
	enum transfer_moves moves;
	int data, len, flags; /* arguments; flags 0: it has none */
	uint64_t set, clear;  /* flags that must be set, or clear */
	long piece_nr;        /* VECTOR, MESSAGE: the call for one piece */
	unsigned on;          /* transfer_file: on what; 0: it has no descriptor */
	enum transfer_clock clock;
	int time;           /* the argument that has it */
	int error, in_time; /* result when a stop ends its wait, and when its time is over */
};
struct transfer {
	const struct transfer_row *row;
	enum transfer_moves moves; /* AGAIN after an error */
	struct made_call made;
	uint64_t total, done;      /* bytes, or messages */
	int64_t result;            /* result for the program */
	bool quiet;                /* a write's rest is sent: without SIGPIPE */
	uint64_t timeout;          /* ns; 0: none */
	int in_time;               /* its result when that is over */
	bool unknown;              /* what its descriptor is open on can't be read */
	bool waited;               /* no sample has met it, so it was still to wait */
	const struct iovec *piece; /* pieces of a vector or message */
	size_t n;
};
bool transfer_of(struct transfer *tr, const struct made_call *made);
void transfer_count(struct transfer *tr, const struct iovec *piece, size_t n);
bool transfer_is_whole(const struct transfer *tr);
bool transfer_is_wait(const struct transfer *tr);
bool transfer_is_waited_in(const struct tracee *t);
void transfer_rest(const struct transfer *tr, struct made_call *next);
bool transfer_went(struct transfer *tr, int64_t result);
void transfer_end_in_time(struct transfer *tr);

/* transfer_facts.c */
bool transfer_fits(const struct tracee *t, struct transfer *tr);
bool transfer_complete(const struct tracee *t, struct transfer *tr);

/* continuation.c: carries on system calls that a stop has cut short */
struct continuation {
	struct transfer transfer;
	bool entered;
	uint64_t until;       /* when its time is over, ns; 0: it has none */
	struct iovec piece[]; /* of the transfer */
};
void continuation_begin(struct profsup *ps, struct tracee *t, const struct arch_regs *regs);
bool continuation_syscall(struct profsup *ps, struct tracee *t, const struct trace_call *call);
void continuation_signal(struct profsup *ps, struct tracee *t, const struct signal_news *news);
void continuation_end_waits(struct profsup *ps);

#endif
