/*
 * The file of call stacks: pprof's format, a protocol buffer (profile.proto) compressed by gzip.
 *
 * A few fields are written here by hand rather than by a library: the process that writes them has
 * privileges, and needs no reader of such files.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"

#include "stackfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Field numbers of profile.proto. */
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION };
enum { PROFILE_FUNCTION = 5, PROFILE_STRING, PROFILE_TIME = 9, PROFILE_DURATION };
enum { PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD, PROFILE_DEFAULT_TYPE = 14 };
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_NUMBER = 3, LABEL_UNIT };
enum { MAPPING_ID = 1, MAPPING_START, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILE };
enum { MAPPING_BUILD_ID = 6 };
enum { MAPPING_HAS_FUNCTIONS = 7 };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME };

/* Numbers of the texts that each file begins with, in this order. */
enum {
	TEXT_NONE,
	TEXT_SAMPLES,
	TEXT_COUNT,
	TEXT_CPU,
	TEXT_NANOSECONDS,
	TEXT_TIME,
	TEXT_THREAD,
	TEXT_BLOCKED,
	TEXT_RUNNABLE
};

/* In the low bits of a field's tag: nothing for a number, and this for bytes. */
enum { BYTES = 2 };

/* A message inside of the file; a stack is the longest. */
struct message {
	uint8_t data[10 * (STACK_FRAMES + 16)];
	size_t len;
};

/* What the file has already. */
struct known {
	uint64_t what; /* a frame, or an object's or a function's number, by stacks_mix() */
	uint64_t id;
	const void *names; /* an object's */
	UT_hash_handle hh;
};

struct writer {
	const struct stacks_file *file;
	FILE *out;
	struct known *objects, *locations, *functions;
	uint64_t texts;
	bool waits; /* samples have those, too */
	bool failed;
};

static void
put_number(struct message *m, uint64_t n)
{
	do
		m->data[m->len++] = (uint8_t)(n | (n > 0x7f ? 0x80 : 0));
	while ((n >>= 7) != 0);
}

static void
put(struct message *m, unsigned field, uint64_t n)
{
	put_number(m, field << 3);
	put_number(m, n);
}

static void
put_packed(struct message *m, unsigned field, const struct message *numbers)
{
	put_number(m, field << 3 | BYTES);
	put_number(m, numbers->len);
	memcpy(m->data + m->len, numbers->data, numbers->len);
	m->len += numbers->len;
}

static void
write_bytes(struct writer *w, unsigned field, const void *data, size_t len)
{
	struct message head = { .len = 0 };

	put_number(&head, field << 3 | BYTES);
	put_number(&head, len);
	fwrite(head.data, 1, head.len, w->out);
	fwrite(data, 1, len, w->out);
}

static void
write_number(struct writer *w, unsigned field, uint64_t n)
{
	struct message m = { .len = 0 };

	put(&m, field, n);
	fwrite(m.data, 1, m.len, w->out);
}

static void
write_message(struct writer *w, unsigned field, const struct message *m)
{
	write_bytes(w, field, m->data, m->len);
}

static uint64_t
write_text(struct writer *w, const char *text)
{
	write_bytes(w, PROFILE_STRING, text, strlen(text));
	return w->texts++;
}

/* Returns the entry for `key`; *is_new if it has just been made.  NULL without memory. */
static struct known *
know(struct writer *w, struct known **all, uint64_t key, bool *is_new)
{
	const uint64_t what = stacks_mix(key);
	struct known *k;

	HASH_FIND(hh, *all, &what, sizeof(what), k);
	*is_new = k == NULL;
	if (k != NULL || (k = calloc(1, sizeof(*k))) == NULL) {
		w->failed |= k == NULL;
		return k;
	}
	k->what = what;
	k->id = HASH_COUNT(*all) + 1;
	HASH_ADD(hh, *all, what, sizeof(k->what), k);
	if (k->hh.tbl == NULL) {
		free(k);
		w->failed = true;
		return NULL;
	}
	return k;
}

static void
forget(struct known **all)
{
	struct known *k, *next;

	HASH_ITER (hh, *all, k, next) {
		HASH_DEL(*all, k); /* NOLINT(*-unix.Malloc): uthash resets the head */
		free(k);
	}
}

/* Returns a function's number in the file. */
static uint64_t
function(struct writer *w, uint64_t number, const char *name)
{
	bool is_new;
	const struct known *k = know(w, &w->functions, number, &is_new);
	struct message m = { .len = 0 };
	uint64_t text;

	if (k == NULL || !is_new)
		return k == NULL ? 0 : k->id;
	text = write_text(w, name);
	put(&m, FUNCTION_ID, k->id);
	put(&m, FUNCTION_NAME, text);
	put(&m, FUNCTION_SYSTEM_NAME, text);
	write_message(w, PROFILE_FUNCTION, &m);
	return k->id;
}

