/*
 * A table of a program's functions, which a helper process has written (symread.c).  It is not
 * trusted: nothing in it leads out of it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "target/target.h"

#include "search.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* The largest pages of our machines, bytes. */
enum { MOST_PAGE = 1 << 16 };

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

/* A limit on the sizes of files covers those in memory: what does not fit would be cut off. */
static bool
is_limited(void)
{
	struct rlimit most;

	return getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur < SYMTAB_BYTES;
}

/* Makes a place where a helper process, which we begin then, can write a table. */
int
symtab_place(struct symtab_place *p)
{
	*p = (struct symtab_place){ .file = -1 };
	if (!is_limited()) {
		p->file = memfd_create("profsup", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		return p->file < 0 ? -1 : 0;
	}
	p->memory = mmap(NULL, SYMTAB_BYTES, PROT_READ | PROT_WRITE,
	                 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p->memory != MAP_FAILED)
		return 0;
	p->memory = NULL;
	return -1;
}

/* Gives up what symtab_place() has made, if it has. */
void
symtab_leave(struct symtab_place *p)
{
	if (p->file >= 0)
		close(p->file);
	if (p->memory != NULL)
		munmap(p->memory, SYMTAB_BYTES);
	*p = (struct symtab_place){ .file = -1 };
}

/* Returns the length of a file that nobody can change from here on, not even its reader. */
static int64_t
seal(int file)
{
	struct stat st;

	return fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0 ||
	               fstat(file, &st) < 0
	           ? -1
	           : st.st_size;
}

/* Memory can't be sealed, so what is in it is copied.  Of the largest table that takes about 20 ms,
 * but few callers have such a limit. */
static const void *
bring_in(const struct symtab_place *p, size_t size)
{
	void *copy;

	if (p->file >= 0)
		return mmap(NULL, size, PROT_READ, MAP_PRIVATE, p->file, 0);
	copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copy != MAP_FAILED)
		memcpy(copy, p->memory, size);
	return copy;
}

/* Takes a table, for good, when its reader says that it is written.  Returns NULL with EFBIG if it
 * has more than `most` bytes, with another errno if it is none. */
struct symtab *
symtab_take(struct symtab_place *p, size_t most)
{
	const int64_t size = p->file >= 0 ? seal(p->file) : (int64_t)p->used;
	struct symtab *t;

	if (size > SYMTAB_BYTES || (size > 0 && (size_t)size > most)) {
		errno = EFBIG;
		return NULL;
	}
	if (size <= 0 || (t = malloc(sizeof(*t))) == NULL) {
		errno = ENOMEM;
		return NULL;
	}
	t->size = (size_t)size;
	t->head = bring_in(p, t->size);
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
	for (size_t i = 0; t != NULL && i < SYMTAB_SEGMENTS; i++) {
		const struct symtab_segment *s = &t->head->segment[i];

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
	const struct symtab_segment *s = &t->head->segment[0];

	if (s->bytes == 0)
		return;
	*low = s->addr;
	*high = s->addr + s->bytes;
	*offset = s->offset;
}

/* Returns the length of the file's build id, 0 if there is none. */
size_t
symtab_build_id(const struct symtab *t, const uint8_t **id)
{
	*id = t->head->build_id;
	return t->head->build_id_len <= BUILD_ID_MOST ? t->head->build_id_len : 0;
}

/* Returns the function's name, which is printable. */
const char *
symtab_name(const struct symtab *t, uint32_t function)
{
	if (t == NULL || function >= t->head->functions)
		return "[unknown]";
	function = t->functions[function].name;
	return function < t->head->names ? t->names + function : "?";
}

/* Returns the function at `pc`, a link-time address; 0, unknown, if there is none. */
uint32_t
symtab_at(const struct symtab *t, uint64_t pc)
{
	const size_t n = t == NULL ? 0 : t->head->spans;
	size_t at;

	SEARCH(at, n, t->spans[at].high <= pc);
	if (at == n || t->spans[at].low > pc || t->spans[at].function >= t->head->functions)
		return 0;
	return t->spans[at].function;
}
