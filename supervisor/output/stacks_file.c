/*
 * The file of call stacks beside a gmon file: what of the stacks is written, and as what
 * (common/pprof_write.c).
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include "functions.h"
#include "hexadecimal.h"
#include "pprof_write.h"
#include "stackfile.h"

#include <stdio.h>
#include <stdlib.h>

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

/* What the file has already. */
struct known {
	uint64_t what; /* a frame, or an object's or a function's number, by secret_mix() */
	uint64_t id;
	const struct symtab *names; /* an object's; NULL: there are none */
	UT_hash_handle hh;
};

struct writer {
	const struct counts *what;
	const struct image_id *image; /* whose stacks they are */
	const char *program;
	unsigned hz;
	uint64_t time_ns;   /* when the file is made, since 1970 */
	uint64_t monotonic; /* the same moment by the samples' clock */
	struct pprof_file *out;
	struct known *objects, *locations, *functions;
	bool waits; /* samples have those, too */
	bool failed;
};

/* Returns the entry for `key`; *is_new if it has just been made, without its id.  NULL without
 * memory. */
static struct known *
know(struct writer *w, struct known **all, uint64_t key, bool *is_new)
{
	const uint64_t what = secret_mix(key);
	struct known *k;

	HASH_FIND(hh, *all, &what, sizeof(what), k);
	*is_new = k == NULL;
	if (k != NULL || (k = calloc(1, sizeof(*k))) == NULL) {
		w->failed |= k == NULL;
		return k;
	}
	k->what = what;
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
	struct known *k = know(w, &w->functions, number, &is_new);
	uint64_t text;

	if (k == NULL || !is_new)
		return k == NULL ? 0 : k->id;
	text = pprof_put_text(w->out, name);
	k->id = pprof_put_function(w->out, &(struct pprof_function){ text, text, 0, 0 });
	return k->id;
}

/* Returns a path's number in the file, whose texts are fit for a terminal. */
static uint64_t
put_path(const struct writer *w, const char *path)
{
	char text[WRITTEN_MOST];

	snprintf(text, sizeof(text), "%s", path);
	symname_clean(text);
	return pprof_put_text(w->out, text);
}

static void
say_program(const struct writer *w, struct pprof_mapping *m, char *build_id)
{
	m->low = w->what->low_pc - w->what->bias;
	m->high = w->what->high_pc - w->what->bias;
	m->file = put_path(w, w->program);
	hexadecimal(w->image->build_id, w->image->build_id_len, build_id);
}

static void
say_mapped(const struct writer *w, uint32_t number, const struct symtab *t, struct pprof_mapping *m,
           char *build_id)
{
	const char *path = objects_path(number);

	m->high = 1ULL << FRAME_BITS;
	m->file = put_path(w, path == NULL ? "[no file]" : path);
	if (t == NULL)
		return;
	symtab_code(t, &m->low, &m->high, &m->offset);
	hexadecimal(symtab_id(t)->build_id, symtab_id(t)->build_id_len, build_id);
}

/* Returns what the file has of an object; NULL without memory. */
static const struct known *
object(struct writer *w, uint32_t number)
{
	char build_id[2 * BUILD_ID_MOST + 1] = "";
	struct pprof_mapping m = { 0 };
	bool is_new;
	struct known *k = know(w, &w->objects, number, &is_new);

	if (k == NULL || !is_new)
		return k;
	k->names = objects_table(w->image, number);
	m.has_functions = k->names != NULL;
	if (number == OBJECT_PROGRAM)
		say_program(w, &m, build_id);
	else
		say_mapped(w, number, k->names, &m, build_id);
	m.build_id = pprof_put_text(w->out, build_id);
	k->id = pprof_put_mapping(w->out, &m);
	return k;
}

/* Returns the name of a frame that stands for frames that are not known, or for what a thread has
 * waited in: it has no address.  NULL: it is a real one. */
static const char *
pseudo_name(uint64_t frame, char *name, size_t size)
{
	const uint32_t wait = (uint32_t)frame_address(frame);
	const char *call = wait < syscall_names_n ? syscall_names[wait] : NULL;

	if (frame == STACK_CUT)
		return STACKFILE_CUT;
	if (frame == STACK_HOMELESS)
		return STACKFILE_NO_ROOM;
	if (frame_object(frame) != OBJECT_WAITS)
		return NULL;
	if (wait == WAIT_NO_CALL)
		return STACKFILE_NO_CALL;
	if (wait == WAIT_UNSEEN)
		return STACKFILE_UNSEEN;
	if (wait == WAIT_FOR_CPU)
		return STACKFILE_FOR_CPU;
	if (call != NULL)
		snprintf(name, size, "[%s]", call);
	else
		snprintf(name, size, "[syscall %u]", wait);
	return name;
}

/* Functions of all objects have numbers of their own in the file. */
static uint64_t
real_location(struct writer *w, uint64_t frame, struct pprof_location *l)
{
	const struct known *o = object(w, frame_object(frame));
	uint32_t number;

	if (o == NULL)
		return 0;
	l->mapping = o->id;
	l->address = frame_address(frame);
	if (o->names == NULL)
		return 0;
	number = symtab_at(o->names, l->address);
	return function(w, o->id << 32 | number, symtab_name(o->names, number));
}

