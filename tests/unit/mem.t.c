/*
 * Copies out of and into target memory, here our own.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static uint8_t *
map(size_t pages)
{
	uint8_t *at = mmap(NULL, pages * (size_t)getpagesize(), PROT_READ | PROT_WRITE,
	                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		bail("mmap");
	return at;
}

/* Another process stops us for longer than we wait for anybody, and brings the page a moment later.
 */
static void
stop_us(int fd, struct uffdio_zeropage *zero)
{
	const pid_t us = getpid();

	if (fork() != 0)
		return;
	usleep(50000);
	kill(us, SIGSTOP);
	usleep(1300000);
	kill(us, SIGCONT);
	usleep(50000);
	ioctl(fd, UFFDIO_ZEROPAGE, zero);
	_exit(0);
}

/* Nobody brings the page in; a new errand runner does what comes after. */
static void
never_answers(struct proc *other)
{
	const size_t page = (size_t)getpagesize();
	struct proc proc = { .pid = getpid() };
	uint8_t *at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint64_t addr = (uint64_t)(uintptr_t)at;
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range = { addr, page },
		                         .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_zeropage zero = { .range = range.range };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	uint8_t byte = 1, ours = 2;

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 || ioctl(fd, UFFDIO_REGISTER, &range) < 0) {
		skip("no userfaultfd here");
		return;
	}
	stop_us(fd, &zero);
	ok(mem_read(&proc, proc.pid, addr, &byte, 1) == 0 && byte == 0,
	   "time in which we do not run ourselves is not waited");
	wait(NULL);
	madvise(at, page, MADV_DONTNEED);
	byte = 1;
	errno = 0;
	ok(mem_read(&proc, proc.pid, addr, &byte, 1) < 0 && errno == ETIMEDOUT && byte == 1,
	   "a page that does not come is waited for so long and no longer");
	errno = 0;
	ok(mem_read(&proc, proc.pid, (uint64_t)(uintptr_t)&ours, &byte, 1) < 0 &&
	       errno == ETIMEDOUT && byte == 1,
	   "nor is its process asked again while it does not");
	ok(mem_read(other, other->pid, (uint64_t)(uintptr_t)&ours, &byte, 1) == 0 && byte == 2,
	   "others are");
	ok(ioctl(fd, UFFDIO_ZEROPAGE, &zero) == 0, "what comes too late is taken by nobody");
	for (int i = 0; i < 1000 && mem_read(&proc, proc.pid, addr, &byte, 1) < 0; i++)
		usleep(10000);
	ok(byte == 0, "but then its process is asked again");
	for (int i = 0; i < 3; i++) {
		madvise(at, page, MADV_DONTNEED);
		byte = 1;
		if (mem_read(&proc, proc.pid, addr, &byte, 1) == 0)
			bail("a page that is there");
		ioctl(fd, UFFDIO_ZEROPAGE, &zero);
		usleep(100000);
	}
	ok(mem_read(&proc, proc.pid, addr, &byte, 1) < 0 && errno == ETIMEDOUT,
	   "unless it is late again and again");
	close(fd);
	munmap(at, page);
}

int
main(void)
{
	const size_t page = (size_t)getpagesize();
	const pid_t pid = getpid();
	struct proc proc = { .pid = pid };
	uint8_t *at, buf[64];
	uint64_t addr;

	/* Its thread first, which must not be put where a page is missing. */
	if (errand_new() == NULL)
		bail("no thread");
	at = map(4);
	addr = (uint64_t)(uintptr_t)at;
	memset(at, 'a', 4 * page);
	munmap(at + 3 * page, page);
	mprotect(at + 2 * page, page, PROT_READ);
	ok(mem_read(&proc, pid, addr, buf, 64) == 0 && buf[0] == 'a' && buf[63] == 'a',
	   "memory is read");
	ok(mem_read(&proc, pid, addr + page - 32, buf, 64) == 0, "also across pages");
	ok(mem_write(&proc, pid, addr + page - 1, "xy", 2) == 0 && at[page - 1] == 'x' &&
	       at[page] == 'y',
	   "and written");
	errno = 0;
	ok(mem_read(&proc, pid, addr + 3 * page - 32, buf, 64) < 0 && errno == EFAULT,
	   "half a read is EFAULT");
	errno = 0;
	ok(mem_read(&proc, pid, addr + 3 * page, buf, 1) < 0 && errno == EFAULT, "so is none");
	errno = 0;
	ok(mem_write(&proc, pid, addr + 2 * page, "x", 1) < 0 && errno == EFAULT &&
	       at[2 * page] == 'a',
	   "a read-only page is not written");
	errno = 0;
	ok(mem_write(&proc, pid, addr + 2 * page - 1, "xy", 2) < 0 && errno == EFAULT,
	   "half a write is EFAULT");
	mprotect(at, page, PROT_NONE);
	errno = 0;
	ok(mem_read(&proc, pid, addr, buf, 1) < 0 && errno == EFAULT,
	   "a protected page is not read");
	errno = 0;
	ok(mem_read(&proc, pid, 0, buf, 8) < 0 && errno == EFAULT, "nor is address 0");
	errno = 0;
	ok(mem_read(&proc, pid, UINT64_MAX - 3, buf, 8) < 0 && errno == EFAULT,
	   "nor what reaches around the end of all addresses");
	ok(mem_read(&proc, pid, 0, buf, 0) == 0, "nothing can be read from anywhere");
	never_answers(&proc);
	return done_testing();
}
