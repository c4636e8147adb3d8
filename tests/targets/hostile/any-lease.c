/*
 * any-lease: computes in code of a file that it has mapped and has a lease of, so that who opens
 * the file waits until the lease is given back, which it never is, or for 45 s. Prints its id then,
 * and sleeps for 10 s.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -D_GNU_SOURCE -O1
// LINK: plain
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, TURNS = 4000000 };

/* Needs nothing but its registers, so that it runs at any address. */
__attribute__((noinline, aligned(PAGE))) unsigned long
spin(unsigned long n)
{
	while (n-- > 0)
		__asm__ volatile("" : "+r"(n));
	return n;
}

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
	memcpy(code, (const void *)(uintptr_t)spin, PAGE / 2);
	__builtin___clear_cache(code, code + PAGE);
	while (clock() < CLOCKS_PER_SEC / 5)
		((unsigned long (*)(unsigned long))(uintptr_t)code)(TURNS);
	/* The lease stays. */
	printf("%d\n", getpid());
	fflush(stdout);
	execl("/bin/sleep", "sleep", "10", (char *)NULL);
	return 1;
}
