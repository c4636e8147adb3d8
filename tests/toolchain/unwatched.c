/*
 * Stands in for a supervisor where none can be, under qemu-user: switches the runtime on before
 * libc starts it, and writes the tables as a gmon file.  Compiled without -pg.
 *
 * SPDX-License-Identifier: ISC
 */
#include "unwatched.h"

#include "gmon_layout.h"
#include "profsup_abi.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

extern struct profsup_state __profsup_state __attribute__((visibility("hidden")));

static void
switch_on(void)
{
	__profsup_state.supervised = 1;
}

__attribute__((section(".preinit_array"), used)) static void (*const early)(void) = switch_on;

/* gprof wants one. */
static void
put_histogram(FILE *f, uint64_t low, uint64_t high)
{
	const uint32_t bins = (uint32_t)((high - low) / 4);
	const struct gmon_hist_header hist = { low, high, bins, 100, "seconds", { 0 }, 's' };

	fputc(GMON_TAG_TIME_HIST, f);
	fwrite(&hist, sizeof(hist), 1, f);
	for (uint32_t i = 0; i < bins; i++)
		fwrite("\0", 1, 2, f);
}

static void
put_arc(FILE *f, uint64_t from, uint64_t self, uint32_t count)
{
	const struct gmon_arc_record arc = { from, self, count };

	fputc(GMON_TAG_CG_ARC, f);
	fwrite(&arc, sizeof(arc), 1, f);
}

/* The file holds link-time addresses, and those of a PIE begin with 0. */
static uint64_t
load_bias(void)
{
	extern const Elf64_Ehdr __executable_start;

	return __executable_start.e_type == ET_DYN ? (uint64_t)&__executable_start : 0;
}

void
write_arcs(const char *path)
{
	const struct profsup_state *s = &__profsup_state;
	const struct profsup_arcs *a = (const struct profsup_arcs *)s->arcs;
	const uint64_t text = s->low_pc & ~0xffffffffUL, bias = load_bias();
	const struct gmon_file_header header = { GMON_MAGIC, GMON_VERSION, "" };
	FILE *f = fopen(path, "w");
	uint64_t dropped;

	if (f == NULL || a == NULL)
		abort();
	fwrite(&header, sizeof(header), 1, f);
	put_histogram(f, s->low_pc - bias, s->high_pc - bias);
	for (uint64_t i = 0; i < s->places / 4 + a->used; i++) {
		const struct profsup_arc *arc = &a->pool[i];

		if (arc->self != 0 && arc->count != 0)
			put_arc(f, (text | arc->from) - 1 - bias, (text | arc->self) - bias,
			        (uint32_t)arc->count);
	}
	dropped = a->dropped;
	if (fclose(f) != 0 || dropped != 0)
		abort();
}
