/*
 * closing DIRECTORY DEVICE: in namespaces of its own, a file system (FUSE, by that device) whose
 * file takes a moment to be closed, or says EINTR if anything interrupts that.  Closes it again and
 * again, while it gets a signal that it ignores, and prints how often the descriptor was not one:
 * "N of 300".  "no" and the reason: it could not be mounted.
 *
 * SPDX-License-Identifier: ISC
 */
// LINK: plain
#include "fuse.h"

enum { FILE_INODE = 2, TIMES = 300 };

static uint64_t closing; /* the request that is to be answered; 0: none */

static struct fuse_attr
attributes(uint64_t inode)
{
	return (struct fuse_attr){ .ino = inode,
		                   .mode = inode == FILE_INODE ? S_IFREG | 0666 : S_IFDIR | 0777,
		                   .nlink = 1 };
}

static void
end_close(int error)
{
	fuse_reply(closing, error, NULL, 0);
	closing = 0;
}

static void
answer(const struct fuse_in_header *in)
{
	if (in->opcode == FUSE_LOOKUP)
		fuse_found(in, attributes(FILE_INODE));
	else if (in->opcode == FUSE_FLUSH)
		closing = in->unique;
	else if (in->opcode == FUSE_INTERRUPT && closing != 0)
		end_close(EINTR);
	else
		fuse_answer(in, attributes(in->nodeid));
}

/* A request that nobody has interrupted by the next millisecond is answered. */
static int
wait_ms(void)
{
	static uint64_t last;

	if (closing != 0 && closing == last)
		end_close(0);
	last = closing;
	return closing != 0 ? 1 : 1000;
}

int
main(int argc, char **argv)
{
	const pid_t us = getpid();
	int bad = 0;
	pid_t other;

	if (argc < 3)
		return 2;
	fuse_in_own_namespaces(true, argv[1], argv[2], "", answer, wait_ms);
	if (chdir(argv[1]) < 0)
		return 3;
	other = fork();
	if (other == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			usleep(500);
			kill(us, SIGWINCH);
		}
	}
	for (int i = 0; i < TIMES; i++)
		bad += close(open("file", O_RDONLY)) < 0 && errno == EBADF;
	kill(other, SIGKILL);
	printf("%d of %d\n", bad, TIMES);
	return 0;
}
