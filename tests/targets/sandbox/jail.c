/*
 * jail DIR UID CALLS [SIGNAL]: chroots to DIR, becomes UID without groups, says whether it may
 * still make a file there, calls leaf() that often, then exits, or kills itself with SIGNAL.
 *
 * SPDX-License-Identifier: ISC
 */
#include "../counted.h"

#include <grp.h>

COUNTED_FUNCTION(leaf)

__attribute__((noinline)) void
work(long n)
{
	while (n-- > 0)
		leaf();
}

static void
enter(const char *dir, uid_t uid)
{
	if (chroot(dir) < 0 || chdir("/") < 0)
		err(1, "%s", dir);
	if (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0)
		err(1, "uid %u", uid);
	printf("make a file: %s\n",
	       open("made", O_CREAT | O_WRONLY, 0600) < 0 ? strerror(errno) : "done");
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	if (argc < 4)
		errx(2, "usage: jail DIR UID CALLS [SIGNAL]");
	enter(argv[1], (uid_t)atoi(argv[2]));
	work(atol(argv[3]));
	if (argc > 4)
		kill(getpid(), atoi(argv[4]));
	return 0;
}
