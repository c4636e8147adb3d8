/*
 * profsup: runs a program, samples it from outside and writes its gmon files when it is gone.
 *
 * The steps, in order: keep no power in effect that the caller has not; read the command line; make
 * sure that 0 to 2 are open; open the output directory, the file for --stats and the fifos of
 * --control as the caller; fork the supervisor, which narrows its power and waits; give up what is
 * not the caller's; fork the target, which the supervisor seizes and lets exec; stay behind as the
 * front.
 *
 * SPDX-License-Identifier: ISC
 */
#include "start/start.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

/* How long our first thread may take to start. */
#define START_NS (60 * NSEC)

/* Whether the C library opened it, as it does if a program has more power than its caller.  The
 * flags tell it from what a caller would have opened. */
static bool
is_filled_by_libc(int fd)
{
	struct stat st;

	return priv_is_lent() && fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) &&
	       (st.st_rdev == makedev(1, 3) || st.st_rdev == makedev(1, 7)) &&
	       (fcntl(fd, F_GETFL) & O_NOFOLLOW) != 0;
}

/* Opens 0 to 2 if they are closed, so that no file opened later becomes our stdout.  For the target
 * they remain as the caller left them. */
static void
ensure_standard_fds(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (is_filled_by_libc(fd))
			fcntl(fd, F_SETFD, FD_CLOEXEC);
	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		log_fatal("/dev/null: %m");
	close(fd);
}

/* Opens what an option names; -1 without the option. */
static int
open_named(const char *option, const char *name, int flags)
{
	const int fd = name == NULL ? -1 : open(name, flags | O_CLOEXEC, 0666);

	if (name != NULL && fd < 0)
		log_fatal("%s%s: %m", option, name);
	return fd;
}

/* The file's system may not answer at the end. */
static void
have_stats_written(struct profsup *ps)
{
	int in;

	if (ps->stats_fd < 0 || (ps->stats_writer = outlet_begin(ps->stats_fd, &in)) == NULL)
		return;
	close(ps->stats_fd);
	ps->stats_fd = in;
}

/* The caller's descriptors are the target's: if we kept a pipe open, its reader would not see its
 * end. */
static void
release_fds(const int *keep, size_t n)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	fds_close_but(keep, n, STDERR_FILENO + 1);
}

/* In another pid namespace's /proc a target's id is another process's. */
static void
check_proc(void)
{
	char self[16] = "";

	if (readlink("/proc/self", self, sizeof(self) - 1) < 0)
		log_fatal("/proc must be mounted: %m");
	if (strtol(self, NULL, 10) != getpid())
		log_fatal("/proc is of another pid namespace: mount this one's"
		          " (unshare --mount-proc)");
}

/*
 * Ignores all signals but ours.  Blocked signals would be kept, thousands of them, and each look
 * for ours would go through all.  It takes the bare system call, since libc keeps two for itself
 * (32 and 33, which would end us) and lets no program ignore them.
 */
static void
ignore_others(const sigset_t *ours)
{
	const uint64_t ignore[4] = { (uint64_t)(uintptr_t)SIG_IGN }; /* the kernel's sigaction */

	for (int sig = 1; sig <= SIGRTMAX; sig++)
		if (!sigismember(ours, sig))
			syscall(SYS_rt_sigaction, sig, ignore, NULL, sizeof(uint64_t));
}

static void
prepare_signals(struct profsup *ps)
{
	sigemptyset(&ps->signals);
	sigaddset(&ps->signals, SIGCHLD);
	sigaddset(&ps->signals, CONTROL_SIGNAL);
	signal(CONTROL_SIGNAL, SIG_DFL);
	if (ps->opt.npids != 0) { /* asks us to end; it may have come already */
		sigaddset(&ps->signals, SIGTERM);
		signal(SIGTERM, SIG_DFL);
	}
	/* A signal that ends a whole session or unit is meant for the targets: we end when they
	 * have. */
	ignore_others(&ps->signals);
	sigprocmask(SIG_SETMASK, &ps->signals, NULL);
}

