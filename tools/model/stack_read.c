/*
 * Files of stacks, which profsup -g writes beside gmon files: pprof's format, compressed by gzip.
 * Such a file may be anybody's, like all others.
 *
 * Of a file's functions only the names of pseudo frames are looked at; all others are found by
 * address, so that they are the same here as in the rest of the profile.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "functions.h"
#include "profile.pb-c.h"
#include "stackfile.h"

#include <err.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef Perftools__Profiles__Profile Profile;
typedef Perftools__Profiles__ValueType ValueType;
typedef Perftools__Profiles__Sample Sample;
typedef Perftools__Profiles__Location Location;
typedef Perftools__Profiles__Mapping Mapping;

/* Bytes of a file when inflated, and of what is made of it: at the most, for any file, and more for
 * each byte that it has.  The time of a stack of 128 frames that was there before takes five bytes,
 * and 1400 in memory. */
enum { MOST_INFLATED = 256 << 20, MOST_MEMORY = 1 << 30, MEMORY = 256 << 20, MEMORY_FACTOR = 256 };

/* Other files of code, in all files of stacks, and bytes of the code of one. */
enum { MOST_OBJECTS = 4096 };
/* Digits of a build id. */
enum { MOST_BUILD_ID = 128 };
#define MOST_CODE (UINT64_C(1) << 36)

struct file {
	const char *name; /* printable UTF-8 */
	const Profile *p;
	const struct gmon *gmon;
	const struct symbols *symbols;
	bool force; /* of whatever program it is */
	struct stacks *to;
	uint32_t number;      /* among all files, from 0 on */
	uint32_t first_place; /* that of location 1 */
	enum stacks_what what;
	size_t blocked, runnable; /* numbers of these values; 0: there are none */
	uint64_t ends;            /* when its profile does, us since 1970; 0: it does not say */
	uint64_t sum;             /* of what is wanted */
	uint64_t outside;         /* of what is wanted: at addresses that no histogram has */
};

static void __attribute__((noreturn)) refuse(const struct file *f, const char *why)
{
	errx(EXIT_BAD, "%s: no file of stacks: %s", f->name, why);
}

/* Memory for protobuf-c, which makes many times a file's size of it, if the file was made so. */
struct allowance {
	size_t left;
	bool used_up;
};

static void *
allow(void *arg, size_t size)
{
	struct allowance *a = arg;
	void *p = size < a->left ? malloc(size) : NULL;

	a->used_up |= p == NULL;
	if (p != NULL)
		a->left -= malloc_usable_size(p) < a->left ? malloc_usable_size(p) : a->left;
	return p;
}

static void
give_back(void *arg, void *p)
{
	struct allowance *a = arg;

	a->left += p == NULL ? 0 : malloc_usable_size(p);
	free(p);
}

static const char *
text_at(const struct file *f, int64_t index)
{
	if (index < 0 || (uint64_t)index >= f->p->n_string_table)
		refuse(f, "a text that is not there");
	return f->p->string_table[index];
}

static void
check_type(const struct file *f)
{
	const ValueType *v = f->p->n_sample_type > 0 ? f->p->sample_type[0] : NULL;

	if (v == NULL || strcmp(text_at(f, v->type), "samples") != 0 ||
	    strcmp(text_at(f, v->unit), "count") != 0)
		refuse(f, "its samples are not counted in ticks");
	if (f->p->period != 1000000000 / f->gmon->rate)
		errx(EXIT_BAD, "%s: a tick of %jd ns, but of %u ns in the gmon file", f->name,
		     (intmax_t)f->p->period, 1000000000 / f->gmon->rate);
}

/* Finds the values that profsup --wall has added. */
static void
find_waits(struct file *f)
{
	f->blocked = f->runnable = 0;
	for (size_t i = 1; i < f->p->n_sample_type; i++) {
		const ValueType *v = f->p->sample_type[i];
		const char *type = text_at(f, v->type);

		if (strcmp(text_at(f, v->unit), "nanoseconds") != 0)
			continue;
		if (strcmp(type, "blocked") == 0)
			f->blocked = i;
		if (strcmp(type, "runnable") == 0)
			f->runnable = i;
	}
	f->to->waits &= f->blocked != 0 && f->runnable != 0;
	f->to->period = (uint64_t)f->p->period;
	if (f->what != STACKS_CPU && f->what != STACKS_ALL && (f->blocked == 0 || f->runnable == 0))
		errx(EXIT_BAD, "%s: only profsup --wall writes how long threads wait", f->name);
}

