/*
 * symtab.c's look at a table, without the processes that write them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef FUZZ_TABLE_H
#define FUZZ_TABLE_H

/* One table is looked at.  NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../supervisor/target/symtab.c"
#include "fuzz.h"
#include "output/output.h"

/* In place of helper.c's, exe.c's and priv.c's: nobody is sent. */
struct helper *
helper_begin(int (*work)(void *arg), const void *arg, size_t len, const int *keep, size_t nkeep)
{
	(void)work, (void)arg, (void)len, (void)keep, (void)nkeep;
	abort();
}

int
helper_end(struct helper *a, void *arg, size_t len, int ms)
{
	(void)a, (void)arg, (void)len, (void)ms;
	abort();
}

void
helper_leave(struct helper *a)
{
	(void)a;
	abort();
}

int
exe_open(int place)
{
	(void)place;
	abort();
}

int
exe_place(const struct proc *proc)
{
	(void)proc;
	abort();
}

int
priv_drop(void)
{
	abort();
}

bool
image_same(const struct image_id *a, const struct image_id *b)
{
	(void)a, (void)b;
	abort();
}

/* A file that is as long as `length`, and begins with `data`. */
static inline int
table_file(const char *name, const uint8_t *data, size_t size, uint64_t length)
{
	const int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	MUST(fd >= 0 && ftruncate(fd, (off_t)length) == 0);
	MUST(pwrite(fd, data, size, 0) == (ssize_t)size);
	return fd;
}

static inline void
table_forget(struct symtab *t)
{
	MUST(kept == t->size);
	munmap((void *)(uintptr_t)t->head, t->size);
	kept = 0;
}

/* Its part ends behind it, so that whoever goes on from there comes to an end. */
static inline void
check_at(const struct symtab *t, uint64_t pc)
{
	uint64_t end;

	MUST(symtab_at(t, pc, &end) < symtab_count(t));
	MUST(end > pc || pc == UINT64_MAX);
}

static inline const char *
check_name(const struct symtab *t, uint32_t function)
{
	const char *const low = (const char *)t->head, *const high = low + t->size;
	const char *name = symtab_function(t, function).name;

	if (function < symtab_count(t) && strcmp(name, "?") != 0)
		MUST(name >= low && name < high && memchr(name, '\0', (size_t)(high - name)));
	return name;
}

#endif
