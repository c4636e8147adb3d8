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
#include "../counted.h"
#include "fuse.h"
#include "hostile.h"

#include <limits.h>

enum { FILE_INODE = 2 };

static const char *name;

COUNTED_FUNCTION(work)

static struct fuse_attr
attributes(uint64_t inode)
{
	if (inode == FILE_INODE)
		return (struct fuse_attr){
			.ino = inode, .mode = S_IFREG | 0755, .nlink = 1, .size = fuse_self_size()
		};
	return (struct fuse_attr){ .ino = inode, .mode = S_IFDIR | 0777, .nlink = 2 };
}

static void
answer(const struct fuse_in_header *in)
{
	static unsigned opened;
	const char *what = (const char *)(in + 1);

	if (in->opcode == FUSE_CREATE || in->opcode == FUSE_MKNOD ||
	    (in->opcode == FUSE_OPEN && opened++ > 0))
		return;
	if (in->opcode == FUSE_LOOKUP)
		fuse_found(in,
		           attributes(name != NULL && strcmp(what, name) == 0 ? FILE_INODE : 0));
	else if (in->opcode == FUSE_READ)
		fuse_give_self(in);
	else
		fuse_answer(in, attributes(in->nodeid));
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
		fork_and_call(work, 1000);
		gone = ended();
		beside = gone == 0 ? beside + 1 : 0;
		most = beside > most ? beside : most;
	}
	printf("beside %d\n", most);
}

int
main(int argc, char **argv)
{
	const int number = argc > 3 ? atoi(argv[3]) : 0;
	pid_t server;

	if (argc < 2)
		return 0;
	if (argc > 3 && number == 0)
		name = argv[3];
	if (fuse_mount(argv[1], argc > 2 ? argv[2] : "/dev/fuse", ",allow_other") < 0) {
		printf("no %s\n", strerror(errno));
		return 0;
	}
	server = fork();
	if (server == 0)
		fuse_serve(answer, NULL);
	close(fuse_device);
	printf("server %d\n", server);
	fflush(stdout);
	if (number > 0) {
		end_many_in(argv[1], number);
	} else {
		end_in(argv[1]);
		wait(NULL);
		fork_and_call(work, 1000);
	}
	printf("forked\n");
	fflush(stdout);
	umount2(argv[1], MNT_DETACH);
	kill(server, SIGKILL);
	wait(NULL);
	return 0;
}
