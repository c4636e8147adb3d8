/*
 * perf's file, perf.data, as `perf record` leaves it: a header, one event (task-clock), records of
 * the process and of where its code is mapped, samples, and the build id, by which perf knows the
 * program again.
 *
 * A sample is a stack, each once: its period is the time of all its ticks, and perf's shares are
 * those of periods.  What profsup --timeline has noted is a sample of its own, with its time and
 * its thread.  Without stacks it is an address, as the histogram has it; chains of callers worked
 * out by shares have no addresses.
 *
 * SPDX-License-Identifier: ISC
 */
#include "export.h"

#include <elf.h>
#include <endian.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A program can't tell where its libraries were: they are where Linux maps some, one behind the
 * other, with room for what each has besides its code, before and behind that. */
static const uint64_t LIBRARIES = 0x7f0000000000, LIBRARIES_END = 0x7ffff0000000;
static const uint64_t BETWEEN = 64 << 20;

/* PROCESS: perf looks for the mount namespace of a sample's process, if there is one; no process
 * has a number above 4194304.  BIAS: where Linux maps programs that may be anywhere. */
enum { PROCESS = 4194305, PAGE = 4096, MOST_NAME = 16, MOST_BUILD_ID = 20 };
static const uint64_t BIAS = 0x555555554000;

/* What perf does not share with the kernel. */
enum { FEATURE_BUILD_ID = 2, FEATURE_ARCH = 6, FEATURE_COMMAND = 11, ALIGN_NAME = 64 };
enum { MISC_BUILD_ID_SIZE = 1 << 15 };

struct section {
	uint64_t offset, size;
};

struct file_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	struct section attrs, data, event_types;
	uint64_t features[4];
};

struct file_attr {
	uint8_t attr[PERF_ATTR_SIZE_VER5]; /* perf of any age reads it */
	struct section ids;
};

/* Ends each record but a sample. */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
};

struct mmap2 {
	struct perf_event_header head;
	uint32_t pid, tid;
	uint64_t addr, len, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
};

struct sample {
	struct perf_event_header head;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time, period;
};

struct build_id {
	struct perf_event_header head;
	int32_t pid;
	uint8_t id[MOST_BUILD_ID];
	uint8_t size;
	uint8_t reserved[3];
};

_Static_assert(sizeof(struct file_header) == 104 && sizeof(struct file_attr) == 128 &&
                   sizeof(struct mmap2) == 72 && sizeof(struct sample) == 40 &&
                   sizeof(struct build_id) == 36,
               "as perf has them");
_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "as the programs that we know");

struct writer {
	const struct model *m;
	FILE *out;
	bool chains;
	uint64_t first, last; /* times that samples have; 0: they have none, and get one each: */
	uint64_t time;        /* that of all samples so far, which is the same each time */
	struct round ns;
	uint64_t *at; /* where other files are; 0: there is no room for one */
	size_t nobjects;
};

static void
put(struct writer *w, const void *bytes, size_t len)
{
	fwrite(bytes, 1, len, w->out);
}

/* Puts a text and zeros behind it, one at least, up to a multiple. */
static void
put_text(struct writer *w, const char *text, size_t multiple)
{
	static const char zeros[ALIGN_NAME];
	const size_t len = strlen(text);

	put(w, text, len);
	put(w, zeros, multiple - len % multiple);
}

static size_t
text_size(const char *text, size_t multiple)
{
	return (strlen(text) / multiple + 1) * multiple;
}

static void
put_sample_id(struct writer *w)
{
	put(w, &(struct sample_id){ PROCESS, PROCESS, w->first }, sizeof(struct sample_id));
}

static struct perf_event_header
record(uint32_t type, size_t size)
{
	return (struct perf_event_header){ type, PERF_RECORD_MISC_USER, (uint16_t)size };
}

static void
put_thread(struct writer *w, uint32_t thread)
{
	const char *path = w->m->symbols->path, *slash = strrchr(path, '/');
	const uint32_t ids[] = { PROCESS, thread };
	char name[MOST_NAME];
	struct perf_event_header head;

	snprintf(name, sizeof(name), "%s", slash != NULL ? slash + 1 : path);
	head = record(PERF_RECORD_COMM,
	              sizeof(head) + sizeof(ids) + text_size(name, 8) + sizeof(struct sample_id));
	put(w, &head, sizeof(head));
	put(w, ids, sizeof(ids));
	put_text(w, name, 8);
	put_sample_id(w);
}

