/*
 * The target before it is one: forked as the front's child, seized by the supervisor, then let go
 * to exec.
 *
 * The two meet over a socket: the supervisor sends its pid, the child lets that process trace it (a
 * Yama kernel asks for it) and answers, the supervisor seizes and answers, the child execs.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int
say_pid(int sync, pid_t pid)
{
	return send(sync, &pid, sizeof(pid), MSG_NOSIGNAL) == sizeof(pid) ? 0 : -1;
}

static int
hear_pid(int sync, pid_t *pid)
{
	ssize_t n;

	do
		n = recv(sync, pid, sizeof(*pid), 0);
	while (n < 0 && errno == EINTR);
	return n == sizeof(*pid) ? 0 : -1;
}

static void
change_environment(const struct options *opt)
{
	for (size_t i = 0; i < opt->nenv; i++) {
		if (strchr(opt->env[i], '=') != NULL)
			putenv(opt->env[i]);
		else
			unsetenv(opt->env[i]);
	}
}

/* In the child.  Everything is as the caller left it when the program starts.  Prints. */
static void __attribute__((noreturn)) become_target(const struct options *opt, int sync)
{
	pid_t pid;
	int saved;

	if (hear_pid(sync, &pid) < 0)
		_exit(EXIT_OURS);
	prctl(PR_SET_PTRACER, (unsigned long)pid, 0UL, 0UL, 0UL);
	if (say_pid(sync, getpid()) < 0 || hear_pid(sync, &pid) < 0)
		_exit(EXIT_OURS);
	front_restore_signals();
	if (opt->user != NULL && runas_become(&opt->run_as) < 0) {
		log_error("-u %s: %m", opt->user);
		_exit(EXIT_OURS);
	}
	inherit_restore();
	change_environment(opt);
	execvp(opt->argv[0], opt->argv);
	saved = errno;
	log_error("%s: %m", opt->argv[0]);
	_exit(saved == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXEC);
}

/* Returns the child's pid, and in *sync our end of the socket.  Exits on failure. */
pid_t
launch_target(const struct options *opt, int *sync)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		err(EXIT_OURS, "socketpair");
	pid = fork();
	if (pid < 0)
		err(EXIT_OURS, "fork");
	if (pid == 0) {
		close(pair[0]);
		become_target(opt, pair[1]);
	}
	close(pair[1]);
	*sync = pair[0];
	return pid;
}

/* The setting that most often forbids it. */
static const char *
why_not(void)
{
	int saved = errno;
	char scope = procfs_yama_scope();

	errno = saved;
	if (scope == '2')
		return " (kernel.yama.ptrace_scope is 2: it needs CAP_SYS_PTRACE)";
	return scope == '3' ? " (kernel.yama.ptrace_scope is 3: nobody may)" : "";
}

/* In the supervisor.  Exits on failure, and the child with it. */
void
launch_seize(pid_t target, int sync)
{
	pid_t pid;

	if (say_pid(sync, getpid()) < 0 || hear_pid(sync, &pid) < 0)
		errx(EXIT_OURS, "the program's process ended before it could be traced");
	if (trace_seize(target) < 0)
		err(EXIT_OURS, "can't trace the program%s", why_not());
	if (say_pid(sync, target) < 0)
		err(EXIT_OURS, "can't start the program");
	close(sync);
}
