/*
 * The intercepted profil(2).  The caller is not trusted:
 *
 *  1. Each argument is taken once, from the registers at the stop.
 *  2. The errors come in the order of the contract: EPERM, EINVAL for the scale, success for scale
 *     0, EALREADY, then on the first call EBADF and ENOTDIR; errors that the contract does not
 *     mention come last (EINVAL for sizes that don't fit, EFAULT for a header that can't be read).
 *  3. Directory and identity are taken by the first call that succeeds, and later calls do not
 *     change them.
 *  4. No path of the target's is opened, only its descriptors and working directory, through /proc.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

struct call {
	uint64_t buf_addr, buflen, samplesize, offset;
	uint32_t scale;
	int dirfd;
};

static struct call
decode(const uint64_t args[6])
{
	return (struct call){ args[0], args[1],           args[2],
		              args[3], (uint32_t)args[4], (int)(uint32_t)args[5] };
}

/* Opens the caller's descriptor, or its working directory for -1, as O_PATH: a place without
 * rights. */
static int
open_place(pid_t tid, int dirfd)
{
	char what[32];
	int fd;

	if (dirfd == -1)
		return procfs_open(tid, "cwd", O_PATH | O_DIRECTORY);
	if (dirfd < 0) {
		errno = EBADF;
		return -1;
	}
	snprintf(what, sizeof(what), "fd/%d", dirfd);
	fd = procfs_open(tid, what, O_PATH | O_DIRECTORY);
	if (fd < 0 && errno == ENOENT)
		errno = EBADF;
	return fd;
}

/* Gets where the program is, for those who read its file.  It may be unknown. */
static void
find_program(pid_t tid, struct place *place)
{
	const int exe = procfs_open(tid, "exe", O_PATH);

	if (exe < 0)
		return;
	written_where(exe, place->path);
	close(exe);
}

/* Gets where a process's files go, and with whose rights. */
int
profil_call_place(struct profsup *ps, const struct tracee *t, int dirfd, struct place *place)
{
	if (ps->outdir < 0 || dirfd != -1) {
		place->dirfd = open_place(t->tid, dirfd);
		if (place->dirfd < 0)
			return -1;
		place->may_hang = mounts_may_hang(place->dirfd);
	}
	select_name(t->proc->pid, place->name);
	find_program(t->tid, place);
	if (procfs_identity(t->tid, &place->id) < 0)
		return -1;
	place->owner = owners_note(&place->id);
	return 0;
}

static int
take_state(const struct tracee *t, const struct call *c, struct profile *p)
{
	struct profsup_header header;
	struct profsup_state state;

	if (mem_check(t->proc, c->buf_addr, sizeof(header), MEMORY_READABLE) < 0 ||
	    mem_read(t->proc, c->buf_addr, &header, sizeof(header)) < 0 ||
	    mem_read(t->proc, t->proc->image.state_addr, &state, sizeof(state)) < 0)
		return -1;
	profile_take_state(p, t->proc, &state);
	p->buf_addr = c->buf_addr;
	p->buflen = c->buflen;
	p->runtime.arcs_off = header.arcs_off;
	return 0;
}

/* Whether the runtime can report the error.  All others are our own, and we report them. */
static bool
is_of_contract(int error)
{
	return error == EBADF || error == ENOTDIR || error == EINVAL || error == EFAULT;
}

/* Replaces a fileless profile, if there is one.  What the older dialects have turned on goes on. */
static void
replace(struct profsup *ps, struct proc *proc, struct profile *p)
{
	struct profile *old = proc->profile;

	if (old != NULL)
		sampler_settle(ps);
	proc->profile = p;
	if (old == NULL) {
		ps->stats.profiled++;
		return;
	}
	memcpy(p->dialect, old->dialect, sizeof(p->dialect));
	memset(old->dialect, 0, sizeof(old->dialect));
	p->events = old->events;
	old->events = NULL;
	profile_free(old);
}

static int
first_call(struct profsup *ps, struct tracee *t, const struct call *c)
{
	struct profile *p = profile_new();

	if (p == NULL) {
		log_error("%d: no memory for its profile", t->proc->pid);
		return -1;
	}
	if (profil_call_place(ps, t, c->dirfd, p->place) < 0)
		goto fail;
	if (!counts_fit(c->buf_addr, c->buflen, c->samplesize)) {
		errno = EINVAL;
		goto fail;
	}
	if (take_state(t, c, p) < 0)
		goto fail;
	/* Directory, identity and name may have been another program's. */
	if (trace_has_changed(t->tid)) {
		errno = ESRCH;
		goto fail;
	}
	/* Its mode may be late when it is first read, and that of its forks. */
	p->mode.on = ps->window.state == WINDOW_OPEN;
	replace(ps, t->proc, p);
	objects_note_program(ps, t->proc);
	window_first_profile(ps);
	return 0;
fail:
	if (!is_of_contract(errno) && errno != ETIMEDOUT && errno != ESRCH)
		log_error("%d: its directory, identity or memory can't be read: %m: not profiled",
		          t->proc->pid);
	profile_give_up(t->proc, p);
	return -1;
}

static int
call(struct profsup *ps, struct tracee *t, const struct call *c)
{
	struct proc *proc = t->proc;

	if (proc->detach) {
		errno = ENOSYS; /* as if there were no supervisor */
		return -1;
	}
	if (!proc->image.elf.runtime || proc->image.elf.dynamic || proc->image.elf.foreign) {
		errno = EPERM;
		return -1;
	}
	if (c->scale > PROFSUP_SCALE_ONE) {
		errno = EINVAL;
		return -1;
	}
	if (c->scale == 0) {
		/* From the runtime's start-up this means that there was no room, which the runtime
		 * reports. */
		if (proc->profile == NULL)
			ps->last_exec.told = true;
		return 0;
	}
	if (proc->profile != NULL && !proc->profile->fileless &&
	    (proc->profile->buf_addr != c->buf_addr || proc->profile->buflen != c->buflen)) {
		errno = EALREADY;
		return -1;
	}
	if ((proc->profile == NULL || proc->profile->fileless) && first_call(ps, t, c) < 0)
		return -1;
	if (!counts_fit(c->buf_addr, c->buflen, c->samplesize)) {
		errno = EINVAL;
		return -1;
	}
	if (!bins_set_range(proc->profile, c->samplesize, c->offset, c->scale))
		return -1;
	for (struct tracee *thread = proc->first; thread != NULL; thread = thread->next)
		sampler_start_thread(ps, thread, false);
	return 0;
}

/* Returns what the call returns: 0 or -errno. */
int64_t
profil_call(struct profsup *ps, struct tracee *t, const uint64_t args[6])
{
	struct call c = decode(args);
	int64_t ret = call(ps, t, &c) < 0 ? -errno : 0;

	log_verbose("%d: profil(%#llx, %llu, %llu, %#llx, %u, %d) = %lld", t->proc->pid,
	            (unsigned long long)c.buf_addr, (unsigned long long)c.buflen,
	            (unsigned long long)c.samplesize, (unsigned long long)c.offset, c.scale,
	            c.dirfd, (long long)ret);
	return ret;
}
