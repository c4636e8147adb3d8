/*
 * hostile-bomb HOW N MEGABYTES: claims an arc area of so many (one file, 64 MiB at the most, mapped
 * over and over: it costs the program little).  In how much is read the text has a say: see
 * lib/fat.pl.
 *	exits	N processes at a time, of 16 threads each, that end at once, for ever
 *	vforks	N children of vfork, one after the other, each of which fills in other arcs
 *	forks	the same with fork
 *	lives	N children live, each executes this program anew and has other arcs; until stdin
 *ends lived	what these do "vforks" and "forks" end with "ready PID" and wait until stdin ends.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -pthread
#include "forged.h"

enum { CHUNK_MOST = 64 << 20, PAGE = 4096, THREADS = 16 };

static struct profsup_arcs *arcs;
static struct profsup_arc *chunk; /* what is mapped over and over */
static uint64_t buflen, places, chunk_len;

/* All of the chunk, different ones for each `salt`. */
PLAIN static void
fill(uint32_t salt)
{
	const uint32_t n = (uint32_t)(chunk_len / sizeof(*chunk));

	for (uint32_t i = 0; i < n; i++)
		chunk[i] = (struct profsup_arc){ 0x400001 + 4 * i, 0x400000 + salt, 1 };
}

PLAIN static char *
claim(uint64_t len)
{
	const int fd = memfd_create("arcs", 0);
	char *buf = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	for (chunk_len = CHUNK_MOST; chunk_len > len;)
		chunk_len /= 2;
	ftruncate(fd, (off_t)chunk_len);
	chunk = mmap(NULL, chunk_len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (buf == MAP_FAILED || chunk == MAP_FAILED)
		err(3, "mmap");
	for (uint64_t at = 0; at < len; at += chunk_len)
		if (mmap(buf + at, len - at < chunk_len ? len - at : chunk_len,
		         PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
			err(3, "mmap");
	/* The head is each process's own. */
	if (mmap(buf, PAGE + 32 * PAGE, PROT_READ | PROT_WRITE,
	         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		err(3, "mmap");
	arcs = (struct profsup_arcs *)(buf + PAGE);
	places = (len - PAGE - sizeof(*arcs)) / sizeof(struct profsup_arc);
	arcs->used = places;
	arcs->shared_used = 1;
	((struct profsup_header *)buf)->arcs_off = PAGE;
	return buf;
}

/* A vfork's child has the arcs of its thread pointer: one table, most of the area. */
PLAIN static void
claim_table(void)
{
	unsigned log2 = 0;

	while ((2UL << log2) + PROFSUP_TABLE_PAD < places - places / 4)
		log2++;
	arcs->slots[0] = (struct profsup_thread_slot){ (uint64_t)__builtin_thread_pointer(),
		                                       (places / 4 + 1) << 8 | log2 };
}

PLAIN static void *
sleep_for_ever(void *none)
{
	for (;;)
		pause();
	return none;
}

PLAIN static void
end_with_threads(void)
{
	pthread_t thread;

	for (int i = 1; i < THREADS; i++)
		pthread_create(&thread, NULL, sleep_for_ever, NULL);
	_exit(0);
}

PLAIN static void
exits(int n)
{
	ready();
	for (;;) {
		for (int i = 0; i < n; i++)
			if (fork() == 0)
				end_with_threads();
		while (wait(NULL) > 0)
			continue;
	}
}

PLAIN static void
one_by_one(int n, int vforks)
{
	for (int i = 1; i <= n; i++) {
		if ((vforks ? vfork() : fork()) == 0) {
			fill((uint32_t)i);
			_exit(0);
		}
		wait(NULL);
	}
}

PLAIN static void
wait_for_end(void)
{
	char line[16];

	while (read(0, line, sizeof(line)) > 0)
		continue;
}

/* Its arcs are read while it uses the CPU. */
PLAIN static void
live(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fill((uint32_t)getpid());
	for (;;) {
		const uint64_t end = now_ns() + 20000000;

		while (now_ns() < end)
			continue;
		usleep(200000);
	}
}

PLAIN static void
let_live(int n, char **argv)
{
	for (int i = 0; i < n; i++)
		if (fork() == 0) {
			argv[1] = "lived";
			execv("/proc/self/exe", argv);
			_exit(1);
		}
	ready();
	wait_for_end();
}

PLAIN static void
before(int argc, char **argv)
{
	const int n = argc > 3 ? atoi(argv[2]) : 0;
	char *buf;

	if (argc < 4)
		return;
	buflen = strtoul(argv[3], NULL, 10) << 20;
	buf = claim(buflen);
	if (strcmp(argv[1], "vforks") == 0)
		claim_table();
	forged_text();
	__profsup_state.mode = PROFSUP_MODE_ON;
	/* Alone it does all the rest as well. */
	forged_profil((uint64_t)buf, buflen, 1024, 0x400000);
	if (strcmp(argv[1], "exits") == 0)
		exits(n);
	else if (strcmp(argv[1], "lived") == 0)
		live();
	else if (strcmp(argv[1], "lives") == 0)
		let_live(n, argv);
	else
		one_by_one(n, strcmp(argv[1], "vforks") == 0);
	if (strcmp(argv[1], "lives") != 0) {
		ready();
		wait_for_end();
	}
	_exit(0);
}

BEFORE_START_UP(before);

int
main(void)
{
	return 0;
}
