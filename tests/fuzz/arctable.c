/*
 * arctable_read() and arctable_read_thread() on any memory, and the file that comes of it.
 *
 * An input is the profile's claims, then an image of the target's memory.  What lies behind the
 * image is a fault, zeros, or the image again and again.
 *
 * SPDX-License-Identifier: ISC
 */
// SOURCES: arctable.c arcs.c arcset.c gmon.c buffer.c hist.c
#include "fuzz.h"
#include "profsup.h"

#include <errno.h>

enum behind { FAULT, ZEROS, REPEATED };

enum { BUF = 0x10000, TP = 0x7000, LOW = 0x400000 };

static struct input image;
static enum behind behind;
static uint64_t arcs_off, bytes_read, reads;

/* The pool is what is repeated. */
static uint64_t
place_in_image(uint64_t at)
{
	const uint64_t pool = arcs_off + offsetof(struct profsup_arcs, pool);

	if (behind != REPEATED || at < image.left || image.left <= pool)
		return at;
	return pool + (at - pool) % (image.left - pool);
}

/* In place of mem.c's. */
int
mem_read(struct proc *proc, pid_t tid, uint64_t addr, void *buf, size_t len)
{
	const uint64_t at = addr - BUF;
	uint8_t *to = buf;

	(void)proc, (void)tid;
	bytes_read += len;
	reads++;
	if (behind == FAULT && (at > image.left || len > image.left - at)) {
		errno = EFAULT;
		return -1;
	}
	memset(to, 0, len);
	for (size_t i = 0, n; i < len; i += n) {
		const size_t from = place_in_image(at + i);

		if (from >= image.left)
			break;
		n = image.left - from < len - i ? image.left - from : len - i;
		memcpy(to + i, image.data + from, n);
	}
	return 0;
}

/* What is read is bounded by the text, whatever the memory says. */
static void
check_cost(const struct proc *proc, unsigned times)
{
	const uint64_t most = times * ((16UL << 20) + 4 * proc->elf.text_size);

	MUST(bytes_read <= most + times * sizeof(struct profsup_arcs));
	MUST(reads <= 200 + most / 4096);
}

static void
check_arcs(const struct arcs *arcs)
{
	for (size_t i = 1; i < arcs->n; i++)
		MUST(arcs->arc[i - 1].key < arcs->arc[i].key);
	for (size_t i = 0; i < arcs->n; i++)
		MUST((uint32_t)arcs->arc[i].key != 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t start = fuzz_clock();
	struct profile profile = { .buf_addr = BUF, .low_pc = LOW };
	struct proc proc = { .profile = &profile };
	struct arcs thread;
	struct buffer file;

	image = (struct input){ data, size };
	bytes_read = reads = 0;
	behind = take_number(&image, 1) % 3;
	profile.vfork_tp = take_number(&image, 1) % 2 ? TP : 0;
	profile.buflen = take_number(&image, 3) >> (3 + take_number(&image, 1) % 20);
	profile.arcs_off = arcs_off = take_number(&image, 2);
	profile.high_pc = LOW + take_number(&image, 3);
	profile.hist = (struct hist){ .offset = LOW, .scale = PROFSUP_SCALE_ONE, .nbins = 16 };
	proc.elf.text_size = take_number(&image, 2);

	arctable_read(&proc, 1);
	check_arcs(&profile.arcs);
	if (arctable_read_thread(&proc, 1, TP, &thread) == 0) {
		check_arcs(&thread);
		arcs_subtract(&profile.arcs, &thread);
		arcs_clear(&thread);
	}
	check_cost(&proc, 2);
	if (gmon_encode(&profile, 100, &file) == 0) {
		MUST(file.len < 1UL << 30);
		buffer_free(&file);
	}
	arcs_clear(&profile.arcs);
	MUST(fuzz_clock() - start < FUZZ_MS);
	return 0;
}