/* Makes a name that is fit for a file's: the machine's owner chose it, and it may hold any
 * bytes. */
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
	if (ps->stats.profiled == 0 && ps->stats.execs > 0 && !ps->last_exec.told)
		log_notice("nothing was profiled: %s: %s", ps->last_exec.image,
		           ps->last_exec.reason != NULL ? ps->last_exec.reason
		                                        : "its runtime did not start a profile");
}

/* Not if it was for --control to begin it. */
static void
say_if_never_begun(const struct profsup *ps)
{
	if (ps->stats.profiled > 0 && ps->opt.delay_ms > 0 && ps->window.state == WINDOW_SHUT)
		log_notice(
		    "-D: the run ended before the profile was to begin: nothing was counted");
}

/* A program that was not linked for us leaves no file then. */
static void
say_if_no_tick(const struct profsup *ps)
{
	const struct stats *st = &ps->stats;

	if (st->profiled > 0 && st->bare == st->profiled && st->ticks == 0 && !ps->opt.wall &&
	    st->unread == 0 && ps->written.files == 0 && ps->window.state != WINDOW_SHUT)
		log_notice("no file, since no tick of CPU time was used: -F 1000 sees more, and "
		           "--wall where it waits");
}

static void
release_all_but_ours(const struct profsup *ps, int sync)
{
	enum { MOST = 2048 + 8 }; /* perfring.c knows of 1024 CPUs */
	int keep[MOST];
	const int n = perfring_fds(keep, MOST - 8);

	keep[n] = ps->outdir;
	keep[n + 1] = ps->stats_fd;
	keep[n + 2] = sync;
	keep[n + 3] = ps->control.commands;
	keep[n + 4] = ps->control.peer;
	keep[n + 5] = ps->control.answers;
	keep[n + 6] = ps->top_fd;
	keep[n + 7] = ps->list_fd;
	release_fds(keep, (size_t)n + 8);
}

/* Gets the target that the caller has us run, and seizes it. */
static int
take_target(struct profsup *ps, int sync)
{
	struct proc *proc;

	ps->target = launch_hear(sync);
	if (ps->target < 0)
		return EXIT_OURS;
	if (priv_give_back() < 0)
		log_fatal("can't give up capabilities: %m");
	proc = proc_add(ps, ps->target);
	if (proc == NULL || tracee_add(ps, ps->target, proc) == NULL)
		log_fatal("no memory: %m");
	proc->parent = ps->front.pid;
	proc->first->birth.past = true;
	launch_seize(&ps->opt, ps->target, sync);
	return 0;
}

/* Prints what has come of the run. */
static void
tell(const struct profsup *ps)
{
	const struct summary summary = summary_of(ps, sampler_name(ps));

	summary_print(ps, &summary);
	say_if_no_tick(ps);
	advise(ps, &summary);
	view_end();
}

/* Runs in a copy of the supervisor, which the kernel keeps waiting: kills it, and writes what is
 * counted, without asking for anything about processes. */
static void
save(void *arg)
{
	struct profsup *run = arg;

	log_error("the kernel has kept the supervisor waiting for 5 s: the profile ends here, and"
	          " the programs go on alone");
	memjob_fork();
	window_book(run);
	priv_leave_proc();
	finish_save_calls(run); /* as long as who is stopped has memory */
	front_save(false);
	starved_kill();
	finish_save(run);
	output_wait(run);
	tell(run);
	outlet_messages_end();
	front_save(true);
}

