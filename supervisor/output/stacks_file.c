/*
 * The contents of the file of call stacks beside a gmon file.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include "hexadecimal.h"
#include "stackfile.h"

#include <stdio.h>

/* Whose stacks they are. */
struct subject {
	const struct counts *what;
	const struct image_id *image;
	const char *program;
};

static void
say_program(const struct subject *s, struct stacks_object *o)
{
	o->low = s->what->low_pc - s->what->bias;
	o->high = s->what->high_pc - s->what->bias;
	snprintf(o->file, sizeof(o->file), "%s", s->program);
	hexadecimal(s->image->build_id, s->image->build_id_len, o->build_id);
}

static void
say_mapped(uint32_t number, struct stacks_object *o)
{
	const struct symtab *t = o->names;
	const char *path = objects_path(number);
	const uint8_t *id;
	size_t len;

	o->high = 1ULL << FRAME_BITS;
	log_safe(path == NULL ? "[no file]" : path, o->file, sizeof(o->file));
	if (t == NULL)
		return;
	symtab_code(t, &o->low, &o->high, &o->offset);
	len = symtab_build_id(t, &id);
	hexadecimal(id, len, o->build_id);
}

static void
say_object(const void *arg, uint32_t number, struct stacks_object *o)
{
	const struct subject *s = arg;

	o->names = objects_table(s->image, number);
	if (number == OBJECT_PROGRAM)
		say_program(s, o);
	else
		say_mapped(number, o);
}

static uint32_t
function_at(const void *names, uint64_t address)
{
	return symtab_at(names, address);
}

static const char *
name_of(const void *names, uint32_t function)
{
	return symtab_name(names, function);
}

/* What a thread has waited in. */
static const char *
wait_name(uint32_t frame)
{
	static char name[64];
	const char *call = frame < WAIT_NO_CALL ? syscall_name(frame) : NULL;

	if (frame == WAIT_NO_CALL)
		return STACKFILE_NO_CALL;
	if (frame == WAIT_UNSEEN)
		return STACKFILE_UNSEEN;
	if (frame == WAIT_FOR_CPU)
		return STACKFILE_FOR_CPU;
	if (call != NULL)
		snprintf(name, sizeof(name), "[%s]", call);
	else
		snprintf(name, sizeof(name), "[syscall %u]", frame);
	return name;
}

/* Makes the bytes of the file.  -1: no memory. */
int
stacks_file_encode(const struct counts *what, const struct image_id *image, const char *program,
                   unsigned hz, struct buffer *out)
{
	const struct subject subject = { what, image, program };
	const struct stacks_file file = {
		.hz = hz,
		.time_ns = (int64_t)clock_ns(CLOCK_REALTIME),
		.monotonic = clock_now(),
		.since = what->since,
		.arg = &subject,
		.object = say_object,
		.function = function_at,
		.name = name_of,
		.wait = wait_name,
	};

	return pprof_encode(&what->stacks, &file, out);
}
