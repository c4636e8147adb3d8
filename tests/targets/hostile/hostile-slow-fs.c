/*
 * hostile-slow-fs DIRECTORY DEVICE MILLISECONDS[:ERRNO] [PROGRAM ARGUMENT...]: in namespaces of its
 * own, a file system (FUSE, by that device) that answers late when a file is made in it (and then
 * says no, EACCES or that), when its file "prog", this program, is opened, and when a page of its
 * file "mem" is read; "prog1" and so on are the same, as other files. Several processes execute
 * "prog" in it again and again, for ever; or PROGRAM is executed in it. Prints "ready PID" before,
 * or "no" and the reason.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -D_GNU_SOURCE
#include "fuse.h"
#include "hostile.h"
#include "own_namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

enum { PROCESSES = 8, PROG = 2, MEM = 3, MOST_LATE = 4096 };

/* Answers that are due later, the first one first: all of them are late by the same time. */
static struct late {
	uint64_t unique, due_ms, offset;
	uint32_t opcode, size;
} late[MOST_LATE];
static unsigned first, nlate;

static uint64_t delay_ms;
static int refusal = EACCES;
static int self, device;

static uint64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void
reply(uint64_t unique, int error, void *data, size_t len)
{
	fuse_reply(device, unique, error, data, len);
}

static struct fuse_attr
attributes(uint64_t inode)
{
	struct fuse_attr attr = { .ino = inode, .nlink = 2 };

	attr.mode = inode == MEM ? S_IFREG | 0666 : inode >= PROG ? S_IFREG | 0755 : S_IFDIR | 0777;
	if (inode != MEM && inode >= PROG)
		attr.size = (uint64_t)lseek(self, 0, SEEK_END);
	else if (inode == MEM)
		attr.size = 1UL << 40;
	return attr;
}

static void
look_up(const struct fuse_in_header *in)
{
	const char *name = (const char *)(in + 1);
	struct fuse_entry_out entry = { .entry_valid = 1000, .attr_valid = 1000 };

	entry.nodeid = strcmp(name, "mem") == 0        ? MEM
	               : strncmp(name, "prog", 4) == 0 ? PROG + 16 * strtoul(name + 4, NULL, 10)
	                                               : 0;
	entry.attr = attributes(entry.nodeid);
	reply(in->unique, entry.nodeid == 0 ? ENOENT : 0, &entry,
	      entry.nodeid == 0 ? 0 : sizeof(entry));
}

static void
give_bytes(uint64_t unique, uint64_t offset, size_t size)
{
	static char bytes[1 << 20];
	ssize_t n = pread(self, bytes, size < sizeof(bytes) ? size : sizeof(bytes), (off_t)offset);

	reply(unique, n < 0 ? errno : 0, bytes, n < 0 ? 0 : (size_t)n);
}

static void
answer_late(const struct fuse_in_header *in)
{
	const struct fuse_read_in *what = (const struct fuse_read_in *)(in + 1);
	struct late l = { .unique = in->unique, .due_ms = now_ms() + delay_ms };

	l.opcode = in->opcode;
	l.size = in->opcode == FUSE_READ ? what->size : 0;
	if (nlate < MOST_LATE)
		late[(first + nlate++) % MOST_LATE] = l;
}

static void
answer_due(void)
{
	static char zero[1 << 20];
	struct fuse_open_out open = { 0 };

	for (; nlate > 0 && late[first].due_ms <= now_ms(); nlate--) {
		const struct late *l = &late[first];

		if (l->opcode == FUSE_READ)
			reply(l->unique, 0, zero, l->size < sizeof(zero) ? l->size : sizeof(zero));
		else if (l->opcode == FUSE_OPEN)
			reply(l->unique, 0, &open, sizeof(open));
		else
			reply(l->unique, refusal, NULL, 0);
		first = (first + 1) % MOST_LATE;
	}
}

static void
answer(const struct fuse_in_header *in)
{
	const struct fuse_read_in *read = (const struct fuse_read_in *)(in + 1);
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION,
		                      .minor = FUSE_KERNEL_MINOR_VERSION,
		                      .max_background = 1000,
		                      .congestion_threshold = 1000,
		                      .max_write = 4096 };
	struct fuse_attr_out attr = { .attr_valid = 1000, .attr = attributes(in->nodeid) };
	struct fuse_open_out open = { 0 };

	switch (in->opcode) {
	case FUSE_INIT:
		reply(in->unique, 0, &init, sizeof(init));
		break;
	case FUSE_GETATTR:
		reply(in->unique, 0, &attr, sizeof(attr));
		break;
	case FUSE_LOOKUP:
		look_up(in);
		break;
	case FUSE_OPENDIR:
		reply(in->unique, 0, &open, sizeof(open));
		break;
	case FUSE_OPEN:
		if (in->nodeid >= PROG && in->nodeid != MEM && delay_ms != 0)
			answer_late(in);
		else
			reply(in->unique, 0, &open, sizeof(open));
		break;
	case FUSE_READ:
		if (in->nodeid == MEM)
			answer_late(in);
		else
			give_bytes(in->unique, read->offset, read->size);
		break;
	case FUSE_CREATE:
	case FUSE_MKNOD:
		answer_late(in);
		break;
	case FUSE_ACCESS:
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
		reply(in->unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		reply(in->unique, ENOSYS, NULL, 0);
	}
}

static void __attribute__((noreturn)) serve(void)
{
	static char request[FUSE_MIN_READ_BUFFER + 8192];
	struct pollfd news = { .fd = device, .events = POLLIN };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		const uint64_t now = now_ms();
		const uint64_t due = nlate > 0 ? late[first].due_ms : now + 1000;

		poll(&news, 1, due > now ? (int)(due - now) : 0);
		while (read(device, request, sizeof(request)) > 0)
			answer((const struct fuse_in_header *)request);
		if (errno == ENODEV)
			_exit(0);
		answer_due();
	}
}

static int
mount_it(const char *dir, const char *file)
{
	char text[128];

	if (own_namespaces(true) < 0)
		return -1;
	/* By who is in the namespace already. */
	device = open(file, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (device < 0)
		return -1;
	snprintf(text, sizeof(text), "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
	return mount("slow", dir, "fuse", 0, text);
}

static void __attribute__((noreturn)) use_it(void)
{
	int news[2];

	for (int i = 0; i < PROCESSES; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;; wait(NULL))
				if (fork() == 0) {
					execl("prog", "prog", (char *)NULL);
					_exit(1);
				}
		}
	/* The first of them begin. */
	pipe2(news, O_CLOEXEC);
	if (fork() == 0) {
		execl("prog", "prog", (char *)NULL);
		_exit(1);
	}
	close(news[1]);
	read(news[0], news, 1);
	ready();
	for (;;)
		wait(NULL);
}

int
main(int argc, char **argv)
{
	char *end;

	if (argc < 4)
		return 0;
	delay_ms = strtoul(argv[3], &end, 10);
	if (*end == ':')
		refusal = atoi(end + 1);
	self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (mount_it(argv[1], argv[2]) < 0) {
		printf("no %s\n", strerror(errno));
		return 0;
	}
	if (fork() == 0)
		serve();
	close(device);
	if (chdir(argv[1]) < 0)
		err(3, "%s", argv[1]);
	if (argc > 4) {
		execv(argv[4], argv + 4);
		err(3, "%s", argv[4]);
	}
	use_it();
}
