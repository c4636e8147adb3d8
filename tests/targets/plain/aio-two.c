/*
 * aio-two: waits for two events by io_getevents.  The first one comes, then a SIGCONT that does
 * nothing, and then the second.  Prints how many the call has returned, and whether they are these.
 */
#include "../state.h"

#include <linux/aio_abi.h>
#include <poll.h>

int
main(void)
{
	const pid_t us = getpid();
	struct iocb poll_in[2] = { 0 }, *both[2] = { &poll_in[0], &poll_in[1] };
	struct io_event event[2] = { 0 };
	aio_context_t context = 0;
	int news[2][2];
	long n;

	for (int i = 0; i < 2; i++) {
		if (pipe(news[i]) < 0)
			err(1, "pipe");
		poll_in[i].aio_lio_opcode = IOCB_CMD_POLL;
		poll_in[i].aio_fildes = news[i][0];
		poll_in[i].aio_buf = POLLIN;
	}
	if (syscall(SYS_io_setup, 2, &context) < 0 ||
	    syscall(SYS_io_submit, context, 2, both) != 2) {
		printf("no: %s\n", strerror(errno));
		return 0;
	}
	if (fork() == 0) {
		parent_sleeps(us);
		write(news[0][1], "", 1);
		parent_sleeps(us);
		kill(us, SIGCONT);
		parent_sleeps(us);
		write(news[1][1], "", 1);
		_exit(0);
	}
	n = syscall(SYS_io_getevents, context, 2L, 2L, event, NULL);
	printf("%ld %d %d\n", n, event[0].obj == (uintptr_t)both[0],
	       event[1].obj == (uintptr_t)both[1]);
	return 0;
}
