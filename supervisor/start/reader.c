/*
 * profsup-report, started by our caller's process, and so with all that our caller has: with --top
 * it shows what the supervisor tells it, and at the end of a run with --report the files.
 *
 * SPDX-License-Identifier: ISC
 */
#include "start/start.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long the view of --top has at the end for what it has been told. */
static const struct timespec patience = { .tv_sec = 1 };

static pid_t top = -1; /* the process that shows it; -1: there is none */

/* Of the environment it has what it reads.  Where we are root's, the program may by now have filled
 * the directories that LD_LIBRARY_PATH names (as in readcode.c). */
static void
keep_environment(char *kept[3])
{
	static const char *const names[] = { "PATH=", "TERM=" };
	size_t n = 0;

	for (char **at = environ; at != NULL && *at != NULL; at++)
		for (size_t i = 0; i < 2 && n < 2; i++)
			if (strncmp(*at, names[i], strlen(names[i])) == 0)
				kept[n++] = *at;
}

/* Executes it, with `in` as its input.  It is installed beside us. */
static void __attribute__((noreturn)) become(int in, const char *const *options)
{
	static const char name[] = "profsup-report";
	char path[PATH_MAX], *argv[8] = { (char *)(uintptr_t)name }, *kept[3] = { NULL };
	int saved;

	if (installed_path(name, path) < 0) {
		log_error("%s: can't find it: /proc/self/exe: %m", name);
		_exit(EXIT_OURS);
	}
	for (size_t i = 0; options[i] != NULL; i++)
		argv[i + 1] = (char *)(uintptr_t)options[i];
	dup2(in, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	fds_close_but(NULL, 0, STDERR_FILENO + 1);
	inherit_restore_signals();
	keep_environment(kept);
	execve(path, argv, kept);
	saved = errno;
	log_error("%s: %s (it belongs beside profsup)", path, strerror(saved));
	_exit(EXIT_OURS);
}

/* Returns -1 after a message. */
static pid_t
start(int in, const char *const *options)
{
	const pid_t pid = fork();

	if (pid == 0)
		become(in, options);
	if (pid < 0)
		log_error("profsup-report: fork: %m");
	close(in);
	return pid;
}

/* Waits for it, with all signals blocked.  Without `most` what would end us ends it, and we stop as
 * it does; else it is killed once nothing has come for so long. */
static void
wait_for(pid_t reader, const struct timespec *most)
{
	sigset_t all;
	int status;

	sigfillset(&all);
	for (;;) {
		const pid_t pid =
		    waitpid(reader, &status, WNOHANG | (most == NULL ? WUNTRACED : 0));
		int sig;

		if (pid < 0 || (pid == reader && !WIFSTOPPED(status)))
			return;
		if (pid == reader) {
			kill(getpid(), SIGSTOP);
			kill(reader, SIGCONT);
		}
		sig = sigtimedwait(&all, NULL, most);
		if (most == NULL && inherit_ends_jobs(sig))
			kill(reader, SIGTERM);
		else if (sig < 0 && errno == EAGAIN)
			kill(reader, SIGKILL);
	}
}

/* Called before there is a supervisor. */
void
reader_start_top(int in)
{
	static const char *const options[] = { "--top", NULL };

	top = start(in, options);
}

/* Ends the view, and shows the files of the run, if that is asked for.  Called once the supervisor
 * is gone, with all signals blocked.  Prints. */
void
reader_show(void)
{
	/* Parts of one process are added up: no snapshot of another kind is in the list. */
	static const char *const options[] = { "--list", "--intervals", "-n", "10", NULL };
	const int list = view_list();

	if (top > 0)
		wait_for(top, &patience);
	top = list < 0 ? -1 : start(list, options);
	if (top > 0)
		wait_for(top, NULL);
}
