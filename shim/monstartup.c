/*
 * Start-up under a supervisor: one region for header, bins and arcs, and the first profil call.
 * Everything the runtime will ever need is reserved here, because afterwards the program may be in
 * a sandbox that kills it for a system call that it would not have made itself.
 *
 * Start-up without a supervisor only makes stores.  A supervisor may come later (profsup -p), and
 * must find what it needs.
 *
 * No call here touches errno.
 *
 * SPDX-License-Identifier: ISC
 */
#include "shim.h"

#include "syscall_arch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/*
 * Bytes of arc pool beside the size of the text, and the least we start with when limits refuse
 * more.  With 20 MB of text three quarters of it are enough for one thread's tables with 100,000
 * arcs wherever they hash to (16 MB), and the shared quarter holds as many.
 */
#define POOL_BASE  (12UL << 20)
#define POOL_LEAST (256UL << 10)

/* Bytes of the region for a supervisor that comes later.  It is part of the image, and takes no
 * memory until then. */
#define SPARE (1UL << 20)

extern void __monstartup(unsigned long low, unsigned long high);

static void
say(const char *before, const char *what, const char *after)
{
	const char *part[] = { before, what, after };

	for (int i = 0; i < 3; i++)
		raw_syscall6(SYS_write, 2, (long)part[i], (long)strlen(part[i]), 0, 0, 0);
}

extern char **__environ; /* a program may have an `environ` of its own */

/* Gets a variable, NULL if it is not set or the program runs with more power than its caller.  The
 * program may have a getenv(3) of its own, which must not be called before main. */
static const char *
variable(const char *name)
{
	const size_t len = strlen(name);

	for (char **at = __environ; at != NULL && *at != NULL; at++)
		if (strncmp(*at, name, len) == 0 && (*at)[len] == '=')
			return getauxval(AT_SECURE) ? NULL : *at + len + 1;
	return NULL;
}

/* Opens PROFDIR.  Returns -1 if it is not set or the program runs with more power than its caller,
 * another -errno if it can't be opened. */
static int
open_profdir(const char **dir)
{
	*dir = variable("PROFDIR");
	if (*dir == NULL || **dir == '\0')
		return -1;
	return (int)raw_syscall6(SYS_openat, AT_FDCWD, (long)*dir,
	                         O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);
}

/* A program that calls mlockall(2) has it; of any other the linker knows nothing. */
#pragma weak mlockall

/* Takes no more than a quarter of what a limit allows: the rest is the program's.  Not root's
 * mlockall fails if there is more address space than RLIMIT_MEMLOCK, which is no less than that of
 * the smallest program if it is to succeed at all. */
static uint64_t
modest(uint64_t pool)
{
	static const int kind[] = { RLIMIT_AS, RLIMIT_DATA, RLIMIT_MEMLOCK };
	const int n = mlockall == NULL || getauxval(AT_EUID) == 0 ? 2 : 3;

	for (int i = 0; i < n; i++) {
		struct rlimit limit = { 0 };

		if (raw_syscall6(SYS_prlimit64, 0, kind[i], 0, (long)&limit, 0, 0) == 0 &&
		    limit.rlim_cur / 4 < pool &&
		    (kind[i] != RLIMIT_MEMLOCK || limit.rlim_cur / 4 >= POOL_LEAST))
			pool = limit.rlim_cur / 4;
	}
	return pool;
}

/* Reserves address space for the region, as much as the limits allow; the arcs get less room if
 * need be. */
