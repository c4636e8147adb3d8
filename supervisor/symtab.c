/*
 * The functions of a profiled executable, for --report and --top.  The file is the target's: it is
 * read by a thread of its own, so that a large one does not keep the supervisor; what is read is
 * bounded, nothing is mapped, and of each executable it is read once.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include "functions.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a file may claim.  A run of more executables shows no names of the later ones. */
enum {
	MOST_TABLES = 64,
	MOST_SECTIONS = 4096,
	MOST_SYMBOLS = 1 << 20,
	MOST_BYTES = 256 << 20, /* of symbols, and of their names */
	MOST_NAME = 32 << 10,   /* of one: a longer one is none */
	MOST_SHOWN = 1000,      /* of a name */
	MOST_KEPT = 128 << 20,  /* of a table's functions and spans */
	MOST_KEPT_ALL = 512 << 20,
	LARGE = 4 << 20, /* such tables are read one after the other */
	STACK_BYTES = 512 << 10
};
/* All that is read is read sooner, unless somebody makes us work. */
#define PATIENCE_NS (5 * NSEC)

enum reading { READING, READ, FAILED };

struct span {
	uint64_t low, high;
	uint32_t function;
};

struct symtab {
	struct symtab *next;
	struct image_id id;
	int fd;
	_Atomic enum reading reading; /* the rest is the thread's until it has READ */
	struct symtab_function *functions;
	size_t nfunctions;
	struct span *spans; /* sorted, and no two overlap */
	size_t nspans;
	uint64_t until; /* names are demangled */
	size_t kept;    /* bytes */
	bool no_memory, is_large;
};

static cpu_set_t callers_cpus;
static struct symtab *tables;
static unsigned ntables;
static atomic_size_t kept; /* by all */
static pthread_mutex_t large = PTHREAD_MUTEX_INITIALIZER;

/* The capacity is the next power of two.  NULL without memory: the old one is still there. */
static void *
grow(void *array, size_t n, size_t element)
{
	if (n >= 8 && (n & (n - 1)) != 0)
		return array;
	return reallocarray(array, n < 8 ? 8 : 2 * n, element);
}

/* A million symbols may have the same long name: what they take is counted.  False: no more. */
static bool
keep(struct symtab *t, size_t bytes)
{
	t->kept += bytes;
	if (atomic_fetch_add(&kept, bytes) + bytes > MOST_KEPT_ALL || t->kept > MOST_KEPT)
		t->no_memory = true;
	return !t->no_memory;
}

static uint32_t
add_function(struct symtab *t, const char *name)
{
	struct symtab_function *f;
	char *copy;

	if (t->no_memory || !keep(t, sizeof(*f) + strnlen(name, MOST_SHOWN) + 1))
		return 0;
	f = grow(t->functions, t->nfunctions, sizeof(*f));
	copy = strndup(name, MOST_SHOWN);
	if (f != NULL)
		t->functions = f;
	if (f == NULL || copy == NULL) {
		free(copy);
		t->no_memory = true;
		return 0;
	}
	symname_clean(copy);
	f[t->nfunctions] = (struct symtab_function){ copy, code_is_runtime(name) };
	return (uint32_t)t->nfunctions++;
}

struct taker {
	struct symtab *table;
	struct demangled demangled;
};

static uint32_t
take_function(void *arg, const char *name, bool symbol, uint64_t low, uint64_t high)
{
	struct taker *taker = arg;
	char section[64];

	(void)low;
	(void)high;
	if (!symbol) {
		snprintf(section, sizeof(section), "[%s]", name);
		name = section;
	} else if (!taker->table->no_memory && sampler_now() < taker->table->until) {
		name = symname_demangle(name, &taker->demangled);
	}
	return add_function(taker->table, name);
}