static int
compare_threads(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The process, and the threads that samples are of. */
static void
put_threads(struct writer *w)
{
	const struct stacks *s = w->m->stacks;
	const size_t n = w->chains ? s->n : 0;
	uint32_t *threads = memory_array(n, sizeof(*threads));

	put_thread(w, PROCESS);
	for (size_t i = 0; i < n; i++)
		threads[i] = s->stack[i].thread;
	if (n > 0)
		qsort(threads, n, sizeof(*threads), compare_threads);
	for (size_t i = 0; i < n; i++)
		if (threads[i] != 0 && (i == 0 || threads[i] != threads[i - 1]))
			put_thread(w, threads[i]);
	free(threads);
}

static uint64_t
bias(const struct writer *w)
{
	return w->m->symbols->pie ? BIAS : 0;
}

/* The pages that a piece of code needs. */
static uint64_t
pages_of(const struct segment *s)
{
	return (s->high - s->low + s->low % PAGE + PAGE - 1) / PAGE * PAGE;
}

/* Code whose first page is at `addr`. */
static void
put_segment(struct writer *w, const char *path, const struct segment *s, uint64_t addr)
{
	const uint64_t before = s->low % PAGE;
	struct mmap2 map = {
		.head = record(PERF_RECORD_MMAP2,
		               sizeof(map) + text_size(path, 8) + sizeof(struct sample_id)),
		.pid = PROCESS,
		.tid = PROCESS,
		.addr = addr,
		.len = pages_of(s),
		.offset = s->offset - (s->offset < before ? s->offset : before),
		.protection = 5, /* read, execute */
		.flags = 2,      /* private */
	};

	put(w, &map, sizeof(map));
	put_text(w, path, 8);
	put_sample_id(w);
}

static struct segment
segment_of(const struct object *o)
{
	return (struct segment){ o->low, o->high, o->offset };
}

static void
place_objects(struct writer *w)
{
	const struct stacks *s = w->m->stacks;
	uint64_t next = LIBRARIES;

	w->nobjects = w->chains ? s->object_names.n : 0;
	w->at = memory_array(w->nobjects, sizeof(*w->at));
	for (size_t i = 0; i < w->nobjects; i++) {
		const struct segment segment = segment_of(&s->objects[i]);
		const uint64_t len = pages_of(&segment);

		const uint64_t before = segment.offset - segment.offset % PAGE;

		if (before + len + BETWEEN >= LIBRARIES_END - next)
			continue;
		w->at[i] = next + before;
		next += before + len + BETWEEN;
	}
}

static void
put_maps(struct writer *w)
{
	const struct symbols *s = w->m->symbols;

	for (size_t i = 0; i < s->nsegments; i++) {
		const uint64_t low = s->segments[i].low;

		put_segment(w, s->path, &s->segments[i], low - low % PAGE + bias(w));
	}
	for (size_t i = 0; i < w->nobjects; i++) {
		const struct object *o = &w->m->stacks->objects[i];
		const struct segment segment = segment_of(o);

		if (w->at[i] != 0)
			put_segment(w, o->path, &segment, w->at[i]);
	}
}

/* Returns an address as it would have been in the process. */
static uint64_t
address(const struct writer *w, uint64_t pc)
{
	const struct symbols *s = w->m->symbols;

	for (size_t i = 0; i < s->nsegments; i++)
		if (pc >= s->segments[i].low && pc < s->segments[i].high)
			return pc + bias(w);
	/* At the end of the address space are not addresses, but marks in chains. */
	return pc >= (uint64_t)PERF_CONTEXT_MAX ? 0 : pc;
}

static uint64_t
address_of(const struct writer *w, const struct place *place)
{
	const struct object *o;

	if (place->function < w->m->stacks->cut)
		return address(w, place->pc);
	if (place->object == 0)
		return 0;
	o = &w->m->stacks->objects[place->object - 1];
	if (w->at[place->object - 1] == 0)
		return 0;
	return w->at[place->object - 1] + o->low % PAGE + (place->pc - o->low);
}

/* Ticks without a time of their own come at the end, if others have one. */
static void
put_sample(struct writer *w, uint64_t ip, double ticks, const struct stack *stack, size_t more)
{
	const bool known = stack != NULL && stack->time != 0;
	struct sample sample = {
		.head = record(PERF_RECORD_SAMPLE, sizeof(sample) + more),
		.ip = ip,
		.pid = PROCESS,
		.tid = stack != NULL && stack->thread != 0 ? stack->thread : PROCESS,
		.period = round_take(&w->ns, model_seconds(w->m, ticks) * 1e9),
	};

	if (w->last == 0)
		sample.time = w->time += sample.period;
	else
		sample.time = known ? stack->time : w->last;
	put(w, &sample, sizeof(sample));
}

/* The innermost frame is first, behind a mark.  A frame that stands for those that are cut off has
 * no address. */
static void
put_stack(struct writer *w, const struct stack *stack)
{
	const struct stacks *s = w->m->stacks;
	const struct place *end = &s->places[s->frames[stack->at + stack->n - 1]];
	uint64_t chain[MOST_STACK + 2];
	size_t n = 1;

	chain[n++] = (uint64_t)PERF_CONTEXT_USER;
	for (uint32_t i = stack->n; i-- > 0;) {
		const struct place *place = &s->places[s->frames[stack->at + i]];

		if (place->function != s->cut)
			chain[n++] = address_of(w, place);
	}
	chain[0] = n - 1;
	put_sample(w, address_of(w, end), (double)stack->ticks, stack, n * sizeof(*chain));
	put(w, chain, n * sizeof(*chain));
}

/* Functions of what is no file, or could not be read, have names and no addresses. */
static void
note_others(const struct writer *w)
{
	const struct stacks *s = w->m->stacks;
	uint64_t ticks = 0;

	for (size_t i = 0; i < s->n; i++) {
		const uint32_t end = s->frames[s->stack[i].at + s->stack[i].n - 1];

		if (s->places[end].function > s->no_room && address_of(w, &s->places[end]) == 0)
			ticks += s->stack[i].ticks;
	}
	if (ticks > 0)
		note("perf: no room for functions without an address in a file: they have %ju of "
		     "%ju ticks, at the address 0",
		     (uintmax_t)ticks, (uintmax_t)(s->ticks - s->runtime_ticks));
}

static void
find_times(struct writer *w)
{
	const struct stacks *s = w->m->stacks;

	for (size_t i = 0; w->chains && i < s->n; i++) {
		const uint64_t time = s->stack[i].time;

		if (time != 0 && (w->first == 0 || time < w->first))
			w->first = time;
		if (time > w->last)
			w->last = time;
	}
}

static void
put_data(struct writer *w)
{
	const struct model *m = w->m;

	find_times(w);
	put_threads(w);
	put_maps(w);
	for (size_t i = 0; w->chains && i < m->stacks->n; i++)
		put_stack(w, &m->stacks->stack[i]);
	for (size_t i = 0; !w->chains && i < m->nspots; i++)
		put_sample(w, address(w, m->spots[i].pc), m->spots[i].ticks, NULL, 0);
}

static void
put_attr(struct writer *w)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(((struct file_attr *)0)->attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = 1000000000 / w->m->gmon->rate,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		               PERF_SAMPLE_PERIOD | (w->chains ? PERF_SAMPLE_CALLCHAIN : 0),
		.disabled = 1,
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.comm = 1,
		.task = 1,
		.sample_id_all = 1,
		.mmap2 = 1,
	};
	struct file_attr in_file = { .ids = { 0, 0 } };

	memcpy(in_file.attr, &attr, sizeof(in_file.attr));
	put(w, &in_file, sizeof(in_file));
}

