/*
 * What /proc tells of a target.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include "grow.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int
procfs_open(pid_t pid, const char *what, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, what);
	return priv_open_proc(path, flags);
}

/* Opens a file for a moment, by the spare descriptor if there is no other. */
static int
open_briefly(const char *path, int flags)
{
	int fd;

	do
		fd = priv_open_proc(path, flags);
	while (fd < 0 && fds_spend_spare());
	return fd;
}

/* Reads a small file whole, puts a NUL behind it and returns its length.  A part is an error: it
 * could be taken for a process with fewer groups. */
ssize_t
procfs_read(char *buf, size_t size, const char *path, ...)
{
	char name[64];
	va_list ap;
	size_t len = 0;
	ssize_t n;
	int fd;

	va_start(ap, path);
	vsnprintf(name, sizeof(name), path, ap);
	va_end(ap);
	fd = open_briefly(name, O_RDONLY);
	if (fd < 0)
		return -1;
	do {
		n = read(fd, buf + len, size - 1 - len);
		if (n > 0)
			len += (size_t)n;
	} while ((n > 0 && len < size - 1) || (n < 0 && errno == EINTR));
	fds_give_back(fd);
	buf[len] = '\0';
	return n < 0 ? -1 : (ssize_t)len;
}

/* Whether the size of its process's files is limited; true also if that is not known. */
bool
procfs_limits_files(pid_t tid)
{
	char buf[4096];
	const char *at;

	if (procfs_read(buf, sizeof(buf), "/proc/%d/limits", tid) <= 0 ||
	    (at = strstr(buf, "\nMax file size")) == NULL)
		return true;
	at += strlen("\nMax file size");
	return strncmp(at + strspn(at, " "), "unlimited", 9) != 0;
}

/* Gets what a thread's descriptor is open on: a path, or "socket:[...]" and the like. */
int
procfs_fd_link(pid_t tid, int fd, char *link, size_t size)
{
	char path[64];
	int place;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, fd);
	place = open_briefly(path, O_PATH | O_NOFOLLOW); /* the link itself */
	if (place < 0)
		return -1;
	n = readlinkat(place, "", link, size - 1);
	fds_give_back(place);
	if (n < 0)
		return -1;
	link[n] = '\0';
	return 0;
}

/* Gets what file a descriptor is open on; no file system is asked that need not answer. */
int
procfs_fd_file(pid_t tid, int fd, struct statx *file)
{
	char path[64];
	int place, ret;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, fd);
	place = open_briefly(path, O_PATH);
	if (place < 0)
		return -1;
	ret = statx(place, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, file);
	fds_give_back(place);
	return ret;
}

/* Lists the numbers in a directory of /proc, in memory that the caller frees; NULL with ESRCH if it
 * is gone, or another error. */
static pid_t *
list_numbers(int fd, size_t *n)
{
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int error = dir == NULL && errno != ENOENT ? errno : ESRCH;
	const struct dirent *entry;
	pid_t *tid = NULL, *more;

	*n = 0;
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		more = grow(tid, *n, sizeof(*tid));
		if (more == NULL) {
			error = ENOMEM;
			*n = 0;
			break;
		}
		tid = more;
		tid[(*n)++] = (pid_t)strtol(entry->d_name, NULL, 10);
	}
	if (dir != NULL)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	if (*n == 0) {
		free(tid);
		errno = error;
		return NULL;
	}
	return tid;
}

/* Lists the threads of a process. */
pid_t *
procfs_threads(pid_t pid, size_t *n)
{
	return list_numbers(procfs_open(pid, "task", O_RDONLY | O_DIRECTORY), n);
}

/* Lists all processes. */
pid_t *
procfs_processes(size_t *n)
{
	return list_numbers(priv_open_proc("/proc", O_RDONLY | O_DIRECTORY), n);
}

/* Gets a field of /proc/PID/stat, counted from the state as 0. */
static bool
stat_field(pid_t pid, int field, char *value, size_t size)
{
	char buf[1024];
	const char *at;

	if (procfs_read(buf, sizeof(buf), "/proc/%d/stat", pid) <= 0 ||
	    (at = strrchr(buf, ')')) == NULL)
		return false;
	for (at++; *at == ' ' && field > 0; field--)
		at = strchrnul(at + 1, ' ');
	snprintf(value, size, "%s", *at == ' ' ? at + 1 : "");
	return true;
}

