/*
 * What /proc tells of ourselves and of children whose state we know.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"
#include "tap.h"

#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* A child that says by closing the pipe that it is ready and then sleeps. */
static pid_t
sleeper(void (*prepare)(void))
{
	int ready[2];
	char c;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC) < 0 || (pid = fork()) < 0)
		bail("fork");
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (prepare != NULL)
			prepare();
		close(ready[0]);
		close(ready[1]);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 0)
		bail("the child did not start");
	close(ready[0]);
	return pid;
}

static void
end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool
gets_state(int fd, char state)
{
	const struct timespec nap = { 0, 1000000 };
	struct thread_stat st;

	for (int i = 0; i < 5000; i++) {
		if (procfs_thread_stat(fd, &st) == 0 && st.state == state)
			return true;
		nanosleep(&nap, NULL);
	}
	return false;
}

static void *
in_thread(void *arg)
{
	pid_t ppid = 0, *tids = arg;

	tids[0] = gettid();
	tids[1] = procfs_tgid(gettid(), &ppid);
	tids[2] = ppid;
	return NULL;
}

static void
ids(void)
{
	pid_t tids[3], ppid = 0, gone;
	pthread_t thread;

	is_int(procfs_tgid(getpid(), &ppid), getpid(), "the process of our first thread is ours");
	is_int(ppid, getppid(), "and its parent is our parent");
	is_int(procfs_tgid(getpid(), NULL), getpid(), "the parent need not be asked for");
	if (pthread_create(&thread, NULL, in_thread, tids) != 0)
		bail("pthread_create");
	pthread_join(thread, NULL);
	ok(tids[0] != getpid() && tids[1] == getpid() && tids[2] == getppid(),
	   "another thread is of the same process and has the same parent");
	gone = sleeper(NULL);
	end(gone);
	is_int(procfs_tgid(gone, &ppid), -1, "one that is gone has no process");
}

static void
set_odd_name(void)
{
	prctl(PR_SET_NAME, ") R (\n)");
}

/* `pid`: a child in pause(). */
static void
test_wait(pid_t pid)
{
	const int fd = procfs_thread_open(pid, pid, "syscall");
	const int running = memfd_create("syscall", MFD_CLOEXEC);
	struct thread_wait wait = { 0 };

	is_int(procfs_thread_wait(fd, &wait), 0, "what it waits in can be read");
	ok(wait.syscall >= 0 && (size_t)wait.syscall < syscall_names_n, "it is a call");
	ok(strcmp(syscall_names[wait.syscall], "pause") == 0 ||
	       strcmp(syscall_names[wait.syscall], "ppoll") == 0,
	   "it is pause (%ld)", wait.syscall);
	ok(wait.sp != 0 && wait.pc != 0, "with its stack and its pc");
	if (write(running, "running\n", 8) != 8)
		bail("memfd");
	ok(procfs_thread_wait(running, &wait) < 0 && errno == EAGAIN, "who runs waits in nothing");
	if (pwrite(running, "-1 0x7f 0x10", 12, 0) != 12)
		bail("memfd");
	ok(procfs_thread_wait(running, &wait) == 0 && wait.syscall == -1 && wait.sp == 0x7f &&
	       wait.pc == 0x10,
	   "a page fault is in no call");
	if (pwrite(running, "12\n\0\0\0\0\0\0\0\0\0", 12, 0) != 12)
		bail("memfd");
	ok(procfs_thread_wait(running, &wait) < 0 && errno == EPROTO, "half a line is an error");
	close(fd);
	close(running);
}

static void
states(void)
{
	pid_t pid = sleeper(set_odd_name);
	int fd = procfs_thread_open(pid, pid, "stat");
	int self = procfs_thread_open(getpid(), gettid(), "stat");
	struct thread_stat st;

	ok(procfs_thread_stat(self, &st) == 0 && st.state == 'R', "we run");
	close(self);
	ok(gets_state(fd, 'S'), "a child that waits sleeps, whatever its name");
	test_wait(pid);
	kill(pid, SIGSTOP);
	ok(gets_state(fd, 'T'), "stopped, it is stopped");
	kill(pid, SIGKILL);
	ok(gets_state(fd, 'Z'), "killed, it is a zombie until we wait for it");
	waitpid(pid, NULL, 0);
	errno = 0;
	ok(procfs_thread_stat(fd, &st) < 0 && errno == ESRCH, "then it has no state");
	close(fd);
	ok(procfs_thread_open(pid, pid, "stat") < 0, "and can't be opened");
}

static void
keep_to_one_cpu(void)
{
	cpu_set_t allowed, last;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	CPU_ZERO(&last);
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && CPU_COUNT(&last) == 0; cpu--)
		if (CPU_ISSET(cpu, &allowed))
			CPU_SET(cpu, &last);
	sched_setaffinity(0, sizeof(last), &last);
	prctl(PR_SET_NAME, ") 1 2 3 (");
}

static void
cpus(void)
{
	pid_t pid = sleeper(keep_to_one_cpu);
	int fd = procfs_thread_open(pid, pid, "stat");
	struct thread_stat st = { 0 };
	cpu_set_t allowed;

	ok(gets_state(fd, 'S') && procfs_thread_stat(fd, &st) == 0 &&
	       sched_getaffinity(pid, sizeof(allowed), &allowed) == 0 && CPU_COUNT(&allowed) == 1 &&
	       CPU_ISSET(st.cpu, &allowed),
	   "a child that may use one CPU ran on that one");
	close(fd);
	end(pid);
}