/* Empty: perf has no name for it. */
static const char *
machine_name(const struct writer *w)
{
	return w->m->symbols->machine == EM_X86_64    ? "x86_64"
	       : w->m->symbols->machine == EM_AARCH64 ? "aarch64"
	                                              : "";
}

static void
put_string(struct writer *w, const char *text)
{
	const uint32_t size = (uint32_t)text_size(text, ALIGN_NAME);

	put(w, &size, sizeof(size));
	put_text(w, text, ALIGN_NAME);
}

static void
put_arch(struct writer *w)
{
	put_string(w, machine_name(w));
}

/* Who made the file.  hotspot complains if nobody did. */
static void
put_command(struct writer *w)
{
	const char *words[] = { "profsup-export", "--format=perf", w->m->symbols->path };
	const uint32_t n = sizeof(words) / sizeof(*words);

	put(w, &n, sizeof(n));
	for (uint32_t i = 0; i < n; i++)
		put_string(w, words[i]);
}

static bool
is_build_id(const char *hex)
{
	const size_t len = strlen(hex);

	return len > 0 && len <= (size_t)2 * MOST_BUILD_ID && len % 2 == 0 &&
	       strspn(hex, "0123456789abcdef") == len;
}

static void
put_build_id(struct writer *w, const char *path, const char *hex)
{
	struct build_id b = {
		.head = { .misc = PERF_RECORD_MISC_USER | MISC_BUILD_ID_SIZE,
		          .size = (uint16_t)(sizeof(b) + text_size(path, ALIGN_NAME)) },
		.pid = -1, /* this machine, and no guest */
	};

	for (; *hex != '\0'; hex += 2) {
		const char byte[] = { hex[0], hex[1], '\0' };

		b.id[b.size++] = (uint8_t)strtoul(byte, NULL, 16);
	}
	put(w, &b, sizeof(b));
	put_text(w, path, ALIGN_NAME);
}

