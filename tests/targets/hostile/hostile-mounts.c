/*
 * hostile-mounts DIRECTORY N: in namespaces of its own makes N mounts, one on the other, and one
 * more, from which several processes execute this program again and again, for ever.
 *
 * SPDX-License-Identifier: ISC
 */
#include "hostile.h"
#include "own_namespaces.h"

#include <limits.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

enum { PROCESSES = 4 };

static void
enter_namespaces(void)
{
	if (own_namespaces(getuid() != 0) < 0)
		err(3, "unshare");
	mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

static void
copy_program(const char *to)
{
	const int in = open("/proc/self/exe", O_RDONLY);
	const int out = open(to, O_CREAT | O_WRONLY, 0755);

	while (sendfile(out, in, NULL, 1 << 20) > 0)
		continue;
	close(in);
	if (close(out) < 0)
		err(3, "%s", to);
}

static void
mount_many(const char *dir, int n)
{
	char under[PATH_MAX], last[PATH_MAX];

	if (mount("many", dir, "tmpfs", 0, NULL) < 0)
		err(3, "tmpfs");
	snprintf(under, sizeof(under), "%s/under", dir);
	snprintf(last, sizeof(last), "%s/last", dir);
	if (mkdir(under, 0777) < 0 || mkdir(last, 0777) < 0)
		err(3, "mkdir");
	for (int i = 0; i < n; i++)
		if (mount(last, under, NULL, MS_BIND, NULL) < 0)
			err(3, "mount number %d", i);
	if (mount("last", last, "tmpfs", 0, NULL) < 0 || chdir(last) < 0)
		err(3, "the last mount");
	copy_program("prog");
}

int
main(int argc, char **argv)
{
	if (argc < 3)
		return 0;
	enter_namespaces();
	mount_many(argv[1], atoi(argv[2]));
	ready();
	for (int i = 0; i < PROCESSES; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;; wait(NULL))
				if (fork() == 0) {
					execl("./prog", "prog", (char *)NULL);
					_exit(1);
				}
		}
	for (;;)
		pause();
}
