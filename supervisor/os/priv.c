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
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CAP(name) (1ULL << CAP_##name)

static const uint64_t kept = CAP(SYS_PTRACE) | CAP(SETUID) | CAP(SETGID) | CAP(DAC_OVERRIDE) |
                             CAP(DAC_READ_SEARCH) | CAP(PERFMON) | CAP(SYS_NICE) | CAP(KILL) |
                             CAP(SYS_ADMIN);
/* Needed at every look into a target or after every sample; each other one is raised for one
 * use. */
static const uint64_t always = CAP(SYS_PTRACE) | CAP(KILL) | CAP(SYS_NICE);
static const uint64_t ids = CAP(SETUID) | CAP(SETGID);

static struct identity self;

/* A bit for each capability. */
struct caps {
	uint64_t effective, permitted, inheritable;
};

/* Our capabilities, as the kernel should have them while none is raised; none are permitted if we
 * have none to manage. */
static struct caps held;

/* What this thread has raised. */
static __thread uint64_t raised;

/* We act under another identity than our own. */
static __thread bool away;

/* Our capabilities came from our file, and are not the caller's; CAP_PERFMON is one of them. */
static bool lent, lent_perfmon;

static struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };

static int
get_caps(struct caps *c)
{
	struct __user_cap_data_struct d[2] = { 0 };

	if (syscall(SYS_capget, &header, d) < 0)
		return -1;
	*c = (struct caps){ (uint64_t)d[1].effective << 32 | d[0].effective,
		            (uint64_t)d[1].permitted << 32 | d[0].permitted,
		            (uint64_t)d[1].inheritable << 32 | d[0].inheritable };
	return 0;
}

/* Sets those of this thread. */
static int
set_caps(const struct caps *c)
{
	const struct __user_cap_data_struct d[2] = {
		{ (uint32_t)c->effective, (uint32_t)c->permitted, (uint32_t)c->inheritable },
		{ (uint32_t)(c->effective >> 32), (uint32_t)(c->permitted >> 32),
		  (uint32_t)(c->inheritable >> 32) },
	};

	return (int)syscall(SYS_capset, &header, d);
}

/* Makes `held` our capabilities, and reads them back: a filter may have faked the call's
 * success. */
static int
set_and_verify(void)
{
	struct caps now;

	if (set_caps(&held) < 0 || get_caps(&now) < 0)
		return -1;
	if (memcmp(&now, &held, sizeof(now)) == 0)
		return 0;
	errno = EPERM;
	return -1;
}

/* Root has its capabilities because it is root, not from a file.  After an exec anybody else has
 * the ambient capabilities, and those of the file. */
static bool
is_from_file(uint64_t permitted)
{
	if ((getuid() == 0 || geteuid() == 0) && (prctl(PR_GET_SECUREBITS) & SECBIT_NOROOT) == 0)
		return false;
	for (unsigned long cap = 0; cap <= CAP_LAST_CAP; cap++)
		if ((permitted >> cap & 1) != 0 &&
		    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, cap, 0UL, 0UL) != 1)
			return true;
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
keep_lent(const struct caps *now)
{
	/* The kernel does this only if the caller had less permitted than we have, and not if
	 * fs.suid_dumpable is 1. */
	prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL);
	/* The inheritable set is the caller's, and the target's. */
	held.inheritable = now->inheritable;
	held.permitted = now->permitted & (CAP(SYS_NICE) | (sampling_ends() ? CAP(PERFMON) : 0));
	lent_perfmon = (held.permitted & CAP(PERFMON)) != 0;
	return set_and_verify();
}

/* Called before anything of the caller's is looked at, so that all that the caller asks for is done
 * with the caller's own rights, in every process that we make.  Exits on failure. */
void
priv_start(void)
{
	struct caps now;

	if (is_set_id())
		log_fatal("installed set-user-ID or set-group-ID: not supported");
	if (get_caps(&now) < 0)
		log_fatal("can't read profsup's own capabilities: %m");
	lent = is_from_file(now.permitted);
	if (lent && keep_lent(&now) < 0)
		log_fatal("can't give up capabilities: %m");
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
	if (!lent)
		return 0;
	held.permitted = 0;
	return set_and_verify();
}

/* Gives up everything for good, also for a program that is executed. */
int
priv_drop(void)
{
	const int ret = set_caps(&(struct caps){ 0 });

	return prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) < 0 ? -1 : ret;
}

/* The same in a process that reads untrusted data: from here on it opens nothing, and gets no more
 * than its share of memory and time. */
int
priv_confine(void)
{
	const int ret = priv_drop();

	confine(CONFINE_MEMORY, CONFINE_SECONDS);
	return ret;
}

/* Narrow to the named few and remember who we are. */
int
priv_init(void)
{
	struct caps now;

	if (get_caps(&now) < 0)
		return -1;
	/* Without this one we may trace only what has no more capabilities than we: keep all. */
	if ((now.permitted & CAP(SYS_PTRACE)) != 0) {
		held = (struct caps){ .permitted = now.permitted & kept,
			              .effective = now.permitted & always };
		if (set_and_verify() < 0)
			return -1;
	}
	return priv_caller(&self);
}

/* Whether we may read and trace what is another user's. */
bool
priv_may_trace_any(void)
{
	struct caps now;

	return get_caps(&now) == 0 && (now.effective & CAP(SYS_PTRACE)) != 0;
}

