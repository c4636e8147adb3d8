/*
 * hostile-elevated THREAD LEADER TRIES STEP PROGRAM ARGUMENT...: its buffer, its arcs and the
 * runtime's state are where PROGRAM (elevated.c, set-user-ID) has memory of its own.  So many
 * children use the CPU for a while; then a thread of each executes PROGRAM.
 *	THREAD	traced, or untraced: one that no tracer may follow
 *	LEADER	exits: is in its exit stop meanwhile, for 0 to 5 STEP microseconds; spins: goes on
 * Where nobody watches it from the start, it prints "ready PID" and waits until it is traced.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -D_GNU_SOURCE -Wl,-Tdata=0x20000000
#include "elevated.h"
#include "forged.h"

#include <sched.h>

enum { BINS = 1 << 18, STACK = 1 << 16, SECRETS = 1 << 15 };

/* The bins, then where the secrets are. */
static const uint64_t buf = PLACE + HALF - (1 << 19);
static const uint64_t buflen = (1 << 19) + sizeof(struct profsup_arcs) + SECRETS;

static char stack[STACK];
static int stat_fd;
static uint64_t moment_ns;
static volatile int go;

/* The supervisor has the leader's stop, or is about to. */
PLAIN static void
wait_for_stop(void)
{
	char line[256] = "", *state;

	do {
		pread(stat_fd, line, sizeof(line) - 1, 0);
		state = strrchr(line, ')');
	} while (state != NULL && state[2] != 't' && state[2] != 'Z');
	for (const uint64_t end = now_ns() + moment_ns; now_ns() < end;)
		continue;
}

PLAIN static int
become(void *program)
{
	char *const *argv = program;

	while (!go)
		usleep(100);
	if (go == 2)
		wait_for_stop();
	execv(argv[0], argv);
	_exit(9);
}

__attribute__((noinline)) PLAIN static void
spin(void)
{
	for (volatile int i = 0; i < 100000; i++)
		continue;
}

PLAIN static void
attempt(int untraced, int exits, char **program)
{
	const uint64_t end = now_ns() + 40000000;

	stat_fd = open("/proc/thread-self/stat", O_RDONLY | O_CLOEXEC);
	clone(become, stack + STACK,
	      CLONE_THREAD | CLONE_SIGHAND | CLONE_VM | CLONE_FS | CLONE_FILES |
	          (untraced ? CLONE_UNTRACED : 0),
	      program);
	while (now_ns() < end)
		spin();
	go = 1 + exits;
	if (exits)
		syscall(SYS_exit, 0);
	for (;;)
		spin();
}

PLAIN static void
attempts(char **argv)
{
	const int untraced = strcmp(argv[1], "untraced") == 0;
	const int exits = strcmp(argv[2], "exits") == 0;

	for (int i = 0, n = atoi(argv[3]); i < n; i++) {
		moment_ns = (uint64_t)(i % 6) * strtoul(argv[4], NULL, 10) * 1000;
		if (fork() == 0)
			attempt(untraced, exits, argv + 5);
		wait(NULL);
	}
}

PLAIN static void
claim(void)
{
	if (mmap((void *)buf, buflen, PROT_READ | PROT_WRITE,
	         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
		err(3, "no place");
	forged_text();
	/* The C library's clock is below spin(). */
	__profsup_state.offset = 0x400000;
	__profsup_state.samplesize = BINS;
	__profsup_state.scale = PROFSUP_SCALE_ONE / 4;
}

PLAIN static void
before(int argc, char **argv)
{
	struct profsup_header *header = (struct profsup_header *)buf;

	if (argc < 6 || (__profsup_state.supervised & PROFSUP_SUPERVISED) == 0)
		return;
	claim();
	__profsup_state.mode = PROFSUP_MODE_ON;
	__profsup_state.toggles = 1;
	__profsup_state.paused = 0;
	header->arcs_off = PLACE + HALF - buf;
	if (syscall(PROFSUP_NR_PROFIL, buf, buflen, (long)BINS, 0x400000L,
	            (long)__profsup_state.scale, -1L) != 0)
		_exit(5);
	attempts(argv);
	_exit(0);
}

BEFORE_START_UP(before);

PLAIN int
main(int argc, char **argv)
{
	if (argc < 6)
		return 2;
	claim();
	__profsup_state.spare = PLACE + HALF;
	__profsup_state.spare_len = buflen - (1 << 19) + sizeof(struct profsup_header);
	ready();
	while (tracer() == 0 || __profsup_state.mode == PROFSUP_MODE_OFF)
		usleep(1000);
	attempts(argv);
	return 0;
}
