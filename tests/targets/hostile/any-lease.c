/*
 * any-lease: computes in code of a file that it has mapped and has a lease of, so that who opens
 * the file waits until the lease is given back, which it never is, or for 45 s. Prints its id then,
 * and sleeps for 10 s.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -O1
// LINK: plain
#include "spin.h"

int
main(void)
{
	const int fd = open("leased", O_CREAT | O_EXCL | O_RDWR, 0755);
	char *code;

	signal(SIGIO, SIG_IGN);
	if (fd < 0 || ftruncate(fd, PAGE) < 0)
		err(2, "leased");
	code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, fd, 0);
	if (code == MAP_FAILED || fcntl(fd, F_SETLEASE, F_WRLCK) < 0)
		err(2, "lease");
	spin_put(code);
	while (clock() < CLOCKS_PER_SEC / 5)
		spin_at(code);
	/* The lease stays. */
	printf("%d\n", getpid());
	fflush(stdout);
	execl("/bin/sleep", "sleep", "10", (char *)NULL);
	return 1;
}