/* Gets the identity that we run with. */
int
priv_caller(struct identity *id)
{
	const int n = getgroups(0, NULL);
	struct caps now;

	if (n < 0 || get_caps(&now) < 0)
		return -1;
	*id = (struct identity){
		.uid = geteuid(), .gid = getegid(), .user = getuid(), .ngroups = (size_t)n
	};
	id->groups = calloc((size_t)n + 1, sizeof(gid_t));
	id->overrides = (now.effective & CAP(DAC_OVERRIDE)) != 0;
	return id->groups != NULL && getgroups(n, id->groups) == n ? 0 : -1;
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
	if (lent && set_caps(&(struct caps){ 0 }) < 0)
		give_up();
}

/* For a thread that only gives others their priority: it keeps CAP_SYS_NICE, always in effect. */
int
priv_keep_nice_in_thread(void)
{
	const uint64_t nice = held.permitted & CAP(SYS_NICE);

	if (held.permitted == 0)
		return 0;
	return set_caps(&(struct caps){ .permitted = nice, .effective = nice });
}

/* A call that the kernel refuses for want of memory may succeed at once when it is repeated. */
enum { TRIES = 3 };

/* Raises capabilities of this thread, as far as they are permitted, or takes them back. */
static void
effective(uint64_t caps, bool up)
{
	const uint64_t change = caps & held.permitted & ~held.effective;
	const int saved = errno;
	struct caps c = held;
	int ret = change == 0 ? 0 : -1;

	raised = up ? raised | change : raised & ~change;
	c.effective |= raised;
	for (int i = 0; i < TRIES && ret < 0; i++)
		ret = set_caps(&c);
	if (ret < 0 && !up)
		give_up();
	errno = saved;
}

/* Takes on an identity's ids and groups, by raw calls, in this thread only.  setfsuid tells no
 * error: the result is read back. */
static int
take_on(const struct identity *id)
{
	if (syscall(SYS_setgroups, id->ngroups, id->groups) < 0)
		return -1;
	setfsgid(id->gid);
	setfsuid(id->uid);
	if ((uid_t)setfsuid((uid_t)-1) == id->uid && (gid_t)setfsgid((gid_t)-1) == id->gid)
		return 0;
	errno = EPERM;
	return -1;
}

/* Gives a thread of ours a real-time priority, 1 the lowest; 0: takes it away.  Where it was lent
 * nobody has the right to clear the flag. */
int
priv_set_priority(pid_t tid, int priority)
{
	const struct sched_param param = { priority };
	const int policy = priority > 0 ? SCHED_FIFO : SCHED_OTHER;

	return sched_setscheduler(tid, policy | SCHED_RESET_ON_FORK, &param);
}

/* The same for this thread, with all our rights. */
int
priv_realtime(int priority)
{
	int ret;

	effective(CAP(SYS_NICE), true);
	ret = priv_set_priority(0, priority);
	effective(CAP(SYS_NICE), false);
	return ret;
}

/* Calls `work` with CAP_SYS_ADMIN in effect, if we have it. */
int
priv_admin(int (*work)(pid_t tid, unsigned long arg), pid_t tid, unsigned long arg)
{
	int ret;

	effective(CAP(SYS_ADMIN), true);
	ret = work(tid, arg);
	effective(CAP(SYS_ADMIN), false);
	return ret;
}

/* Opens an event for a thread on a CPU.  With CAP_PERFMON it covers the kernel and other users'
 * programs. */
int
priv_perf_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu)
{
	int fd;

	effective(CAP(PERFMON), true);
	fd = (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	effective(CAP(PERFMON), false);
	return fd;
}

/* Whether we may act under any identity. */
bool
priv_may_be_others(void)
{
	return !lent && (held.permitted & ids) == ids;
}

/* Touch files as `id` from here to priv_return(). */
int
priv_become(const struct identity *id)
{
	const bool is_other = !identity_same(id, &self);
	int ret = 0;

	away = is_other && priv_may_be_others();
	if (away) {
		effective(ids, true);
		ret = take_on(id);
		effective(ids, false);
	} else if (is_other && (id->uid != self.uid || id->gid != self.gid)) {
		errno = EPERM;
		ret = -1; /* with other groups alone we act as we are */
	}
	if (ret == 0 && id->overrides)
		effective(CAP(DAC_OVERRIDE), true);
	if (ret < 0)
		priv_return();
	return ret;
}

void
priv_return(void)
{
	int saved = errno;

	if (away) {
		effective(ids, true);
		for (int i = 1; take_on(&self) < 0; i++)
			if (i == TRIES)
				give_up();
		effective(ids, false); /* this also clears what setfsuid has raised */
		away = false;
	}
	effective(CAP(DAC_OVERRIDE), false);
	errno = saved;
}

static int
open_again(const char *path, int flags)
{
	int fd, tries = 0;

	do
		fd = open(path, flags);
	while (fd < 0 && fds_again(&tries));
	return fd;
}

static bool proc_is_left;

/* From here on all processes are as if they were gone. */
void
priv_leave_proc(void)
{
	proc_is_left = true;
}

/* Opens a /proc file, which may be another user's to read. */
int
priv_open_proc(const char *path, int flags)
{
	/* Containers grant the second more often than the first. */
	const uint64_t search = CAP(DAC_READ_SEARCH) | CAP(DAC_OVERRIDE);
	int fd;

	if (proc_is_left) {
		errno = ESRCH;
		return -1;
	}
	fd = open_again(path, flags | O_CLOEXEC);
	if (fd >= 0 || errno != EACCES)
		return fd;
	effective(search, true);
	fd = open_again(path, flags | O_CLOEXEC);
	effective(search, false);
	return fd;
}

/* Opens the place of what a process has mapped, by the kernel's link to it, which is for
 * administrators: a process's owner may not open again what it can't find by a path. */
int
priv_open_mapped(const char *path)
{
	int fd;

	effective(CAP(SYS_ADMIN), true);
	fd = priv_open_proc(path, O_PATH);
	effective(CAP(SYS_ADMIN), false);
	return fd;
}
