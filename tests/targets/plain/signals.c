/*
 * signals [CALLS] [ignore-tstp | default-int | busy]: counts SIGINTs and prints "int N" for each;
 * SIGUSR1 asks for "hello"; at SIGTERM it calls work() that often (1000), prints "bye N" (N
 * SIGINTs) and exits with status 5.  Prints "ready PID" first.
 */
#include "../counted.h"

COUNTED_FUNCTION(work)

int
main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000;
	const char *mode = argc > 2 ? argv[2] : "";
	int ints = 0, sig;
	sigset_t set;

	setvbuf(stdout, NULL, _IOLBF, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGUSR1);
	if (strcmp(mode, "default-int") != 0)
		sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (strcmp(mode, "ignore-tstp") == 0)
		signal(SIGTSTP, SIG_IGN);
	while (n-- > 0)
		work();
	printf("ready %d\n", (int)getpid());
	for (;;) {
		struct timespec none = { 0, 0 };

		if (strcmp(mode, "busy") == 0) {
			for (int i = 0; i < 100000; i++)
				sink++;
			sig = sigtimedwait(&set, NULL, &none);
			if (sig < 0)
				continue;
		} else if (sigwait(&set, &sig) != 0) {
			continue;
		}
		if (sig == SIGINT)
			printf("int %d\n", ++ints);
		if (sig == SIGUSR1)
			printf("hello\n");
		if (sig == SIGTERM)
			break;
	}
	printf("bye %d\n", ints);
	return 5;
}
