/*
 * rt-step HOW [K]: calls of instrumented functions under the trap flag, so that a signal handler
 * runs behind each of their instructions, those of mcount included.
 *
 *	every	the handler calls a function it has called before and, as long as there are some,
 *		a new one
 *	grow N	only at one instruction does it call hundreds of new ones: at another one for each
 *		of many threads, which have called N functions before and stay alive
 *	same K	at one instruction of each call it makes the very call that it interrupts; K: the
 *		call is a thread's first, a new one, a known one, one in the shared table, or one
 *		for which there is no larger table
 *	end	it ends the thread at one instruction of its only call
 *	jump	siglongjmp out of one instruction of each call
 *	fork N	the handler forks at one instruction of each call; N: whether the call is the first
 */
// CFLAGS: -mno-red-zone -fno-optimize-sibling-calls -Og
#include "rt.h"

#include "../../../proto/profsup_abi.h"

#include <setjmp.h>
#include <ucontext.h>

enum { TRAP_FLAG = 0x100, THREADS = 240, FIRST = 8 };

extern struct profsup_state __profsup_state;
extern char __executable_start, etext;

RT_FUNCTIONS

static void (*handler)(ucontext_t *uc);
static volatile int instruction; /* of the stepped call so far */
static int stepped, at;
static long handled;
static long by_handler[RT_N], by_step[RT_N], by_plain[RT_N], by_same[RT_N], by_jump[RT_N];
static long by_end[RT_N];

/* Each trap is a stop for the supervisor, so no call is stepped all the way to the instruction
 * where something happens: at == 0 steps and records a whole one, and in those after it a
 * breakpoint leads to the last instruction before the one meant that stood there once only, from
 * which it is stepped. */
static uintptr_t path[1024];
static int path_length;
static unsigned char *planted, under_it;
static int planted_at, reached;

UNCOUNTED static int
is_once(int i)
{
	int n = 0;

	for (int k = 1; k <= path_length; k++)
		n += path[k] == path[i];
	return n == 1;
}

UNCOUNTED static void
unplant(void)
{
	if (planted != NULL)
		*planted = under_it;
	planted = NULL;
}

/* Whether a breakpoint sees to it.  Never behind the end of stepping, where it would begin anew,
 * nor in what switches it on. */
UNCOUNTED static int
plant(void)
{
	int i = at <= path_length ? at - 1 : path_length - 1;

	instruction = 0;
	while (i >= FIRST && !is_once(i))
		i--;
	if (i < FIRST)
		return 0;
	planted_at = i;
	planted = (unsigned char *)path[i];
	under_it = *planted;
	*planted = 0xcc;
	return 1;
}

/* At a trap: whether this is the instruction meant. */
UNCOUNTED static int
arrived(ucontext_t *uc)
{
	greg_t *reg = uc->uc_mcontext.gregs;

	if (planted != NULL && reg[REG_RIP] == (greg_t)planted + 1) {
		reg[REG_RIP]--;
		reg[REG_EFL] |= TRAP_FLAG;
		unplant();
		instruction = planted_at;
	} else {
		instruction++;
	}
	if (at == 0 && instruction < (int)(sizeof(path) / sizeof(path[0])))
		path[path_length = instruction] = (uintptr_t)reg[REG_RIP];
	reached += instruction == at;
	return instruction == at;
}

/* Flags in, flags out: nothing else of the program is stepped. */
#define STEP_ON()  __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" : : : "memory", "cc")
#define STEP_OFF() __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" : : : "memory", "cc")
#define STEP(call)                                                                                 \
	do {                                                                                       \
		instruction = 0;                                                                   \
		stepped++;                                                                         \
		STEP_ON();                                                                         \
		call;                                                                              \
		STEP_OFF();                                                                        \
	} while (0)
/* The same, but only from just before instruction `at`; not at all if that is negative. */
#define STEP_AT(call)                                                                              \
	do {                                                                                       \
		if (at >= 0 && !plant())                                                           \
			STEP_ON();                                                                 \
		call;                                                                              \
		STEP_OFF();                                                                        \
		unplant();                                                                         \
	} while (0)

COUNTED_FUNCTION(t_known)

COUNTED void
t_handle(ucontext_t *uc)
{
	handler(uc);
}

COUNTED static void
on_trap(int sig, siginfo_t *info, void *uc)
{
	instruction++;
	handled++;
	t_handle(uc);
}

COUNTED static void
call_step(int i)
{
	by_step[i]++;
	STEP(fn[i]());
}

COUNTED static void
call_plain(int i)
{
	by_plain[i]++;
	fn[i]();
}

COUNTED static void
call_in_handler(int i)
{
	by_handler[i]++;
	fn[i]();
}

