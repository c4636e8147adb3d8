/*
 * Copies out of and into target memory, here our own or a child's; and what is done while one of
 * them is late.
 *
 * SPDX-License-Identifier: ISC
 */
#include "process/process.h"
#include "tap.h"

#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

static sem_t release, again;

static void
wait_for_release(struct memjob *e)
{
	sem_wait(&release);
	e->error = 0;
}

/* As if a page of this process's memory did not come. */
static void
make_late(struct proc *proc)
{
	struct memjob *e = memjob_new(proc->vm.memory, 60 * NSEC);

	if (e == NULL)
		bail("memjob_new");
	e->work = wait_for_release;
	ok(memjob_run(e, &proc->vm.late) < 0 && !memjob_is_done(e),
	   "what does not come is waited for a moment only");
}

static void
lateness(void)
{
	struct proc late = { 0 }, other = { 0 };
	uint8_t byte = 0, ours = 2;
	const uint64_t addr = (uint64_t)(uintptr_t)&ours;

	sem_init(&release, 0, 0);
	memjob_patience(0);
	if (mem_open(&late, getpid()) < 0 || mem_open(&other, getpid()) < 0)
		bail("mem_open");
	make_late(&late);
	errno = 0;
	ok(mem_read(&late, addr, &byte, 1) < 0 && errno == ETIMEDOUT && byte == 0,
	   "its process is not asked again while it does not");
	errno = 0;
	ok(mem_write(&late, addr, &byte, 1) < 0 && errno == ETIMEDOUT && ours == 2,
	   "for whatever it is");
	memjob_patience(60 * NSEC);
	ok(mem_read(&other, addr, &byte, 1) == 0 && byte == 2, "others are");
	sem_post(&release);
	byte = 0;
	for (int i = 0; i < 1000 && mem_read(&late, addr, &byte, 1) < 0; i++)
		usleep(10000);
	ok(byte == 2, "when it is back, its process is asked again");
	memjob_patience(0);
	for (int i = 0; i < 20; i++) {
		struct proc gone = { 0 };

		if (mem_open(&gone, getpid()) < 0)
			bail("mem_open");
		make_late(&gone);
		mem_close(&gone);
	}
	for (int i = 0; i < 20; i++)
		sem_post(&release);
	mem_close(&late);
	mem_close(&other);
	memjob_patience(60 * NSEC);
}

static void
wait_again(struct memjob *e)
{
	sem_wait(&again);
	e->error = 0;
}

