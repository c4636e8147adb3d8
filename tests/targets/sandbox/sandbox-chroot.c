/*
 * sandbox-chroot JAIL ID: locks itself into JAIL with uid, gid and only group ID, as a daemon does.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sandbox.h"

#include <grp.h>

int
main(int argc, char **argv)
{
	gid_t id = argc > 2 ? (gid_t)atoi(argv[2]) : 0;

	main_begins();
	must(argc > 2 && id > 0, "usage");
	must(chroot(argv[1]) == 0 && chdir("/") == 0, "chroot");
	must(setgroups(1, &id) == 0, "setgroups");
	must(setresgid(id, id, id) == 0 && setresuid(id, id, id) == 0, "setresuid");
	say_refused(open("/etc/passwd", O_RDONLY) < 0, "open outside");
	say_refused(open("/file", O_WRONLY | O_CREAT, 0600) < 0, "create inside");
	say_refused(setuid(0) < 0, "setuid");
	work();
	return 7;
}
