/*
 * The system calls that the supervisor makes by its C library (ld's --wrap).
 *
 * SPDX-License-Identifier: ISC
 */
#include "sim.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { US = 100, TIMER_FD = 1 << 19, SCHED_DEADLINE_ = 6 };
/* What they take, ns. */
enum { SHORT = 200, PRIORITY = 1500, SETTING = 900, WAITPID = 900 };

/* The kernel's struct sched_attr. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

pid_t
__wrap_gettid(void)
{
	return sched_self() == NULL ? US : sched_self()->tid;
}

pid_t
__wrap_getpid(void)
{
	return US;
}

pid_t
__wrap_getppid(void)
{
	return 1;
}

int
__wrap_kill(pid_t pid, int sig)
{
	ours_spend(SHORT);
	if (pid == US)
		ours_signal(sig);
	return 0;
}

int
__wrap_prctl(int option, ...)
{
	(void)option;
	return 0;
}

static struct thread *
named(pid_t tid)
{
	return tid == 0 ? sched_self() : sched_find(tid);
}

static int
set_class(struct thread *t, enum priority class, int priority)
{
	if (t == NULL) {
		errno = ESRCH;
		return -1;
	}
	if (class >= REALTIME && !machine.root) {
		errno = EPERM;
		return -1;
	}
	sched_set_class(t, class, priority);
	return 0;
}

int
__wrap_sched_setscheduler(pid_t tid, int policy, const struct sched_param *param)
{
	const int class = policy & ~SCHED_RESET_ON_FORK;

	ours_spend(PRIORITY);
	if (set_class(named(tid),
	              class == SCHED_FIFO   ? REALTIME
	              : class == SCHED_IDLE ? IDLE
	                                    : FAIR,
	              param->sched_priority) < 0)
		return -1;
	ours_spend(1); /* others may come first now */
	return 0;
}

int
__wrap_sched_getscheduler(pid_t tid)
{
	static const int policy[] = { SCHED_IDLE, SCHED_OTHER, SCHED_FIFO, SCHED_DEADLINE_ };
	const struct thread *t = named(tid);

	ours_spend(SHORT);
	return t == NULL ? -1 : policy[t->class];
}

int
__wrap_sched_getaffinity(pid_t tid, size_t size, cpu_set_t *set)
{
	(void)size;
	CPU_ZERO(set);
	for (unsigned i = 0; i < machine.cpus; i++)
		if ((named(tid)->allowed >> i & 1) != 0)
			CPU_SET(i, set);
	return 0;
}

int
__wrap_sched_setaffinity(pid_t tid, size_t size, const cpu_set_t *set)
{
	struct thread *t = named(tid);
	uint64_t allowed = 0;

	(void)size;
	ours_spend(PRIORITY);
	for (unsigned i = 0; i < machine.cpus; i++)
		if (CPU_ISSET(i, set))
			allowed |= 1ULL << i;
	if (t == NULL || allowed == 0) {
		errno = t == NULL ? ESRCH : EINVAL;
		return -1;
	}
	sched_move(t, allowed);
	if (t == sched_self())
		ours_spend(1); /* where it is now */
	return 0;
}

int
__wrap_sched_getcpu(void)
{
	return sched_self() == NULL ? 0 : sched_self()->cpu;
}

static long
set_attributes(struct thread *t, const struct attributes *a)
{
	ours_spend(PRIORITY);
	if (a->policy == SCHED_DEADLINE_)
		return set_class(t, DEADLINE, 0);
	if (machine.short_slices && a->runtime != 0)
		t->fair.slice = a->runtime;
	return 0;
}

long
__wrap_syscall(long nr, ...)
{
	va_list ap;
	long a, b;

	va_start(ap, nr);
	a = va_arg(ap, long);
	b = va_arg(ap, long);
	va_end(ap);
	switch (nr) {
	case SYS_sched_getattr:
		memset((void *)b, 0, sizeof(struct attributes));
		((struct attributes *)b)->size = sizeof(struct attributes);
		return 0;
	case SYS_sched_setattr:
		return set_attributes(named((pid_t)a), (const struct attributes *)b);
	case SYS_tgkill: {
		const struct thread *t = sched_find((pid_t)b);

		errno = ESRCH;
		return t != NULL && t->process != NULL && t->process->pid == a ? 0 : -1;
	}
	default:
		errno = ENOSYS;
		return -1;
	}
}