static void
check_program(const struct file *f)
{
	const char *id;

	if (f->p->n_mapping == 0)
		refuse(f, "it is of no program");
	for (size_t i = 0; i < f->p->n_mapping; i++)
		if (f->p->mapping[i]->id != i + 1)
			refuse(f, "its mappings are not in order");
	id = text_at(f, f->p->mapping[0]->build_id);
	if (strcmp(id, f->symbols->build_id) != 0 && !f->force) {
		char *clean = text_clean(id, MOST_PATH);

		errx(EXIT_BAD, "%s: it is of a program with the build ID %s, not of %s", f->name,
		     *clean != '\0' ? clean : "(none)", f->symbols->program);
	}
}

/* Returns the name of the function that a location has in the file; NULL: it has none. */
static const char *
name_of(const struct file *f, const Location *l)
{
	const uint64_t id = l->n_line == 1 ? l->line[0]->function_id : 0;

	if (l->n_line == 0)
		return NULL;
	if (id == 0 || id > f->p->n_function || f->p->function[id - 1]->id != id)
		refuse(f, "a function that is not there");
	return text_at(f, f->p->function[id - 1]->name);
}

/* Returns the number of a function that is none of the program's.  `build_id`: its file's, or NULL.
 */
static uint32_t
number_of(const struct file *f, const char *text, const char *build_id)
{
	struct stacks *s = f->to;
	const uint32_t before = s->others.n;
	char *clean = text_clean(text, MOST_PATH);
	const char *kept;
	const uint32_t number = names_number(&s->others, clean, &kept);

	if (number == before) {
		s->other = memory_grow(s->other, number, sizeof(*s->other));
		s->other[number] = kept;
		s->other_build_id =
		    memory_grow(s->other_build_id, number, sizeof(*s->other_build_id));
		s->other_build_id[number] =
		    build_id == NULL ? NULL : text_clean(build_id, MOST_BUILD_ID);
	}
	free(clean);
	return s->no_room + 1 + number;
}

/* The same of a function of another object. */
static uint32_t
other_function(const struct file *f, const Location *l)
{
	const char *name = name_of(f, l), *path, *base, *build_id;
	uint32_t number;
	char *text;

	if (l->mapping_id > f->p->n_mapping)
		refuse(f, "a mapping that is not there");
	path = text_at(f, f->p->mapping[l->mapping_id - 1]->filename);
	base = strrchr(path, '/');
	text = memory_text(*path == '[' ? "%s %s" : "%s [%s]", name == NULL ? "[unknown]" : name,
	                   base == NULL ? path : base + 1);
	build_id = text_at(f, f->p->mapping[l->mapping_id - 1]->build_id);
	number = number_of(f, text, *path == '/' ? build_id : NULL);
	free(text);
	return number;
}

/* Whether a name is that of what a thread has waited in: "[read]". */
static bool
is_wait(const struct file *f, const char *name)
{
	return f->blocked != 0 && name[0] == '[' && name[strlen(name) - 1] == ']';
}

/* Returns the function that a location without an address stands for. */
static uint32_t
pseudo_function(const struct file *f, const Location *l)
{
	const char *name = name_of(f, l);

	if (name == NULL)
		refuse(f, "a function that is not there");
	if (strcmp(name, STACKFILE_CUT) == 0)
		return f->to->cut;
	if (strcmp(name, STACKFILE_NO_ROOM) == 0)
		return f->to->no_room;
	if (!is_wait(f, name))
		refuse(f, "a frame without an address");
	return number_of(f, name, NULL);
}

