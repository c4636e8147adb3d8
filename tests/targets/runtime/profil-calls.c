/*
 * profil-calls WORD...: each word in turn, one line of output for each call: 0, or errno's name.
 *
 *	BUF:LEN:SCALE:DIRFD	profil(): BUF is rt (the runtime's own), own, other, null or wild;
 *LEN a number or = for the right one; DIRFD a number, dir or file raw:BUF:...		the same by
 *the bare system call one, two, three		use 0.3 s of CPU time in a function of that name
 *	calls=N			call counted() so often
 *
 * Without the runtime (-DNO_RUNTIME) rt is no buffer.
 */
// CFLAGS: -Iproto
#define _GNU_SOURCE /* strerrorname_np */
#include <profil.h>

#include "../clock.h"
#include "../counted.h"
#include "profsup_abi.h"

#ifndef NO_RUNTIME
/* Hidden in the runtime, which is part of this very image. */
extern struct profsup_state __profsup_state __attribute__((visibility("hidden")));
#else
static struct profsup_state __profsup_state;
#endif
extern char __executable_start, etext;

enum { REGION = 4 << 20 };
static char own[REGION] __attribute__((aligned(4096))), other[REGION];

COUNTED_FUNCTION(counted)

#define BURN(name)                                                                                 \
	__attribute__((noinline)) void name(void)                                                  \
	{                                                                                          \
		const uint64_t end = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + 300000000;               \
                                                                                                   \
		do                                                                                 \
			for (int i = 0; i < 3000000; i++)                                          \
				sink++;                                                            \
		while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end);                                  \
	}
BURN(one)
BURN(two)
BURN(three)

static int
descriptor(const char *word)
{
	if (strcmp(word, "dir") == 0)
		return open("sub", O_RDONLY | O_DIRECTORY);
	if (strcmp(word, "file") == 0)
		return open("/dev/null", O_RDONLY);
	return atoi(word);
}

static void
call(char *word)
{
	int raw = strncmp(word, "raw:", 4) == 0;
	char *name = strtok(raw ? word + 4 : word, ":"), *len = strtok(NULL, ":");
	unsigned scale = (unsigned)strtoul(strtok(NULL, ":"), NULL, 10);
	int dirfd = descriptor(strtok(NULL, ":")), ret;
	unsigned long low = (unsigned long)&__executable_start;
	size_t size = ((unsigned long)&etext - low) / 2, buflen = REGION;
	void *buf = own;

	if (strcmp(name, "rt") == 0) {
		buf = (void *)__profsup_state.buf;
		buflen = __profsup_state.buflen;
		size = __profsup_state.samplesize;
		low = __profsup_state.low_pc;
	} else if (strcmp(name, "other") == 0) {
		buf = other;
	} else if (strcmp(name, "null") == 0) {
		buf = NULL;
	} else if (strcmp(name, "wild") == 0) {
		buf = (void *)-8;
		size = low = -1;
	}
	if (strcmp(len, "=") != 0)
		buflen = strtoul(len, NULL, 10);
	errno = 0;
	ret = raw ? (int)syscall(PROFSUP_NR_PROFIL, buf, buflen, size, low, scale, dirfd)
	          : profil(buf, buflen, size, low, scale, dirfd);
	if (ret == 0)
		puts(errno == 0 ? "0" : "0, but errno has changed");
	else
		printf("%s%s\n", ret == -1 ? "" : "not -1: ", strerrorname_np(errno));
	fflush(stdout);
}

static void
obey(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "one") == 0)
			one();
		else if (strcmp(argv[i], "two") == 0)
			two();
		else if (strcmp(argv[i], "three") == 0)
			three();
		else if (strncmp(argv[i], "calls=", 6) == 0)
			for (long n = atol(argv[i] + 6); n > 0; n--)
				counted();
		else
			call(argv[i]);
	}
}

#ifdef EARLY
/* Before any constructor, and so before the runtime's own call. */
static void
early(int argc, char **argv)
{
	obey(argc, argv);
	fflush(stdout);
	_exit(0);
}
static void (*const before_all)(int, char **)
    __attribute__((used, section(".preinit_array"))) = early;
#endif

int
main(int argc, char **argv)
{
	obey(argc, argv);
	return 0;
}