static void
compute(void)
{
	const uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + NSEC / 200;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void
compute_and_wait(struct memjob *e)
{
	compute();
	turn_give_way();
	wait_again(e);
}

static void
compute_and_read(struct memjob *e)
{
	uint8_t byte;

	compute();
	e->error = memjob_read(e, e->from, &byte, 1) < 0 ? errno : 0;
	compute();
}

/* However often a process's memory is late, others have workers. */
static void
many_late(void)
{
	struct proc proc = { 0 }, other = { 0 };
	uint8_t byte = 0, ours = 2;
	const uint64_t addr = (uint64_t)(uintptr_t)&ours;
	int n = 0;

	sem_init(&again, 0, 0);
	memjob_patience(0);
	if (mem_open(&proc, getpid()) < 0 || mem_open(&other, getpid()) < 0)
		bail("mem_open");
	for (; n < 100; n++) {
		struct memjob *e = mem_job(&proc, wait_again, 60 * NSEC);

		if (e == NULL)
			break;
		memjob_run(e, &proc.vm.late);
		memjob_forget(&proc.vm.late);
	}
	ok(n < 10 && errno == ETIMEDOUT,
	   "a process whose memory is late again and again has no more jobs");
	memjob_patience(60 * NSEC);
	ok(mem_read(&other, addr, &byte, 1) == 0 && byte == 2, "others have");
	errno = 0;
	ok(mem_read(&proc, addr, &byte, 1) < 0 && errno == ETIMEDOUT,
	   "and the thread that was made for them is not for it");
	for (int i = 0; i < n; i++)
		sem_post(&again);
	byte = 0;
	for (int i = 0; i < 1000 && mem_read(&proc, addr, &byte, 1) < 0; i++)
		usleep(10000);
	ok(byte == 2, "and so has it when they are back");
	mem_close(&proc);
	mem_close(&other);
}

/* Long jobs compute one after the other, but none waits for one that waits. */
static void
long_ones(void)
{
	struct proc silent = { 0 }, other = { 0 };
	uint8_t ours = 2;
	struct memjob *e;

	memjob_patience(0);
	if (mem_open(&silent, getpid()) < 0 || mem_open(&other, getpid()) < 0)
		bail("mem_open");
	e = memjob_new(silent.vm.memory, 60 * NSEC);
	if (e == NULL)
		bail("memjob_new");
	e->work = compute_and_wait;
	memjob_run(e, &silent.vm.late);
	e = memjob_new(other.vm.memory, 60 * NSEC);
	if (e == NULL)
		bail("memjob_new");
	e->work = compute_and_read;
	e->from = (uint64_t)(uintptr_t)&ours;
	memjob_run(e, &other.vm.late);
	for (int i = 0; i < 1000 && other.vm.late != NULL && !memjob_is_done(other.vm.late); i++)
		usleep(10000);
	ok(other.vm.late == NULL || memjob_is_done(other.vm.late),
	   "a long job ends while another one waits for ever");
	sem_post(&again);
	mem_close(&silent);
	mem_close(&other);
	memjob_patience(60 * NSEC);
}

static uint8_t *
map(size_t pages)
{
	uint8_t *at = mmap(NULL, pages * (size_t)getpagesize(), PROT_READ | PROT_WRITE,
	                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		bail("mmap");
	return at;
}

/* What one thread's number names after an exec is another memory. */
static void
an_exec(void)
{
	struct proc proc = { 0 };
	uint8_t byte = 1, *at = map(1);
	const uint64_t addr = (uint64_t)(uintptr_t)at;
	int status, go[2], done[2];
	pid_t pid;

	at[0] = 42;
	if (pipe(go) < 0 || pipe(done) < 0)
		bail("pipe");
	pid = fork();
	if (pid == 0) {
		close(go[1]);
		close(done[0]);
		if (read(go[0], &byte, 1) == 1) {
			dup2(done[1], STDOUT_FILENO);
			execl("/bin/sh", "sh", "-c", "echo; read x", (char *)NULL);
		}
		_exit(1);
	}
	if (mem_open(&proc, pid) < 0)
		bail("mem_open");
	ok(mem_read(&proc, addr, &byte, 1) == 0 && byte == 42, "a process's memory is read");
	close(done[1]);
	if (write(go[1], "x", 1) != 1 || read(done[0], &byte, 1) != 1)
		bail("the child");
	errno = 0;
	ok(mem_read(&proc, addr, &byte, 1) < 0 && errno == ESRCH,
	   "when it has executed another program, that one's is not");
	errno = 0;
	ok(mem_write(&proc, addr, &byte, 1) < 0, "nor written");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	mem_close(&proc);
	errno = 0;
	ok(mem_read(&proc, addr, &byte, 1) < 0 && errno == ESRCH, "none is none");
}

int
main(void)
{
	const size_t page = (size_t)getpagesize();
	struct proc proc = { 0 };
	uint8_t *at = map(4), buf[64];
	const uint64_t addr = (uint64_t)(uintptr_t)at;
	struct mem_16 value[2] = { { addr, 0x6261 }, { addr + 2 * page, 0x6463 } };
	int error;

	memjob_patience(60 * NSEC);
	if (mem_open(&proc, getpid()) < 0)
		bail("mem_open");
	memset(at, 'a', 4 * page);
	munmap(at + 3 * page, page);
	mprotect(at + 2 * page, page, PROT_READ);
	ok(mem_read(&proc, addr, buf, 64) == 0 && buf[0] == 'a' && buf[63] == 'a',
	   "memory is read");
	ok(mem_read(&proc, addr + page - 32, buf, 64) == 0, "also across pages");
	ok(mem_write(&proc, addr + page - 1, "xy", 2) == 0 && at[page - 1] == 'x' &&
	       at[page] == 'y',
	   "and written");
	errno = 0;
	ok(mem_read(&proc, addr + 3 * page - 32, buf, 64) < 0 && errno == EFAULT,
	   "half a read is EFAULT");
	errno = 0;
	ok(mem_read(&proc, addr + 3 * page, buf, 1) < 0 && errno == EFAULT, "so is none");
	errno = 0;
	ok(mem_write(&proc, addr + 2 * page, "x", 1) < 0 && errno == EFAULT && at[2 * page] == 'a',
	   "a read-only page is not written");
	errno = 0;
	ok(mem_write(&proc, addr + 2 * page - 1, "xy", 2) < 0 && errno == EFAULT &&
	       at[2 * page] == 'a',
	   "half a write is EFAULT");
	errno = 0;
	ok(mem_write(&proc, UINT64_MAX, "xy", 2) < 0 && errno == EFAULT,
	   "nor is there anything beyond the last address");
	ok(mem_write_16_and_read(&proc, value, 2, &error, addr, buf, 2) == 0 && error == EFAULT &&
	       memcmp(buf, "ab", 2) == 0 && at[2 * page] == 'a',
	   "of several values those before one that can't be written are, and the bytes are read");
	ok(mem_check(&proc, addr, 2 * page, MEMORY_READABLE | MEMORY_WRITABLE) == 0,
	   "it is known what may be written");
	errno = 0;
	ok(mem_check(&proc, addr, 2 * page + 1, MEMORY_READABLE | MEMORY_WRITABLE) < 0 &&
	       errno == EFAULT,
	   "and what may not");
	mprotect(at + page, page, PROT_NONE);
	errno = 0;
	ok(mem_check(&proc, addr, 2 * page, MEMORY_READABLE | MEMORY_WRITABLE) < 0 &&
	       errno == EFAULT,
	   "at that moment");
	mem_close(&proc);
	an_exec();
	lateness();
	many_late();
	long_ones();
	return done_testing();
}
