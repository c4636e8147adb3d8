/*
 * How the target comes to be: forked as the front's child, seized by the supervisor, then let go to
 * exec.
 *
 * Child and supervisor meet over a socket: the child sends its pid, the supervisor its own, the
 * child lets that process trace it (a Yama kernel asks for it) and answers, the supervisor seizes
 * and answers, the child execs.  The front takes no part and holds no end of the socket, so if one
 * of the three is killed, none waits for it: the others read the end of the socket, or do not
 * depend on it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "start/start.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
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

/* Finds the file that execvp would run, as far as can be told: the first in PATH. */
static bool
find_program(const char *name, char *path, size_t size)
{
	const char *dirs = getenv("PATH"), *end;

	if (strchr(name, '/') != NULL)
		return (size_t)snprintf(path, size, "%s", name) < size;
	for (; dirs != NULL && *name != '\0'; dirs = *end == '\0' ? NULL : end + 1) {
		end = strchrnul(dirs, ':');
		if ((size_t)snprintf(path, size, "%.*s%s%s", (int)(end - dirs), dirs,
		                     end == dirs ? "" : "/", name) < size &&
		    access(path, X_OK) == 0)
			return true;
	}
	return false;
}

/* Executes the program.  execvp has the shell run files that the kernel does not know, which is
 * right for scripts and wrong for programs of another machine.  Returns if it fails. */
static void
run(char **argv)
{
	char path[PATH_MAX];

	if (find_program(argv[0], path, sizeof(path)) && diagnose_is_elf(path)) {
		execve(path, argv, environ);
		if (errno == ENOEXEC)
			return;
	}
	execvp(argv[0], argv);
}

/* Runs in the child.  When the program starts, everything is as the caller left it.  Prints. */
static void __attribute__((noreturn)) become_target(const struct options *opt, int sync)
{
	pid_t pid;
	int saved;

	/* So that the supervisor may trace us.  The caller could, too, whose power is ours by
	 * now. */
	if (priv_is_lent())
		prctl(PR_SET_DUMPABLE, 1UL, 0UL, 0UL, 0UL);
	if (say_pid(sync, getpid()) < 0 || hear_pid(sync, &pid) < 0)
		_exit(EXIT_OURS);
	prctl(PR_SET_PTRACER, (unsigned long)pid, 0UL, 0UL, 0UL);
	if (say_pid(sync, getpid()) < 0 || hear_pid(sync, &pid) < 0)
		_exit(EXIT_OURS);
	inherit_restore_signals();
	if (opt->user != NULL && runas_become(&opt->run_as) < 0) {
		log_error("-u %s: %m", opt->user);
		_exit(EXIT_OURS);
	}
	if (inherit_restore() < 0) {
		log_error("no memory for the program's environment");
		_exit(EXIT_OURS);
	}
	change_environment(opt);
	run(opt->argv);
	saved = errno;
	log_error("%s: %s%s", opt->argv[0], strerror(saved), diagnose_exec(opt->argv[0], saved));
	_exit(saved == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXEC);
}

/* pair[0] is the supervisor's end.  Exits on failure. */
void
launch_prepare(int pair[2])
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		log_fatal("socketpair: %m");
}

/* Called in the front.  Returns the child's pid.  Exits on failure. */
pid_t
launch_target(const struct options *opt, const int pair[2])
{
	pid_t pid;

	close(pair[0]);
	pid = fork();
	if (pid < 0)
		log_fatal("fork: %m");
	if (pid == 0)
		become_target(opt, pair[1]);
	close(pair[1]);
	return pid;
}

/* Called in the supervisor.  -1: there will be no program, and the front has said why.  Exits on
 * failure. */
pid_t
launch_hear(int sync)
{
	pid_t pid;

	if (hear_pid(sync, &pid) == 0)
		return pid;
	if (errno != EPIPE)
		log_fatal("can't hear of the program: %m");
	return -1;
}

/* Called in the supervisor.  Exits on failure, and then the child does, too. */
void
launch_seize(const struct options *opt, pid_t target, int sync)
{
	pid_t pid;

	if (say_pid(sync, getpid()) < 0 || hear_pid(sync, &pid) < 0)
		log_fatal("the program's process ended before it could be traced");
	if (trace_seize(target, opt->kill_on_exit) < 0) {
		int saved = errno;

		log_fatal("can't trace the program%s: %s", diagnose_trace(target), strerror(saved));
	}
	front_note_start();
	if (say_pid(sync, target) < 0)
		log_fatal("can't start the program: %m");
	close(sync);
}
