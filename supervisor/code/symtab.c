/*
 * A table of a program's functions, which read-code has written (readcode.c).  It is not trusted:
 * nothing in it leads out of it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "code/code.h"

#include "search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The largest pages of our machines, bytes. */
enum { MOST_PAGE = 1 << 16 };

struct symtab {
	const struct codetable_span *spans; /* sorted, or functions are not found */
	const struct frame_row *rows;
	const char *names;
	struct image_id id;
	size_t size;
	struct codetable_head head[]; /* and what is behind it */
};

/* Finds the parts of the table.  False: they are not as long as it says. */
static bool
take_table(struct symtab *t)
{
	const struct codetable_head *head = t->head;
	size_t size = sizeof(*head);

	if (t->size < size || head->version != CODETABLE_VERSION)
		return false;
	t->spans = (const void *)(head + 1);
	if (head->rows > t->size / sizeof(t->rows[0]))
		return false;
	t->rows = (const void *)(t->spans + head->spans);
	t->names = (const char *)(t->rows + head->rows);
	size += head->spans * sizeof(t->spans[0]) + head->rows * sizeof(t->rows[0]);
	return size < t->size && head->names == t->size - size && t->names[head->names - 1] == '\0';
}

/* Makes a place where a helper process, which we begin then, can leave a table. */
int
symtab_place(struct symtab_place *p)
{
	void *memory = mmap(NULL, CODETABLE_BYTES, PROT_READ | PROT_WRITE,
	                    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	*p = (struct symtab_place){ .memory = memory == MAP_FAILED ? NULL : memory };
	return memory == MAP_FAILED ? -1 : 0;
}

/* Gives up what symtab_place() has made, if it has. */
void
symtab_leave(struct symtab_place *p)
{
	if (p->memory != NULL)
		munmap(p->memory, CODETABLE_BYTES);
	*p = (struct symtab_place){ 0 };
}

/* Takes a table when the helper says that it is there: copies it, as the helper could still change
 * it.  Returns NULL with EFBIG if it has more than `most` bytes, with another errno if it is
 * none. */
struct symtab *
symtab_take(const struct symtab_place *p, size_t most)
{
	struct symtab *t;

	if (p->used > CODETABLE_BYTES || p->used > most) {
		errno = EFBIG;
		return NULL;
	}
	t = malloc(sizeof(*t) + p->used);
	if (t == NULL)
		return NULL;
	t->size = p->used;
	t->id = p->id;
	memcpy(t->head, p->memory, t->size);
	if (take_table(t))
		return t;
	free(t);
	errno = EINVAL;
	return NULL;
}

size_t
symtab_bytes(const struct symtab *t)
{
	return t->size;
}

/* Says what is known of the frames of code.  `t` may be NULL. */
void
symtab_unwind(const struct symtab *t, struct unwind_code *code)
{
	if (t == NULL)
		return;
	code->rows = (struct frame_rows){ t->rows, t->head->rows };
	if (code->object != OBJECT_PROGRAM)
		return;
	code->main_low = t->head->main_low;
	code->main_bytes = t->head->main_bytes;
}

/* Returns the link-time address of what is at `offset` in the file: if nothing is known of that,
 * what most linkers make it.  `t` may be NULL. */
uint64_t
symtab_address(const struct symtab *t, uint64_t offset)
{
	for (size_t i = 0; t != NULL && i < CODETABLE_SEGMENTS; i++) {
		const struct codetable_segment *s = &t->head->segment[i];

		/* What is mapped begins with a page, which may begin before the segment. */
		if (s->bytes != 0 && offset + MOST_PAGE > s->offset &&
		    offset < s->offset + s->bytes)
			return s->addr + (offset - s->offset);
	}
	return offset;
}

/* Says where the file's code is: its first segment, if it has several. */
void
symtab_code(const struct symtab *t, uint64_t *low, uint64_t *high, uint64_t *offset)
{
	const struct codetable_segment *s = &t->head->segment[0];

	if (s->bytes == 0)
		return;
	*low = s->addr;
	*high = s->addr + s->bytes;
	*offset = s->offset;
}

const struct image_id *
symtab_id(const struct symtab *t)
{
	return &t->id;
}

/* Returns the function's name, which is printable. */
const char *
symtab_name(const struct symtab *t, uint32_t function)
{
	return t == NULL || function >= t->head->names ? "[unknown]" : t->names + function;
}

/* Returns the function at `pc`, a link-time address; 0, unknown, if there is none. */
uint32_t
symtab_at(const struct symtab *t, uint64_t pc)
{
	const size_t n = t == NULL ? 0 : t->head->spans;
	size_t at;

	SEARCH(at, n, t->spans[at].high <= pc);
	return at == n || t->spans[at].low > pc ? 0 : t->spans[at].function;
}
