/*
 * prefork WIDTH DEPTH [churn]: a daemon that has made its processes beforehand: each but those at
 * the DEPTH makes WIDTH children.  Each prints its number when it is ready; at each SIGUSR1 it
 * calls work() a thousand times and prints "done PID".  With churn, each forks all the time
 * children that call work() ten times and end, and looks at no signal.  All end with the first.
 */
#include "../counted.h"

COUNTED_FUNCTION(work)

static void
repeat(int n)
{
	while (n-- > 0)
		work();
}

static void
say(const char *what)
{
	char line[32];
	const int n = snprintf(line, sizeof(line), "%s%d\n", what, (int)getpid());

	write(1, line, (size_t)n); /* at once, so that lines stay whole */
}

static void
churn(void)
{
	for (;;) {
		if (fork() == 0) {
			repeat(10);
			_exit(0);
		}
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		usleep(5000);
	}
}

int
main(int argc, char **argv)
{
	const int width = atoi(argv[1]);
	int depth = atoi(argv[2]), sig;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; depth > 0 && i < width; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			depth--;
			i = -1;
		}
	say("");
	if (argc > 3)
		churn();
	while (sigwait(&set, &sig) == 0) {
		repeat(1000);
		say("done ");
	}
	return 1;
}
