/*
 * hostile-buffers first|late MILLISECONDS: claims to have buffers that can't be, or takes away the
 * one it has, and uses so much CPU time with each.
 *	first	before the runtime can: what is refused, by one process, then what is taken, by a
 *		child each
 *	late	the runtime's own region is gone, read-only or cut off, in a child each
 * Prints each answer that is wrong, and "children N unwritable M" at the end: how many files there
 * should be, and how many of them are of buffers that can't be written.
 *
 * SPDX-License-Identifier: ISC
 */
#include "../clock.h"
#include "hostile.h"

#include <profil.h>

enum { PAGE = 4096, LEN = 64 << 10, HEADER = sizeof(struct profsup_header) };

/* That it calls profil makes us watch it for good. */
static void *volatile caller = (void *)profil;
static int milliseconds = 1;

/* Calls no function of ours: there may be no table to count in. */
PLAIN static void
burn(void)
{
	compute_until(CLOCK_PROCESS_CPUTIME_ID, (uint64_t)milliseconds * 1000000);
}

PLAIN static char *
pages(int n, int prot)
{
	char *p = mmap(NULL, (size_t)n * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		_exit(3);
	return p;
}

/* One page, and nothing behind it. */
PLAIN static char *
last_page(void)
{
	char *p = pages(2, PROT_READ | PROT_WRITE);

	munmap(p + PAGE, PAGE);
	return p;
}

PLAIN static int
answer(void *buf, uint64_t len, uint64_t bins, uint64_t offset)
{
	return syscall(PROFSUP_NR_PROFIL, buf, len, bins, offset, 32768L, -1L) == 0 ? 0 : errno;
}

PLAIN static void
refuse(const char *what, int want, void *buf, uint64_t len, uint64_t bins)
{
	const int got = answer(buf, len, bins, 0x400000);

	if (got != want)
		printf("%s: %s\n", what, strerrorname_np(got));
}

PLAIN static void
refused(void)
{
	char *page = last_page();

	refuse("nowhere", EFAULT, NULL, LEN, 1024);
	refuse("the first page", EFAULT, (void *)8, LEN, 1024);
	refuse("the kernel", EFAULT, (void *)0xffff800000000000, LEN, 1024);
	refuse("the kernel's text", EFAULT, (void *)0xffffffff81000000, LEN, 1024);
	refuse("no address at all", EFAULT, (void *)0x0000800000000000, LEN, 1024);
	refuse("a noncanonical one", EFAULT, (void *)0x8000000000000000, LEN, 1024);
	refuse("the last page of ours", EFAULT, (void *)0x7ffffffff000, LEN, 1024);
	refuse("a vsyscall page", EFAULT, (void *)0xffffffffff600000, PAGE, 1024);
	refuse("a header that is half there", EFAULT, page + PAGE - HEADER / 2, LEN, 1024);
	refuse("a header behind the end", EFAULT, page + PAGE, LEN, 1024);
	refuse("a page that may not be read", EFAULT, pages(1, PROT_NONE), PAGE, 1024);
	refuse("around the end", EINVAL, (void *)-PAGE, 2UL * PAGE, 1024);
}

/* The bin of burn() is so many bytes into the bins. */
PLAIN static uint64_t
bin_at(uint64_t bytes)
{
	return ((uint64_t)burn & ~3UL) - 2 * bytes;
}

static int children, unwritable;

PLAIN static void
in_child(const char *what, int writable, char *buf, uint64_t len, uint64_t bins, uint64_t offset)
{
	children++;
	unwritable += !writable;
	fflush(stdout);
	if (fork() != 0) {
		wait(NULL);
		return;
	}
	if (answer(buf, len, bins, offset) != 0)
		printf("%s: %s\n", what, strerrorname_np(errno));
	fflush(stdout);
	__profsup_state.mode = PROFSUP_MODE_ON;
	burn();
	_exit(0);
}

PLAIN static void
taken(void)
{
	static char own[LEN];
	char *read_only = pages(4, PROT_READ), *half = last_page();

	in_child("odd", 1, own + 1, LEN - 1, 1024, bin_at(0));
	in_child("on the state", 1, (char *)&__profsup_state - HEADER, LEN, 1024, bin_at(4));
	in_child("on the text", 0, (char *)((uint64_t)burn & ~4095UL), LEN, 1024, bin_at(512));
	in_child("half there", 0, half, 2UL * PAGE, 2UL * PAGE - HEADER, bin_at(PAGE));
	in_child("a bin on the border", 0, half + PAGE - HEADER - 1, LEN, 1024, bin_at(0));
	in_child("read-only", 0, read_only, 4UL * PAGE, 1024, bin_at(0));
	in_child("the largest", 0, half, 1UL << 40, 1UL << 22, bin_at(1 << 20));
	in_child("addresses that come around", 1, own, LEN, 1024, -4UL);
	in_child("one bin and a half", 1, own, LEN, 3, bin_at(0));
	in_child("no bins", 1, own, LEN, 0, bin_at(0));
}

PLAIN static void
before(int argc, char **argv)
{
	if (argc < 3 || strcmp(argv[1], "first") != 0)
		return;
	milliseconds = atoi(argv[2]);
	refused();
	taken();
	printf("children %d unwritable %d\n", children, unwritable);
	fflush(stdout);
	_exit(0);
}

BEFORE_START_UP(before);

PLAIN static void
over(int prot, int flags, int fd)
{
	void *at = (void *)__profsup_state.buf;

	if (mmap(at, __profsup_state.buflen, prot, flags | MAP_FIXED | MAP_NORESERVE, fd, 0) != at)
		_exit(4);
}

PLAIN static void
spoil(int how)
{
	int fd = memfd_create("region", 0);

	__profsup_state.mode = PROFSUP_MODE_OFF;
	switch (how) {
	case 0:
		munmap((void *)__profsup_state.buf, __profsup_state.buflen);
		break;
	case 1:
		over(PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1);
		break;
	case 2:
		mprotect((void *)__profsup_state.buf, __profsup_state.buflen, PROT_NONE);
		break;
	case 3: /* a mapping whose file is cut off: SIGBUS for us */
		ftruncate(fd, (off_t)__profsup_state.buflen);
		over(PROT_READ | PROT_WRITE, MAP_SHARED, fd);
		ftruncate(fd, 0);
		break;
	case 4: /* a file that may not be written */
		fd = open("/proc/self/exe", O_RDONLY);
		over(PROT_READ, MAP_SHARED, fd);
		break;
	default: /* all but the first page */
		munmap((char *)__profsup_state.buf + PAGE, __profsup_state.buflen - PAGE);
		break;
	}
	__profsup_state.mode = PROFSUP_MODE_ON;
}

PLAIN int
main(int argc, char **argv)
{
	milliseconds = argc > 2 ? atoi(argv[2]) : 1;
	for (int how = 0; how < 6; how++) {
		children++;
		unwritable++;
		if (fork() == 0) {
			spoil(how);
			burn();
			_exit(0);
		}
		wait(NULL);
	}
	printf("children %d unwritable %d\n", children, unwritable);
	return 0;
}