static void
take_span(void *arg, uint64_t low, uint64_t high, uint32_t function)
{
	struct symtab *t = ((struct taker *)arg)->table;
	struct span *spans;

	if (t->no_memory || !keep(t, sizeof(*spans)))
		return;
	spans = grow(t->spans, t->nspans, sizeof(*spans));
	if (spans == NULL) {
		t->no_memory = true;
		return;
	}
	t->spans = spans;
	spans[t->nspans++] = (struct span){ low, high, function };
}

/* A section's bytes; NULL if there are none, or more than `most`. */
static Elf_Data *
bytes_of(Elf_Scn *section, size_t most)
{
	GElf_Shdr sh;

	if (section == NULL || gelf_getshdr(section, &sh) == NULL || sh.sh_size > most ||
	    sh.sh_type == SHT_NOBITS)
		return NULL;
	return elf_rawdata(section, NULL);
}

/* "" if it is none that ends in the table, and soon: the names may be one in the other. */
static const char *
string_at(const Elf_Data *strings, size_t at)
{
	const char *base = strings == NULL ? NULL : strings->d_buf;
	size_t most;

	if (base == NULL || at >= strings->d_size)
		return "";
	most = strings->d_size - at < MOST_NAME ? strings->d_size - at : MOST_NAME;
	return memchr(base + at, '\0', most) == NULL ? "" : base + at;
}

static void
find_sections(Elf *elf, struct code *code)
{
	const Elf_Data *strings = NULL;
	Elf_Scn *section = NULL;
	size_t names;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names) == 0)
		strings = bytes_of(elf_getscn(elf, names), LARGE);
	code->sections = calloc(MOST_SECTIONS, sizeof(*code->sections));
	while (code->sections != NULL && code->nsections < MOST_SECTIONS &&
	       (section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, &sh) != NULL)
			code->nsections += code_take_section(&code->sections[code->nsections], &sh,
			                                     string_at(strings, sh.sh_name));
	code_sort_sections(code);
}

/* Not many of those that take much memory to be read at a time. */
static void
take_turn(struct symtab *t, Elf *elf, Elf_Scn *section)
{
	GElf_Shdr sh, names;

	if (section == NULL || gelf_getshdr(section, &sh) == NULL)
		return;
	t->is_large =
	    sh.sh_size > LARGE ||
	    (gelf_getshdr(elf_getscn(elf, sh.sh_link), &names) != NULL && names.sh_size > LARGE);
	if (t->is_large)
		pthread_mutex_lock(&large);
}

/* There is one table at the most. */
static void
find_symbols(struct symtab *t, Elf *elf, struct code *code)
{
	const Elf_Data *strings;
	Elf_Scn *section = NULL;
	Elf_Data *symbols;
	GElf_Shdr sh;
	GElf_Sym sym;

	do
		section = elf_nextscn(elf, section);
	while (section != NULL && (gelf_getshdr(section, &sh) == NULL || sh.sh_type != SHT_SYMTAB));
	take_turn(t, elf, section);
	symbols = bytes_of(section, MOST_BYTES);
	if (symbols == NULL)
		return;
	strings = bytes_of(elf_getscn(elf, sh.sh_link), MOST_BYTES);
	for (int i = 1; i < MOST_SYMBOLS && gelf_getsym(symbols, i, &sym) != NULL; i++) {
		struct code_symbol *more = grow(code->symbols, code->nsymbols, sizeof(*more));

		if (more == NULL)
			return;
		code->symbols = more;
		code->nsymbols += code_take_symbol(code, &more[code->nsymbols], &sym,
		                                   string_at(strings, sym.st_name));
	}
}

