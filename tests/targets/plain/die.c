/* die HOW CALLS [STATUS]: calls work() that often, then ends in the way that HOW names. */
// CFLAGS: -pthread
#include "../counted.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>

COUNTED_FUNCTION(work)

__attribute__((noinline)) static void
die_by_seccomp(unsigned action)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { 4, code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0) {
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
