/* Executes a program that signals of all kinds are pending for: pend COMMAND... */
#include "../program.h"

static void
queue(int sig, int value)
{
	sigqueue(getpid(), sig, (union sigval){ .sival_int = value });
}

int
main(int argc, char **argv)
{
	sigset_t all;

	memset(&all, 0xff, sizeof(all));
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGTERM, SIG_IGN);
	kill(getpid(), SIGTERM);
	kill(getpid(), SIGCHLD);
	syscall(SYS_tgkill, getpid(), getpid(), SIGUSR1);
	queue(SIGUSR2, 5);
	queue(SIGRTMIN + 3, 7);
	queue(SIGRTMIN + 3, 8);
	if (argc > 1)
		execv(argv[1], argv + 1);
	return 127;
}
