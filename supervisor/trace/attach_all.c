/*
 * -p: whom we attach to: the processes that were named and, without --no-follow, all that descend
 * from them and run already.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include "grow.h"

#include <stdlib.h>
#include <unistd.h>

/* How often we look for descendants that were made while we looked, and how long we wait for one
 * that is in a vfork. */
enum { MOST_LOOKS = 200 };
#define VFORK_NS (NSEC / 200)
/* How long the memory of the first process may take, when there are no other tracees to be served,
 * and that of the others. */
#define FIRST_NS (2 * NSEC)
#define NEXT_NS  (NSEC / 5)

/* Whether we trace a process already: it was named twice, or a process that we trace has made it
 * just now. */
static bool
is_ours(const struct profsup *ps, pid_t pid)
{
	return proc_find(ps, pid) != NULL || procfs_tracer(pid) == getpid();
}

/* Whether a process runs in its parent's memory, as a vfork's child does until it executes a
 * program. */
static bool
is_in_vfork(pid_t pid)
{
	pid_t parent = 0;

	procfs_tgid(pid, &parent);
	return vmshare_is_one(pid, parent, false);
}

/* Those that were tried, and how many of them were not named and are ours. */
struct tried {
	pid_t *pid;
	size_t n;
	unsigned found;
};

/* False: it is there already, or there is no memory. */
static bool
add_new(struct tried *tried, pid_t pid)
{
	pid_t *more;

	for (size_t i = 0; i < tried->n; i++)
		if (tried->pid[i] == pid)
			return false;
	more = grow(tried->pid, tried->n, sizeof(*more));
	if (more == NULL)
		return false;
	tried->pid = more;
	tried->pid[tried->n++] = pid;
	return true;
}

/* Attaches to the processes that descend from those that were tried and run already.  Returns
 * whether there may be more: one may have made children until we had attached to it, and a vfork's
 * child is left for the next look, but not in the `last`. */
static bool
look_for_more(struct profsup *ps, struct tried *tried, bool last, bool (*serve)(struct profsup *ps))
{
	bool more = false, waits = false;
	size_t n;
	pid_t *pid = procfs_family(tried->pid, tried->n, ps->front.pid, &n);

	for (size_t i = 0; i < n; i++) {
		if (is_ours(ps, pid[i]))
			continue;
		if (!last && is_in_vfork(pid[i])) {
			more = waits = true;
		} else if (add_new(tried, pid[i]) && select_matches(&ps->opt, pid[i]) &&
		           !procfs_is_kernel(pid[i]) && !attach_has_ended(pid[i])) {
			const bool ours = attach_to(ps, pid[i], NEXT_NS, true) == 0;

			more |= ours;
			tried->found += ours;
			serve(ps);
		}
	}
	free(pid);
	if (waits) {
		nanosleep(&(struct timespec){ .tv_nsec = VFORK_NS }, NULL);
		serve(ps);
	}
	return more;
}

static void
attach_to_descendants(struct profsup *ps, struct tried *tried, bool (*serve)(struct profsup *ps))
{
	for (int left = MOST_LOOKS; left > 0 && look_for_more(ps, tried, left == 1, serve);)
		left--;
	if (tried->found > 0)
		log_notice("attached to %u descendant%s that ran already, too (--no-follow leaves"
		           " them out)",
		           tried->found, tried->found == 1 ? "" : "s");
	if (ps->refused > ATTACH_NAMED)
		log_error("-p: %u more descendants can't be profiled (-v names them)",
		          ps->refused - ATTACH_NAMED);
}

/* Attaches to all processes that were asked for.  Returns an exit status if none can be profiled:
 * some may have ended since their numbers were found.  Each may be late, and meanwhile those before
 * it make threads and children: `serve` is called after each.  Prints. */
int
attach(struct profsup *ps, bool (*serve)(struct profsup *ps))
{
	struct tried tried = { .n = 0 };
	int status = 0;

	for (size_t i = 0; i < ps->opt.npids; i++)
		if (add_new(&tried, ps->opt.pids[i]) && !is_ours(ps, ps->opt.pids[i])) {
			const int ret =
			    attach_to(ps, ps->opt.pids[i], i == 0 ? FIRST_NS : NEXT_NS, false);

			status = ret != 0 ? ret : status;
			serve(ps);
		}
	if (!ps->opt.no_follow)
		attach_to_descendants(ps, &tried, serve);
	free(tried.pid);
	if (ps->stats.profiled == 0)
		return status;
	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next)
		if (proc->detach)
			attach_stop_all(proc); /* to detach them */
	sampler_attached(ps);
	window_attached(ps);
	return 0;
}
