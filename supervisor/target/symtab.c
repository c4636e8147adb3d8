/*
 * A table of a program's functions, which a helper process has written (symread.c).  It is not
 * trusted: nothing in it leads out of it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct symtab {
	const struct symtab_head *head;
	size_t size;
	const struct symtab_span *spans; /* sorted, or functions are not found */
	const struct symtab_entry *functions;
	const struct frame_row *rows;
	const char *names;
};

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

/* Maps a table, for good.  Returns NULL with EFBIG if it has more than `most` bytes, with another
 * errno if it is none. */
struct symtab *
symtab_map(int file, size_t most)
{
	struct symtab *t;
	struct stat st;

	/* From here on nobody can change the table, not even its reader. */
	if (fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0 ||
	    fstat(file, &st) < 0)
		return NULL;
	if (st.st_size > SYMTAB_BYTES || (size_t)st.st_size > most) {
		errno = EFBIG;
		return NULL;
	}
	if (st.st_size <= 0 || (t = malloc(sizeof(*t))) == NULL) {
		errno = ENOMEM;
		return NULL;
	}
	t->size = (size_t)st.st_size;
	t->head = mmap(NULL, t->size, PROT_READ, MAP_PRIVATE, file, 0);
	if (t->head != MAP_FAILED && take_table(t))
		return t;
	if (t->head != MAP_FAILED)
		munmap((void *)(uintptr_t)t->head, t->size);
	free(t);
	errno = EINVAL;
	return NULL;
}

size_t
symtab_bytes(const struct symtab *t)
{
	return t->size;
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

/* Whether no function has a name, but sections only. */
bool
symtab_is_stripped(const struct symtab *t)
{
	uint32_t i = 0;

	while (i < symtab_count(t) && *symtab_function(t, i).name == '[')
		i++;
	return i == symtab_count(t);
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
