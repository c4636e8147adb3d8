/*
 * hostile-mailbox WORD: a program that lies in its mailbox.
 *
 *	flood	many mappings, and a call that makes the supervisor look at all of them, always anew
 *	floods N	so many processes that do so for ever; prints "ready PID" before
 *	lies	in a child, anything at all in every field, while it uses the CPU
 */
#include "hostile.h"

#include <sys/resource.h>

extern struct profsup_mailbox __profsup_mailbox __attribute__((visibility("hidden")));

static volatile unsigned long sink;
static unsigned short bins[4096];

static double
cpu(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static void
flood(double seconds)
{
	volatile struct profsup_mailbox *mailbox = &__profsup_mailbox;

	for (int i = 0; i < 30000; i++)
		if (mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_WRITE | PROT_READ,
		         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			break;
	mailbox->call = PROFSUP_CALL_BSD;
	mailbox->arg[0] = (uintptr_t)&mailbox; /* the stack: behind all of them */
	mailbox->arg[1] = 2;
	mailbox->arg[3] = 1;
	for (double end = cpu() + seconds; cpu() < end;)
		for (int i = 0; i < 1000; i++)
			mailbox->posted++;
}

static void
floods(int n)
{
	ready();
	for (int i = 0; i < n; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			flood(1e9);
		}
	wait(NULL);
}

static uint64_t
next_random(void)
{
	static uint64_t state = 20260101;

	return xorshift(&state);
}

/* Sometimes small, sometimes large, sometimes memory of ours. */
static uint64_t
claim(void)
{
	switch (next_random() % 4) {
	case 0:
		return next_random() % 5;
	case 1:
		return (uintptr_t)bins + next_random() % 64;
	case 2:
		return next_random() >> next_random() % 64;
	default:
		return -(next_random() % 5000);
	}
}

static void
lies(void)
{
	volatile struct profsup_mailbox *mailbox = &__profsup_mailbox;
	uint64_t ranges[64];

	for (double end = cpu() + 0.5; cpu() < end;) {
		for (int i = 0; i < 64; i++)
			ranges[i] = claim();
		mailbox->call = next_random() % 7;
		for (int i = 0; i < 4; i++)
			mailbox->arg[i] = claim();
		if (next_random() % 3 == 0)
			mailbox->arg[0] = (uintptr_t)ranges;
		if (next_random() % 8 == 0)
			mailbox->magic = (uint32_t)next_random();
		mailbox->result = (int64_t)next_random();
		if (next_random() % 4 == 0)
			mailbox->answered = (uint32_t)next_random();
		mailbox->posted += (uint32_t)next_random() % 3;
		for (int i = 0; i < 5000; i++)
			sink++;
	}
}

/* Counts may well be added to memory that it needs, such as that of when to end. */
static void
in_child(void)
{
	pid_t pid;

	ready();
	pid = fork();
	if (pid == 0) {
		setrlimit(RLIMIT_CPU, &(struct rlimit){ 2, 2 });
		lies();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

int
main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "flood") == 0)
		flood(0.5);
	else if (argc > 2 && strcmp(argv[1], "floods") == 0)
		floods(atoi(argv[2]));
	else if (argc > 1 && strcmp(argv[1], "lies") == 0)
		in_child();
	else
		return 2;
	return 0;
}