/* Returns the number of the object that a mapping is of; 0: there is no room for more of them. */
static uint32_t
object_of(const struct file *f, const Mapping *m)
{
	struct stacks *s = f->to;
	const uint32_t before = s->object_names.n;
	const char *path = text_at(f, m->filename), *id = text_at(f, m->build_id);
	uint32_t number;
	char *all;

	if (before == MOST_OBJECTS)
		return 0;
	all = memory_text("%jx %jx %jx %.*s %.*s", (uintmax_t)m->memory_start,
	                  (uintmax_t)m->memory_limit, (uintmax_t)m->file_offset, MOST_PATH, id,
	                  MOST_PATH, path);
	number = names_number(&s->object_names, all, NULL);
	free(all);
	if (number == before) {
		s->objects = memory_grow(s->objects, number, sizeof(*s->objects));
		s->objects[number] =
		    (struct object){ text_clean(path, MOST_PATH), text_clean(id, MOST_PATH),
			             m->memory_start, m->memory_limit, m->file_offset };
	}
	return number + 1;
}

/* Finds out where in another file a location is.  Of what is no file, or was not read, there is no
 * such place. */
static void
find_object(const struct file *f, const Location *l, struct place *at)
{
	const Mapping *m = f->p->mapping[l->mapping_id - 1];

	if (!f->to->addresses || *text_at(f, m->filename) != '/' || l->address < m->memory_start ||
	    l->address >= m->memory_limit || m->memory_limit - m->memory_start > MOST_CODE)
		return;
	at->object = object_of(f, m);
	at->pc = at->object == 0 ? 0 : l->address;
}

static void
read_place(struct file *f, const Location *l, struct place *at)
{
	if (l->mapping_id == 1) {
		at->pc = l->address;
		at->function = symbols_function(f->symbols, at->pc);
	} else if (l->mapping_id == 0) {
		at->function = pseudo_function(f, l);
	} else {
		at->function = other_function(f, l);
		find_object(f, l, at);
	}
}

static void
read_places(struct file *f)
{
	for (size_t i = 0; i < f->p->n_location; i++) {
		const Location *l = f->p->location[i];
		struct place at = { 0 };
		uint32_t place;

		if (l->id != i + 1)
			refuse(f, "its locations are not in order");
		read_place(f, l, &at);
		place = stacks_place(f->to, &at);
		f->first_place = i == 0 ? place : f->first_place;
	}
}

/* The runtime's time is the profiler's own.  Where it has several functions, the gmon file has it
 * at one of them. */
static bool
is_runtime(const struct symbols *s, const struct place *at)
{
	return at->function < s->nfunctions &&
	       (s->functions[at->function].runtime ||
	        (at->pc >= s->runtime_low && at->pc < s->runtime_high));
}

/* Only the program's functions have addresses there: all others have none or their file's, and that
 * of a program's code may be 0. */
static bool
is_in_histogram(const struct file *f, const struct place *at)
{
	return at->function < f->to->cut && gmon_has(f->gmon, at->pc);
}

/* Adds up ticks by what the gmon file says of them. */
static void
book(const struct file *f, const struct place *at, uint64_t ticks)
{
	struct stacks *s = f->to;

	if (__builtin_add_overflow(s->ticks, ticks, &s->ticks) || s->ticks > INT64_MAX)
		refuse(f, "it has too many ticks");
	if (at->function == s->cut)
		refuse(f, "a stack without an innermost frame");
	if (at->function == s->no_room)
		s->homeless += ticks;
	else if (!is_in_histogram(f, at))
		s->outside += ticks;
}

/* Returns what is wanted of a sample, which has been found to have that. */
static uint64_t
wanted(const struct file *f, const Sample *s)
{
	const uint64_t most = INT64_MAX, ticks = (uint64_t)s->value[0];
	const uint64_t blocked = f->blocked == 0 ? 0 : (uint64_t)s->value[f->blocked];
	const uint64_t runnable = f->runnable == 0 ? 0 : (uint64_t)s->value[f->runnable];
	uint64_t all;

	switch (f->what) {
	case STACKS_CPU:
		return ticks;
	case STACKS_BLOCKED:
		return blocked;
	case STACKS_RUNNABLE:
		return runnable;
	case STACKS_WALL:
	case STACKS_ALL:
		break;
	}
	if (__builtin_mul_overflow(ticks, (uint64_t)f->p->period, &all) || all > most ||
	    blocked > most || runnable > most)
		refuse(f, "it has too many ticks");
	return all + blocked + runnable;
}

