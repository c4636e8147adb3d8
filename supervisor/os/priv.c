/*
 * The supervisor's capabilities and ids: only this file touches them.
 *
 * Run by root, the supervisor starts with what its caller has and narrows it at once to the named
 * few:
 *   CAP_SYS_PTRACE     to follow and read targets of other users and set-uid ones
 *   CAP_DAC_READ_SEARCH  to open another user's /proc files
 *   CAP_SETUID/SETGID  to make a file as the target's recorded identity
 *   CAP_DAC_OVERRIDE   to make it as an identity that has that power itself
 *   CAP_PERFMON        to sample without stops
 *   CAP_SYS_NICE       to sample at real-time priority
 *   CAP_KILL           to pass signals on to a target of another user
 *   CAP_SYS_ADMIN      to read a thread's own filters; to open the place of a file that is mapped
 * An unprivileged caller has none of them and none is gained.
 *
 * Installed with file capabilities, this program has two that its caller may not have.  They are
 * lent: each is raised only for the one call that needs it, nothing else is done for the caller
 * with it in effect, and before the target runs all of our processes have given both up.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/capability.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const cap_value_t kept[] = {
	CAP_SYS_PTRACE, CAP_SETUID,   CAP_SETGID, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH,
	CAP_PERFMON,    CAP_SYS_NICE, CAP_KILL,   CAP_SYS_ADMIN
};
/* Needed at every look into a target or after every sample; each other one is raised for one
 * use. */
static const cap_value_t always[] = { CAP_SYS_PTRACE, CAP_KILL, CAP_SYS_NICE };

static const cap_value_t override[] = { CAP_DAC_OVERRIDE };

#define N(array) ((int)(sizeof(array) / sizeof((array)[0])))

static struct identity self;

/* Our capabilities, as the kernel should have them; NULL if we have none to manage. */
static cap_t held;

/* We act under another identity than our own. */
static __thread bool away;

/* Our capabilities came from our file, and are not the caller's; CAP_PERFMON is one of them. */
static bool lent, lent_perfmon;

/* Sets `n` capabilities in the set `flag` of `to`, as far as `from` permits them. */
static int
keep(cap_t to, cap_t from, cap_flag_t flag, const cap_value_t *cap, int n)
{
	for (int i = 0; i < n; i++) {
		cap_flag_value_t has;

		if (cap_get_flag(from, cap[i], CAP_PERMITTED, &has) < 0)
			return -1;
		if (has == CAP_SET && cap_set_flag(to, flag, 1, &cap[i], CAP_SET) < 0)
			return -1;
	}
	return 0;
}

/* Makes `held` our capabilities, and reads them back: a filter may have faked the call's
 * success. */
static int
set_and_verify(void)
{
	cap_t now = NULL;
	int ret = cap_set_proc(held);

	if (ret == 0 && (now = cap_get_proc()) == NULL)
		ret = -1;
	if (ret == 0 && cap_compare(now, held) != 0) {
		errno = EPERM;
		ret = -1;
	}
	cap_free(now);
	return ret;
}

/* Root has its capabilities because it is root, not from a file. */
static bool
is_root(void)
{
	return (getuid() == 0 || geteuid() == 0) && (cap_get_secbits() & SECBIT_NOROOT) == 0;
}

/* After an exec anybody else has the ambient capabilities, and those of the file. */
static bool
is_from_file(cap_t now)
{
	if (is_root())
		return false;
	for (cap_value_t cap = 0; cap < cap_max_bits(); cap++) {
		cap_flag_value_t has;

		if (cap_get_flag(now, cap, CAP_PERMITTED, &has) == 0 && has == CAP_SET &&
		    cap_get_ambient(cap) != CAP_SET)
			return true;
	}
	return false;
}

/* Whether our file is set-user-ID or set-group-ID, which it is not made for.  True if that can't be
 * told. */
static bool
is_set_id(void)
{
	struct stat st;

	return getauxval(AT_SECURE) != 0 && (getuid() != geteuid() || getgid() != getegid()) &&
	       (stat("/proc/self/exe", &st) < 0 || (st.st_mode & (S_ISUID | S_ISGID)) != 0);
}

