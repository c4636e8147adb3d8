/*
 * The functions of the profiled executables, for --report, --top and call stacks.  A helper process
 * reads each file once, and writes a table of the functions (symread.c); few files are read at a
 * time, and the size of their tables is bounded.  A table is not trusted, either: nothing in it
 * leads out of it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* In a run of more executables the later ones have no names. */
enum { MOST_TABLES = 64, MOST_READERS = 2 };
/* Bytes of all tables together. */
enum { MOST_KEPT = 2 * SYMTAB_BYTES };
/* How long one file may take to be read, and how long we wait for all at the end. */
#define PATIENCE_NS (5 * NSEC)

enum reading { WAITING, READING, READ, FAILED };

struct symtab {
	struct symtab *next;
	struct image_id id;
	enum reading reading;
	int place, file; /* descriptors of the executable and of the table */
	bool with_rows;
	struct helper *reader;
	uint64_t until; /* when to give its reader up, ns */
	const struct symtab_head *head;
	size_t size;
	const struct symtab_span *spans; /* sorted, or functions are not found */
	const struct symtab_entry *functions;
	const struct frame_row *rows;
	const char *names;
};

static struct symtab *tables;
static unsigned ntables, readers, unread;
static size_t kept;

/* Compares the file, too, since a build id is what a file claims. */
static struct symtab *
find(const struct image_id *id)
{
	struct symtab *t = tables;

	while (t != NULL && !(image_same(&t->id, id) && t->id.dev == id->dev &&
	                      t->id.ino == id->ino && t->id.size == id->size))
		t = t->next;
	return t;
}

/* What the reader is given. */
struct job {
	int place, file;
	bool with_rows;
};

static int
read_symbols(void *arg)
{
	const struct job *job = arg;
	const int exe = exe_open(job->place);

	return exe < 0 || priv_drop() < 0 ? -1 : symread(exe, job->file, job->with_rows);
}

static void
be_done(struct symtab *t, enum reading how)
{
	readers -= t->reading == READING;
	unread--;
	t->reading = how;
	close(t->place);
	close(t->file);
}

static void
start(struct symtab *t)
{
	const struct job job = { t->place, t->file, t->with_rows };

	t->reader = helper_begin(read_symbols, &job, sizeof(job), (int[]){ t->place, t->file }, 2);
	if (t->reader == NULL && errno == EAGAIN)
		return;
	if (t->reader == NULL) {
		be_done(t, FAILED);
		return;
	}
	t->reading = READING;
	t->until = clock_now() + PATIENCE_NS;
	readers++;
}

/* Finds the parts of the table.  False: they are not as long as it says. */
static bool
take_table(struct symtab *t)
{
	const struct symtab_head *head = t->head;
	size_t size = sizeof(*head);

	if (t->size < size)
		return false;
	t->spans = (const void *)(head + 1);
	t->functions = (const void *)(t->spans + head->spans);
	if (head->rows > t->size / sizeof(t->rows[0]))
		return false;
	t->rows = (const void *)(t->functions + head->functions);
	t->names = (const char *)(t->rows + head->rows);
	size += head->spans * sizeof(t->spans[0]) + head->functions * sizeof(t->functions[0]) +
	        head->rows * sizeof(t->rows[0]);
	return size < t->size && head->names == t->size - size && head->functions > 0 &&
	       t->names[head->names - 1] == '\0';
}

