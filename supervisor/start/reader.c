/*
 * profsup-report, started by the front, and so with all that our caller has: at the end of a run
 * with --report it shows the files.
 *
 * SPDX-License-Identifier: ISC
 */
#include "start/start.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* It is installed beside us. */
static void __attribute__((noreturn)) become_reader(int in, const sigset_t *mask)
{
	static const char name[] = "profsup-report";
	char path[WRITTEN_MOST + sizeof(name)];
	ssize_t n = readlink("/proc/self/exe", path, WRITTEN_MOST);
	int saved;

	dup2(in, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, mask, NULL, _NSIG / 8);
	while (n > 0 && path[n - 1] != '/')
		n--;
	memcpy(path + (n > 0 ? n : 0), name, sizeof(name));
	execlp(path, name, "--list", "--intervals", "-n", "10", NULL);
	saved = errno;
	log_error("--report: %s: %s (it belongs beside profsup)", path, strerror(saved));
	_exit(EXIT_OURS);
}

static bool
ends_jobs(int sig)
{
	return sig == SIGTERM || sig == SIGINT || sig == SIGHUP || sig == SIGQUIT;
}

/* Waits for it, with all signals blocked: what would end us ends it, and we stop as it does. */
static void
wait_for(pid_t reader)
{
	sigset_t all;
	int sig, status;

	sigfillset(&all);
	while (sigwait(&all, &sig) == 0) {
		if (ends_jobs(sig))
			kill(reader, SIGTERM);
		if (waitpid(reader, &status, WNOHANG | WUNTRACED) != reader)
			continue;
		if (!WIFSTOPPED(status))
			return;
		raise(SIGSTOP);
		kill(reader, SIGCONT);
	}
}

/* Shows the files of the run, if that is asked for.  Called once the supervisor is gone, with all
 * signals blocked; `mask` is our caller's.  Prints. */
void
reader_show(const sigset_t *mask)
{
	const int in = view_list();
	const pid_t pid = in < 0 ? -1 : fork();

	if (pid == 0)
		become_reader(in, mask);
	if (in >= 0 && pid < 0)
		log_error("--report: fork: %m");
	if (in >= 0)
		close(in);
	if (pid > 0)
		wait_for(pid);
}
