/*
 * hostile-rewrite MILLISECONDS: a thread writes nonsense into the state and the region, header,
 * bins and arcs, while others use the CPU and come and go; then forks and vforks with what is
 * there. Prints how many processes there were.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -pthread
#include "hostile.h"

static volatile unsigned long sink;
static volatile int over;

PLAIN static uint64_t
nonsense(void)
{
	static __thread uint64_t x = 88172645463325252;

	xorshift(&x);
	/* Small ones, too, and such as lie in the text. */
	return x % 4 == 0 ? x % 1000 : x % 4 == 1 ? __profsup_state.low_pc + x % 100000 : x;
}

/* What the supervisor goes by, but for the buffer itself and that it is on. */
PLAIN static void
spoil_state(void)
{
	struct profsup_state *s = &__profsup_state;

	s->geometry++;
	s->scale = nonsense() % 2 ? (uint32_t)nonsense() % 65537 : (uint32_t)nonsense();
	s->samplesize = nonsense() % 2 ? nonsense() % (1 << 20) : nonsense();
	s->offset = nonsense();
	s->toggles = (uint32_t)nonsense();
	s->low_pc = nonsense();
	s->high_pc = nonsense();
	s->runtime_low = nonsense();
	s->mcount_pc = nonsense();
	s->tls_mark = nonsense();
}

PLAIN static void *
spoil(void *buf)
{
	const size_t words = __profsup_state.buflen / sizeof(uint64_t);
	volatile uint64_t *word = buf;

	/* As much as is read. */
	for (size_t at = 0; !over; at = (at + 1) % words) {
		word[at] = nonsense();
		if (at % 64 == 0)
			word[nonsense() % 64] = nonsense();
		if (at % 1024 == 0)
			spoil_state();
	}
	return NULL;
}

PLAIN static void *
come_and_go(void *none)
{
	sink++;
	return none;
}

PLAIN static void
burn(int milliseconds)
{
	struct timespec ts;

	do {
		pthread_t thread;

		for (int i = 0; i < 300000; i++)
			sink++;
		if (pthread_create(&thread, NULL, come_and_go, NULL) == 0)
			pthread_join(thread, NULL);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	} while (ts.tv_sec * 1000 + ts.tv_nsec / 1000000 < milliseconds);
}

PLAIN int
main(int argc, char **argv)
{
	void *buf = (void *)__profsup_state.buf;
	const uint64_t len = __profsup_state.buflen;
	int processes = 1;
	pthread_t thread;

	if (argc < 2 || buf == NULL)
		return 2;
	madvise(buf, len, MADV_KEEPONFORK);
	pthread_create(&thread, NULL, spoil, buf);
	burn(atoi(argv[1]));
	for (int i = 0; i < 3; i++) {
		processes += 2;
		if (vfork() == 0)
			_exit(0);
		wait(NULL);
		if (fork() == 0)
			_exit(0);
		wait(NULL);
	}
	over = 1;
	pthread_join(thread, NULL);
	printf("%d\n", processes);
	fflush(stdout);
	_exit(0);
}