static bool
map_table(struct symtab *t)
{
	struct stat st;

	/* From here on nobody can change the table, not even its reader. */
	if (fcntl(t->file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0 ||
	    fstat(t->file, &st) < 0 || st.st_size <= 0 || st.st_size > SYMTAB_BYTES ||
	    (size_t)st.st_size > MOST_KEPT - kept)
		return false;
	t->size = (size_t)st.st_size;
	t->head = mmap(NULL, t->size, PROT_READ, MAP_PRIVATE, t->file, 0);
	if (t->head == MAP_FAILED)
		return false;
	if (take_table(t)) {
		kept += t->size;
		return true;
	}
	munmap((void *)(uintptr_t)t->head, t->size);
	return false;
}

static void
look(struct symtab *t)
{
	struct job job;
	const int ret = helper_end(t->reader, &job, sizeof(job), 0);

	if (ret == 0) {
		be_done(t, map_table(t) ? READ : FAILED);
	} else if (errno != EINPROGRESS) {
		be_done(t, FAILED);
	} else if (clock_now() >= t->until) {
		helper_leave(t->reader);
		be_done(t, FAILED);
	}
}

/* Called now and then: takes tables that are done, and starts the next readers. */
void
symtab_step(void)
{
	for (struct symtab *t = tables; t != NULL && unread > 0; t = t->next) {
		if (t->reading == READING)
			look(t);
		if (t->reading == WAITING && readers < MOST_READERS)
			start(t);
	}
}

/* Called while the process is stopped at its exec or in its profil call: /proc/PID/exe is its
 * image.  Does nothing in a run that needs no names. */
void
symtab_want(const struct profsup *ps, const struct proc *proc)
{
	struct symtab *t;

	if (!ps->opt.report && !ps->opt.top && !ps->opt.call_graph)
		return;
	if (find(&proc->image.elf.id) != NULL || ntables == MOST_TABLES)
		return;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return;
	t->id = proc->image.elf.id;
	t->with_rows = ps->opt.call_graph;
	t->place = exe_place(proc);
	t->file = t->place < 0 ? -1 : memfd_create("profsup", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (t->file < 0) {
		if (t->place >= 0)
			close(t->place);
		free(t);
		return;
	}
	t->next = tables;
	tables = t;
	ntables++;
	unread++;
	symtab_step();
}

/* Whether the table is being read, or will be. */
bool
symtab_is_awaited(const struct image_id *id)
{
	const struct symtab *t;

	symtab_step();
	t = find(id);
	return t != NULL && (t->reading == WAITING || t->reading == READING);
}

/* Returns NULL if the table is not known, or not yet. */
const struct symtab *
symtab_find(const struct image_id *id)
{
	const struct symtab *t;

	symtab_step();
	t = find(id);
	return t != NULL && t->reading == READ ? t : NULL;
}

/* Waits for all tables that are being read, PATIENCE_NS at the most. */
void
symtab_wait(void)
{
	const struct timespec moment = { .tv_nsec = NSEC / 500 };
	const uint64_t until = clock_now() + PATIENCE_NS;

	for (symtab_step(); unread > 0 && clock_now() < until; symtab_step())
		nanosleep(&moment, NULL);
}

/* Says what is known of the program's frames.  `t` may be NULL. */
void
symtab_unwind(const struct symtab *t, struct unwind *u)
{
	if (t == NULL)
		return;
	u->rows = (struct frame_rows){ t->rows, t->head->rows };
	u->main_low = t->head->main_low;
	u->main_bytes = t->head->main_bytes;
}

size_t
symtab_count(const struct symtab *t)
{
	return t == NULL ? 1 : t->head->functions;
}

struct symtab_function
symtab_function(const struct symtab *t, uint32_t function)
{
	const struct symtab_entry *f;

	if (t == NULL || function >= t->head->functions)
		return (struct symtab_function){ "[unknown]", false };
	f = &t->functions[function];
	return (struct symtab_function){ f->name < t->head->names ? t->names + f->name : "?",
		                         f->runtime != 0 };
}

/* Returns the function at `pc`, a link-time address, and where that part of it ends; 0, unknown, if
 * there is none. */
uint32_t
symtab_at(const struct symtab *t, uint64_t pc, uint64_t *end)
{
	const size_t n = t == NULL ? 0 : t->head->spans;
	size_t low = 0, high = n;

	*end = UINT64_MAX;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->spans[middle].high <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == n)
		return 0;
	*end = t->spans[low].low > pc ? t->spans[low].low : t->spans[low].high;
	if (t->spans[low].low > pc || t->spans[low].function >= t->head->functions)
		return 0;
	return t->spans[low].function;
}