static void
burn(void)
{
	struct timespec ts;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	while (ts.tv_sec == 0 && ts.tv_nsec < 20000000);
}

/* Of a stopped process with one thread both clocks are exact, so they are equal. */
static void
clocks(void)
{
	pid_t pid = sleeper(burn);
	int stat = procfs_thread_open(pid, pid, "stat");
	int fd = procfs_thread_open(pid, pid, "schedstat");
	struct thread_time thread = { 0 };
	uint64_t process = 0;

	kill(pid, SIGSTOP);
	ok(gets_state(stat, 'T'), "a child is stopped");
	ok(procfs_thread_time(fd, &thread) == 0 && thread.cpu >= 20000000,
	   "its thread has used what it burned");
	ok(procfs_process_cpu(pid, &process) == 0 && process == thread.cpu,
	   "and its process the same, to the nanosecond");
	end(pid);
	errno = 0;
	ok(procfs_thread_time(fd, &thread) < 0 && errno == ESRCH,
	   "a thread that is gone has no clock");
	ok(procfs_process_cpu(pid, &process) < 0 && errno == ESRCH, "nor has its process");
	close(stat);
	close(fd);
}

static bool
has_groups(const struct identity *id)
{
	gid_t groups[64];
	int n = getgroups(64, groups);

	return n >= 0 && id->ngroups == (size_t)n &&
	       (n == 0 || memcmp(groups, id->groups, (size_t)n * sizeof(gid_t)) == 0);
}

static void
go_odd(void)
{
	static const gid_t groups[] = { 7, 65533, 4294967294 };

	setgroups(3, groups);
	setfsgid(54321);
	setfsuid(12345);
}

static void
drop_groups(void)
{
	setgroups(0, NULL);
	if (setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0)
		_exit(1);
}

static void
many_groups(void)
{
	static gid_t groups[5000];

	for (gid_t i = 0; i < 5000; i++)
		groups[i] = 100000 + i;
	setgroups(5000, groups);
}

static void
identities(void)
{
	struct identity id;
	pid_t pid;

	ok(procfs_identity(getpid(), &id) == 0 && id.uid == geteuid() && id.gid == getegid() &&
	       has_groups(&id),
	   "our identity is ours");
	ok(id.overrides == (geteuid() == 0), "root overrides permissions and nobody else does");
	identity_free(&id);
	ok(id.groups == NULL && id.ngroups == 0, "freed, nothing is left of it");
	if (geteuid() != 0) {
		skip("other identities need root");
		return;
	}
	pid = sleeper(go_odd);
	ok(procfs_identity(pid, &id) == 0 && id.uid == 12345 && id.gid == 54321,
	   "the ids are those for file systems");
	ok(id.ngroups == 3 && id.groups[0] == 7 && id.groups[1] == 65533 &&
	       id.groups[2] == 4294967294,
	   "and all groups are there");
	ok(!id.overrides, "without root's fsuid permissions count");
	identity_free(&id);
	end(pid);
	pid = sleeper(drop_groups);
	ok(procfs_identity(pid, &id) == 0 && id.uid == 65534 && id.gid == 65534 &&
	       id.ngroups == 0 && !id.overrides,
	   "a process without groups and power has none");
	identity_free(&id);
	end(pid);
	pid = sleeper(many_groups);
	ok(procfs_identity(pid, &id) == 0 && id.ngroups == 5000 && id.groups[0] == 100000 &&
	       id.groups[4999] == 104999,
	   "5,000 groups are read whole");
	identity_free(&id);
	end(pid);
	ok(procfs_identity(pid, &id) < 0 && id.groups == NULL, "who is gone has no identity");
}

static void
set_newline_name(void)
{
	prctl(PR_SET_NAME, "two\nlines\n");
}

static void
names(void)
{
	char comm[32];
	pid_t pid;

	prctl(PR_SET_NAME, "a name of 20 bytes..");
	ok(procfs_comm(getpid(), comm, sizeof(comm)) == 0 && strcmp(comm, "a name of 20 by") == 0,
	   "the name is what the kernel keeps of it");
	pid = sleeper(set_newline_name);
	ok(procfs_comm(pid, comm, sizeof(comm)) == 0 && strcmp(comm, "two\nlines\n") == 0,
	   "newlines in it are part of it");
	end(pid);
	ok(procfs_comm(pid, comm, sizeof(comm)) < 0, "who is gone has no name");
}

static void
entry_and_open(void)
{
	struct stat ours, theirs;
	uint64_t entry = 0;
	int fd;

	ok(procfs_entry(getpid(), &entry) == 0 && entry == getauxval(AT_ENTRY),
	   "the entry point is the kernel's");
	fd = procfs_open(getpid(), "exe", O_RDONLY);
	ok(fd >= 0 && fstat(fd, &theirs) == 0 && stat("/proc/self/exe", &ours) == 0 &&
	       ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev,
	   "our program file can be opened");
	ok(fcntl(fd, F_GETFD) == FD_CLOEXEC, "and is closed on exec");
	close(fd);
	ok(procfs_open(getpid(), "no-such-thing", O_RDONLY) < 0 && errno == ENOENT,
	   "what /proc lacks is not there");
	ok(procfs_entry(0, &entry) < 0, "process 0 has no entry point");
}

int
main(void)
{
	ids();
	states();
	cpus();
	clocks();
	identities();
	names();
	entry_and_open();
	return done_testing();
}