/* The file was found fit to be read by elfnote_read. */
static bool
read_table(struct symtab *t)
{
	struct taker *taker = calloc(1, sizeof(*taker));
	Elf *elf = elf_begin(t->fd, ELF_C_READ, NULL);
	struct code code = { 0 };

	t->until = sampler_now() + PATIENCE_NS;
	add_function(t, "[unknown]");
	if (taker != NULL && elf != NULL && elf_kind(elf) == ELF_K_ELF) {
		taker->table = t;
		find_sections(elf, &code);
		find_symbols(t, elf, &code);
		code_choose(&code);
		code_cover(&code, &(struct code_taker){ taker, take_function, take_span });
	}
	free(code.sections);
	free(code.symbols);
	elf_end(elf);
	free(taker);
	if (t->is_large)
		pthread_mutex_unlock(&large);
	return t->nfunctions > 0 && !t->no_memory;
}

/* What could not be read in full is not kept. */
static void
forget(struct symtab *t)
{
	for (size_t i = 0; i < t->nfunctions; i++)
		free((void *)t->functions[i].name);
	free(t->functions);
	free(t->spans);
	t->functions = NULL;
	t->spans = NULL;
	t->nfunctions = t->nspans = 0;
	kept -= t->kept;
}

/* Before we take a seat. */
void
symtab_init(void)
{
	sched_getaffinity(0, sizeof(callers_cpus), &callers_cpus);
}

/* With nobody's CPU and priority: ours is the samples'. */
static void *
run(void *arg)
{
	const struct sched_param none = { 0 };
	struct symtab *t = arg;

	sched_setaffinity(0, sizeof(callers_cpus), &callers_cpus);
	sched_setscheduler(0, SCHED_OTHER, &none);
	if (read_table(t)) {
		t->reading = READ;
	} else {
		forget(t);
		t->reading = FAILED;
	}
	close(t->fd);
	return NULL;
}

/* By its file, too: a build id is what a file claims. */
static struct symtab *
find(const struct image_id *id)
{
	struct symtab *t = tables;

	while (t != NULL && !(image_same(&t->id, id) && t->id.dev == id->dev &&
	                      t->id.ino == id->ino && t->id.size == id->size))
		t = t->next;
	return t;
}

/* While the process stands still in its profil call: /proc/PID/exe is the image that calls. */
void
symtab_want(const struct proc *proc)
{
	struct symtab *t;

	if (find(&proc->elf.id) != NULL || ntables == MOST_TABLES)
		return;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return;
	t->id = proc->elf.id;
	t->fd = exe_open(proc->pid);
	if (t->fd < 0 || thread_start(STACK_BYTES, run, t) < 0) {
		if (t->fd >= 0)
			close(t->fd);
		free(t);
		return;
	}
	t->next = tables;
	tables = t;
	ntables++;
}

/* NULL: not known, or not yet. */
const struct symtab *
symtab_find(const struct image_id *id)
{
	const struct symtab *t = find(id);

	return t != NULL && t->reading == READ ? t : NULL;
}

/* For those that are being read, all together only so long. */
void
symtab_wait(void)
{
	const struct timespec moment = { .tv_nsec = NSEC / 500 };
	const uint64_t until = sampler_now() + PATIENCE_NS;

	for (const struct symtab *t = tables; t != NULL; t = t->next)
		while (t->reading == READING && sampler_now() < until)
			nanosleep(&moment, NULL);
}

size_t
symtab_count(const struct symtab *t)
{
	return t == NULL ? 1 : t->nfunctions;
}

struct symtab_function
symtab_function(const struct symtab *t, uint32_t function)
{
	return t == NULL ? (struct symtab_function){ "[unknown]", false } : t->functions[function];
}

/* The one that has the code at `pc`, an address of the file, and where its part of it ends; 0,
 * unknown, if none has. */
uint32_t
symtab_at(const struct symtab *t, uint64_t pc, uint64_t *end)
{
	size_t low = 0, high = t == NULL ? 0 : t->nspans;

	*end = UINT64_MAX;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->spans[middle].high <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (t == NULL || low == t->nspans)
		return 0;
	*end = t->spans[low].low > pc ? t->spans[low].low : t->spans[low].high;
	return t->spans[low].low > pc ? 0 : t->spans[low].function;
}
