/*
 * arctable_read() on tables in our own memory, true ones and lying ones.
 *
 * SPDX-License-Identifier: ISC
 */
#include "process/process.h"
#include "tap.h"

#include <semaphore.h>
#include <sys/mman.h>

enum { ARCS_OFF = 4096, PLACES = 16384, SHARED = PLACES / 4 };

static const uint64_t buflen =
    ARCS_OFF + sizeof(struct profsup_arcs) + PLACES * sizeof(struct profsup_arc);
static struct proc proc;
static struct profile profile;
static struct profsup_arcs *arcs;

static void
start(void)
{
	/* Behind the area is more memory of the program's. */
	uint8_t *buf =
	    mmap(NULL, 2 * buflen, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (buf == MAP_FAILED)
		bail("mmap");
	arcs_clear(&profile.counts.arcs);
	if (profile.buf_addr != 0)
		munmap((void *)(uintptr_t)profile.buf_addr, 2 * buflen);
	profile.buf_addr = (uint64_t)(uintptr_t)buf;
	profile.buflen = buflen;
	profile.runtime.arcs_off = ARCS_OFF;
	proc.pid = getpid();
	proc.profile = &profile;
	if (proc.vm.memory == NULL && mem_open(&proc, proc.pid) < 0)
		bail("mem_open");
	arcs = (void *)(buf + ARCS_OFF);
}

static void
put(uint64_t place, uint32_t from, uint32_t self, uint64_t count)
{
	arcs->pool[place] = (struct profsup_arc){ .self = self, .from = from, .count = count };
}

/* The count of an arc as it was read; UINT64_MAX if it was not. */
static uint64_t
count(uint32_t from, uint32_t self)
{
	for (size_t i = 0; i < profile.counts.arcs.n; i++)
		if (profile.counts.arcs.arc[i].key == ((uint64_t)from << 32 | self))
			return profile.counts.arcs.arc[i].count;
	return UINT64_MAX;
}

static void
good(void)
{
	start();
	arctable_read(&proc);
	ok(profile.counts.arcs.n == 0 && profile.counts.arcs.dropped == 0,
	   "a fresh area has no arcs");

	put(SHARED + 3, 0x401000, 0x402000, 5);
	put(SHARED + 200, 0, 0x402000, 7);
	put(SHARED + 255, 0x401000, 0x403000, 1UL << 40);
	put(SHARED + 256, 0x401000, 0x404000, 9);
	put(0, 0x401000, 0x402000, 1000);
	arcs->used = 256;
	arcs->dropped = 11;
	arctable_read(&proc);
	is_int((int64_t)profile.counts.arcs.n, 3,
	       "arcs of the places given out are read and no others");
	ok(count(0x401000, 0x402000) == 5 && count(0, 0x402000) == 7 &&
	       count(0x401000, 0x403000) == 1UL << 40,
	   "with their counts");
	is_int((int64_t)profile.counts.arcs.dropped, 11, "and the number of calls without a place");

	arcs->shared_used = 1;
	arctable_read(&proc);
	ok(count(0x401000, 0x402000) == 1005, "the shared table counts when it is in use");

	arcs->used = 512;
	put(SHARED + 300, 0x401000, 0x402000, 1);
	put(SHARED + 301, 0x401000, 0x405000, 0);
	arctable_read(&proc);
	ok(count(0x401000, 0x402000) == 1006, "an arc in the tables of several threads is one");
	ok(count(0x401000, 0x404000) == 9, "a second table is read too");
	ok(count(0x401000, 0x405000) == UINT64_MAX, "an arc that was never called is none");

	put(SHARED + PLACES - SHARED - 1, 1, 2, 3);
	arcs->used = PLACES - SHARED;
	arctable_read(&proc);
	ok(count(1, 2) == 3, "the last place there is can be used");
}

static void
lies(void)
{
	start();
	put(SHARED, 1, 2, 3);
	arcs->used = 1;
	arctable_read(&proc);
	arcs->used = UINT64_MAX;
	put(SHARED, 1, 2, 4);
	put(PLACES, 7, 8, 9);
	arctable_read(&proc);
	ok(profile.counts.arcs.n == 1 && count(1, 2) == 4, "no more is read than the buffer has");
	put(SHARED, 1, 2, 5);

	profile.runtime.arcs_off = UINT64_MAX;
	arctable_read(&proc);
	ok(count(1, 2) == 4, "an area at the end of all addresses changes nothing");
	profile.runtime.arcs_off = buflen - sizeof(struct profsup_arcs) + 1;
	arctable_read(&proc);
	ok(count(1, 2) == 4, "nor does one that reaches past the buffer");
	profile.runtime.arcs_off = buflen - sizeof(struct profsup_arcs);
	arcs = (void *)(uintptr_t)(profile.buf_addr + profile.runtime.arcs_off);
	arctable_read(&proc);
	ok(profile.counts.arcs.n == 0, "one without a place has no arcs");
}

/* What was read before stays when the memory goes. */
static void
vanishing(void)
{
	start();
	put(SHARED, 1, 2, 3);
	arcs->used = PLACES - SHARED;
	arctable_read(&proc);
	put(SHARED, 1, 2, 4);
	munmap((void *)(uintptr_t)((profile.buf_addr + buflen - 4096) & ~4095UL), 4096);
	arctable_read(&proc);
	ok(profile.counts.arcs.n == 1 && count(1, 2) == 3, "a table with a hole changes nothing");
	munmap((void *)(uintptr_t)profile.buf_addr, 2 * buflen);
	arctable_read(&proc);
	ok(profile.counts.arcs.n == 1 && count(1, 2) == 3, "nor does one that is gone");
	profile.buf_addr = 0;
}

/* A region of a terabyte that nobody has touched: read no further than the text can account for. */
static void
endless(void)
{
	const uint64_t huge = 1UL << 40;
	uint8_t *buf;
	size_t resident = 0;
	unsigned char core[1024];

	start();
	buf = mmap(NULL, huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
	           -1, 0);
	if (buf == MAP_FAILED) {
		skip("no address space of a terabyte to be had");
		return;
	}
	profile.buf_addr = (uint64_t)(uintptr_t)buf;
	profile.buflen = huge;
	arcs = (void *)(buf + ARCS_OFF);
	arcs->used = UINT64_MAX;
	arcs->shared_used = 1;
	proc.image.elf.text_size = 1 << 20;
	arctable_read(&proc);
	if (mincore(buf + (64UL << 20), sizeof(core) * 4096, core) < 0)
		bail("mincore");
	for (size_t i = 0; i < sizeof(core); i++)
		resident += core[i] & 1;
	is_int((int64_t)resident, 0, "of a buffer without end the beginning is read");
	munmap(buf, huge);
	profile.buf_addr = 0;
}

static sem_t release;

static void
bring_many(struct memjob *e)
{
	const size_t many = 4 << 20, bytes = many * sizeof(*e->arcs.arc);

	sem_wait(&release);
	arcs_hold(0, bytes, SIZE_MAX);
	e->arcs = (struct arcs){ .arc = malloc(bytes), .room = many };
}

/* A process has ended while its tables were read. */
static void
forgotten(void)
{
	struct memjob *e = memjob_new(NULL, 60 * NSEC), *late;

	if (e == NULL)
		bail("memjob_new");
	sem_init(&release, 0, 0);
	memjob_patience(1);
	e->work = bring_many;
	ok(memjob_run(e, &late) < 0, "tables are late");
	memjob_forget(&late);
	sem_post(&release);
	for (int i = 0; i < 500 && !arcs_are_many(); i++)
		usleep(10000);
	ok(arcs_are_many(), "they have come, and take room");
	for (int i = 0; i < 500 && arcs_are_many(); i++) {
		usleep(10000);
		memjob_new(NULL, 0);
	}
	ok(!arcs_are_many(), "which they give back if nobody asks for them");
}

int
main(void)
{
	memjob_patience(100 * NSEC);
	good();
	lies();
	vanishing();
	endless();
	forgotten();
	return done_testing();
}
