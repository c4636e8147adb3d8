/*
 * The arc tables in any memory, read by jobs that may be late, and what becomes of the arcs: no
 * call is counted twice or lost unseen, whatever room others have left, and no room is kept.
 *
 * An input is how jobs go, then what is done and the profile's claims, then the head of the
 * target's area and its pool of places.  What lies behind these is a fault, zeros, the same places
 * again and again, or one arc after the other, no two alike.
 *
 * SPDX-License-Identifier: ISC
 */
// SOURCES: arctable.c arcs.c arcset.c gmon.c buffer.c hist.c secret.c
#include "memjobs.h"

/* In place of mem.c's. */
struct memjob *
mem_job(struct proc *proc, memjob_work *work, uint64_t start)
{
	struct memjob *job;

	errno = proc->vm.error;
	job = proc->vm.memory == NULL ? NULL : memjob_new(proc->vm.memory, start);
	if (job != NULL)
		job->work = work;
	return job;
}

enum behind { FAULT, ZEROS, REPEATED, UNLIKE };
enum { BUF = 0x10000, LOW = 0x400000, STEPS = 8, HEAVY_STEPS = 3 };
/* Of arcs.c and arctable.c. */
enum { POOL = 96 << 20, MOST_READ = 256 << 20 };

static struct input pool;
static uint64_t head[8];
static enum behind behind;
static bool heavy;
static uint64_t arcs_off;
/* What the tables have, by the last reading of them that was not broken off: it is the same each
 * time. */
static uint64_t calls;
/* The same of all that was added up. */
static struct arcs sum;
static uint64_t summed;

static void
fill_behind(uint64_t at, uint8_t *to, size_t len)
{
	memset(to, 0, len);
	for (size_t i = 0; behind == UNLIKE && i + sizeof(struct profsup_arc) <= len;
	     i += sizeof(struct profsup_arc)) {
		const uint32_t n = (uint32_t)((at + i) / sizeof(struct profsup_arc));
		const struct profsup_arc arc = { LOW + n % 0x1001, LOW + n, n | 1 };

		memcpy(to + i, &arc, sizeof(arc));
	}
}

/* The pool, from its byte `at` on. */
static void
fill(uint64_t at, uint8_t *to, size_t len)
{
	fill_behind(at, to, len);
	for (size_t i = 0, n; i < len && pool.left > 0; i += n) {
		const size_t from = behind == REPEATED ? (at + i) % pool.left : at + i;

		if (from >= pool.left)
			break;
		n = pool.left - from < len - i ? pool.left - from : len - i;
		memcpy(to + i, pool.data + from, n);
	}
}

static void
add_up(const uint8_t *bytes, size_t len)
{
	struct profsup_arc arc;

	for (size_t i = 0; i < len; i += sizeof(arc)) {
		memcpy(&arc, bytes + i, sizeof(arc));
		if (arc.self != 0)
			calls = arcs_add(calls, arc.count);
	}
}

/* In place of memory.c's.  The head is read first, and then the pool from its first place to the
 * last. */
int
memory_read(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	const uint64_t at = addr - (BUF + arcs_off) - offsetof(struct profsup_arcs, pool);

	MUST(m != NULL && m->refs > 0);
	if (addr == BUF + arcs_off) {
		MUST(len == sizeof(head));
		memcpy(buf, head, sizeof(head));
		calls = head[offsetof(struct profsup_arcs, dropped) / 8];
		return 0;
	}
	if (behind == FAULT && (at > pool.left || len > pool.left - at)) {
		errno = EFAULT;
		return -1;
	}
	fill(at, buf, len);
	if (behind != ZEROS || at < pool.left)
		add_up(buf, len);
	return 0;
}

/* What is read is bounded by the text, whatever the memory says. */
static void
check_cost(const struct proc *proc)
{
	const uint64_t text = (16UL << 20) + 4 * proc->image.elf.text_size;
	const uint64_t most = text < MOST_READ ? text : MOST_READ;

	MUST(jobs.most_bytes <= most + sizeof(head));
	MUST(jobs.most_reads <= 4 + most / 65536);
}

static uint64_t
count(const struct arcs *arcs)
{
	uint64_t n = 0;

	for (size_t i = 0; i < arcs->n; i++)
		n = arcs_add(n, arcs->arc[i].count);
	return n;
}

static void
check_arcs(const struct arcs *arcs)
{
	MUST(arcs->n <= arcs->room);
	for (size_t i = 1; i < arcs->n; i++)
		MUST(arcs->arc[i - 1].key < arcs->arc[i].key);
	for (size_t i = 0; i < arcs->n; i++)
		MUST((uint32_t)arcs->arc[i].key != 0);
}

