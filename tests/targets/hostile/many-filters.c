/*
 * many-filters N: installs so many seccomp filters that allow all, and then writes 100 MiB into a
 * pipe, a MiB at a time.
 *
 * SPDX-License-Identifier: ISC
 */
// LINK: plain
#include "../program.h"

#include <linux/filter.h>
#include <linux/seccomp.h>

static char bytes[1 << 20];

int
main(int argc, char **argv)
{
	struct sock_filter allow = { BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW };
	struct sock_fprog filter = { 1, &allow };
	int fd[2], n = 0;

	if (argc < 2 || pipe(fd) < 0)
		return 2;
	if (fork() == 0) {
		close(fd[1]);
		while (read(fd[0], bytes, 1 << 16) > 0)
			;
		_exit(0);
	}
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	while (n < atoi(argv[1]) && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0)
		n++;
	for (int i = 0; i < 100; i++)
		write(fd[1], bytes, sizeof(bytes));
	close(fd[1]);
	wait(NULL);
	printf("%d\n", n);
	return 0;
}
