/*
 * hostile-slow-page WHAT N MILLISECONDS [FILE]: N processes use the CPU, for ever, while a page
 * that the supervisor needs comes late each time: it is one of FILE, always another (see
 * hostile-slow-fs.c), or, without a FILE, userfaultfd brings it after so long.
 *	WHAT	state: the runtime's; buffer: header and bins; arcs
 * Prints "ready PID" before, or "no" and the reason.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -D_GNU_SOURCE -pthread
#include "forged.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum { PAGE = 4096, AREA = 1 << 18 };

static char area[AREA] __attribute__((aligned(PAGE)));
static char whole[PAGE] __attribute__((aligned(PAGE))); /* what the page holds */

/* Nothing that is used while the page is away is in it. */
static struct {
	uint64_t page, delay_ns;
	int uffd;
	volatile int answers;
	volatile unsigned long sink;
} its __attribute__((aligned(PAGE)));

PLAIN static void *
answer(void *none)
{
	struct timespec rest = { (time_t)(its.delay_ns / 1000000000),
		                 (long)(its.delay_ns % 1000000000) };
	struct uffdio_copy copy = { .dst = its.page, .src = (uint64_t)whole, .len = PAGE };
	struct uffd_msg msg;

	for (;;) {
		if (read(its.uffd, &msg, sizeof(msg)) != sizeof(msg))
			continue;
		nanosleep(&rest, NULL);
		ioctl(its.uffd, UFFDIO_COPY, &copy);
		its.answers++;
	}
	return none;
}

PLAIN static int
watch_page(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range = { its.page, PAGE },
		                         .mode = UFFDIO_REGISTER_MODE_MISSING };
	pthread_t thread;

	/* What makes threads may have its own variables in the page. */
	its.uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (its.uffd < 0 || ioctl(its.uffd, UFFDIO_API, &api) < 0 ||
	    pthread_create(&thread, NULL, answer, NULL) != 0)
		return -1;
	if (mmap((void *)its.page, PAGE, PROT_READ | PROT_WRITE,
	         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		return -1;
	return ioctl(its.uffd, UFFDIO_REGISTER, &range);
}

PLAIN static void __attribute__((noreturn)) use_cpu(int fd, uint64_t at)
{
	for (int seen = 0;;) {
		const uint64_t end = now_ns() + 3000000;

		if (fd >= 0) {
			/* Readahead must not bring the next. */
			at += 1UL << 20;
			mmap((void *)its.page, PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_FIXED, fd, (off_t)at);
		} else if (seen != its.answers) {
			seen = its.answers;
			madvise((void *)its.page, PAGE, MADV_DONTNEED);
		}
		while (now_ns() < end)
			its.sink++;
	}
}

PLAIN static uint64_t
address_of(const char *what)
{
	if (strcmp(what, "state") == 0)
		return (uint64_t)&__profsup_state;
	return (uint64_t)(strcmp(what, "buffer") == 0 ? area : area + AREA / 2);
}

PLAIN static void
before(int argc, char **argv)
{
	struct profsup_header *header = (struct profsup_header *)area;
	struct profsup_arcs *arcs = (struct profsup_arcs *)(area + AREA / 2);
	int fd = -1, n;

	if (argc < 4)
		return;
	n = atoi(argv[2]);
	its.delay_ns = strtoul(argv[3], NULL, 10) * 1000000;
	header->arcs_off = AREA / 2;
	arcs->used = 1000;
	forged_text();
	__profsup_state.mode = PROFSUP_MODE_ON;
	__profsup_state.toggles = 1;
	forged_profil((uint64_t)area, AREA, AREA / 4, (uint64_t)use_cpu);
	its.page = address_of(argv[1]);
	its.page &= ~(uint64_t)(PAGE - 1);
	memcpy(whole, (void *)its.page, PAGE);
	if (argc > 4 && (fd = open(argv[4], O_RDWR | O_CLOEXEC)) < 0)
		printf("no %s\n", strerror(errno));
	else if (argc == 4 && syscall(SYS_userfaultfd, O_CLOEXEC) < 0)
		printf("no userfaultfd: %s\n", strerror(errno));
	else
		ready();
	fflush(stdout);
	for (int i = 0; i < n; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (fd < 0 && watch_page() < 0)
				_exit(1);
			use_cpu(fd, (uint64_t)i << 34);
		}
	for (;;)
		pause();
}

BEFORE_START_UP(before);

int
main(void)
{
	return 0;
}
