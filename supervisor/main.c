/*
 * profsup: runs a program, samples it from outside and writes its gmon files when it is gone.
 *
 * The steps, in order: read the command line; make sure that 0 to 2 are open; open the output
 * directory and the file for --stats as the caller; fork the target, which waits; fork the
 * supervisor, which narrows its power, seizes the target and lets it exec; stay behind as the
 * front.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* A file opened later must not become somebody's stdout. */
static void
ensure_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		err(EXIT_OURS, "/dev/null");
	close(fd);
}

static int
open_outdir(const char *dir)
{
	int fd = dir == NULL ? -1 : open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir != NULL && fd < 0)
		err(EXIT_OURS, "-d %s", dir);
	return fd;
}

static int
open_stats(const char *file)
{
	int fd = file == NULL ? -1 : open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (file != NULL && fd < 0)
		err(EXIT_OURS, "--stats=%s", file);
	return fd;
}

/* The caller's descriptors are the target's to hold: a pipe that we kept open would hide its end.
 */
static void
release_fds(const int *keep, size_t n)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	unsigned from = STDERR_FILENO + 1;

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	for (;;) {
		unsigned next = ~0U;

		for (size_t i = 0; i < n; i++)
			if (keep[i] >= (int)from && (unsigned)keep[i] < next)
				next = (unsigned)keep[i];
		if (next > from)
			close_range(from, next == ~0U ? next : next - 1, 0);
		if (next == ~0U)
			return;
		from = next + 1;
	}
}

/* In another pid namespace's /proc a target's number is somebody else's. */
static void
check_proc(void)
{
	char self[16] = "";

	if (readlink("/proc/self", self, sizeof(self) - 1) < 0)
		err(EXIT_OURS, "/proc must be mounted");
	if (strtol(self, NULL, 10) != getpid())
		errx(EXIT_OURS, "/proc is of another pid namespace: mount this one's"
		                " (unshare --mount-proc)");
}

/*
 * All signals but two.  Blocked ones would be kept, thousands of them, and each look for ours would
 * go through all.  By the bare system call, since libc keeps two for itself (32 and 33, which would
 * end us) and lets nobody ignore them.
 */
static void
ignore_others(void)
{
	const uint64_t ignore[4] = { (uint64_t)(uintptr_t)SIG_IGN }; /* the kernel's sigaction */

	for (int sig = 1; sig <= SIGRTMAX; sig++)
		if (sig != SIGCHLD && sig != TICK_SIGNAL)
			syscall(SYS_rt_sigaction, sig, ignore, NULL, sizeof(uint64_t));
}

static void
prepare_signals(struct profsup *ps)
{
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = TICK_SIGNAL };

	/* Whoever ends a whole session or unit means the targets: we end when they have. */
	ignore_others();
	sigemptyset(&ps->signals);
	sigaddset(&ps->signals, SIGCHLD);
	sigaddset(&ps->signals, TICK_SIGNAL);
	sigprocmask(SIG_SETMASK, &ps->signals, NULL);
	signal(TICK_SIGNAL, SIG_DFL); /* the caller may have it ignored */
	if (timer_create(CLOCK_MONOTONIC, &ev, &ps->timer) < 0)
		err(EXIT_OURS, "timer_create");
}

/* The name is the machine's owner's to choose, but none leads out of a directory. */
static void
take_host(char *host)
{
	struct utsname u;

	snprintf(host, HOST_MOST + 1, "%.*s", HOST_MOST, uname(&u) == 0 ? u.nodename : "");
	for (char *c = host; *c != '\0'; c++)
		if (*c <= ' ' || *c > '~' || *c == '/')
			*c = '_';
}

static void
say_if_nothing_profiled(const struct profsup *ps)
{
	if (ps->stats.profiled == 0 && ps->stats.execs > 0 && !ps->last_told)
		log_notice("nothing was profiled: %s: %s", ps->last_image,
		           ps->last_reason != NULL ? ps->last_reason
		                                   : "its runtime did not start a profile");
}

/* In the supervisor process. */
static int
supervise(struct profsup *ps, int sync)
{
	struct proc *proc;

	setsid();
	umask(0);
	/* A program of the same user's must not trace its tracer, which would hang both, or read
	 * us. */
	prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL);
	release_fds((const int[]){ ps->outdir, ps->stats_fd, sync }, 3);
	log_never_wait();
	if (priv_caller(&ps->caller) < 0 || priv_init() < 0)
		err(EXIT_OURS, "can't give up capabilities");
	prepare_signals(ps);
	check_proc();
	take_host(ps->host);
	gate_init(ps);
	proc = proc_add(ps, ps->target);
	if (proc == NULL || tracee_add(ps, ps->target, proc) == NULL)
		err(EXIT_OURS, "no memory");
	proc->parent = ps->front;
	symtab_init();
	if (sampler_init(ps) < 0)
		return EXIT_OURS;
	proc->first->born = true;
	launch_seize(&ps->opt, ps->target, sync);
	loop_run(ps);
	log_progress_end();
	screen_end();
	report_print(ps);
	say_if_nothing_profiled(ps);
	summary_print(ps);
	return 0;
}

int
main(int argc, char **argv)
{
	struct profsup ps = { .outdir = -1, .stats_fd = -1 };
	pid_t supervisor;
	int sync;

	options_parse(&ps.opt, argc, argv);
	log_init(&ps.opt);
	screen_init(&ps.opt);
	if (ps.opt.user != NULL && runas_parse(ps.opt.user, &ps.opt.run_as) < 0)
		errx(EXIT_OURS, "-u %s: no such user or group", ps.opt.user);
	inherit_save();
	ensure_standard_fds();
	ps.outdir = open_outdir(ps.opt.dir);
	ps.stats_fd = open_stats(ps.opt.stats);
	front_block_signals();
	ps.front = getpid();
	ps.target = launch_target(&ps.opt, &sync);
	supervisor = fork();
	if (supervisor < 0)
		err(EXIT_OURS, "fork");
	if (supervisor == 0)
		exit(supervise(&ps, sync)); /* with `ps` in use: what it holds is no leak */
	release_fds(NULL, 0);
	return front_run(ps.target, supervisor);
}