/* Begins what has come of a sample.  False: that is nothing of the program's. */
static bool
begin(struct file *f, const struct place *at, const struct stack *what)
{
	const uint64_t amount = what->ticks;
	const bool ours = !is_runtime(f->symbols, at);
	struct stacks *s = f->to;

	if (__builtin_add_overflow(f->sum, amount, &f->sum) || f->sum > INT64_MAX)
		refuse(f, "it has too many ticks");
	if (at->function != s->no_room && !is_in_histogram(f, at))
		f->outside += amount;
	if (!ours)
		s->runtime_ticks += amount;
	else if (amount > 0)
		stacks_begin(s, what);
	return ours && amount > 0;
}

/* When a sample was taken and of which thread, which profsup --timeline notes. */
static void
read_labels(const struct file *f, const Sample *s, struct stack *what)
{
	what->file = f->to->times ? f->number : 0;
	for (size_t i = 0; f->to->times && i < s->n_label; i++) {
		const char *key = text_at(f, s->label[i]->key);
		const int64_t number = s->label[i]->num;

		if (strcmp(key, "time") == 0 && number > 0)
			what->time = (uint64_t)number;
		else if (strcmp(key, "thread") == 0 && number > 0 && number <= INT32_MAX)
			what->thread = (uint32_t)number;
	}
}

static void
read_sample(struct file *f, const Sample *s)
{
	const size_t n = s->n_location_id;
	const struct place *at;
	struct stack what = { 0 };

	if (n == 0 || n > MOST_STACK)
		refuse(f, "a stack of no frames, or of too many");
	if (s->n_value != f->p->n_sample_type || s->value[0] < 0 || s->value[f->blocked] < 0 ||
	    s->value[f->runnable] < 0)
		refuse(f, "a sample with wrong values");
	for (size_t i = 0; i < n; i++)
		if (s->location_id[i] == 0 || s->location_id[i] > f->p->n_location)
			refuse(f, "a location that is not there");
	at = &f->to->places[f->first_place + s->location_id[0] - 1];
	book(f, at, (uint64_t)s->value[0]);
	what.ticks = wanted(f, s);
	read_labels(f, s, &what);
	if (!begin(f, at, &what))
		return;
	for (size_t i = n; i-- > 0;)
		stacks_frame(f->to, (uint32_t)(f->first_place + s->location_id[i] - 1));
}

/* A file and what it is in memory. */
struct unpacked {
	struct reader reader;
	struct allowance allowance;
	ProtobufCAllocator memory;
	Profile *p;
};

static size_t
memory_for(uint64_t size)
{
	const size_t more = MOST_MEMORY - MEMORY;

	return MEMORY + (size < more / MEMORY_FACTOR ? (size_t)size * MEMORY_FACTOR : more);
}

/* A file may have one long text in each of its places, and they are read place by place. */
static void
cut_texts(const Profile *p)
{
	for (size_t i = 0; i < p->n_string_table; i++) {
		char *text = p->string_table[i];
		const size_t len = strnlen(text, MOST_PATH + 1);

		if (len > MOST_PATH)
			text[symname_cut(text, MOST_PATH)] = '\0';
	}
}

static void
unpack(struct file *f, struct unpacked *u, const char *name)
{
	struct timespec when;
	uint8_t *data;
	size_t len;

	reader_open(&u->reader, name, &when);
	u->allowance = (struct allowance){ .left = memory_for(u->reader.size) };
	u->memory = (ProtobufCAllocator){ allow, give_back, &u->allowance };
	f->name = u->reader.name;
	data = inflate_file(&u->reader, MOST_INFLATED, &len);
	f->p = u->p = perftools__profiles__profile__unpack(&u->memory, len, data);
	free(data);
	if (u->p == NULL)
		refuse(f,
		       u->allowance.used_up ? "it takes too much memory" : "not of pprof's format");
	cut_texts(u->p);
}

static void
pack_up(struct unpacked *u)
{
	perftools__profiles__profile__free_unpacked(u->p, &u->memory);
	reader_close(&u->reader);
}

