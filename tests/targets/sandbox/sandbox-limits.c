/*
 * sandbox-limits as|closed|fsize|nnp|nofile: takes something from itself.
 *
 *	as	has 100 MB of address space from here on, as privilege-separated daemons allow
 *		themselves, of which most must be the program's
 *	closed	closes every descriptor that it may have
 *	fsize	may not write a byte to any file from here on
 *	nnp	gives up gaining privileges
 *	nofile	may not open a descriptor from here on
 *
 * SPDX-License-Identifier: ISC
 */
#include "sandbox.h"

int
main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	const struct rlimit none = { 0, 0 }, some = { 100 << 20, 100 << 20 };
	void *p = NULL;
	int fd, status = 0;

	main_begins();
	if (strcmp(kind, "as") == 0) {
		must(setrlimit(RLIMIT_AS, &some) == 0, "setrlimit");
		p = malloc(60 << 20);
		say_refused(p == NULL, "60 MB");
		if (p != NULL)
			memset(p, 1, 60 << 20);
		say_refused(malloc(101 << 20) == NULL, "101 MB");
	} else if (strcmp(kind, "closed") == 0) {
		say("closing");
		for (fd = 0; fd < 1024; fd++)
			close(fd);
		if (write(STDOUT_FILENO, "x", 1) != -1 || errno != EBADF)
			_exit(98);
		status = 8;
	} else if (strcmp(kind, "fsize") == 0) {
		fd = open(".", O_TMPFILE | O_RDWR, 0600);
		must(fd >= 0, "O_TMPFILE");
		must(setrlimit(RLIMIT_FSIZE, &none) == 0, "setrlimit");
		signal(SIGXFSZ, SIG_IGN);
		/* stdout may be a file itself, so what is found is in the exit status */
		if (write(fd, "x", 1) != -1 || errno != EFBIG)
			_exit(98);
		status = 6;
	} else if (strcmp(kind, "nnp") == 0) {
		must(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0 || getuid() != 0,
		     "not set before");
		must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no_new_privs");
		say(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? "no_new_privs" : "not set");
	} else if (strcmp(kind, "nofile") == 0) {
		must(setrlimit(RLIMIT_NOFILE, &none) == 0, "setrlimit");
		say_refused(open(".", O_RDONLY) < 0, "open");
	} else {
		return 99;
	}
	work();
	if (strcmp(kind, "nofile") == 0)
		say("worked");
	free(p);
	return status;
}
