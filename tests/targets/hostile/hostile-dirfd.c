/*
 * hostile-dirfd first KIND [DESCRIPTOR] | many TIMES: gives profil a descriptor that is none of a
 * directory, or of one that it can't or must not write.
 *	first	before the runtime can, as its first and only call: prints the answer
 *	many	so many failing calls, one after the other; prints "ready PID" and waits for a line
 *
 * SPDX-License-Identifier: ISC
 */
#include "hostile.h"

#include <profil.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>

enum { LEN = 64 << 10 };

/* That it calls profil makes us watch it for good. */
static void *volatile caller = (void *)profil;
static char own[LEN] __attribute__((aligned(4096)));

static int
open_kind(const char *kind, const char *descriptor)
{
	int pair[2] = { -1, -1 };

	if (strcmp(kind, "pipe") == 0)
		pipe(pair);
	else if (strcmp(kind, "socket") == 0)
		socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	else if (strcmp(kind, "memfd") == 0)
		pair[0] = memfd_create("x", 0);
	else if (strcmp(kind, "epoll") == 0)
		pair[0] = epoll_create1(0);
	else if (strcmp(kind, "fifo") == 0)
		mkfifo("fifo", 0600), pair[0] = open("fifo", O_RDWR);
	else if (strcmp(kind, "device") == 0)
		pair[0] = open("/dev/null", O_RDWR);
	else if (strcmp(kind, "file") == 0)
		pair[0] = open("/proc/self/exe", O_RDONLY);
	else if (strcmp(kind, "link") == 0)
		symlink("/", "link"), pair[0] = open("link", O_PATH | O_NOFOLLOW);
	else if (strcmp(kind, "path-file") == 0)
		pair[0] = open("/proc/self/exe", O_PATH);
	else if (strcmp(kind, "path-dir") == 0)
		pair[0] = open("own", O_PATH);
	else if (strcmp(kind, "dir") == 0)
		pair[0] = open("own", O_RDONLY | O_DIRECTORY);
	else if (strcmp(kind, "deleted") == 0)
		mkdir("deleted", 0700), pair[0] = open("deleted", O_PATH), rmdir("deleted");
	else if (strcmp(kind, "closed") == 0)
		pair[0] = 999;
	else if (strcmp(kind, "inherited") == 0)
		pair[0] = atoi(descriptor);
	else
		pair[0] = open(kind, O_RDONLY | O_DIRECTORY);
	return pair[0];
}

static const char *
answer(int fd)
{
	errno = 0;
	syscall(PROFSUP_NR_PROFIL, own, (long)LEN, 1024L, 0x400000L, 32768L, (long)fd);
	return errno == 0 ? "0" : strerrorname_np(errno);
}

static void
call_many(int times)
{
	char line[16];

	for (int i = 0; i < times; i++) {
		answer(999);
		answer(0);
		syscall(PROFSUP_NR_PROFIL, own, 8L, 0L, 0x400000L, 32768L, -1L);
		syscall(PROFSUP_NR_PROFIL, 8L, (long)LEN, 1024L, 0x400000L, 32768L, -1L);
	}
	ready();
	fgets(line, sizeof(line), stdin);
}

static void
before(int argc, char **argv)
{
	int fd;

	if (argc < 3)
		return;
	if (strcmp(argv[1], "many") == 0) {
		call_many(atoi(argv[2]));
	} else {
		fd = open_kind(argv[2], argc > 3 ? argv[3] : "");
		printf("%s\n", fd < 0 ? "can't" : answer(fd));
		fflush(stdout);
	}
	_exit(0);
}

BEFORE_START_UP(before);

int
main(void)
{
	return 0;
}
