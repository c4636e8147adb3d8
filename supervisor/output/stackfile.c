/*
 * The file of call stacks beside a gmon file: its name and its contents.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include <stdio.h>
#include <string.h>

/* gmon.PROG.PID.out has stacks.PROG.PID.pb.gz beside it, so that gmon.* is for gprof; another name
 * gets .pb.gz at its end. */
void
stackfile_name(const char *gmon, char *name, size_t size)
{
	const size_t len = strlen(gmon);

	if (len > 9 && strncmp(gmon, "gmon.", 5) == 0 && strcmp(gmon + len - 4, ".out") == 0)
		snprintf(name, size, "stacks.%.*s.pb.gz", (int)(len - 9), gmon + 5);
	else
		snprintf(name, size, "%s.pb.gz", gmon);
}

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
stackfile_encode(const struct counts *what, const struct image_id *image,
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