static int
reserve_region(struct profsup_state *s)
{
	const uint64_t arcs = (sizeof(struct profsup_header) + s->samplesize + 63) & ~63UL;
	const uint64_t least = arcs + sizeof(struct profsup_arcs);
	uint64_t pool = modest(POOL_BASE + (s->high_pc - s->low_pc));
	long at;

	do {
		s->buflen = least + pool;
		at = raw_syscall6(SYS_mmap, 0, (long)s->buflen, PROT_READ | PROT_WRITE,
		                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		pool /= 2;
	} while (at == -ENOMEM && pool >= POOL_LEAST);
	if (at < 0 && at > -4096)
		return -1;
	/* A forked child starts at zero without doing anything for it. */
	if (raw_syscall6(SYS_madvise, at, (long)s->buflen, MADV_WIPEONFORK, 0, 0, 0) < 0)
		return -1;
	s->buf = (uint64_t)at;
	s->arcs = s->buf + arcs;
	s->places = (s->buflen - least) / sizeof(struct profsup_arc);
	return 0;
}

static void
fill_header(const struct profsup_state *s)
{
	struct profsup_header *h = (void *)s->buf;

	h->magic = PROFSUP_STATE_MAGIC;
	h->version = PROFSUP_ABI_VERSION;
	h->low_pc = s->low_pc;
	h->high_pc = s->high_pc;
	h->arcs_off = s->arcs - s->buf;
}

static void
fill_gmonparam(const struct profsup_state *s)
{
	_gmonparam.kcount = (void *)(s->buf + sizeof(struct profsup_header));
	_gmonparam.kcountsize = s->samplesize;
	_gmonparam.lowpc = s->low_pc;
	_gmonparam.highpc = s->high_pc;
	_gmonparam.textsize = s->high_pc - s->low_pc;
	_gmonparam.hashfraction = 1;
}

/* Makes the first profil call.  Without room for a buffer the call has scale 0, so that the
 * supervisor sees start-up end all the same. */
static void
register_region(const struct profsup_state *s)
{
	const char *profdir;
	int dirfd = open_profdir(&profdir);

	raw_syscall6(PROFSUP_NR_PROFIL, (long)s->buf, (long)s->buflen, (long)s->samplesize,
	             (long)s->offset, s->buf == 0 ? 0 : s->scale, dirfd < 0 ? -1 : dirfd);
	if (s->buf == 0)
		say("profsup: no memory for a profile under this RLIMIT_AS or RLIMIT_DATA", "",
		    "\n");
	else if (dirfd < -1)
		say("profsup: PROFDIR ", profdir,
		    " can't be opened: the starting directory is used\n");
	if (dirfd >= 0)
		raw_syscall6(SYS_close, dirfd, 0, 0, 0, 0, 0);
}

/* PROFIL_DISABLE=1: off until the program's first moncontrol(1). */
static int
starts_disabled(void)
{
	const char *value = variable("PROFIL_DISABLE");

	return value != NULL && *value != '\0' && strcmp(value, "0") != 0;
}

/* monstartup was called again: the same buffer for another part of the text, by stores as in
 * moncontrol. */
static void
set_range(struct profsup_state *s, uint64_t low, uint64_t high)
{
	if (low < s->low_pc)
		low = s->low_pc;
	if (high > s->high_pc)
		high = s->high_pc;
	if (high <= low)
		return;
	s->offset = low;
	s->samplesize = (high - low) / BIN_TEXT * sizeof(uint16_t);
	_gmonparam.lowpc = low;
	_gmonparam.highpc = high;
	_gmonparam.textsize = high - low;
	_gmonparam.kcountsize = s->samplesize;
	__atomic_fetch_add(&s->geometry, 1, __ATOMIC_RELEASE);
}

/* Fills in what does not change. */
static void
fill_state(struct profsup_state *s, uint64_t low, uint64_t high)
{
	s->low_pc = s->offset = low;
	s->high_pc = high;
	s->samplesize = (high - low) / BIN_TEXT * sizeof(uint16_t);
	s->scale = PROFSUP_SCALE_ONE * 2 / BIN_TEXT;
	s->runtime_low = (uint64_t)__profsup_runtime_low;
	s->runtime_high = (uint64_t)__profsup_runtime_high;
	s->mcount_pc = (uint64_t)mcount;
	s->outside_pc = (uint64_t)__profsup_outside_caller;
	s->tls_mark = (uint64_t)&__profsup_table.mark - thread_pointer();
}

/* Without a supervisor: makes no call that a sandbox may not know, and counts nothing until one
 * comes. */
static void
wait_for_supervisor(struct profsup_state *s)
{
	static char spare[SPARE] __attribute__((aligned(64)));

	s->supervised = PROFSUP_HELD;
	s->spare = (uint64_t)spare;
	s->spare_len = sizeof(spare);
	__profsup_pause(starts_disabled() ? 0 : -1);
}

void
__monstartup(unsigned long low, unsigned long high)
{
	struct profsup_state *s = &__profsup_state;

	if (high <= low)
		return;
	low &= ~(BIN_TEXT - 1UL);
	high = (high + BIN_TEXT - 1) & ~(BIN_TEXT - 1UL);
	if (s->buf != 0 || s->spare != 0) {
		set_range(s, low, high);
		return;
	}
	fill_state(s, low, high);
	if (!(s->supervised & PROFSUP_SUPERVISED)) {
		wait_for_supervisor(s);
		return;
	}
	if (reserve_region(s) == 0) {
		fill_header(s);
		fill_gmonparam(s);
	}
	register_region(s);
	/* A start that is a pause counts as a change, too, so that the next change is the
	 * second. */
	if (s->buf != 0)
		__profsup_pause(starts_disabled() ? 0 : -1);
}

/* Start-up where libc's knows nothing of profiles (musl), or the compiler links the wrong one
 * (clang -static-pie).  If gcrt1.o has called monstartup already, this does nothing. */
__attribute__((constructor(101))) static void
start(void)
{
	extern char __executable_start[], etext[];

	if (__profsup_state.low_pc == 0)
		__monstartup((unsigned long)__executable_start, (unsigned long)etext);
}

void monstartup(unsigned long low, unsigned long high) __attribute__((weak, alias("__monstartup")));
