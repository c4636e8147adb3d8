/*
 * crowd TABLE SEED SECONDS PROCESSES THREADS: so many processes, and threads in them, come and go,
 * call functions, fork, vfork, exec, send each other signals and die, and write down in TABLE what
 * each has called (crowd.h).  Only for a PID namespace of its own: the pids that it kills may be
 * somebody else's by then.
 *
 * Prints "quiet" and reads a line; then there is a crowd for so many seconds until the last one of
 * it is gone, and so on until the end of its input.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -D_GNU_SOURCE -pthread
#include "crowd.h"
#include "../program.h"

#include <linux/sched.h>
#include <sched.h>

enum { MOST_OWN_THREADS = 6, DEEPEST = 4, VFORK_STACK = 32768 };
enum { MSEC = 1000 * 1000 };

static struct crowd_table *table;
static const char *table_path;
static int bare;     /* made by a raw clone in a threaded process: libc's locks may be held */
static int threaded; /* has had threads */
static int depth;

static __thread uint32_t me; /* our slot */
static __thread uint64_t rng;
static __thread char vfork_stack[VFORK_STACK] __attribute__((aligned(16)));

static struct crowd_slot *
slot(void)
{
	return &table->slots[me];
}

/* --- What is counted. */

/* What the child of a vfork calls is counted in its creator's memory, so it is the creator's.  That
 * may be dead by then, and so it adds the calls to `after` itself, when it goes on. */
static __thread uint32_t *creators_before; /* NULL: we are no such child */
static __thread uint32_t owed[CROWD_FUNCTIONS];

static uint32_t *
before(void)
{
	return creators_before != NULL ? creators_before : slot()->before;
}

static uint32_t *
after(void)
{
	return creators_before != NULL ? owed : slot()->after;
}

#define CALL(n, function)                                                                          \
	do {                                                                                       \
		__atomic_fetch_add(&before()[n], 1, __ATOMIC_SEQ_CST);                             \
		function();                                                                        \
		__atomic_fetch_add(&after()[n], 1, __ATOMIC_SEQ_CST);                              \
	} while (0)

static void
pay(void)
{
	creators_before = NULL;
	for (int i = 0; i < CROWD_FUNCTIONS; i++) {
		__atomic_fetch_add(&slot()->after[i], owed[i], __ATOMIC_SEQ_CST);
		owed[i] = 0;
	}
}

__attribute__((noipa)) void
t_inner(void)
{
	__asm__ volatile("");
}

__attribute__((noipa)) void
t_outer(void)
{
	CALL(0, t_inner);
	CALL(0, t_inner);
}

__attribute__((noipa)) void
t_thread(void)
{
	CALL(0, t_inner);
}

__attribute__((noipa)) void
t_handler(void)
{
	CALL(0, t_inner);
}

__attribute__((noipa)) void
t_burn(void)
{
	for (int i = 0; i < 20000; i++)
		__asm__ volatile("");
}

static void
on_usr1(int sig)
{
	(void)sig;
	CALL(3, t_handler);
}

/* --- Chance. */

static void
reseed(uint32_t who)
{
	rng = (table->seed + 1) * 0x9e3779b97f4a7c15 ^ (who + 1) * 0xbf58476d1ce4e5b9;
}

static unsigned
chance(unsigned n)
{
	return (unsigned)(xorshift(&rng) >> 20) % n;
}

/* --- Being and ending. */

static void
set_state(uint32_t which, enum crowd_state state)
{
	__atomic_store_n(&table->slots[which].state, state, __ATOMIC_SEQ_CST);
}

static void
fail(int error)
{
	slot()->next = (uint32_t)error;
	set_state(me, CROWD_FAILED);
	_exit(99);
}

static uint32_t
reserve(void)
{
	uint32_t n = __atomic_fetch_add(&table->used, 1, __ATOMIC_SEQ_CST);

	if (n >= CROWD_SLOTS)
		fail(ENOSPC);
	return n;
}

/* A signal's handler must not count in another's slot: none comes until the new one has its own. */
static void
block(sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, old);
}