static void
tell_all(void)
{
	for (int i = 0; i < RT_N; i++) {
		char name[16];

		snprintf(name, sizeof(name), "t_n%04o", i);
		tell_arc("call_step", name, by_step[i]);
		tell_arc("call_plain", name, by_plain[i]);
		tell_arc("call_in_handler", name, by_handler[i]);
		tell_arc("call_same", name, by_same[i]);
		tell_arc("jump_out", name, by_jump[i]);
		tell_arc("end_here", name, by_end[i]);
	}
	tell_arc("on_trap", "t_handle", handled);
}

static int next_new = 1000;
static long known;

COUNTED static void
every(ucontext_t *uc)
{
	known++;
	t_known();
	if (next_new < RT_N)
		call_in_handler(next_new++);
}

static void
run_every(void)
{
	handler = every;
	for (int i = 0; i < 100; i++)
		call_step(i % 40);
	tell_arc("every", "t_known", known);
}

COUNTED static void
grow(ucontext_t *uc)
{
	if (instruction == at)
		for (int i = 1000; i < 1400; i++)
			call_in_handler(i);
	if (instruction > at) {
		known++;
		t_known();
		call_in_handler(1400 + instruction % 100);
		call_in_handler(1000 + instruction % 100);
	}
	/* So far behind it that what it did has been met again. */
	if (instruction > at + 80)
		uc->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

static int before;
static pthread_barrier_t barrier;

COUNTED static void *
grow_thread(void *arg)
{
	at = (int)(long)arg;
	for (int i = 0; i < before; i++)
		call_plain(2000 + i);
	call_step(at);
	call_step(at);
	pthread_barrier_wait(&barrier);
	pause();
	return NULL;
}

static void
run_grow(void)
{
	pthread_attr_t attr;
	pthread_t t;

	handler = grow;
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (long i = 1; i <= THREADS; i++) {
		must(pthread_create(&t, &attr, grow_thread, (void *)i) == 0, "pthread_create");
		pthread_barrier_wait(&barrier);
	}
	/* All instructions of the call were the one. */
	printf("instructions %d\n", instruction);
	tell_arc("grow", "t_known", known);
}

/* Calls of fn[i] that stand in the tables. */
UNCOUNTED static uint64_t
counted(int i)
{
	const struct profsup_arcs *a = (const struct profsup_arcs *)__profsup_state.arcs;
	uint64_t sum = 0;

	for (uint64_t at = 0; at < __profsup_state.places / 4 + a->used; at++)
		if (a->pool[at].self - (uint32_t)(uintptr_t)fn[i] < 16)
			sum += a->pool[at].count;
	return sum;
}

static sigjmp_buf out;
static volatile int current;
static volatile uint64_t count_at_jump;

COUNTED static void
jump(ucontext_t *uc)
{
	if (at == 0)
		return;
	count_at_jump = counted(current);
	siglongjmp(out, 1);
}

/* Not counted itself, as mcount may have the breakpoint in it.  The recorded calls are interrupted
 * by others' at each instruction. */
UNCOUNTED static void
on_trap_jump(int sig, siginfo_t *info, void *uc)
{
	const int there = arrived(uc), i = instruction;

	if (there || at == 0)
		on_trap(sig, info, uc);
	instruction = i;
}

static volatile uint64_t before_jump;
static int jumps_before_count, jumps_after_count;

COUNTED static void
jump_out(int i)
{
	before_jump = counted(i);
	current = i;
	if (sigsetjmp(out, 1) == 0) {
		STEP_AT(fn[i]());
		by_jump[current]++;
	} else {
		const uint64_t more = count_at_jump - before_jump;

		must(more <= 1, "one call");
		by_jump[current] += more;
		jumps_before_count += more == 0;
		jumps_after_count += more != 0;
	}
	for (int n = 0; n < 9; n++)
		call_plain(current);
}

/* A call that is left is counted or not, once and for all. */
static void
run_jump(void)
{
	struct sigaction sa = { .sa_sigaction = on_trap_jump, .sa_flags = SA_SIGINFO | SA_NODEFER };

	sigaction(SIGTRAP, &sa, NULL);
	handler = jump;
	at = 0;
	jump_out(0);
	for (int i = 1; i <= 300; i++) {
		at = i;
		jump_out(i);
	}
	/* And one that has its place. */
	at = -1;
	jump_out(2000);
	at = 0;
	jump_out(2000);
	for (int k = 1; k <= 80; k++) {
		at = -1;
		jump_out(2000 + k);
		at = k;
		jump_out(2000 + k);
	}
	printf("reached %d\nbefore %d\nafter %d\n", reached, jumps_before_count, jumps_after_count);
}

/* One place, whether stepped or in the handler.  Not counted itself, as nothing is between: so a
 * thread's first call can be fn's. */
UNCOUNTED __attribute__((noipa)) static void
call_same(int i, int step)
{
	if (step && !plant())
		STEP_ON();
	/* The compiler must not make two places of it. */
	__asm__ volatile("" : "+r"(step));
	fn[i]();
	if (step) {
		STEP_OFF();
		unplant();
	}
	by_same[i]++;
}

UNCOUNTED static void
on_trap_same(int sig, siginfo_t *info, void *uc)
{
	if (!arrived(uc))
		return;
	call_same(current, 0);
	((ucontext_t *)uc)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

/* So many instructions had a call that was not interrupted, and another may have some more. */
static int length;
enum { SOME = 30 };

UNCOUNTED static void
interrupt_same(int i)
{
	current = i;
	call_same(i, 1);
	if (at == 0)
		length = instruction;
}

UNCOUNTED static void *
same_thread(void *arg)
{
	interrupt_same(at);
	pthread_barrier_wait(&barrier);
	pause();
	return NULL;
}

static void
same_first(void)
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (at = 0; at <= length + SOME; at++) {
		must(pthread_create(&t, &attr, same_thread, NULL) == 0, "pthread_create");
		pthread_barrier_wait(&barrier);
	}
}

/* There are two tables and no room for a third.  Then both get full: the rest is in the shared
 * table. */
static void
fill(void)
{
	struct profsup_arcs *a = (struct profsup_arcs *)__profsup_state.arcs;
	int i = 0;

	while (a->used < 300)
		call_same(i++, 0);
	a->used = __profsup_state.places - __profsup_state.places / 4;
	for (i = 1000; i < RT_N; i++)
		call_same(i, 0);
}

static void
run_same(const char *kind)
{
	struct sigaction sa = { .sa_sigaction = on_trap_same, .sa_flags = SA_SIGINFO | SA_NODEFER };

	sigaction(SIGTRAP, &sa, NULL);
	if (strcmp(kind, "first") == 0)
		same_first();
	if (strcmp(kind, "shared") == 0)
		__profsup_state.mode = PROFSUP_MODE_SHARED;
	if (strcmp(kind, "full") == 0)
		fill();
	/* Of a full pool those that are in the first table. */
	if (strcmp(kind, "first") != 0)
		for (at = 0; at <= length + SOME; at++) {
			if (strcmp(kind, "known") == 0)
				call_same(at, 0);
			interrupt_same(strcmp(kind, "full") == 0 ? at % 60 : at);
		}
	__profsup_state.mode = PROFSUP_MODE_ON;
	printf("instructions %d\nreached %d\n", length, reached);
}

UNCOUNTED static void
on_trap_end(int sig, siginfo_t *info, void *uc)
{
	if (!arrived(uc))
		return;
	by_end[current] = (long)counted(current);
	syscall(SYS_exit, 0);
}

UNCOUNTED __attribute__((noipa)) static void *
end_here(void *arg)
{
	STEP_AT(fn[current]());
	by_end[current]++;
	if (at == 0)
		length = instruction;
	return NULL;
}

/* One after the other, so each has the thread pointer of the one before, and what that left. */
static void
run_end(void)
{
	struct sigaction sa = { .sa_sigaction = on_trap_end, .sa_flags = SA_SIGINFO };
	pthread_t t;

	sigaction(SIGTRAP, &sa, NULL);
	/* The recorded one is to be like those after it, and so not the first. */
	for (int i = -1; i <= length + SOME; i++) {
		at = i < 0 ? 0 : i;
		current = i < 0 ? RT_N - 1 : i;
		must(pthread_create(&t, NULL, end_here, NULL) == 0, "pthread_create");
		pthread_join(t, NULL);
	}
	printf("instructions %d\nreached %d\n", length, reached);
}

static int in_child;

COUNTED_FUNCTION(t_child)

COUNTED static void
child_work(void)
{
	for (int i = 0; i < 10; i++)
		t_child();
	/* Enough for the child's table to have the places of its parent's in use. */
	for (int i = 3000; i < 3120; i++)
		call_in_handler(i);
}

COUNTED static void
fork_here(ucontext_t *uc)
{
	if (instruction != at || fork() != 0)
		return;
	in_child = 1;
	child_work();
	uc->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

static void
run_fork(int first)
{
	int i = 0;

	handler = fork_here;
	for (at = 1; at < 400; at++) {
		const int f = first ? at : 0;

		call_step(f);
		if (in_child) {
			child_work();
			_exit(0);
		}
		if (instruction < at)
			break;
		wait(NULL);
	}
	printf("instructions %d\n", at - 1);
}

int
main(int argc, char **argv)
{
	struct sigaction sa = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER };

	must(mprotect(&__executable_start, (size_t)(&etext - &__executable_start),
	              PROT_READ | PROT_WRITE | PROT_EXEC) == 0,
	     "mprotect");
	sigaction(SIGTRAP, &sa, NULL);
	before = argc > 2 ? atoi(argv[2]) : 0;
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	if (strcmp(argv[1], "every") == 0)
		run_every();
	else if (strcmp(argv[1], "grow") == 0)
		run_grow();
	else if (strcmp(argv[1], "jump") == 0)
		run_jump();
	else if (strcmp(argv[1], "end") == 0)
		run_end();
	else if (strcmp(argv[1], "same") == 0)
		run_same(argv[2]);
	else
		run_fork(before);
	tell_all();
	return 0;
}