/* Gets when a process began, by CLOCK_BOOTTIME, ns, in steps of the kernel's. */
int
procfs_born(pid_t pid, uint64_t *ns)
{
	enum { START = 19 };
	char ticks[32];

	if (!stat_field(pid, START, ticks, sizeof(ticks)) || *ticks == '\0')
		return -1;
	*ns = strtoull(ticks, NULL, 10) * (NSEC / (uint64_t)sysconf(_SC_CLK_TCK));
	return 0;
}

/* Whether the kernel's flags of a process have this one. */
static bool
has_flag(pid_t pid, unsigned long flag)
{
	enum { FLAGS = 6 };
	char flags[32];

	return stat_field(pid, FLAGS, flags, sizeof(flags)) &&
	       (strtoul(flags, NULL, 10) & flag) != 0;
}

/* Whether it is a kernel thread. */
bool
procfs_is_kernel(pid_t pid)
{
	return has_flag(pid, 0x200000); /* PF_KTHREAD */
}

/* Whether a process's first thread is ending, or has ended. */
bool
procfs_is_ending(pid_t pid)
{
	return has_flag(pid, 0x4); /* PF_EXITING */
}

bool
procfs_is_zombie(pid_t tid)
{
	char state[4];

	return stat_field(tid, 0, state, sizeof(state)) && (*state == 'Z' || *state == 'X');
}

/* Gets a process's group, and its terminal's foreground group, -1 without a terminal.  False: the
 * process is stopped, or gone. */
bool
procfs_runs_in(pid_t pid, pid_t *group, pid_t *foreground)
{
	enum { GROUP = 2, FOREGROUND = 5 };
	char state[4], number[16];

	if (!stat_field(pid, 0, state, sizeof(state)) || strchr("TtZX", *state) != NULL)
		return false;
	stat_field(pid, GROUP, number, sizeof(number));
	*group = (pid_t)strtol(number, NULL, 10);
	stat_field(pid, FOREGROUND, number, sizeof(number));
	*foreground = (pid_t)strtol(number, NULL, 10);
	return true;
}

/* Lists up to `most` living children that a thread has made.  Returns 0 also where the kernel has
 * no such list (CONFIG_PROC_CHILDREN). */
size_t
procfs_children(pid_t pid, pid_t tid, pid_t *child, size_t most)
{
	enum { DIGITS = 11 };
	const size_t size = most * DIGITS + 1;
	char *buf = malloc(size), *end;
	size_t n = 0;

	if (buf != NULL && procfs_read(buf, size, "/proc/%d/task/%d/children", pid, tid) > 0)
		for (const char *at = buf; n < most; at = end) {
			child[n] = (pid_t)strtol(at, &end, 10);
			if (end == at || *end != ' ')
				break;
			n++;
		}
	free(buf);
	return n;
}

/* Gets the CPU time of a process, user and system, in ns; no fresher than procfs_account_lag(). */
int
procfs_process_cpu(pid_t pid, uint64_t *ns)
{
	/* The id that clock_getcpuclockid() returns, without its check that the process exists. */
	const clockid_t clock = (clockid_t)(~(unsigned)pid << 3 | 2);
	struct timespec ts;

	if (clock_gettime(clock, &ts) < 0) {
		errno = errno == EINVAL ? ESRCH : errno;
		return -1;
	}
	*ns = (uint64_t)ts.tv_sec * NSEC + (uint64_t)ts.tv_nsec;
	return 0;
}

/* Gets the program's name as the kernel has it: at most 15 bytes, any bytes. */
int
procfs_comm(pid_t pid, char *comm, size_t size)
{
	ssize_t n;

	n = procfs_read(comm, size, "/proc/%d/comm", pid);
	if (n <= 0)
		return -1;
	if (comm[n - 1] == '\n')
		comm[n - 1] = '\0';
	return 0;
}

