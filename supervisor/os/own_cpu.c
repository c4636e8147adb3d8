/*
 * The CPU where the supervisor runs, and its priority.
 *
 * A stop is short and hits what it was meant for only if the supervisor runs on the CPU of the
 * thread that it samples, and at once when its timer fires: then the thread is preempted, can't go
 * to sleep meanwhile, and reaches its stop in a few microseconds.  Across CPUs the same stop takes
 * ten times as long and comes late.  At real-time priority the preemption is certain; without the
 * right to it, asking for short slices makes it likely (Linux 6.12 and later).
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SHORT_SLICE_NS = 100000 };
/* The kernel's numbers, which a C library's <sched.h> may lack. */
#ifndef SCHED_DEADLINE
enum { SCHED_DEADLINE = 6 };
#endif
#ifndef SCHED_FLAG_RESET_ON_FORK
enum { SCHED_FLAG_RESET_ON_FORK = 1 };
#endif

/* The kernel's struct sched_attr; its header and the C library's can't be had together. */
struct sched_attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period; /* ns */
};

/* What we may use at real-time priority: a sixteenth of a CPU, and BURST_NS at once.  So eight
 * supervisors leave half of a CPU to others, and nobody waits for more than 20 ms. */
enum { SHARE = 16 };
#define BURST_NS (NSEC / 500)
/* With less than LEAST_NS left we let ticks pass to save up; MOST_DEBT_NS below 0 we lose the
 * priority, and so far below that nobody waits for more than 32 ms if a thread is stopped for us,
 * or about to be: it would wait until the scheduler gives us a turn. */
#define LEAST_NS      ((int64_t)BURST_NS / 8)
#define MOST_DEBT_NS  ((int64_t)BURST_NS / 4)
#define LARGE_DEBT_NS ((int64_t)BURST_NS)
/* The kernel's own limit (RLIMIT_RTTIME), should we not get to own_cpu_check() in time, us. */
enum { KERNELS_LIMIT_US = 4000 };

/* What the watcher (starved.c), a process of its own, reads and changes, too. */
static struct state {
	atomic_int cpu_now;         /* CPU that we are bound to, -1 none */
	atomic_bool realtime;       /* we have real-time priority at the moment */
	atomic_int priority;        /* that we have when we have any */
	atomic_bool lent;           /* starved.c has given us the priority */
	atomic_bool overdrawn;      /* the limit was reached, and the priority is gone */
	_Atomic pid_t worker;       /* the worker thread, which runs memory jobs */
	atomic_int worker_priority; /* its real-time priority, 0 none */
	_Atomic pid_t keeper;       /* nomigrate.c's thread */
} unshared = { .cpu_now = -1, .priority = PRIORITY_OURS }, *my = &unshared;

static int account_fd = -1; /* our file /proc/PID/task/TID/sched */
static int waits_fd = -1;   /* our file schedstat */
static uint64_t waited;     /* our time spent waiting for a CPU, when we last went to sleep, ns */
static cpu_set_t callers;   /* CPUs that we may use */
static int callers_nice;

static pid_t us;
static bool may_bind;  /* somebody sees to it that we get off a CPU again */
static bool for_good;  /* once given up, the priority can't be had again */
static int64_t credit; /* CPU time left at real-time priority, BURST_NS at the most, ns */
static uint64_t checked_at, cpu_then; /* ns */
static int worker_cpu;                /* CPU that the worker is bound to, -1 none */

static void
ask_for_short_slices(void)
{
	struct sched_attributes attr = { .size = sizeof(attr) };

	if (syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0) < 0)
		return;
	attr.runtime = SHORT_SLICE_NS;
	syscall(SYS_sched_setattr, 0, &attr, 0); /* an older kernel ignores the slice */
}

/* Takes the priority away from the supervisor's thread. */
static void
overdraw(void)
{
	priv_set_priority(us, 0);
	my->overdrawn = true;
}

/* Takes the priority away from another thread of ours: one that has ended may have left its number
 * to somebody else's. */
static bool
demote(pid_t tid)
{
	return tid != 0 && syscall(SYS_tgkill, us, tid, 0) == 0 && priv_set_priority(tid, 0) == 0;
}