/* Runs in the supervisor process. */
static int
supervise(struct profsup *ps, int sync)
{
	int status;

	/* No signal for the target's group is for us.  A session of our own would make us a group
	 * of its own for the scheduler, too (autogroup), which can wait for seconds beside one of
	 * threads that wake each other all the time (Linux 6.18). */
	setpgid(0, 0);
	umask(0);
	/* A program of the same user's must not trace its tracer, which would hang both, or read
	 * us. */
	prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL);
	release_all_but_ours(ps, sync);
	log_never_wait(true);
	if (priv_caller(&ps->caller) < 0 || priv_init() < 0)
		log_fatal("can't give up capabilities: %m");
	fds_have_spare();
	ps->written.parts = ps->opt.intervals;
	mallopt(M_ARENA_MAX, 1); /* what one thread gives back the others can have */
	ps->front.pidfd = (int)syscall(SYS_pidfd_open, ps->front.pid, 0);
	prepare_signals(ps);
	outlet_messages();
	have_stats_written(ps);
	control_start(ps);
	check_proc();
	take_host(ps->host);
	ps->began = clock_ns(CLOCK_REALTIME) / 1000;
	ps->window.state = ps->opt.delay_ms != 0 ? WINDOW_SHUT : WINDOW_OPEN;
	ps->outdir_may_hang = ps->outdir >= 0 && mounts_may_hang(ps->outdir);
	if (sampler_init(ps) < 0) {
		if (ps->opt.npids != 0 && priv_was_lent_perfmon())
			log_error(
			    "-p does not use the capabilities of profsup's file: the caller needs"
			    " CAP_PERFMON");
		return EXIT_OURS;
	}
	starved_save(save, ps);
	if (ps->opt.call_graph && readcode_find() < 0)
		return EXIT_OURS;
	if (memjob_new(NULL, START_NS) == NULL)
		log_fatal("can't start a thread: %m");
	status = ps->opt.npids != 0 ? attach(ps, loop_take_news) : take_target(ps, sync);
	if (status != 0)
		return status;
	loop_run(ps);
	shutdown(ps->top_fd, SHUT_RDWR); /* a helper may have it, too, and be at work */
	late_finish(ps);
	output_wait(ps);
	say_if_nothing_profiled(ps);
	say_if_never_begun(ps);
	tell(ps);
	status = ps->opt.npids != 0 && ps->written.files == 0 ? EXIT_OURS : 0;
	if (memjob_is_stuck())
		front_leave(ps, status);
	return status;
}

/* Runs in the front, once the supervisor waits for the target.  Ends as the target does. */
static void __attribute__((noreturn))
stand_for_target(struct profsup *ps, const int sync[2], pid_t supervisor)
{
	perfring_close();
	if (priv_give_back() < 0)
		log_fatal("can't give up capabilities: %m");
	if (ps->opt.user != NULL && runas_parse(ps->opt.user, &ps->opt.run_as) < 0)
		log_fatal("-u %s: no such user or group", ps->opt.user);
	ps->target = launch_target(&ps->opt, sync);
	release_fds(&ps->list_fd, 1);
	front_run(ps->target, supervisor);
}

/* Not on the stack: a leak checker that can't stop our thread for a moment would miss memory that
 * only this struct points to. */
static struct profsup ps = {
	.outdir = -1, .stats_fd = -1, .list_fd = -1, .top_fd = -1, .control = { -1, -1, -1, 0 }
};

int
main(int argc, char **argv)
{
	pid_t supervisor;
	int sync[2];

	priv_start();
	options_parse(&ps.opt, argc, argv);
	log_init(ps.opt.quiet, ps.opt.verbose);
	inherit_save(argv[argc - 1]);
	ensure_standard_fds();
	ps.outdir = open_named("-d ", ps.opt.dir, O_PATH | O_DIRECTORY);
	ps.stats_fd = open_named("--stats=", ps.opt.stats, O_WRONLY | O_CREAT | O_TRUNC);
	control_open(&ps);
	if (ps.opt.npids == 0)
		sampler_prepare(&ps);
	else if (priv_give_back() < 0) /* what our file lends is for programs that we start */
		log_fatal("can't give up capabilities: %m");
	front_prepare(&ps);
	inherit_block_signals();
	if (ps.opt.report)
		ps.list_fd = view_prepare();
	if (ps.opt.top)
		reader_start_top(top_prepare(&ps));
	ps.front.pid = getpid();
	launch_prepare(sync);
	supervisor = fork();
	if (supervisor < 0)
		log_fatal("fork: %m");
	if (supervisor == 0)
		return supervise(&ps, sync[0]);
	if (ps.opt.npids != 0) {
		release_fds(&ps.list_fd, 1);
		front_run(-1, supervisor);
	}
	stand_for_target(&ps, sync, supervisor);
}
