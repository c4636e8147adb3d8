/*
 * symtab.c's look at a table.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef FUZZ_TABLE_H
#define FUZZ_TABLE_H

/* One table is looked at.  NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../supervisor/target/symtab.c"
#include "fuzz.h"
#include "output/output.h"

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
	munmap((void *)(uintptr_t)t->head, t->size);
	free(t);
}

static inline void
check_at(const struct symtab *t, uint64_t pc)
{
	MUST(symtab_at(t, pc) < t->head->functions);
}

static inline const char *
check_name(const struct symtab *t, uint32_t function)
{
	const char *const low = (const char *)t->head, *const high = low + t->size;
	const char *name = symtab_name(t, function);

	if (function < t->head->functions && strcmp(name, "?") != 0)
		MUST(name >= low && name < high && memchr(name, '\0', (size_t)(high - name)));
	return name;
}

#endif