static void
unblock(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void
be(uint32_t who)
{
	me = who;
	reseed(who);
	set_state(who, CROWD_ALIVE);
}

static void
leave_thread(void)
{
	__atomic_fetch_sub(&table->threads, 1, __ATOMIC_SEQ_CST);
	if (__atomic_sub_fetch(&slot()->threads, 1, __ATOMIC_SEQ_CST) == 0 &&
	    slot()->state == CROWD_ALIVE && slot()->finish == 2)
		set_state(me, CROWD_ENDED);
}

static void
nap(long ns)
{
	struct timespec ts = { 0, ns };

	nanosleep(&ts, NULL);
}

/* The threads that a process has must have ended, or be about to end it. */
static void
end(void)
{
	struct crowd_slot *s = slot();

	if (chance(8) == 0 && s->threads > 0) {
		/* The first thread goes first, the last one ends the process. */
		__atomic_fetch_add(&s->threads, 1, __ATOMIC_SEQ_CST);
		__atomic_fetch_add(&table->threads, 1, __ATOMIC_SEQ_CST);
		s->finish = 2;
		block(NULL);
		leave_thread();
		syscall(SYS_exit, 0);
	}
	s->finish = 1;
	while (__atomic_load_n(&s->threads, __ATOMIC_SEQ_CST) > 0)
		nap(MSEC);
	block(NULL); /* no handler's call is to come */
	set_state(me, CROWD_ENDED);
	if (bare || chance(2))
		_exit((int)chance(100));
	exit(0);
}

static void
die(void)
{
	static const int how[] = { SIGKILL, SIGTERM, SIGABRT, SIGSEGV, SIGBUS };
	unsigned n = chance(sizeof(how) / sizeof(how[0]) + 2);

	if (n < sizeof(how) / sizeof(how[0]))
		kill(getpid(), how[n]);
	else if (n == sizeof(how) / sizeof(how[0]))
		*(volatile int *)8 = 1;
	else
		_exit(1); /* whatever its threads do */
	nap(100 * MSEC);
}

/* --- Making others. */

static void member(uint32_t who);

static int
fork_as(uint32_t who, pid_t pid)
{
	struct clone_args args = { .flags = CLONE_PARENT_SETTID,
		                   .parent_tid = (uint64_t)&table->slots[who].pid,
		                   .exit_signal = SIGCHLD };

	if (pid != 0) {
		args.set_tid = (uint64_t)&pid;
		args.set_tid_size = 1;
	}
	return (int)syscall(SYS_clone3, &args, sizeof(args));
}

/* The number of one who lived some time ago. */
static pid_t
old_number(void)
{
	uint32_t n = __atomic_load_n(&table->used, __ATOMIC_SEQ_CST);

	return table->slots[n - 1 - chance(n < 2000 ? n : 2000)].pid;
}

static void
make_child(void)
{
	pid_t number = chance(10) == 0 ? old_number() : 0;
	uint32_t who;
	sigset_t old;
	int pid;

	block(&old);
	who = reserve();
	pid = fork_as(who, number);
	if (pid < 0 && number != 0)
		pid = fork_as(who, 0);
	if (pid == 0) {
		bare = bare || threaded;
		threaded = 0;
		depth++;
		member(who);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void
exec_self(void)
{
	char number[16], deep[16];
	char *argv[] = { "crowd", "again", (char *)table_path, number, deep, NULL };
	uint32_t next = reserve();

	table->slots[next].pid = getpid();
	table->slots[next].prev = me;
	slot()->next = next;
	snprintf(number, sizeof(number), "%u", next);
	snprintf(deep, sizeof(deep), "%d", depth);
	block(NULL);
	set_state(me, CROWD_EXECING);
	execv("./crowd", argv);
	fail(errno);
}

static void
work(void)
{
	for (unsigned n = 1 + chance(20); n > 0; n--) {
		CALL(0, t_inner);
		CALL(1, t_outer);
	}
	for (unsigned n = chance(50) == 0 ? 200 : 2; n > 0; n--)
		CALL(4, t_burn);
}

/* In its creator's memory. */
static int
vfork_child(void *arg)
{
	creators_before = slot()->before;
	be((uint32_t)(uintptr_t)arg);
	unblock();
	work();
	if (chance(4) == 0)
		nap(20 * MSEC);
	if (chance(2))
		exec_self();
	block(NULL);
	set_state(me, CROWD_ENDED);
	_exit(0);
}

static void
make_vfork_child(void)
{
	const uint32_t mine = me;
	const uint64_t my_rng = rng;
	uint32_t who;
	sigset_t old;

	block(&old);
	who = reserve();
	clone(vfork_child, vfork_stack + VFORK_STACK,
	      CLONE_VM | CLONE_VFORK | CLONE_PARENT_SETTID | SIGCHLD, (void *)(uintptr_t)who,
	      &table->slots[who].pid);
	me = mine;
	rng = my_rng;
	pay();
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void *thread(void *);

static void
make_thread(void)
{
	pthread_attr_t attr;
	pthread_t id;
	sigset_t old;

	threaded = 1;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 256 * 1024);
	block(&old);
	__atomic_fetch_add(&slot()->threads, 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&table->threads, 1, __ATOMIC_SEQ_CST);
	if (pthread_create(&id, &attr, thread, (void *)(uintptr_t)me) != 0)
		leave_thread();
	sigprocmask(SIG_SETMASK, &old, NULL);
}

/* --- A member's life. */

static void
send_signal(void)
{
	static const int which[] = { SIGUSR1, SIGUSR1, SIGUSR1, SIGUSR1, SIGUSR1,
		                     SIGSTOP, SIGCONT, SIGTERM, SIGKILL, SIGSEGV };
	pid_t pid = table->roll[chance(CROWD_ROLL)];

	if (pid > 0)
		kill(pid, which[chance(sizeof(which) / sizeof(which[0]))]);
}

/* Each is counted at once, since the first process may be late to count them all anew. */
static void
make_another(void)
{
	if (depth >= DEEPEST || table->stop || table->procs >= table->most_procs ||
	    __atomic_fetch_add(&table->procs, 1, __ATOMIC_SEQ_CST) >= table->most_procs)
		return;
	if (chance(3) == 0)
		make_vfork_child();
	else
		make_child();
}

static void
step(void)
{
	work();
	if (chance(20) == 0)
		send_signal();
	if (chance(10) == 0)
		make_another();
	while (waitpid(-1, NULL, WNOHANG) > 0)
		continue;
	if (!table->stop && chance(150) == 0)
		exec_self();
	nap((long)chance(100) * MSEC);
}

static void *
thread(void *arg)
{
	static uint32_t number;

	me = (uint32_t)(uintptr_t)arg;
	reseed(me + CROWD_SLOTS * __atomic_add_fetch(&number, 1, __ATOMIC_SEQ_CST));
	unblock();
	for (unsigned n = chance(60); n > 0 && !table->stop && !slot()->finish; n--) {
		CALL(2, t_thread);
		step();
	}
	block(NULL);
	leave_thread();
	return NULL;
}

/* Does not return. */
static void
member(uint32_t who)
{
	be(who);
	unblock();
	for (unsigned n = chance(100); n > 0 && !table->stop; n--) {
		step();
		if (!bare && slot()->threads < MOST_OWN_THREADS &&
		    table->threads < table->most_threads && chance(4) == 0)
			make_thread();
		if (chance(100) == 0)
			die();
	}
	end();
}

/* --- The first one, which nobody kills. */

static uint32_t oldest;
static uint8_t gone[CROWD_SLOTS];

/* Who lives, for the others: their number and whom to send signals to. */
static uint32_t
call_the_roll(void)
{
	const uint32_t used = __atomic_load_n(&table->used, __ATOMIC_SEQ_CST);
	uint32_t n = 0;

	while (oldest < used && (gone[oldest] || used - oldest > 50000))
		oldest++;
	for (uint32_t i = oldest; i < used; i++) {
		const struct crowd_slot *s = &table->slots[i];

		if (gone[i] || s->pid == 0 || i == 0)
			continue;
		if (s->state == CROWD_REPLACED || kill(s->pid, 0) < 0)
			gone[i] = 1;
		else
			table->roll[n++ % CROWD_ROLL] = s->pid;
	}
	for (uint32_t i = n; i < CROWD_ROLL; i++)
		table->roll[i] = 0;
	__atomic_store_n(&table->procs, n, __ATOMIC_SEQ_CST);
	return n;
}

/* Whoever was stopped goes on, sooner or later. */
static void
wake_some(unsigned n)
{
	while (n-- > 0) {
		pid_t pid = table->roll[chance(CROWD_ROLL)];

		if (pid > 0)
			kill(pid, SIGCONT);
	}
}

static void
reap(void)
{
	while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
		continue;
}

/* The threads of those that were killed still stand in the count of all. */
static void
count_threads(void)
{
	uint32_t n = 0;

	for (uint32_t i = oldest; i < table->used; i++)
		if (!gone[i])
			n += table->slots[i].threads;
	__atomic_store_n(&table->threads, n, __ATOMIC_SEQ_CST);
}

static void
crowd(unsigned seconds)
{
	const time_t until = time(NULL) + seconds;

	table->stop = 0;
	while (time(NULL) < until) {
		for (uint32_t n = call_the_roll(), made = 0; n < table->most_procs && made < 20;
		     n++, made++)
			make_child();
		count_threads();
		wake_some(10);
		reap();
		CALL(0, t_inner);
		nap(20 * MSEC);
	}
	table->stop = 1;
	while (call_the_roll() > 0) {
		wake_some(4 * CROWD_ROLL);
		reap();
		nap(20 * MSEC);
	}
	table->threads = 0;
}

static void
open_table(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		_exit(98);
	table_path = path;
	table = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (table == MAP_FAILED)
		_exit(97);
	close(fd);
}

int
main(int argc, char **argv)
{
	char c;

	signal(SIGUSR1, on_usr1);
	if (argc == 5) {
		uint32_t who = (uint32_t)atoi(argv[3]);

		open_table(argv[2]);
		depth = atoi(argv[4]);
		/* Of two threads that executed it at once, ours was the one. */
		table->slots[table->slots[who].prev].next = who;
		set_state(table->slots[who].prev, CROWD_REPLACED);
		member(who);
	}
	if (argc != 6)
		return 99;
	open_table(argv[1]);
	table->seed = (uint32_t)atol(argv[2]);
	table->most_procs = (uint32_t)atoi(argv[4]);
	table->most_threads = (uint32_t)atoi(argv[5]);
	table->used = 1;
	table->slots[0].pid = getpid();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	be(0);
	while (write(1, "quiet\n", 6) == 6 && read(0, &c, 1) == 1)
		crowd((unsigned)atoi(argv[3]));
	set_state(0, CROWD_ENDED);
	return 0;
}