/* Whether the kernel ends the sampling of a process that gains power by an exec: not where
 * fs.suid_dumpable is 1. */
static bool
sampling_ends(void)
{
	char now = '1';
	int fd = open("/proc/sys/fs/suid_dumpable", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (read(fd, &now, 1) != 1)
		now = '1';
	close(fd);
	return now != '1';
}

/* Keeps the useful ones of our file's capabilities, with none of them in effect. */
static int
keep_lent(cap_t now)
{
	static const cap_value_t nice[] = { CAP_SYS_NICE }, perfmon[] = { CAP_PERFMON };
	cap_flag_value_t has = CAP_CLEAR;

	/* The kernel does this only if the caller had less permitted than we have, and not if
	 * fs.suid_dumpable is 1. */
	prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL);
	held = cap_dup(now); /* keeps the inheritable set: the caller's, and the target's */
	if (held == NULL || cap_clear_flag(held, CAP_PERMITTED) < 0 ||
	    cap_clear_flag(held, CAP_EFFECTIVE) < 0 ||
	    keep(held, now, CAP_PERMITTED, nice, N(nice)) < 0 ||
	    (sampling_ends() && keep(held, now, CAP_PERMITTED, perfmon, N(perfmon)) < 0) ||
	    set_and_verify() < 0)
		return -1;
	cap_get_flag(held, CAP_PERFMON, CAP_PERMITTED, &has);
	lent_perfmon = has == CAP_SET;
	return 0;
}

/* Called before anything of the caller's is looked at, so that all that the caller asks for is done
 * with the caller's own rights, in every process that we make.  Exits on failure. */
void
priv_start(void)
{
	cap_t now = cap_get_proc();

	if (is_set_id())
		log_fatal("installed set-user-ID or set-group-ID: not supported");
	if (now == NULL)
		log_fatal("can't read profsup's own capabilities: %m");
	lent = is_from_file(now);
	if (lent && keep_lent(now) < 0)
		log_fatal("can't give up capabilities: %m");
	cap_free(now);
}

/* Whether our file has given us capabilities that the caller may not have. */
bool
priv_is_lent(void)
{
	return lent;
}

/* Whether our file has given us CAP_PERFMON. */
bool
priv_was_lent_perfmon(void)
{
	return lent_perfmon;
}

/* Gives up what our file has lent, for good.  Does nothing if it has lent nothing. */
int
priv_give_back(void)
{
	if (!lent || held == NULL)
		return 0;
	if (cap_clear_flag(held, CAP_PERMITTED) < 0 || cap_clear_flag(held, CAP_EFFECTIVE) < 0 ||
	    set_and_verify() < 0)
		return -1;
	cap_free(held);
	held = NULL;
	return 0;
}

/* Bytes of memory that a process may get, and seconds of CPU time, to read untrusted data. */
#define MEMORY (1UL << 30)
enum { SECONDS = 15 };

/* Gives up everything, in a process that reads untrusted data: from here on it opens nothing, and
 * gets no more than its share of memory and time. */
int
priv_drop(void)
{
	cap_t none = cap_init();
	const int ret = none == NULL ? -1 : cap_set_proc(none);

	cap_free(none);
	confine(MEMORY, SECONDS);
	return ret;
}

/* Narrow to the named few and remember who we are. */
int
priv_init(void)
{
	cap_t now = cap_get_proc();
	cap_flag_value_t may_trace = CAP_CLEAR;
	int ret = -1;

	if (now == NULL || cap_get_flag(now, CAP_SYS_PTRACE, CAP_PERMITTED, &may_trace) < 0)
		goto out;
	if (may_trace == CAP_CLEAR) {
		/* We may then trace only what has no more capabilities than we: keep all. */
		ret = priv_caller(&self);
		goto out;
	}
	held = cap_init();
	if (held != NULL && keep(held, now, CAP_PERMITTED, kept, N(kept)) == 0 &&
	    keep(held, now, CAP_EFFECTIVE, always, N(always)) == 0 && set_and_verify() == 0)
		ret = priv_caller(&self);
out:
	cap_free(now);
	return ret;
}