/* Called by the watcher: takes the priority away from our main thread, and from the others. */
void
own_cpu_curb(bool main, bool others)
{
	if (main && (my->realtime || my->lent))
		overdraw();
	if (others && my->worker_priority != 0 && demote(my->worker))
		my->worker_priority = 0;
	if (others)
		demote(my->keeper);
}

/* Handles SIGXCPU, in whatever thread of ours gets it. */
static void
obey_kernel(int sig)
{
	(void)sig;
	overdraw();
}

static void
have_kernel_watch(void)
{
	const struct sigaction act = { .sa_handler = obey_kernel, .sa_flags = SA_RESTART };
	struct rlimit limit;

	if (sigaction(SIGXCPU, &act, NULL) < 0 || getrlimit(RLIMIT_RTTIME, &limit) < 0)
		return;
	if (limit.rlim_cur > KERNELS_LIMIT_US)
		limit.rlim_cur = KERNELS_LIMIT_US;
	setrlimit(RLIMIT_RTTIME, &limit);
}

/* Gives the calling thread so much CPU time in each period before all others, and no more.  False:
 * it can't be had. */
bool
own_cpu_have_share(uint64_t ns, uint64_t period)
{
	struct sched_attributes attr = {
		.size = sizeof(attr),
		.policy = SCHED_DEADLINE,
		.flags = SCHED_FLAG_RESET_ON_FORK,
		.runtime = ns,
		.deadline = period,
		.period = period,
	};

	return syscall(SYS_sched_setattr, 0, &attr, 0) == 0;
}

/* Returns whether we run at real-time priority from here on. */
bool
own_cpu_init(void)
{
	struct state *shared = apart_memory(sizeof(*shared));

	if (shared != NULL) {
		shared->cpu_now = my->cpu_now;
		shared->priority = my->priority;
		shared->worker = my->worker;
		my = shared;
	}
	us = gettid();
	account_fd = procfs_thread_open(getpid(), us, "sched");
	waits_fd = procfs_thread_open(getpid(), us, "schedstat");
	sched_getaffinity(0, sizeof(callers), &callers);
	callers_nice = getpriority(PRIO_PROCESS, 0);
	my->realtime = priv_realtime(PRIORITY_OURS) == 0;
	for_good = !my->realtime || priv_is_lent();
	credit = BURST_NS;
	checked_at = clock_now();
	cpu_then = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (my->realtime)
		have_kernel_watch();
	else
		ask_for_short_slices();
	return my->realtime;
}

/* We may be bound to a CPU: there is a way out of it. */
void
own_cpu_may_bind(void)
{
	may_bind = true;
}

bool
own_cpu_is_urgent(void)
{
	return my->realtime;
}

/* Called by the worker thread: it is to have our CPU whenever we wait for it. */
void
own_cpu_share(void)
{
	my->worker = gettid();
	my->worker_priority = 0;
	worker_cpu = -1;
}

/* Called by nomigrate.c's thread, of a real-time priority of its own. */
void
own_cpu_keep(void)
{
	my->keeper = gettid();
}

/* Called by a thread or process of ours that has more to do than a short job: it gives up real-time
 * priority and may run on any CPU. */
void
own_cpu_leave(void)
{
	priv_set_priority(0, 0);
	if (us != 0)
		setpriority(PRIO_PROCESS, 0, callers_nice); /* a fork of a real-time thread has 0 */
	sched_setaffinity(0, sizeof(callers), &callers);
}

/* Binds a thread of ours, 0 for the calling one, to a CPU.  False: that CPU may not be used. */
bool
own_cpu_put(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(tid, sizeof(set), &set) == 0;
}

/* Brings the worker thread, which waits for a job, to our CPU, with our priority.  It is moved even
 * if we have no priority: on another CPU the scheduler can let a busy target run for 0.2 s before
 * it. */
void
own_cpu_bring(pid_t tid)
{
	const int here = own_cpu_now(), wanted = my->realtime ? my->priority : 0;

	if (my->worker != tid)
		return;
	if (my->worker_priority != wanted && priv_set_priority(tid, wanted) == 0)
		my->worker_priority = wanted;
	if (worker_cpu != here && own_cpu_put(tid, here))
		worker_cpu = here;
}

/* Charges us for what another thread of ours has used at our priority. */
void
own_cpu_charge(uint64_t ns)
{
	if (my->realtime)
		credit -= (int64_t)ns;
}

