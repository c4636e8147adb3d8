/*
 * sandbox-none [FILE]: no sandbox of its own (others are put around it); says what it finds of
 * profiling in itself.  FILE gets its pid as the /proc that it sees has it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sandbox.h"

#include <sys/time.h>

static void
leave_pid(const char *file)
{
	char pid[32];
	ssize_t n = readlink("/proc/self", pid, sizeof(pid));
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	must(n > 0 && fd >= 0 && write(fd, pid, (size_t)n) == n, file);
}

static void
look_around(void)
{
	static const struct {
		int which;
		const char *name;
	} timers[] = { { ITIMER_REAL, "real" },
		       { ITIMER_VIRTUAL, "virtual" },
		       { ITIMER_PROF, "prof" } };
	struct sigaction sa;
	char line[64];

	for (int i = 0; i < 3; i++) {
		struct itimerval it = { 0 };

		getitimer(timers[i].which, &it);
		snprintf(line, sizeof(line), "timer %s %s", timers[i].name,
		         it.it_value.tv_sec || it.it_value.tv_usec ? "set" : "not set");
		say(line);
	}
	sigaction(SIGPROF, NULL, &sa);
	say(sa.sa_handler == SIG_DFL ? "SIGPROF default" : "SIGPROF handled");
	snprintf(line, sizeof(line), "seccomp %d, no_new_privs %d", prctl(PR_GET_SECCOMP),
	         prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	say(line);
}

int
main(int argc, char **argv)
{
	main_begins();
	if (argc > 1)
		leave_pid(argv[1]);
	work();
	look_around();
	return 0;
}