static void
do_read(struct proc *proc, struct arcs *to)
{
	const struct arcs before = *to;

	if (arctable_read_to(proc, to) < 0) {
		MUST(to->arc == before.arc && to->n == before.n && to->dropped == before.dropped);
		MUST(errno == ETIMEDOUT || errno == EAGAIN || errno == EFAULT || errno == ENODATA ||
		     errno == EMFILE);
		return;
	}
	check_arcs(to);
	MUST(arcs_add(count(to), to->dropped) == calls);
}

/* As for a sum: see merge.c. */
static void
do_sum(const struct arcs *arcs)
{
	summed = arcs_add(summed, count(arcs));
	MUST(arcs_append(&sum, arcs) == 0);
	check_arcs(&sum);
	MUST(arcs_add(count(&sum), sum.dropped) == summed);
}

/* Its file, at the end or before. */
static void
do_write(struct profile *p)
{
	struct arcs all = p->counts.arcs;
	struct buffer file;

	MUST(arcs_copy(&p->counts.arcs, &all) == 0);
	arcs_subtract(&p->counts.arcs, &p->counts.minus);
	check_arcs(&p->counts.arcs);
	MUST(count(&p->counts.arcs) <= count(&all));
	if (gmon_encode(&p->counts, &(struct image_id){ 0 }, 100, &file) == 0) {
		MUST(file.len < 1UL << 30);
		buffer_free(&file);
	}
	arcs_clear(&p->counts.arcs);
	p->counts.arcs = all;
}

static void
do_give_room(struct arcs *arcs)
{
	const uint64_t before = arcs_add(count(arcs), arcs->dropped);

	arctable_give_room(arcs);
	MUST(arcs_add(count(arcs), arcs->dropped) == before);
}

static void
do_step(struct proc *proc, uint64_t step)
{
	struct profile *p = proc->profile;

	switch (step % 8) {
	case 0:
	case 1:
		do_read(proc, &p->counts.arcs);
		break;
	case 2:
		do_read(proc, &p->counts.minus);
		break;
	case 3:
		do_write(p);
		break;
	case 4:
		do_sum(&p->counts.arcs);
		break;
	case 5:
		do_give_room(&p->counts.arcs);
		break;
	case 6:
		arctable_restart(proc);
		break;
	default:
		arctable_read(proc);
		check_arcs(&p->counts.arcs);
	}
}

/* All that is read takes time here, too: few inputs may have much of it. */
static uint64_t
most_bytes(void)
{
	if (behind == FAULT)
		return UINT64_MAX;
	if (!heavy)
		return 128 << 10;
	return behind == ZEROS ? UINT64_MAX : 2 << 20;
}

static void
take_claims(struct proc *proc, struct profile *p)
{
	const uint64_t buflen = take_number(&pool, 8);

	p->buflen = buflen < most_bytes() ? buflen : most_bytes();
	p->runtime.arcs_off = arcs_off = take_number(&pool, 8);
	p->counts.high_pc = LOW + take_number(&pool, 3);
	proc->image.elf.text_size = take_number(&pool, 4) % (256 << 20);
	p->counts.hist = (struct hist){ .offset = LOW, .scale = PROFSUP_SCALE_ONE, .nbins = 16 };
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t start = fuzz_clock();
	struct profile profile = { .buf_addr = BUF, .counts.low_pc = LOW };
	struct proc proc = { .profile = &profile, .vm.error = EMFILE };
	uint64_t others, steps;

	pool = (struct input){ data, size };
	memjobs_begin(&pool, NULL);
	summed = 0;
	behind = take_number(&pool, 1) % 4;
	heavy = take_number(&pool, 1) == 0xff;
	others = take_number(&pool, 1) << 20;
	steps = take_number(&pool, 3);
	take_claims(&proc, &profile);
	take(&pool, head, sizeof(head));

	MUST(arcs_hold(0, others, SIZE_MAX));
	proc.vm.memory = memory_open(1);
	for (int i = 0; i < (heavy ? HEAVY_STEPS : STEPS); i++)
		do_step(&proc, steps >> 3 * i);
	check_cost(&proc);
	arctable_restart(&proc);
	memory_drop(proc.vm.memory);
	memjobs_end();
	arcs_clear(&profile.counts.arcs);
	arcs_clear(&profile.counts.minus);
	arcs_clear(&sum);
	arcs_hold(others, 0, 0);
	MUST(arcs_hold(0, POOL, 0) && !arcs_hold(POOL, POOL + 1, 0));
	arcs_hold(POOL, 0, 0);
	MUST(fuzz_clock() - start < FUZZ_MS);
	return 0;
}