static int
has_effective(cap_value_t cap, bool *answer)
{
	cap_flag_value_t has = CAP_CLEAR;
	cap_t set = cap_get_proc();

	if (set == NULL)
		return -1;
	cap_get_flag(set, cap, CAP_EFFECTIVE, &has);
	cap_free(set);
	*answer = has == CAP_SET;
	return 0;
}

/* Whether we may read and trace what is another user's. */
bool
priv_may_trace_any(void)
{
	bool may = false;

	return has_effective(CAP_SYS_PTRACE, &may) == 0 && may;
}

/* Gets the identity that we run with. */
int
priv_caller(struct identity *id)
{
	int n = getgroups(0, NULL);

	if (n < 0)
		return -1;
	*id = (struct identity){ .uid = geteuid(), .gid = getegid(), .ngroups = (size_t)n };
	id->groups = calloc((size_t)n + 1, sizeof(gid_t));
	if (id->groups == NULL || getgroups(n, id->groups) != n)
		return -1;
	return has_effective(CAP_DAC_OVERRIDE, &id->overrides);
}

/* With power or an identity that we can't get rid of we would act for the wrong user, so we end.
 * The targets live on. */
static void __attribute__((noreturn)) give_up(void)
{
	log_error("the supervisor can't give up a capability or user ID again: %m: no profiles "
	          "from here on");
	_exit(EXIT_OURS);
}

/* Does what priv_give_back() does for one more thread, as each thread has its own capabilities. */
void
priv_give_back_in_thread(void)
{
	cap_t none = lent ? cap_init() : NULL;

	if (lent && (none == NULL || cap_set_proc(none) < 0))
		give_up();
	cap_free(none);
}

/* For a thread that only gives others their priority: it keeps CAP_SYS_NICE, always in effect. */
int
priv_keep_nice_in_thread(void)
{
	static const cap_value_t nice[] = { CAP_SYS_NICE };
	cap_t own;
	int ret = -1;

	if (held == NULL)
		return 0;
	own = cap_init();
	if (own != NULL && keep(own, held, CAP_PERMITTED, nice, N(nice)) == 0 &&
	    keep(own, held, CAP_EFFECTIVE, nice, N(nice)) == 0)
		ret = cap_set_proc(own);
	cap_free(own);
	return ret;
}

/* A call that the kernel refuses for want of memory may succeed at once when it is repeated. */
enum { TRIES = 3 };

static int
set_held(void)
{
	for (int i = 0; i < TRIES; i++)
		if (cap_set_proc(held) == 0)
			return 0;
	return -1;
}

static bool
is_always_up(cap_value_t cap)
{
	for (int i = 0; !lent && i < N(always); i++)
		if (always[i] == cap)
			return true;
	return false;
}

/* Raise or drop capabilities in the effective set; those that are not permitted are left out. */
static void
effective(const cap_value_t *cap, int n, cap_flag_value_t value)
{
	int saved = errno;
	bool any = false;

	for (int i = 0; held != NULL && i < n; i++) {
		cap_flag_value_t has = CAP_CLEAR;

		if (!is_always_up(cap[i]) && cap_get_flag(held, cap[i], CAP_PERMITTED, &has) == 0 &&
		    has == CAP_SET) {
			cap_set_flag(held, CAP_EFFECTIVE, 1, &cap[i], value);
			any = true;
		}
	}
	if (any && set_held() < 0 && value == CAP_CLEAR)
		give_up();
	errno = saved;
}

/* The raw call changes this thread only. */
static int
set_groups(const struct identity *id)
{
	return (int)syscall(SYS_setgroups, id->ngroups, id->groups);
}

/* setfsuid tells no error: read the result back. */
static int
set_fs_ids(const struct identity *id)
{
	setfsgid(id->gid);
	setfsuid(id->uid);
	if ((uid_t)setfsuid((uid_t)-1) == id->uid && (gid_t)setfsgid((gid_t)-1) == id->gid)
		return 0;
	errno = EPERM;
	return -1;
}

static void
be_self(void)
{
	for (int i = 0; i < TRIES; i++)
		if (set_groups(&self) == 0 && set_fs_ids(&self) == 0)
			return;
	give_up();
}

