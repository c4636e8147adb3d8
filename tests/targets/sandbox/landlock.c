/*
 * landlock CALLS: gives up every right that this kernel's Landlock knows of and keeps none, says
 * what is left of them, then calls leaf() that often.  Exits with 77 if there is no Landlock here.
 *
 * SPDX-License-Identifier: ISC
 */
#include "../counted.h"

/* As the newest version has it; an older kernel takes a longer struct if the rest is zero. */
struct ruleset {
	uint64_t fs, net, scoped;
};

enum { CREATE_RULESET_VERSION = 1, NO_LANDLOCK = 77 };

COUNTED_FUNCTION(leaf)

__attribute__((noinline)) void
work(long n)
{
	while (n-- > 0)
		leaf();
}

/* What each version of the interface can restrict. */
static struct ruleset
all_rights(long version)
{
	static const int fs_rights[] = { 0, 13, 14, 15, 15, 16 };
	const long known = sizeof(fs_rights) / sizeof(fs_rights[0]) - 1;

	return (struct ruleset){
		.fs = (UINT64_C(1) << fs_rights[version < known ? version : known]) - 1,
		.net = version >= 4 ? 3 : 0,
		.scoped = version >= 6 ? 3 : 0,
	};
}

static void
lock(void)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
	struct ruleset all;
	int fd;

	if (version <= 0) {
		printf("no Landlock: %s\n", strerror(errno));
		exit(NO_LANDLOCK);
	}
	all = all_rights(version);
	fd = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);
	if (fd < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_landlock_restrict_self, fd, 0) < 0) {
		perror("landlock");
		exit(1);
	}
	close(fd);
}

static void
try_open(const char *what, const char *path, int flags)
{
	int fd = open(path, flags, 0600);

	printf("%s: %s\n", what, fd < 0 ? strerror(errno) : "done");
	if (fd >= 0)
		close(fd);
}

int
main(int argc, char **argv)
{
	lock();
	try_open("make a file", "made", O_CREAT | O_WRONLY);
	try_open("write a file", "there", O_WRONLY);
	try_open("read a file", "there", O_RDONLY);
	try_open("list the directory", ".", O_RDONLY | O_DIRECTORY);
	work(argc > 1 ? atol(argv[1]) : 1000);
	return 0;
}
