/*
 * exec-never FILE: calls work() 1000 times and computes for a second; then a child executes this
 * program anew, without arguments, while the kernel still makes sure for it that FILE is on its
 * disk (io_submit): the exec waits for that, which the file system may never end.  Meanwhile we
 * wait and compute by turns; prints "done".  "no" and the reason: there is no such call.  We read
 * nothing of the child's in /proc: whoever does may wait as long as the exec.
 *
 * SPDX-License-Identifier: ISC
 */
#include "../clock.h"
#include "../counted.h"
#include "hostile.h"

#include <linux/aio_abi.h>

COUNTED_FUNCTION(work)

static void
exec_never(const char *file)
{
	struct iocb sync = { .aio_lio_opcode = IOCB_CMD_FSYNC, .aio_fildes = open(file, O_RDWR) },
		    *all = &sync;
	aio_context_t context = 0;

	if ((int)sync.aio_fildes < 0 || syscall(SYS_io_setup, 1, &context) < 0 ||
	    syscall(SYS_io_submit, context, 1L, &all) != 1) {
		printf("no %s\n", strerror(errno));
		fflush(stdout);
		_exit(1);
	}
	execl("/proc/self/exe", "exec-never", (char *)NULL);
	_exit(1);
}

int
main(int argc, char **argv)
{
	if (argc < 2)
		return 0;
	for (int i = 0; i < 1000; i++)
		work();
	compute_until(CLOCK_THREAD_CPUTIME_ID, 1000000000);
	if (fork() == 0)
		exec_never(argv[1]);
	for (const uint64_t end = now_ms() + 2000; now_ms() < end; usleep(3000))
		compute_until(CLOCK_THREAD_CPUTIME_ID, cpu_ns() + 1000000);
	printf("done\n");
	return 0;
}