/* Gives this thread a real-time priority, 1 the lowest; 0 takes it away. */
int
priv_realtime(int priority)
{
	static const cap_value_t nice[] = { CAP_SYS_NICE };
	const struct sched_param param = { .sched_priority = priority };
	int ret;

	effective(nice, N(nice), CAP_SET);
	ret = sched_setscheduler(0, (priority > 0 ? SCHED_FIFO : SCHED_OTHER) | SCHED_RESET_ON_FORK,
	                         &param);
	effective(nice, N(nice), CAP_CLEAR);
	return ret;
}

/* Calls `work` with CAP_SYS_ADMIN in effect, if we have it. */
int
priv_admin(int (*work)(pid_t tid, unsigned long arg), pid_t tid, unsigned long arg)
{
	static const cap_value_t admin[] = { CAP_SYS_ADMIN };
	int ret;

	effective(admin, N(admin), CAP_SET);
	ret = work(tid, arg);
	effective(admin, N(admin), CAP_CLEAR);
	return ret;
}

/* Opens an event for a thread on a CPU.  With CAP_PERFMON it covers the kernel and other users'
 * programs. */
int
priv_perf_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu)
{
	static const cap_value_t perfmon[] = { CAP_PERFMON };
	int fd;

	effective(perfmon, N(perfmon), CAP_SET);
	fd = (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	effective(perfmon, N(perfmon), CAP_CLEAR);
	return fd;
}

/* Whether we may act under any identity. */
bool
priv_may_be_others(void)
{
	cap_flag_value_t uid = CAP_CLEAR, gid = CAP_CLEAR;

	return held != NULL && !lent && cap_get_flag(held, CAP_SETUID, CAP_PERMITTED, &uid) == 0 &&
	       cap_get_flag(held, CAP_SETGID, CAP_PERMITTED, &gid) == 0 && uid == CAP_SET &&
	       gid == CAP_SET;
}

/* Touch files as `id` from here to priv_return(). */
int
priv_become(const struct identity *id)
{
	static const cap_value_t ids[] = { CAP_SETUID, CAP_SETGID };
	int ret = 0;

	away = !identity_same(id, &self);
	if (away) {
		effective(ids, N(ids), CAP_SET);
		ret = set_groups(id) == 0 ? set_fs_ids(id) : -1;
		if (ret < 0 && id->uid == self.uid && id->gid == self.gid)
			ret = 0; /* fewer groups than ours, and no right to leave them */
		effective(ids, N(ids), CAP_CLEAR);
	}
	if (ret == 0 && id->overrides)
		effective(override, N(override), CAP_SET);
	if (ret < 0)
		priv_return();
	return ret;
}

void
priv_return(void)
{
	static const cap_value_t ids[] = { CAP_SETUID, CAP_SETGID };
	int saved = errno;

	if (away) {
		effective(ids, N(ids), CAP_SET);
		be_self();
		effective(ids, N(ids), CAP_CLEAR); /* this also clears what setfsuid has raised */
		away = false;
	}
	effective(override, N(override), CAP_CLEAR);
	errno = saved;
}

static int
open_again(const char *path, int flags)
{
	int fd;

	do
		fd = open(path, flags);
	while (fd < 0 && errno == EINTR);
	return fd;
}

/* Opens a /proc file, which may be another user's to read. */
int
priv_open_proc(const char *path, int flags)
{
	/* Containers grant the second more often than the first. */
	static const cap_value_t read_search[] = { CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE };
	int fd = open_again(path, flags | O_CLOEXEC);

	if (fd >= 0 || errno != EACCES)
		return fd;
	effective(read_search, N(read_search), CAP_SET);
	fd = open_again(path, flags | O_CLOEXEC);
	effective(read_search, N(read_search), CAP_CLEAR);
	return fd;
}

/* Opens the place of what a process has mapped, by the kernel's link to it, which is for
 * administrators: a process's owner may not open again what it can't find by a path. */
int
priv_open_mapped(const char *path)
{
	static const cap_value_t admin[] = { CAP_SYS_ADMIN };
	int fd;

	effective(admin, N(admin), CAP_SET);
	fd = priv_open_proc(path, O_PATH);
	effective(admin, N(admin), CAP_CLEAR);
	return fd;
}
