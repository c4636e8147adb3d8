/*
 * The target before it is one: forked as the front's child, seized by the supervisor, then let go
 * to exec.
 *
 * They meet over a socket: the front sends the child's pid, the supervisor its own, the child lets
 * that process trace it (a Yama kernel asks for it) and answers, the supervisor seizes and answers,
 * the child execs.
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
	if (n == 0)
		errno = EPIPE;
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

	/* By whom but our supervisor, the caller himself could say: all of it is his by now. */
	if (priv_is_lent())
		prctl(PR_SET_DUMPABLE, 1UL, 0UL, 0UL, 0UL);
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
	if (inherit_restore() < 0) {
		log_error("no memory for the program's environment");
		_exit(EXIT_OURS);
	}
	change_environment(opt);
	execvp(opt->argv[0], opt->argv);
	saved = errno;
	log_error("%s: %m", opt->argv[0]);
	_exit(saved == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXEC);
}

/* pair[0] is the supervisor's end.  Exits on failure. */
void
launch_prepare(int pair[2])
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		err(EXIT_OURS, "socketpair");
}

/* In the front.  Returns the child's pid, which the supervisor is told.  Exits on failure. */
pid_t
launch_target(const struct options *opt, const int pair[2])
{
	pid_t pid;

	close(pair[0]);
	pid = fork();
	if (pid < 0)
		err(EXIT_OURS, "fork");
	if (pid == 0)
		become_target(opt, pair[1]);
	say_pid(pair[1], pid); /* if nobody hears it, nobody lets the child go on */
	close(pair[1]);
	return pid;
}

/* In the supervisor.  -1: there will be no program, and the front has said why.  Exits on failure.
 */
pid_t
launch_hear(int sync)
{
	pid_t pid;

	if (hear_pid(sync, &pid) == 0)
		return pid;
	if (errno != EPIPE)
		err(EXIT_OURS, "can't hear of the program");
	return -1;
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