pid_t
__wrap_waitpid(pid_t pid, int *status, int options)
{
	pid_t tid;

	(void)options;
	ours_spend(WAITPID);
	tid = tracees_news(pid, status);
	if (tid < 0)
		errno = ECHILD;
	return tid;
}

static uint64_t
ns_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * NSEC + (uint64_t)t->tv_nsec;
}

int
__wrap_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	int sig;

	(void)set;
	(void)info;
	ours_spend(SHORT);
	sig = ours_take_signal(timeout == NULL ? UINT64_MAX : now + ns_of(timeout));
	errno = EAGAIN;
	return sig == 0 ? -1 : sig;
}

int
__wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                       struct timespec *left)
{
	(void)clock;
	(void)flags;
	(void)left;
	ours_sleep(now + ns_of(time));
	return 0;
}

/* nomigrate.c's keeper. */
static struct {
	uint64_t number, times;
	struct thread *reader;
} keeper;

static void
keeper_time(void *arg, uint64_t number)
{
	(void)arg;
	if (keeper.number != number)
		return;
	keeper.times++;
	if (keeper.reader != NULL)
		sched_wake(keeper.reader);
}

int
__wrap_timerfd_create(int clock, int flags)
{
	(void)clock;
	(void)flags;
	return TIMER_FD;
}

int
__wrap_timerfd_settime(int fd, int flags, const struct itimerspec *when, struct itimerspec *old)
{
	const uint64_t ns = ns_of(&when->it_value),
		       at = (flags & TFD_TIMER_ABSTIME) != 0 ? ns : now + ns;

	(void)fd;
	(void)old;
	ours_spend(SETTING);
	keeper.number++;
	keeper.times = 0;
	if (ns != 0)
		engine_at(at + engine_random(2 * machine.timer), keeper_time, NULL, keeper.number);
	return 0;
}

ssize_t __real_read(int fd, void *buf, size_t size);

ssize_t
__wrap_read(int fd, void *buf, size_t size)
{
	if (fd != TIMER_FD)
		return __real_read(fd, buf, size);
	while (keeper.times == 0) {
		keeper.reader = sched_self();
		ours_sleep(UINT64_MAX);
		keeper.reader = NULL;
	}
	memcpy(buf, &keeper.times, size);
	keeper.times = 0;
	return (ssize_t)size;
}

int __real_close(int fd);

int
__wrap_close(int fd)
{
	ours_spend(SHORT);
	return fd >= TIMER_FD ? 0 : __real_close(fd);
}

/* Threads that wait for a semaphore. */
enum { MOST_WAITING = 1024 };
static struct {
	const sem_t *sem;
	struct thread *thread;
} waiting[MOST_WAITING];

int __real_sem_post(sem_t *sem);

int
__wrap_sem_post(sem_t *sem)
{
	__real_sem_post(sem);
	for (int i = 0; i < MOST_WAITING; i++)
		if (waiting[i].sem == sem)
			sched_wake(waiting[i].thread);
	return 0;
}

/* False: the time has come first. */
static bool
sem_comes(sem_t *sem, uint64_t until)
{
	bool there;
	int i = 0;

	while (waiting[i].sem != NULL)
		if (++i == MOST_WAITING)
			abort();
	waiting[i].sem = sem;
	waiting[i].thread = sched_self();
	for (;;) {
		there = sem_trywait(sem) == 0;
		if (there || now >= until)
			break;
		ours_sleep(until);
	}
	waiting[i].sem = NULL;
	return there;
}

int
__wrap_sem_wait(sem_t *sem)
{
	sem_comes(sem, UINT64_MAX);
	return 0;
}

uint64_t waited_in_vain;

/* Only our first thread waits so. */
int
__wrap_sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until)
{
	const uint64_t began = now;

	(void)clock;
	if (sem_comes(sem, ns_of(until)))
		return 0;
	waited_in_vain += now - began;
	errno = ETIMEDOUT;
	return -1;
}

/* A mutex that another of our threads has. */
int
__wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	while (pthread_mutex_trylock(mutex) != 0)
		ours_sleep(now + NSEC / 10000);
	return 0;
}

int
__wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)left;
	ours_sleep(now + ns_of(time));
	return 0;
}

ssize_t
__wrap_getrandom(void *buf, size_t size, unsigned flags)
{
	(void)flags;
	memset(buf, 7, size);
	return (ssize_t)size;
}

int
__wrap_setrlimit(int what, const struct rlimit *limit)
{
	(void)what;
	(void)limit;
	return 0;
}