static bool
has_build_ids(const struct writer *w)
{
	bool any = is_build_id(w->m->symbols->build_id);

	for (size_t i = 0; i < w->nobjects && !any; i++)
		any = w->at[i] != 0 && is_build_id(w->m->stacks->objects[i].build_id);
	return any;
}

static void
put_build_ids(struct writer *w)
{
	const struct symbols *s = w->m->symbols;

	if (is_build_id(s->build_id))
		put_build_id(w, s->path, s->build_id);
	for (size_t i = 0; i < w->nobjects; i++) {
		const struct object *o = &w->m->stacks->objects[i];

		if (w->at[i] != 0 && is_build_id(o->build_id))
			put_build_id(w, o->path, o->build_id);
	}
}

/* The features, whose places stand before them, in the order of their numbers.  Returns their bits.
 */
static uint64_t
put_features(struct writer *w)
{
	const struct {
		bool there;
		int bit;
		void (*put)(struct writer *w);
	} all[] = {
		{ has_build_ids(w), FEATURE_BUILD_ID, put_build_ids },
		{ *machine_name(w) != '\0', FEATURE_ARCH, put_arch },
		{ true, FEATURE_COMMAND, put_command },
	};
	enum { MOST = sizeof(all) / sizeof(*all) };
	struct section places[MOST] = { 0 };
	const uint64_t table = (uint64_t)ftello(w->out);
	uint64_t bits = 0;
	size_t n = 0;

	for (size_t i = 0; i < MOST; i++)
		n += all[i].there;
	put(w, places, n * sizeof(*places));
	n = 0;
	for (size_t i = 0; i < MOST; i++) {
		if (!all[i].there)
			continue;
		places[n].offset = (uint64_t)ftello(w->out);
		all[i].put(w);
		places[n].size = (uint64_t)ftello(w->out) - places[n].offset;
		bits |= UINT64_C(1) << all[i].bit;
		n++;
	}
	memory_file_pass(w->out, table);
	put(w, places, n * sizeof(*places));
	return bits;
}

/* The header tells where all else is, and is written again when that is known. */
void
perf_write(const struct model *m, FILE *out)
{
	struct writer w = { .m = m, .out = out, .chains = m->stacks != NULL };
	struct file_header head = {
		.magic = "PERFILE2",
		.size = sizeof(head),
		.attr_size = sizeof(struct file_attr),
		.attrs = { sizeof(head), sizeof(struct file_attr) },
		.data = { .offset = sizeof(head) + sizeof(struct file_attr) },
	};

	/* Where no calls were counted none are lost. */
	if (m->calls > 0)
		note("perf: no room for the calls%s",
		     w.chains ? "" : "; without files of stacks samples have no callers");
	else if (!w.chains)
		note("perf: without files of stacks samples have no callers");
	place_objects(&w);
	if (w.chains)
		note_others(&w);
	if (!is_build_id(m->symbols->build_id))
		note("perf: no build ID, by which perf would know %s from other programs",
		     m->symbols->program);
	put(&w, &head, sizeof(head));
	put_attr(&w);
	put_data(&w);
	head.data.size = (uint64_t)ftello(out) - head.data.offset;
	head.features[0] = put_features(&w);
	memory_file_pass(out, 0);
	put(&w, &head, sizeof(head));
	free(w.at);
}
