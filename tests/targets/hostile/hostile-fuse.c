/*
 * hostile-fuse DIRECTORY [DEVICE [FILE | NUMBER]]: mounts a file system there (as root of its
 * namespaces) that never answers when a file is made, and starts itself in it, which ends at once;
 * with FILE it has one, this program, that never answers when it is opened again, and starts that.
 * Then another child calls work() 1000 times. Prints "server PID" at the start, "forked" when that
 * one is gone, and unmounts.  "no" and the reason: it could not be mounted.  With NUMBER so many
 * end in the file system, and others elsewhere meanwhile, one after the other; it prints "beside
 * N", too, how many of these in a row went by all of those that were left.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -D_GNU_SOURCE
#include "fuse.h"
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { FILE_INODE = 2 };

static volatile unsigned long sink;
static int self; /* this program */
static const char *name;

__attribute__((noinline)) void
work(void)
{
	sink++;
}

static struct fuse_attr
attributes(uint64_t inode)
{
	if (inode == FILE_INODE)
		return (struct fuse_attr){ .ino = inode,
			                   .mode = S_IFREG | 0755,
			                   .nlink = 1,
			                   .size = (uint64_t)lseek(self, 0, SEEK_END) };
	return (struct fuse_attr){ .ino = inode, .mode = S_IFDIR | 0777, .nlink = 2 };
}

static void
look_up(int fd, const struct fuse_in_header *in)
{
	struct fuse_entry_out entry = { .nodeid = FILE_INODE,
		                        .entry_valid = 1000,
		                        .attr_valid = 1000,
		                        .attr = attributes(FILE_INODE) };

	if (name != NULL && strcmp((const char *)(in + 1), name) == 0)
		fuse_reply(fd, in->unique, 0, &entry, sizeof(entry));
	else
		fuse_reply(fd, in->unique, ENOENT, NULL, 0);
}

static void
give_bytes(int fd, const struct fuse_in_header *in)
{
	static char bytes[1 << 20];
	const struct fuse_read_in *what = (const struct fuse_read_in *)(in + 1);
	size_t size = what->size < sizeof(bytes) ? what->size : sizeof(bytes);
	ssize_t n = pread(self, bytes, size, (off_t)what->offset);

	fuse_reply(fd, in->unique, n < 0 ? errno : 0, bytes, n < 0 ? 0 : (size_t)n);
}

static void
answer(int fd, const struct fuse_in_header *in)
{
	static unsigned opened;
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION,
		                      .minor = FUSE_KERNEL_MINOR_VERSION,
		                      .max_write = 4096 };
	struct fuse_attr_out attr = { .attr_valid = 1000, .attr = attributes(in->nodeid) };
	struct fuse_open_out open = { 0 };

	switch (in->opcode) {
	case FUSE_INIT:
		fuse_reply(fd, in->unique, 0, &init, sizeof(init));
		break;
	case FUSE_GETATTR:
		fuse_reply(fd, in->unique, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPENDIR:
		fuse_reply(fd, in->unique, 0, &open, sizeof(open));
		break;
	case FUSE_ACCESS:
		fuse_reply(fd, in->unique, 0, NULL, 0);
		break;
	case FUSE_LOOKUP:
		look_up(fd, in);
		break;
	case FUSE_OPEN:
		if (opened++ == 0)
			fuse_reply(fd, in->unique, 0, &open, sizeof(open));
		break;
	case FUSE_READ:
		give_bytes(fd, in);
		break;
	case FUSE_CREATE:
	case FUSE_MKNOD:
	case FUSE_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		fuse_reply(fd, in->unique, ENOSYS, NULL, 0);
	}
}

static void __attribute__((noreturn)) serve(int fd)
{
	static char request[FUSE_MIN_READ_BUFFER + 8192];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(fd, request, sizeof(request)) > 0)
		answer(fd, (const struct fuse_in_header *)request);
	_exit(0);
}

static void
end_in(const char *dir)
{
	char path[PATH_MAX] = "";

	if (name != NULL)
		snprintf(path, sizeof(path), "%s/%s", dir, name);
	else
		readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (fork() == 0) {
		if (name != NULL || chdir(dir) == 0)
			execl(path, path, (char *)NULL);
		_exit(1);
	}
}

static void
do_work(void)
{
	const pid_t pid = fork();

	if (pid == 0) {
		for (int i = 0; i < 1000; i++)
			work();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static int
ended(void)
{
	int n = 0;

	while (waitpid(-1, NULL, WNOHANG) > 0)
		n++;
	return n;
}

/* Those that are kept from their ends end together. */
static void
end_many_in(const char *dir, int number)
{
	int beside = 0, most = 0, gone;

	for (int i = 0; i < number; i++)
		end_in(dir);
	for (int left = number; left > 0; left -= gone) {
		do_work();
		gone = ended();
		beside = gone == 0 ? beside + 1 : 0;
		most = beside > most ? beside : most;
	}
	printf("beside %d\n", most);
}

int
main(int argc, char **argv)
{
	int fd = open(argc > 2 ? argv[2] : "/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[128];
	const int number = argc > 3 ? atoi(argv[3]) : 0;
	pid_t server;

	if (argc < 2)
		return 0;
	self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (argc > 3 && number == 0)
		name = argv[3];
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
	         fd);
	if (fd < 0 || mount("fuse", argv[1], "fuse", 0, options) < 0) {
		printf("no %s\n", strerror(errno));
		return 0;
	}
	server = fork();
	if (server == 0)
		serve(fd);
	close(fd);
	printf("server %d\n", server);
	fflush(stdout);
	if (number > 0) {
		end_many_in(argv[1], number);
	} else {
		end_in(argv[1]);
		wait(NULL);
		do_work();
	}
	printf("forked\n");
	fflush(stdout);
	umount2(argv[1], MNT_DETACH);
	kill(server, SIGKILL);
	wait(NULL);
	return 0;
}
