/*
 * Prints all that a program can see of the state it was started in.  Process ids that must differ
 * from run to run are left out; everything else has to be the same under a supervisor.
 */
#include "../program.h"

#include <dirent.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/prctl.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

extern char **environ;

static FILE *out;

static void
say_fds(void)
{
	/* All that could be open, so that no listing opens one of its own. */
	for (int fd = 0; fd < 4096; fd++) {
		char path[64], to[512];
		ssize_t n;
		struct stat st;

		if (fd == fileno(out) || fcntl(fd, F_GETFD) < 0)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n = readlink(path, to, sizeof(to) - 1);
		to[n < 0 ? 0 : n] = '\0';
		fstat(fd, &st);
		fprintf(out, "fd %d: %s flags %x fd-flags %x mode %o at %lld owner %s\n", fd, to,
		        fcntl(fd, F_GETFL), fcntl(fd, F_GETFD), st.st_mode,
		        (long long)lseek(fd, 0, SEEK_CUR), fcntl(fd, F_GETOWN) ? "some" : "none");
	}
}

static void
say_signals(void)
{
	sigset_t set;
	stack_t ss;

	sigprocmask(SIG_BLOCK, NULL, &set);
	for (int sig = 1; sig <= 64; sig++) {
		/* Raw, as libc hides two of them. */
		unsigned long act[8] = { 0 };

		if (sig == SIGKILL || sig == SIGSTOP)
			continue;
		syscall(SYS_rt_sigaction, sig, NULL, act, 8);
		fprintf(out, "signal %d: handler %lx flags %lx mask %lx\n", sig, act[0], act[1],
		        act[3]);
	}
	sigaltstack(NULL, &ss);
	fprintf(out, "altstack flags %x\n", ss.ss_flags);
}

/* Lines of a /proc file that start with one of the words, or all of them for NULL. */
static void
say_proc(const char *path, const char *const *words)
{
	char line[1024];
	FILE *f = fopen(path, "re");

	if (f == NULL) {
		fprintf(out, "%s: %s\n", path, strerror(errno));
		return;
	}
	while (fgets(line, sizeof(line), f) != NULL) {
		int wanted = words == NULL;

		for (const char *const *w = words; w != NULL && *w != NULL; w++)
			wanted |= strncmp(line, *w, strlen(*w)) == 0;
		if (wanted)
			fprintf(out, "%s: %s", path, line);
	}
	fclose(f);
}

static void
say_link(const char *path)
{
	char to[1024];
	ssize_t n = readlink(path, to, sizeof(to) - 1);

	to[n < 0 ? 0 : n] = '\0';
	fprintf(out, "%s: %s\n", path, n < 0 ? strerror(errno) : to);
}

static void
say_number(const char *what, long n)
{
	fprintf(out, "%s: %ld errno %s\n", what, n, n < 0 ? strerror(errno) : "-");
}

static void
say_prctls(void)
{
	static const struct {
		const char *name;
		int option;
	} by_value[] = {
		{ "dumpable", PR_GET_DUMPABLE },
		{ "no_new_privs", PR_GET_NO_NEW_PRIVS },
		{ "seccomp", PR_GET_SECCOMP },
		{ "keepcaps", PR_GET_KEEPCAPS },
		{ "securebits", PR_GET_SECUREBITS },
		{ "timerslack", PR_GET_TIMERSLACK },
		{ "thp", PR_GET_THP_DISABLE },
		{ "timing", PR_GET_TIMING },
		{ "mce_kill", PR_MCE_KILL_GET },
		{ "io_flusher", PR_GET_IO_FLUSHER },
		{ "mdwe", 66 /* PR_GET_MDWE */ },
		{ "memory_merge", 68 /* PR_GET_MEMORY_MERGE */ },
	};
	char name[17] = "";
	int n;

	for (size_t i = 0; i < sizeof(by_value) / sizeof(by_value[0]); i++) {
		errno = 0;
		say_number(by_value[i].name, prctl(by_value[i].option, 0UL, 0UL, 0UL, 0UL));
	}
	n = -1, prctl(PR_GET_PDEATHSIG, &n), say_number("pdeathsig", n);
	n = -1, prctl(PR_GET_CHILD_SUBREAPER, &n), say_number("child_subreaper", n);
	n = -1, prctl(PR_GET_TSC, &n), say_number("tsc", n);
	for (unsigned long which = 0; which < 3; which++)
		say_number("speculation", prctl(PR_GET_SPECULATION_CTRL, which, 0UL, 0UL, 0UL));
	prctl(PR_GET_NAME, name);
	fprintf(out, "name: %s\n", name);
	for (unsigned long cap = 0; cap < 64; cap++)
		fprintf(out, "cap %lu: ambient %d bounding %d\n", cap,
		        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, cap, 0UL, 0UL),
		        prctl(PR_CAPBSET_READ, cap));
}

static void
say_scheduling(void)
{
	struct {
		unsigned size, policy;
		unsigned long flags;
		int nice;
		unsigned priority;
		unsigned long runtime, deadline, period;
		unsigned util_min, util_max;
	} attr = { 0 };
	struct timespec quantum = { 0 };
	cpu_set_t cpus;

	syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0);
	fprintf(out, "sched: policy %u flags %lx nice %d priority %u util %u-%u runtime %lu\n",
	        attr.policy, attr.flags, attr.nice, attr.priority, attr.util_min, attr.util_max,
	        attr.policy == SCHED_OTHER ? 0 : attr.runtime);
	say_number("nice", getpriority(PRIO_PROCESS, 0));
	say_number("ioprio", syscall(SYS_ioprio_get, 1, 0));
	CPU_ZERO(&cpus);
	sched_getaffinity(0, sizeof(cpus), &cpus);
	for (int i = 0; i < 64; i++)
		fprintf(out, "%s%s", CPU_ISSET(i, &cpus) ? "cpu" : "-", i == 63 ? "\n" : "");
}

