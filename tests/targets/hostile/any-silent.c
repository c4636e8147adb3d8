/*
 * any-silent DIRECTORY DEVICE FILES open | read: in namespaces of its own, of root in a mount
 * namespace, a file system (FUSE) with so many files.  Maps a page of each as code, and uses CPU
 * time there.  Then nobody else gets an answer who opens such a file, or reads it.  Prints "done"
 * when it has used 1 s, ends 30 s later, or when its standard input does.  "no" and the reason: it
 * could not be mounted.
 * any-silent DIRECTORY DEVICE exec: executes this program from such a file system, where nobody
 * else gets an answer who opens it.  It uses some CPU time, prints "done", and its status is 7.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -D_GNU_SOURCE -O1
// LINK: plain
#include "fuse.h"
#include "own_namespaces.h"
#include "spin.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The page of the code, which is in the cache; the first ones are not. */
enum { CODE_AT = 16 * PAGE, BYTES = 2 * CODE_AT, MOST = 256, PROG = 1000 };

static int device, self;
static uint32_t refused; /* FUSE_OPEN, FUSE_READ */
static volatile int *is_silent;

static void
reply(uint64_t unique, int error, void *data, size_t len)
{
	fuse_reply(device, unique, error, data, len);
}

static struct fuse_attr
attributes(uint64_t inode)
{
	const uint64_t size = inode == PROG ? (uint64_t)lseek(self, 0, SEEK_END) : BYTES;

	return (struct fuse_attr){ .ino = inode,
		                   .size = inode == 1 ? 0 : size,
		                   .mode = inode == 1 ? S_IFDIR | 0755 : S_IFREG | 0755,
		                   .nlink = 1 };
}

/* A file's name is its inode. */
static void
look_up(const struct fuse_in_header *in)
{
	struct fuse_entry_out entry = { .entry_valid = 1000, .attr_valid = 1000 };

	entry.nodeid = strtoul((const char *)(in + 1), NULL, 10);
	entry.attr = attributes(entry.nodeid);
	reply(in->unique, entry.nodeid == 0 ? ENOENT : 0, &entry,
	      entry.nodeid == 0 ? 0 : sizeof(entry));
}

static void
give_bytes(const struct fuse_in_header *in)
{
	static char bytes[BYTES];
	const struct fuse_read_in *what = (const struct fuse_read_in *)(in + 1);
	static char of_self[1 << 20];

	if (in->nodeid == PROG) {
		const size_t most = what->size < sizeof(of_self) ? what->size : sizeof(of_self);
		const ssize_t n = pread(self, of_self, most, (off_t)what->offset);

		reply(in->unique, n < 0 ? errno : 0, of_self, n < 0 ? 0 : (size_t)n);
		return;
	}
	spin_put(bytes + CODE_AT);
	if (what->offset < BYTES)
		reply(in->unique, 0, bytes + what->offset,
		      what->size < BYTES - what->offset ? what->size : BYTES - what->offset);
	else
		reply(in->unique, 0, NULL, 0);
}

/* The first one to open the program is who executes it. */
static bool
is_refused(const struct fuse_in_header *in)
{
	static bool executed;
	const bool first = in->nodeid == PROG && !executed;

	if (!*is_silent || in->opcode != refused)
		return false;
	executed = true;
	return !first;
}

static void
answer(const struct fuse_in_header *in)
{
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION,
		                      .minor = FUSE_KERNEL_MINOR_VERSION,
		                      .max_write = 4096 };
	struct fuse_attr_out attr = { .attr_valid = 1000, .attr = attributes(in->nodeid) };
	struct fuse_open_out opened = { .open_flags = FOPEN_KEEP_CACHE };

	if (is_refused(in))
		return;
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
	case FUSE_OPEN:
		reply(in->unique, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		give_bytes(in);
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

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		if (read(device, request, sizeof(request)) > 0)
			answer((const struct fuse_in_header *)request);
		else if (errno == ENODEV)
			_exit(0);
}

static int
mount_it(const char *dir, const char *file)
{
	char text[128];

	if (own_namespaces(getuid() != 0) < 0)
		return -1;
	/* By who is in the namespace already. */
	device = open(file, O_RDWR | O_CLOEXEC);
	if (device < 0)
		return -1;
	snprintf(text, sizeof(text), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
	         device);
	return mount("silent", dir, "fuse", 0, text);
}

static char *
map(const char *dir, int i)
{
	char name[256];
	int fd;
	char *code;

	snprintf(name, sizeof(name), "%s/%d", dir, i + 2);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	/* Or pages before that one would be read, too. */
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, CODE_AT);
	if (fd < 0 || code == MAP_FAILED || *(volatile char *)code == 0)
		err(3, "%s", name);
	close(fd);
	return code;
}

static void __attribute__((noreturn)) execute_it(const char *dir)
{
	char name[256];

	*is_silent = 1;
	snprintf(name, sizeof(name), "%s/%d", dir, PROG);
	execl(name, "prog", (char *)NULL);
	err(3, "%s", name);
}

static int
compute(void)
{
	while (clock() < CLOCKS_PER_SEC / 10)
		spin(TURNS / 10);
	puts("done");
	return 7;
}

int
main(int argc, char **argv)
{
	const bool exec = argc == 4 && strcmp(argv[3], "exec") == 0;
	const int files = argc < 5 ? 0 : atoi(argv[3]);
	struct pollfd end = { .events = POLLIN };
	char *code[MOST];

	is_silent = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (argc == 1)
		return compute();
	if ((!exec && (files <= 0 || files > MOST)) || is_silent == MAP_FAILED)
		return 2;
	self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	refused = exec || strcmp(argv[4], "open") == 0 ? FUSE_OPEN : FUSE_READ;
	if (mount_it(argv[1], argv[2]) < 0) {
		printf("no %s\n", strerror(errno));
		return 0;
	}
	if (fork() == 0)
		serve();
	close(device);
	if (exec)
		execute_it(argv[1]);
	for (int i = 0; i < files; i++)
		code[i] = map(argv[1], i);
	*is_silent = 1;
	for (int i = 0; clock() < CLOCKS_PER_SEC; i++)
		spin_at(code[i % files]);
	puts("done");
	fflush(stdout);
	poll(&end, 1, 30000);
	return 0;
}
