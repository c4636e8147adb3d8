/*
 * The symbols of any file, as --report and --top read them: whatever is in it, spans of addresses
 * in order, each of a function with a printable name, and no more kept than may be.
 *
 * An input is what stands at the file's start; if its last byte is odd, the file goes on after that
 * as a hole of up to 64 MiB.
 *
 * SPDX-License-Identifier: ISC
 */
// SOURCES: elfnote.c arch_x86_64.c arch_aarch64.c common/functions.c common/symname.c
/* One table, without its thread.  NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../supervisor/symtab.c"
#include "fuzz.h"

#include <sys/mman.h>

/* Names are demangled for so long, and not 5 s: it is CPU time, too. */
#define FASTER (PATIENCE_NS / (NSEC / 4))

uint64_t
sampler_now(void)
{
	return fuzz_clock() * (NSEC / 1000) * FASTER;
}

int
exe_open(pid_t pid)
{
	(void)pid;
	return -1;
}

int
thread_start(size_t stack, void *(*f)(void *), void *arg)
{
	(void)stack, (void)f, (void)arg;
	return -1;
}

bool
image_same(const struct image_id *a, const struct image_id *b)
{
	(void)a, (void)b;
	return false;
}

static void
check_table(const struct symtab *t)
{
	for (size_t i = 0; i < t->nfunctions; i++) {
		const char *name = t->functions[i].name;

		MUST(strlen(name) <= MOST_SHOWN);
		for (; *name != '\0'; name++)
			MUST((unsigned char)*name >= ' ' && *name != 0x7f);
	}
	for (size_t i = 0; i < t->nspans; i++) {
		const struct span *s = &t->spans[i];
		uint64_t end;

		MUST(s->low <= s->high && s->function < t->nfunctions);
		MUST(i == 0 || t->spans[i - 1].high <= s->low);
		if (s->low < s->high)
			MUST(symtab_at(t, s->low, &end) == s->function && end == s->high);
	}
	MUST(t->kept <= MOST_KEPT && kept == t->kept);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t start = fuzz_clock();
	static int fd = -1;
	struct elf_info info;
	off_t length = (off_t)size;
	struct symtab t = { 0 };

	if (fd < 0)
		fd = memfd_create("program", MFD_CLOEXEC);
	if (size > 0 && data[size - 1] % 2 != 0)
		length += 1L << data[size - 1] % 27;
	MUST(ftruncate(fd, 0) == 0 && ftruncate(fd, length) == 0);
	MUST(pwrite(fd, data, size, 0) == (ssize_t)size);
	if (elfnote_read(fd, &info) == 0 && info.is_elf) {
		t.fd = fd;
		if (read_table(&t))
			check_table(&t);
		forget(&t);
		MUST(kept == 0);
	}
	MUST(fuzz_clock() - start < FUZZ_MS);
	return 0;
}
