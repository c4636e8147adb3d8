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
// CFLAGS: -O1
// LINK: plain
#include "fuse.h"
#include "spin.h"

/* The page of the code, which is in the cache; the first ones are not. */
enum { CODE_AT = 16 * PAGE, BYTES = 2 * CODE_AT, MOST = 256, PROG = 1000 };

static uint32_t refused; /* FUSE_OPEN, FUSE_READ */
static volatile int *is_silent;

static struct fuse_attr
attributes(uint64_t inode)
{
	const uint64_t size = inode == PROG ? fuse_self_size() : BYTES;

	return (struct fuse_attr){ .ino = inode,
		                   .size = inode == 1 ? 0 : size,
		                   .mode = inode == 1 ? S_IFDIR | 0755 : S_IFREG | 0755,
		                   .nlink = 1 };
}

static void
give_bytes(const struct fuse_in_header *in)
{
	static char bytes[BYTES];
	const struct fuse_read_in *what = (const struct fuse_read_in *)(in + 1);
	const uint64_t left = what->offset < BYTES ? BYTES - what->offset : 0;

	spin_put(bytes + CODE_AT);
	fuse_reply(in->unique, 0, bytes + BYTES - left, what->size < left ? what->size : left);
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

/* A file's name is its inode. */
static void
answer(const struct fuse_in_header *in)
{
	struct fuse_open_out opened = { .open_flags = FOPEN_KEEP_CACHE };

	if (is_refused(in))
		return;
	if (in->opcode == FUSE_LOOKUP)
		fuse_found(in, attributes(strtoul((const char *)(in + 1), NULL, 10)));
	else if (in->opcode == FUSE_OPEN)
		fuse_reply(in->unique, 0, &opened, sizeof(opened));
	else if (in->opcode == FUSE_READ && in->nodeid == PROG)
		fuse_give_self(in);
	else if (in->opcode == FUSE_READ)
		give_bytes(in);
	else
		fuse_answer(in, attributes(in->nodeid));
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
	refused = exec || strcmp(argv[4], "open") == 0 ? FUSE_OPEN : FUSE_READ;
	fuse_in_own_namespaces(getuid() != 0, argv[1], argv[2], ",allow_other", answer, NULL);
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