/* Updates the credit by what was saved up and used until now. */
static void
settle(uint64_t now)
{
	const uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	credit += (int64_t)((now - checked_at) / SHARE);
	if (my->realtime)
		credit -= (int64_t)(cpu - cpu_then);
	if (credit > (int64_t)BURST_NS)
		credit = BURST_NS;
	checked_at = now;
	cpu_then = cpu;
	if (my->overdrawn)
		credit = -(int64_t)BURST_NS;
}

/*
 * `needed`: a thread is stopped for us, or about to be.
 *
 * The targets decide how much work we have, and could use our priority to keep others from a CPU.
 * So a supervisor that has used more than its share gives the priority up until it has saved some
 * up again; for good if the right to the priority came from our file.
 */
void
own_cpu_check(uint64_t now, bool needed)
{
	const int64_t debt = needed ? LARGE_DEBT_NS : MOST_DEBT_NS;

	if (us == 0 || (!my->realtime && for_good))
		return;
	if (atomic_exchange(&my->lent, false))
		my->realtime = true;
	settle(now);
	if (my->realtime && credit < -debt && (priv_realtime(0) == 0 || my->overdrawn)) {
		my->realtime = my->overdrawn = false;
		ask_for_short_slices();
		log_verbose("too much to do for real-time priority: given up%s",
		            for_good ? "" : " for a moment");
	} else if (!my->realtime && credit >= (int64_t)BURST_NS / 2) {
		my->realtime = priv_realtime(PRIORITY_OURS) == 0;
	}
}

/* Whether a tick must be let pass, to save up: without the priority it would find threads where the
 * scheduler takes their CPU away, or at the end of the call that they make next. */
bool
own_cpu_is_short(uint64_t ns)
{
	const uint64_t most = BURST_NS - (uint64_t)LEAST_NS;

	return my->realtime && credit < LEAST_NS + (int64_t)(ns < most ? ns : most);
}

/* Moves us to a CPU, to stay there.  False: we may not use that CPU, and stay where we are. */
bool
own_cpu_move(int cpu)
{
	if (cpu == my->cpu_now)
		return true;
	if (cpu < 0 || cpu >= CPU_SETSIZE || !may_bind || !own_cpu_put(0, cpu))
		return false;
	my->cpu_now = cpu;
	return true;
}

void
own_cpu_callers(cpu_set_t *set)
{
	*set = callers;
}

/* Called by starved.c, while we wait for a CPU in vain: gives us real-time priority, `most`, 0: as
 * ever.  False: we may not have it. */
bool
own_cpu_lend(int most)
{
	const int wanted = most != 0 ? most : PRIORITY_OURS;

	if (for_good || priv_set_priority(us, wanted) < 0)
		return false;
	my->priority = wanted;
	my->lent = true;
	return true;
}

/* The same: binds us to one of these CPUs, or to none. */
void
own_cpu_free(const cpu_set_t *cpus)
{
	my->cpu_now = -1;
	sched_setaffinity(us, sizeof(callers), CPU_COUNT(cpus) != 0 ? cpus : &callers);
}

/* How many CPUs we may use. */
size_t
own_cpu_allowed(void)
{
	return (size_t)CPU_COUNT(&callers);
}

/* Gets when we got our CPU, by that CPU's clock, ns. */
int
own_cpu_since(uint64_t *since)
{
	return account_fd < 0 ? -1 : procfs_exec_start(account_fd, since);
}

/* How long we have waited for a CPU until now.  False: the kernel does not tell, or we have
 * real-time priority and do not need to know. */
static bool
all_waits(uint64_t *ns)
{
	struct thread_time time;

	if (my->realtime || waits_fd < 0 || procfs_thread_time(waits_fd, &time) < 0)
		return false;
	*ns = time.waited;
	return true;
}

/* Called when we are about to sleep. */
void
own_cpu_sleeps(void)
{
	all_waits(&waited);
}

/* Whether we have had to wait for a CPU since own_cpu_sleeps(): then the threads that had it went
 * on meanwhile, and gave it up where it suited the scheduler: of 64 threads in a control group,
 * half of the samples would be in their calls. */
bool
own_cpu_has_waited(void)
{
	uint64_t now;

	return all_waits(&now) && now != waited;
}

int
own_cpu_now(void)
{
	return my->cpu_now >= 0 ? my->cpu_now : sched_getcpu();
}