static void
say_time_and_family(void)
{
	struct itimerval it;
	struct rusage ru;
	int status;

	for (int which = 0; which < 3; which++) {
		getitimer(which, &it);
		/* Of an alarm's 99,999 s nine may pass before the tens are others. */
		fprintf(out, "itimer %d: %ld %ld\n", which,
		        (long)it.it_value.tv_sec / (which == ITIMER_REAL ? 10 : 1),
		        (long)it.it_interval.tv_sec);
	}
	getrusage(RUSAGE_CHILDREN, &ru);
	fprintf(out, "children: %ld faults\n", ru.ru_minflt + ru.ru_majflt);
	errno = 0;
	say_number("wait", waitpid(-1, &status, WNOHANG | __WALL));
}

static void
say_caps(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct cap[2] = { { 0 } };

	syscall(SYS_capget, &head, cap);
	for (int i = 0; i < 2; i++)
		fprintf(out, "caps %d: %x %x %x\n", i, cap[i].effective, cap[i].permitted,
		        cap[i].inheritable);
}

static void
say_keyrings(void)
{
	static const int ring[] = { KEY_SPEC_THREAD_KEYRING, KEY_SPEC_PROCESS_KEYRING,
		                    KEY_SPEC_SESSION_KEYRING };

	for (size_t i = 0; i < sizeof(ring) / sizeof(ring[0]); i++) {
		errno = 0;
		say_number("keyring", syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, ring[i], 0));
	}
}

static void
say_auxv(void)
{
	static const int number[] = { AT_PHENT,  AT_PHNUM,  AT_PAGESZ, AT_BASE, AT_FLAGS,
		                      AT_UID,    AT_EUID,   AT_GID,    AT_EGID, AT_HWCAP,
		                      AT_HWCAP2, AT_CLKTCK, AT_SECURE };

	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++)
		fprintf(out, "auxv %d: %lx\n", number[i], getauxval(number[i]));
	fprintf(out, "auxv execfn: %s\n", (char *)getauxval(AT_EXECFN));
}

/* Takes all that pend. */
static void
say_pending(void)
{
	const struct timespec now = { 0 };
	siginfo_t info;
	sigset_t all;

	memset(&all, 0xff, sizeof(all));
	while (syscall(SYS_rt_sigtimedwait, &all, &info, &now, 8) > 0)
		fprintf(out, "pending: %d, code %d, value %d\n", info.si_signo, info.si_code,
		        info.si_code == SI_QUEUE ? info.si_value.sival_int : 0);
}

int
main(int argc, char **argv)
{
	static const char *const status[] = { "Name",   "Umask",   "Uid",    "Gid",
		                              "Groups", "Threads", "SigPnd", "ShdPnd",
		                              "SigBlk", "SigIgn",  "SigCgt", "Cap",
		                              "NoNew",  "Seccomp", "Specul", "Cpus",
		                              "Mems",   "NSpgid",  "NSsid",  "CoreDumping",
		                              "THP",    NULL };
	static const char *const ns[] = { "cgroup",           "ipc",  "mnt",  "net", "pid",
		                          "pid_for_children", "time", "user", "uts" };
	static const char *const files[] = {
		"/proc/self/limits",        "/proc/self/cgroup",
		"/proc/self/oom_score_adj", "/proc/self/coredump_filter",
		"/proc/self/timerslack_ns", "/proc/self/loginuid",
		"/proc/self/sessionid",     "/proc/self/personality",
		"/proc/self/autogroup",     "/proc/self/uid_map",
		"/proc/self/attr/current"
	};
	int fd;
	mode_t mask;

	/* Into the file of argv[1]: stdout may be closed.  Far up, so that it takes no low number.
	 */
	fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return 98;
	out = fdopen(fd, "w");
	for (int i = 0; i < argc; i++)
		if (i != 1)
			fprintf(out, "arg %d: %s\n", i, argv[i]);
	for (char **e = environ; *e != NULL; e++)
		fprintf(out, "env: %s\n", *e);
	say_number("first free fd", fd);
	say_fds();
	mask = umask(0);
	umask(mask);
	fprintf(out, "umask %o\n", mask);
	say_signals();
	say_number("pgrp", getpgrp());
	say_number("session", getsid(0));
	fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	fprintf(out, "tty: %s\n", fd < 0 ? strerror(errno) : "yes");
	if (fd >= 0) {
		say_number("foreground", tcgetpgrp(fd));
		close(fd);
	}
	say_link("/proc/self/cwd");
	say_link("/proc/self/root");
	say_link("/proc/self/exe");
	for (size_t i = 0; i < sizeof(ns) / sizeof(ns[0]); i++) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/self/ns/%s", ns[i]);
		say_link(path);
	}
	say_proc("/proc/self/status", status);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		say_proc(files[i], NULL);
	say_scheduling();
	say_number("personality", personality(0xffffffff));
	say_prctls();
	say_caps();
	say_keyrings();
	say_auxv();
	say_time_and_family();
	say_pending();
	fclose(out);
	return 0;
}