/* Returns a location's number in the file. */
static uint64_t
location(struct writer *w, uint64_t frame)
{
	bool is_new;
	struct known *k = know(w, &w->locations, frame, &is_new);
	struct pprof_location l = { 0 };
	struct pprof_line line = { 0 };
	const char *name;
	char text[64];

	if (k == NULL || !is_new)
		return k == NULL ? 0 : k->id;
	name = pseudo_name(frame, text, sizeof(text));
	line.function = name != NULL ? function(w, frame, name) : real_location(w, frame, &l);
	l.lines = &line;
	l.nlines = line.function != 0;
	k->id = pprof_put_location(w->out, &l);
	return k->id;
}

/* `moment`: NULL if the sample has no time. */
static void
write_sample(struct writer *w, const struct stack_node *n, uint64_t ticks,
             const struct waits *waits, const struct moment *moment)
{
	uint64_t frames[STACK_FRAMES + 1]; /* they may begin with STACK_CUT */
	size_t nframes = 0;
	const uint64_t values[] = {
		ticks,
		(uint64_t)((unsigned __int128)ticks * NSEC / w->hz),
		waits->blocked,
		waits->runnable,
	};
	struct pprof_label labels[] = { { TEXT_TIME, TEXT_NANOSECONDS, 0 },
		                        { TEXT_THREAD, TEXT_NONE, 0 } };

	if (moment != NULL) {
		labels[0].number = w->time_ns - (w->monotonic - moment->time);
		labels[1].number = (uint64_t)moment->tid;
	}
	for (; n != NULL && nframes <= STACK_FRAMES; n = n->key.caller)
		frames[nframes++] = location(w, n->pc);
	pprof_put_sample(w->out, &(struct pprof_sample){ .locations = frames,
	                                                 .nlocations = nframes,
	                                                 .values = values,
	                                                 .nvalues = w->waits ? 4 : 2,
	                                                 .labels = labels,
	                                                 .nlabels = moment != NULL ? 2 : 0 });
}

/* Writes what has no time. */
static void
write_untimed(struct writer *w, const struct stack_node *n)
{
	if (n->ticks > n->timed || n->waits.blocked != 0 || n->waits.runnable != 0)
		write_sample(w, n, n->ticks - n->timed, &n->waits, NULL);
}

static void
write_samples(struct writer *w)
{
	const struct stacks *s = &w->what->stacks;
	const struct stack_node homeless = { .pc = STACK_HOMELESS,
		                             .ticks = s->homeless,
		                             .waits = s->homeless_waits };

	for (const struct stack_node *n = s->nodes; n != NULL; n = n->hh.next)
		write_untimed(w, n);
	for (size_t i = 0; i < s->timeline.n; i++) {
		const struct moment *m = &s->timeline.moment[i];

		write_sample(w, m->node, m->ticks, &m->waits, m);
	}
	write_untimed(w, &homeless);
}

static void
write_head(struct writer *w)
{
	static const char *const texts[] = { "samples", "count",  "cpu",     "nanoseconds",
		                             "time",    "thread", "blocked", "runnable" };
	const uint64_t since = w->what->since;
	const uint64_t duration = since < w->monotonic ? w->monotonic - since : 0;
	struct pprof_file *out = w->out;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		pprof_put_text(out, texts[i]);
	pprof_put_type(out, PPROF_SAMPLE_TYPE, TEXT_SAMPLES, TEXT_COUNT);
	pprof_put_type(out, PPROF_SAMPLE_TYPE, TEXT_CPU, TEXT_NANOSECONDS);
	if (w->waits) {
		pprof_put_type(out, PPROF_SAMPLE_TYPE, TEXT_BLOCKED, TEXT_NANOSECONDS);
		pprof_put_type(out, PPROF_SAMPLE_TYPE, TEXT_RUNNABLE, TEXT_NANOSECONDS);
	}
	pprof_put_type(out, PPROF_PERIOD_TYPE, TEXT_CPU, TEXT_NANOSECONDS);
	pprof_put_number(out, PPROF_PERIOD, NSEC / w->hz);
	/* When the file's time has begun, and how long it was: by that collectors know that the
	 * file is of this time alone, and that several may be added up. */
	pprof_put_number(out, PPROF_TIME, w->time_ns - duration);
	pprof_put_number(out, PPROF_DURATION, duration);
	pprof_put_number(out, PPROF_DEFAULT_TYPE, TEXT_CPU);
	object(w, OBJECT_PROGRAM); /* the first mapping is the program's */
}

/* -1: no memory. */
static int
write_file(struct writer *w, FILE *to)
{
	w->out = pprof_begin(to);
	if (w->out == NULL)
		return -1;
	write_head(w);
	write_samples(w);
	forget(&w->objects);
	forget(&w->locations);
	forget(&w->functions);
	return pprof_end(w->out) < 0 || w->failed ? -1 : 0;
}

/* Makes the bytes of the file.  -1: no memory. */
int
stacks_file_encode(const struct counts *what, const struct image_id *image, const char *program,
                   unsigned hz, struct buffer *out)
{
	struct writer w = { .what = what,
		            .image = image,
		            .program = program,
		            .hz = hz,
		            .time_ns = clock_ns(CLOCK_REALTIME),
		            .monotonic = clock_now(),
		            .waits = what->stacks.has_waits };
	char *data = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&data, &len);
	int ret = to == NULL ? -1 : write_file(&w, to);

	if (to != NULL && fclose(to) != 0)
		ret = -1;
	if (ret == 0 && (ret = buffer_new(out, len)) == 0)
		buffer_put(out, data, len);
	free(data);
	return ret;
}
