/*
 * The contents of the file of call stacks beside a gmon file.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include <stdio.h>

static void
in_hexadecimal(const struct image_id *id, char *text)
{
	text[0] = '\0';
	for (size_t i = 0; i < id->build_id_len; i++)
		snprintf(text + 2 * i, 3, "%02x", id->build_id[i]);
}

static uint32_t
function_at(const void *table, uint64_t pc)
{
	uint64_t end;

	return symtab_at(table, pc, &end);
}

static const char *
name_of(const void *table, uint32_t function)
{
	return symtab_function(table, function).name;
}

/* Makes the bytes of the file.  -1: no memory. */
int
stacks_file_encode(const struct counts *what, const struct image_id *image,
                   const struct symtab *names, const char *program, unsigned hz, struct buffer *out)
{
	char build_id[2 * BUILD_ID_MOST + 1];
	const struct stacks_file file = {
		.hz = hz,
		.time_ns = (int64_t)time(NULL) * 1000000000,
		.low = what->low_pc - what->bias,
		.high = what->high_pc - what->bias,
		.program = program,
		.build_id = build_id,
		.names = { names, function_at, name_of },
	};

	in_hexadecimal(image, build_id);
	return pprof_encode(&what->stacks, &file, out);
}