static void
read_one(struct file *f, const char *name)
{
	struct unpacked u;
	const Profile *p;

	unpack(f, &u, name);
	p = u.p;
	check_type(f);
	find_waits(f);
	check_program(f);
	read_places(f);
	for (size_t i = 0; i < p->n_sample; i++)
		read_sample(f, p->sample[i]);
	f->ends = ((uint64_t)p->time_nanos + (uint64_t)p->duration_nanos) / 1000;
	pack_up(&u);
	stacks_settle_many(f->to);
}

char *
stacks_program(const char *gmon)
{
	char *path = stacks_path(gmon), *name = NULL;
	struct file f = { 0 };
	struct unpacked u;

	if (access(path, F_OK) == 0) {
		unpack(&f, &u, path);
		if (u.p->n_mapping > 0)
			name = memory_text("%s", text_at(&f, u.p->mapping[0]->filename));
		pack_up(&u);
	}
	free(path);
	return name;
}

static char *
path_of(const char *gmon, const char *only)
{
	return only != NULL ? memory_text("%s", only) : stacks_path(gmon);
}

/* Whether all gmon files have one. */
static bool
all_have(char *const *files, const char *only, char **why)
{
	const char *missing = NULL;
	size_t n = 0, have = 0;

	for (; files[n] != NULL; n++) {
		char *name = path_of(files[n], only);

		if (access(name, F_OK) == 0)
			have++;
		else
			missing = files[n];
		free(name);
	}
	if (have > 0 && have < n) {
		char *clean = text_clean(missing, MOST_PATH);

		*why = memory_text("%zu of %zu gmon files have no file of stacks beside them, such "
		                   "as %s",
		                   n - have, n, clean);
		free(clean);
	}
	return have == n;
}

/* Whether a file of stacks is of a run before that of the gmon file beside it. */
static bool
is_left_over(const struct file *f, const char *gmon, char **why)
{
	struct timespec when;
	char *clean;

	if (f->ends == 0 || f->ends >= newest_run_of(gmon, &when))
		return false;
	clean = text_clean(gmon, MOST_PATH);
	*why = memory_text("%s: its stacks are of an older run", clean);
	free(clean);
	return true;
}

/* Whether the stacks are of the runs that the gmon files are of: all ticks in the text are in both.
 */
static bool
is_of_these_runs(const struct stacks *s, const struct gmon *g, const char *program, char **why)
{
	const uint64_t placed = s->ticks - s->outside - s->homeless;
	uint64_t ticks = 0;

	for (size_t i = 0; i < g->nranges; i++)
		for (size_t j = 0; j < g->ranges[i].bins.n; j++)
			ticks += g->ranges[i].bins.bin[j].ticks;
	if (ticks >= placed && ticks <= placed + s->homeless)
		return true;
	*why = memory_text("%s: the stacks have %ju ticks, the gmon files %ju: they are of "
	                   "different runs",
	                   program, (uintmax_t)placed, (uintmax_t)ticks);
	return false;
}

bool
stacks_read(struct stacks *s, const struct gmon *g, struct symbols *symbols, char *const *files,
            const struct load *load, char **why)
{
	struct file f = {
		.gmon = g, .symbols = symbols, .force = load->force, .to = s, .what = load->what
	};

	*s = (struct stacks){ .what = load->what,
		              .waits = true,
		              .times = load->times,
		              .addresses = load->addresses,
		              .cut = (uint32_t)symbols->nfunctions,
		              .no_room = (uint32_t)symbols->nfunctions + 1 };
	if (!all_have(files, load->stacks_file, why))
		return false;
	for (; files[f.number] != NULL; f.number++) {
		char *name = path_of(files[f.number], load->stacks_file);

		read_one(&f, name);
		free(name);
		if (is_left_over(&f, files[f.number], why))
			return false;
	}
	if (!is_of_these_runs(s, g, symbols->program, why))
		return false;
	s->outside = f.outside;
	stacks_settle(s);
	symbols_add_pseudo(symbols, STACKFILE_CUT);
	symbols_add_pseudo(symbols, STACKFILE_NO_ROOM);
	for (uint32_t i = 0; i < s->others.n; i++)
		symbols_add_pseudo(symbols, s->other[i]);
	return true;
}