/* Returns what the file has of an object; NULL without memory. */
static const struct known *
object(struct writer *w, uint32_t number)
{
	bool is_new;
	struct known *k = know(w, &w->objects, number, &is_new);
	struct message m = { .len = 0 };
	struct stacks_object o = { 0 };
	uint64_t file, build_id;

	if (k == NULL || !is_new)
		return k;
	w->file->object(w->file->arg, number, &o);
	k->names = o.names;
	file = write_text(w, o.file);
	build_id = write_text(w, o.build_id);
	put(&m, MAPPING_ID, k->id);
	put(&m, MAPPING_START, o.low);
	put(&m, MAPPING_LIMIT, o.high);
	put(&m, MAPPING_OFFSET, o.offset);
	put(&m, MAPPING_FILE, file);
	put(&m, MAPPING_BUILD_ID, build_id);
	put(&m, MAPPING_HAS_FUNCTIONS, k->names != NULL);
	write_message(w, PROFILE_MAPPING, &m);
	return k;
}

/* Functions of all objects have numbers of their own in the file. */
static uint64_t
function_at(struct writer *w, const struct known *object, uint64_t address)
{
	uint32_t number;

	if (object->names == NULL)
		return 0;
	number = w->file->function(object->names, address);
	return function(w, object->id << 32 | number, w->file->name(object->names, number));
}

static bool
is_wait(uint64_t frame)
{
	return frame_object(frame) == OBJECT_WAITS;
}

/* A frame that stands for frames that are not known, or for a wait, has a name and no address. */
static uint64_t
pseudo_location(struct writer *w, uint64_t frame)
{
	const uint64_t none = UINT64_MAX;

	if (is_wait(frame))
		return function(w, frame, w->file->wait((uint32_t)frame_address(frame)));
	return frame == STACK_CUT ? function(w, none, STACKFILE_CUT)
	                          : function(w, none - 1, STACKFILE_NO_ROOM);
}

static uint64_t
real_location(struct writer *w, uint64_t frame, struct message *m)
{
	const struct known *o = object(w, frame_object(frame));

	if (o == NULL)
		return 0;
	put(m, LOCATION_MAPPING, o->id);
	put(m, LOCATION_ADDRESS, frame_address(frame));
	return function_at(w, o, frame_address(frame));
}

/* Returns a location's number in the file. */
static uint64_t
location(struct writer *w, uint64_t frame)
{
	bool is_new;
	const struct known *k = know(w, &w->locations, frame, &is_new);
	struct message m = { .len = 0 }, line = { .len = 0 };
	uint64_t at;

	if (k == NULL || !is_new)
		return k == NULL ? 0 : k->id;
	put(&m, LOCATION_ID, k->id);
	at = frame == STACK_CUT || frame == STACK_HOMELESS || is_wait(frame)
	         ? pseudo_location(w, frame)
	         : real_location(w, frame, &m);
	if (at != 0) {
		put(&line, LINE_FUNCTION, at);
		put_packed(&m, LOCATION_LINE, &line);
	}
	write_message(w, PROFILE_LOCATION, &m);
	return k->id;
}

static void
put_label(struct message *m, uint64_t key, uint64_t number, uint64_t unit)
{
	struct message label = { .len = 0 };

	put(&label, LABEL_KEY, key);
	put(&label, LABEL_NUMBER, number);
	if (unit != TEXT_NONE)
		put(&label, LABEL_UNIT, unit);
	put_packed(m, SAMPLE_LABEL, &label);
}

/* `moment`: NULL if the sample has no time. */
static void
write_sample(struct writer *w, const struct message *locations, uint64_t ticks,
             const struct waits *waits, const struct moment *moment)
{
	struct message m = { .len = 0 }, values = { .len = 0 };

	put_number(&values, ticks);
	put_number(&values, (uint64_t)((unsigned __int128)ticks * 1000000000 / w->file->hz));
	if (w->waits) {
		put_number(&values, waits->blocked);
		put_number(&values, waits->runnable);
	}
	put_packed(&m, SAMPLE_LOCATIONS, locations);
	put_packed(&m, SAMPLE_VALUES, &values);
	if (moment != NULL) {
		const uint64_t since = w->file->monotonic - moment->time;

		put_label(&m, TEXT_TIME, (uint64_t)w->file->time_ns - since, TEXT_NANOSECONDS);
		put_label(&m, TEXT_THREAD, (uint64_t)moment->tid, TEXT_NONE);
	}
	write_message(w, PROFILE_SAMPLE, &m);
}