static bool
is_named(const char *path, const char *comm)
{
	enum { MOST = 15 }; /* bytes of a name that the kernel keeps */
	const char *slash = strrchr(path, '/');

	return strncmp(slash != NULL ? slash + 1 : path, comm, MOST) == 0;
}

/* Whether the process runs a script, whose name it has: `comm`.  Its first words are the
 * interpreter, at most one argument of that, and the script. */
bool
procfs_is_script(pid_t pid, const char *comm)
{
	enum { BEFORE_SCRIPT = 2 };
	char words[4096];
	const char *at = words;
	ssize_t n;

	n = procfs_read(words, sizeof(words), "/proc/%d/cmdline", pid);
	if (n <= 0 || is_named(words, comm))
		return false;
	for (int i = 0; i < BEFORE_SCRIPT; i++) {
		at += strlen(at) + 1;
		if (at >= words + n)
			return false;
		if (is_named(at, comm))
			return true;
	}
	return false;
}

/* Whether a system call of the thread waits for another process's answer (SECCOMP_RET_USER_NOTIF).
 * Only the kernel's own name for that tells. */
bool
procfs_waits_for_answer(pid_t tid)
{
	char in[64];

	return procfs_read(in, sizeof(in), "/proc/%d/wchan", tid) > 0 &&
	       strncmp(in, "seccomp_do_user_notif", 21) == 0;
}

/* Returns '0' to '3', or 0 where there is no Yama. */
char
procfs_yama_scope(void)
{
	char buf[8];

	return procfs_read(buf, sizeof(buf), "/proc/sys/kernel/yama/ptrace_scope") > 0 ? buf[0] : 0;
}

/* Returns how many samples a second the kernel lets a perf event take; 0: unknown. */
unsigned
procfs_perf_max_rate(void)
{
	char buf[32];

	if (procfs_read(buf, sizeof(buf), "/proc/sys/kernel/perf_event_max_sample_rate") <= 0)
		return 0;
	return (unsigned)strtoul(buf, NULL, 10);
}

/* Returns how far our monotonic clock is ahead of the kernel's own, ns: both are the same but in a
 * time namespace. */
int64_t
procfs_clock_ahead(void)
{
	static const char name[] = "monotonic ";
	char buf[128], *end;
	int64_t seconds;

	if (procfs_read(buf, sizeof(buf), "/proc/self/timens_offsets") <= 0 ||
	    strncmp(buf, name, strlen(name)) != 0)
		return 0;
	seconds = strtoll(buf + strlen(name), &end, 10);
	return seconds * (int64_t)NSEC + strtoll(end, NULL, 10);
}

/* By how much a running thread's account may lag, ns: one kernel tick, which comes once a second on
 * CPUs that are kept free of it. */
uint64_t
procfs_account_lag(void)
{
	char cpus[8];
	const ssize_t n = procfs_read(cpus, sizeof(cpus), "/sys/devices/system/cpu/nohz_full");

	return n > 0 && cpus[0] >= '0' && cpus[0] <= '9' ? NSEC : NSEC / 100;
}

/* Gets what the kernel has told a program at its start. */
static int
told_at_start(pid_t pid, uint64_t what, uint64_t *value)
{
	Elf64_auxv_t aux[64];
	ssize_t n;

	n = procfs_read((char *)aux, sizeof(aux), "/proc/%d/auxv", pid);
	for (size_t i = 0; n > 0 && i < (size_t)n / sizeof(aux[0]); i++) {
		if (aux[i].a_type == what) {
			*value = aux[i].a_un.a_val;
			return 0;
		}
	}
	if (n >= 0)
		errno = EPROTO;
	return -1;
}

/* Gets where the program's entry point is, as loaded. */
int
procfs_entry(pid_t pid, uint64_t *entry)
{
	return told_at_start(pid, AT_ENTRY, entry);
}

/* Whether a process's program has power of its file's: by set-user-ID, set-group-ID, capabilities
 * or what a security module says. */
bool
procfs_is_elevated(pid_t pid)
{
	uint64_t secure = 0;

	return told_at_start(pid, AT_SECURE, &secure) < 0 || secure != 0;
}
