/* die HOW CALLS [STATUS]: calls work() that often, then ends in the way that HOW names. */
// CFLAGS: -pthread
#include "../counted.h"
#include "../filter.h"

COUNTED_FUNCTION(work)

__attribute__((noinline)) static void
die_by_seccomp(unsigned action)
{
	if (filter_call(SYS_getppid, action, 0) < 0) {
		perror("seccomp");
		_exit(99);
	}
	syscall(SYS_getppid);
}

static void *
die_in_thread(void *how)
{
	if (strcmp(how, "thread-segv") == 0)
		*(volatile int *)1 = 0;
	if (strcmp(how, "thread-exit") == 0)
		exit(7);
	if (strcmp(how, "thread-last") == 0)
		usleep(50000);
	return NULL;
}

static void
wait_for_death(void)
{
	const char by_default[64] = { 0 }; /* a struct sigaction */

	/* What the C library keeps for itself, make has its children ignore. */
	for (int sig = 32; sig <= 33; sig++)
		syscall(SYS_rt_sigaction, sig, by_default, NULL, 8);
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	for (;;)
		pause();
}

int
main(int argc, char **argv)
{
	const char *how = argv[1];
	long n = atol(argv[2]);
	int status = argc > 3 ? atoi(argv[3]) : 0;
	pthread_t thread;

	while (n-- > 0)
		work();
	if (strcmp(how, "exit") == 0)
		exit(status);
	if (strcmp(how, "_exit") == 0)
		_exit(status);
	if (strcmp(how, "_Exit-thread") == 0) /* exit(2), not exit_group(2) */
		syscall(SYS_exit, status);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "segv") == 0)
		*(volatile int *)1 = 0;
	if (strcmp(how, "seccomp-process") == 0)
		die_by_seccomp(SECCOMP_RET_KILL_PROCESS);
	if (strcmp(how, "seccomp-thread") == 0)
		die_by_seccomp(SECCOMP_RET_KILL_THREAD);
	if (strcmp(how, "signal") == 0)
		kill(getpid(), status); /* raise(3) leaves two to the C library */
	if (strcmp(how, "pdeathsig") == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		wait_for_death();
	}
	if (strcmp(how, "wait") == 0)
		wait_for_death();
	if (strcmp(how, "spin") == 0) {
		printf("ready %d\n", (int)getpid());
		fflush(stdout);
		for (;;)
			sink++;
	}
	if (strncmp(how, "thread-", 7) == 0) {
		pthread_create(&thread, NULL, die_in_thread, (void *)how);
		if (strcmp(how, "thread-last") == 0)
			pthread_exit(NULL);
		for (;;)
			pause();
	}
	return status;
}