static void
put_stack(struct writer *w, struct message *locations, const struct stack_node *n)
{
	locations->len = 0;
	for (; n != NULL; n = n->key.caller)
		put_number(locations, location(w, n->pc));
}

static bool
has_waits(const struct waits *waits)
{
	return waits->blocked != 0 || waits->runnable != 0;
}

static void
write_samples(struct writer *w, const struct stacks *s)
{
	struct message locations;

	for (const struct stack_node *n = s->nodes; n != NULL; n = n->hh.next)
		if (n->ticks > n->timed || has_waits(&n->waits)) {
			put_stack(w, &locations, n);
			write_sample(w, &locations, n->ticks - n->timed, &n->waits, NULL);
		}
	for (size_t i = 0; i < s->timeline.n; i++) {
		const struct moment *m = &s->timeline.moment[i];

		put_stack(w, &locations, m->node);
		write_sample(w, &locations, m->ticks, &m->waits, m);
	}
	if (s->homeless == 0 && !has_waits(&s->homeless_waits))
		return;
	locations.len = 0;
	put_number(&locations, location(w, STACK_HOMELESS));
	write_sample(w, &locations, s->homeless, &s->homeless_waits, NULL);
}

static void
write_type(struct writer *w, unsigned field, uint64_t type, uint64_t unit)
{
	struct message m = { .len = 0 };

	put(&m, TYPE_TYPE, type);
	put(&m, TYPE_UNIT, unit);
	write_message(w, field, &m);
}

/* When the file's time has begun, and how long it was: by that collectors know that the file is of
 * this time alone, and that several may be added up. */
static void
write_time(struct writer *w)
{
	const struct stacks_file *f = w->file;
	const uint64_t duration = f->since < f->monotonic ? f->monotonic - f->since : 0;

	write_number(w, PROFILE_TIME, (uint64_t)f->time_ns - duration);
	write_number(w, PROFILE_DURATION, duration);
}

static void
write_head(struct writer *w)
{
	const struct stacks_file *f = w->file;
	static const char *const texts[] = { "",     "samples", "count",   "cpu",     "nanoseconds",
		                             "time", "thread",  "blocked", "runnable" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		write_text(w, texts[i]);
	write_type(w, PROFILE_SAMPLE_TYPE, TEXT_SAMPLES, TEXT_COUNT);
	write_type(w, PROFILE_SAMPLE_TYPE, TEXT_CPU, TEXT_NANOSECONDS);
	if (w->waits) {
		write_type(w, PROFILE_SAMPLE_TYPE, TEXT_BLOCKED, TEXT_NANOSECONDS);
		write_type(w, PROFILE_SAMPLE_TYPE, TEXT_RUNNABLE, TEXT_NANOSECONDS);
	}
	write_type(w, PROFILE_PERIOD_TYPE, TEXT_CPU, TEXT_NANOSECONDS);
	write_number(w, PROFILE_PERIOD, 1000000000 / f->hz);
	write_time(w);
	write_number(w, PROFILE_DEFAULT_TYPE, TEXT_CPU);
	object(w, OBJECT_PROGRAM); /* the first mapping is the program's */
}

static int
compress_to(char *data, size_t len, struct buffer *out)
{
	z_stream z = { .next_in = (Bytef *)data, .avail_in = (uInt)len };
	uint8_t block[4096];
	int ret;

	if (len > UINT32_MAX || deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16,
	                                     8, Z_DEFAULT_STRATEGY) != Z_OK)
		return -1;
	ret = buffer_new(out, deflateBound(&z, len)) < 0 ? Z_MEM_ERROR : Z_OK;
	while (ret == Z_OK) {
		z.next_out = block;
		z.avail_out = sizeof(block);
		ret = deflate(&z, Z_FINISH);
		buffer_put(out, block, sizeof(block) - z.avail_out);
	}
	deflateEnd(&z);
	return ret == Z_STREAM_END ? 0 : -1;
}

/* Makes the bytes of a file.  -1: no memory. */
int
pprof_encode(const struct stacks *s, const struct stacks_file *file, struct buffer *out)
{
	struct writer w = { .file = file, .waits = s->has_waits };
	char *data = NULL;
	size_t len = 0;
	int ret;

	w.out = open_memstream(&data, &len);
	if (w.out == NULL)
		return -1;
	write_head(&w);
	write_samples(&w, s);
	w.failed |= ferror(w.out) != 0;
	w.failed |= fclose(w.out) != 0;
	forget(&w.objects);
	forget(&w.locations);
	forget(&w.functions);
	ret = w.failed ? -1 : compress_to(data, len, out);
	free(data);
	return ret;
}
