/*
 * A caller's program that wants what a profsup with file capabilities has and he has not:
 *
 *	hostile-caps show NAME [CPU-MS]         what it is, in a line; then uses so much CPU time
 *	hostile-caps untraced PROGRAM ARG...    a child that nobody traces becomes PROGRAM
 *	hostile-caps thread PROGRAM ARG...      a thread that nobody traces makes all of it PROGRAM
 *	hostile-caps attack                     what it can do to its supervisor and its front
 *	hostile-caps flood MS                   keeps the supervisor busy for so long
 *	hostile-caps wait                       says its pid, waits for a line
 *	hostile-caps capset ERRNO PROGRAM ARG...
 *		as root: becomes PROGRAM of uid 65534, under a filter that answers capset(2)
 */
#include "../clock.h"
#include "../filter.h"
#include "hostile.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>

static char stack[65536] __attribute__((aligned(16)));

/* A number behind a word of /proc/self/status. */
static unsigned long
status(const char *word, int base)
{
	char line[256];
	unsigned long n = 0;
	FILE *f = fopen("/proc/self/status", "re");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, word, strlen(word)) == 0)
			n = strtoul(line + strlen(word), NULL, base);
	if (f != NULL)
		fclose(f);
	return n;
}

__attribute__((noinline)) static void
secret_work(double ms)
{
	compute_until(CLOCK_PROCESS_CPUTIME_ID, (uint64_t)(ms * 1e6));
}

/* By its own name, the profile's. */
static void
show(char **arg)
{
	printf("%s %d uid %d gid %d permitted %lx effective %lx traced %d\n", arg[0], getpid(),
	       geteuid(), getegid(), status("CapPrm:", 16), status("CapEff:", 16),
	       status("TracerPid:", 10) != 0);
	fflush(stdout);
	if (arg[1] != NULL)
		secret_work(atof(arg[1]));
}

static int
become(void *arg)
{
	char **argv = arg;

	execv(argv[0], argv);
	_exit(99);
}

static void
untraced(char **argv, int flags)
{
	int st, until[2];
	pid_t pid;

	/* A child that ends when all of us have: somebody whom the supervisor hears of. */
	if (pipe(until) < 0 || (pid = fork()) < 0)
		err(1, "pipe, fork");
	if (pid == 0) {
		char byte;

		close(until[1]);
		_exit(read(until[0], &byte, 1) == 0 ? 0 : 1);
	}
	pid = clone(become, stack + sizeof(stack), CLONE_UNTRACED | flags, argv);

	if (pid < 0)
		err(1, "clone");
	if (flags & CLONE_THREAD)
		for (;;)
			pause();
	while (waitpid(pid, &st, __WALL) < 0)
		if (errno != EINTR)
			err(1, "waitpid");
}

static void
result(const char *who, const char *what, bool done)
{
	printf("%s: %s: %s\n", who, what,
	       done                                ? "done"
	       : errno == EPERM || errno == EACCES ? "refused"
	                                           : strerror(errno));
}

static void
attack_files(const char *who, pid_t pid)
{
	static const char *const name[] = { "mem", "environ", "auxv", "maps", "fd/2", "cwd" };
	char path[64];

	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		int fd;
		char byte;

		snprintf(path, sizeof(path), "/proc/%d/%s", pid, name[i]);
		fd = open(path, O_RDONLY | O_NONBLOCK);
		result(who, name[i],
		       fd >= 0 && (i != 3 || (errno = EACCES, read(fd, &byte, 1)) == 1));
		if (fd >= 0)
			close(fd);
	}
}

static void
attack(const char *who, pid_t pid)
{
	const struct sched_param second = { .sched_priority = 2 };
	char word[8];
	struct iovec here = { word, sizeof(word) }, there = { stack, sizeof(word) };
	int pidfd;

	attack_files(who, pid);
	/* Address or not, permission is asked first. */
	result(who, "read", process_vm_readv(pid, &here, 1, &there, 1, 0) >= 0 || errno == EFAULT);
	result(who, "write",
	       process_vm_writev(pid, &here, 1, &there, 1, 0) >= 0 || errno == EFAULT);
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	result(who, "descriptor", syscall(SYS_pidfd_getfd, pidfd, 2, 0) >= 0);
	close(pidfd);
	result(who, "priority", sched_setscheduler(pid, SCHED_FIFO, &second) == 0);
	/* Not stopped: it is who would have to let us go on. */
	result(who, "trace", ptrace(PTRACE_SEIZE, pid, 0L, 0L) == 0);
}

/* One at a time and many together. */
static void
flood(double ms)
{
	const uint64_t end = now_ms() + (uint64_t)ms;

	ready();
	for (int i = 0; i < 4; i++) {
		if (fork() != 0)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (now_ms() < end) {
			if (fork() == 0)
				_exit(0);
			while (waitpid(-1, NULL, WNOHANG) > 0)
				continue;
		}
		_exit(0);
	}
	while (wait(NULL) > 0)
		continue;
}

static void
answer_capset(unsigned error, char **argv)
{
	struct sock_filter filter[] = { FILTER_CALL(SYS_capset, SECCOMP_RET_ERRNO | error) };
	const struct sock_fprog prog = { 4, filter };

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0 ||
	    setresuid(65534, 65534, 65534) < 0)
		err(1, "seccomp, setresuid");
	execv(argv[0], argv);
	err(1, "%s", argv[0]);
}

int
main(int argc, char **argv)
{
	char line[8];

	if (argc > 2 && strcmp(argv[1], "show") == 0)
		show(argv + 2);
	else if (argc > 2 && strcmp(argv[1], "untraced") == 0)
		untraced(argv + 2, SIGCHLD);
	else if (argc > 2 && strcmp(argv[1], "thread") == 0)
		untraced(argv + 2, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD);
	else if (argc > 2 && strcmp(argv[1], "flood") == 0)
		flood(atof(argv[2]));
	else if (argc > 3 && strcmp(argv[1], "capset") == 0)
		answer_capset((unsigned)atoi(argv[2]), argv + 3);
	else if (argc > 1 && strcmp(argv[1], "attack") == 0) {
		attack("supervisor", (pid_t)status("TracerPid:", 10));
		attack("front", getppid());
	} else if (argc > 1 && strcmp(argv[1], "wait") == 0) {
		ready();
		(void)!read(0, line, sizeof(line));
	} else {
		return 2;
	}
	return 0;
}
