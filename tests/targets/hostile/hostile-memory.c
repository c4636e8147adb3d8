/*
 * hostile-memory: a child whose region never answers (userfaultfd, root's) uses the CPU; prints
 * "ready CHILD".  Then, when a line comes on stdin, another child calls work() 1000 times and
 * exits; prints "forked" when it is gone, kills the first one and exits.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -D_GNU_SOURCE
#include "hostile.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static volatile unsigned long sink;

__attribute__((noinline)) void
work(void)
{
	sink++;
}

static void __attribute__((noreturn)) never_answer(int tell)
{
	const uint64_t from = __profsup_state.buf & ~4095UL;
	const uint64_t len = (__profsup_state.buflen + 4095) & ~4095UL;
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { from, len },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	__profsup_state.mode = PROFSUP_MODE_OFF;
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 ||
	    mmap((void *)from, len, PROT_READ | PROT_WRITE,
	         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED ||
	    ioctl(fd, UFFDIO_REGISTER, &range) < 0) {
		write(tell, "n", 1);
		_exit(1);
	}
	write(tell, "y", 1);
	/* No function of ours is called: the profile is on, yet mcount is not reached. */
	__profsup_state.mode = PROFSUP_MODE_ON;
	for (;;)
		sink++;
}

int
main(void)
{
	char line[16], answer = 'n';
	int tell[2];
	pid_t child;

	pipe(tell);
	if ((child = fork()) == 0)
		never_answer(tell[1]);
	read(tell[0], &answer, 1);
	if (answer != 'y') {
		printf("no userfaultfd\n");
		return 0;
	}
	printf("ready %d\n", child);
	fflush(stdout);
	if (fgets(line, sizeof(line), stdin) != NULL) {
		pid_t other = fork();

		if (other == 0) {
			for (int i = 0; i < 1000; i++)
				work();
			_exit(0);
		}
		waitpid(other, NULL, 0);
		printf("forked\n");
		fflush(stdout);
	}
	kill(child, SIGKILL);
	wait(NULL);
	return 0;
}
