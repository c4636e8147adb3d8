/*
 * The table that is made of any file's symbols, for call stacks: spans of addresses in
 * order, each of a function with a name that can be shown, and no more memory or room taken than
 * may be.
 *
 * An input is what stands at the file's start; its last byte says what is behind it: nothing, a
 * hole of up to 64 MiB, or its last part again and again, up to 1 MiB.
 *
 * SPDX-License-Identifier: ISC
 */
// SOURCES: tools/code/symread.c tools/code/cfiread.c tools/code/coderead.c elfnote.c arch_x86_64.c
// SOURCES: arch_aarch64.c common/codetable.c common/elfbytes.c common/machine_x86_64.c
// SOURCES: common/machine_aarch64.c common/functions.c common/demangle.c common/symname.c
// SOURCES: common/unicode.c
#include "../../tools/code/readcode.h"
#include "table.h"

#include <sanitizer/allocator_interface.h>
#include <sys/mman.h>
#include <unistd.h>

/* Names are demangled for 4 s, and here for so much less: it is CPU time, too. */
enum { FASTER = 16 };
/* Of a name that is shown; and of the file, what is repeated: symbols. */
enum { MOST_SHOWN = 1000, PART = 170 * 24 };
/* Besides the file's own bytes: a million symbols and the table, both while they grow, and a header
 * for each section. */
enum { MOST_HELD = 256 << 20 };

/* What is behind, and how long at the most: to compare names takes the sanitizers a hundred times
 * as long. */
enum { REPEATED = 2, MOST_REPEATED_LOG2 = 20, MOST_LOG2 = 26 };

static size_t held, most_held;

static void
note_malloc(const volatile void *at, size_t size)
{
	(void)at;
	held += size;
	if (held > most_held)
		most_held = held;
}

static void
note_free(const volatile void *at)
{
	if (at != NULL)
		held -= __sanitizer_get_allocated_size(at);
}

uint64_t
cpu_ns(void)
{
	return fuzz_clock() * (NSEC / 1000) * FASTER;
}

static bool
is_shown(const char *name)
{
	for (const char *c = name; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return false;
	return *name != '\0' && strlen(name) <= MOST_SHOWN;
}

static void
check_table(const struct symtab *t)
{
	MUST(t->size <= CODETABLE_BYTES);
	for (uint64_t at = 0; at < t->head->names; at += strlen(t->names + at) + 1)
		MUST(is_shown(check_name(t, (uint32_t)at)));
	MUST(strcmp(check_name(t, 0), "[unknown]") == 0);
	for (uint32_t i = 0; i < t->head->spans; i++) {
		const struct codetable_span *s = &t->spans[i];

		MUST(s->low <= s->high && s->function > 0 && s->function < t->head->names);
		MUST(t->names[s->function - 1] == '\0');
		MUST(i == 0 || t->spans[i - 1].high <= s->low);
		if (s->low < s->high)
			MUST(symtab_at(t, s->low) == s->function);
	}
}

/* A file that is as long as `length`, and begins with `data`. */
static int
file_of(const uint8_t *data, size_t size, uint64_t length)
{
	const int fd = memfd_create("program", MFD_CLOEXEC);

	MUST(fd >= 0 && ftruncate(fd, (off_t)length) == 0);
	MUST(pwrite(fd, data, size, 0) == (ssize_t)size);
	return fd;
}

/* The file may be of any length, and what is behind the input is not a hole's zeros. */
static void
repeat(int file, const uint8_t *data, size_t size, uint64_t length)
{
	uint8_t part[PART];
	const size_t n = size < sizeof(part) ? size : sizeof(part);

	if (n == 0)
		return;
	memcpy(part, data + size - n, n);
	for (uint64_t at = size; at + n <= length; at += n)
		MUST(pwrite(file, part, n, (off_t)at) == (ssize_t)n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t began = fuzz_clock();
	const uint8_t behind = size == 0 ? 0 : data[size - 1];
	const unsigned most = behind % 4 == REPEATED ? MOST_REPEATED_LOG2 : MOST_LOG2;
	const uint64_t length = size + (behind % 4 == 0 ? 0 : 1UL << behind / 4 % (most + 1));
	struct elf_info info;
	static bool hooked;
	struct symtab_place written;
	int file, table;

	hooked = hooked || __sanitizer_install_malloc_and_free_hooks(note_malloc, note_free) != 0;
	MUST(hooked);
	file = file_of(data, size, length);
	if (behind % 4 == REPEATED)
		repeat(file, data, size, length);
	table = memfd_create("table", MFD_CLOEXEC);
	MUST(table >= 0 && symtab_place(&written) == 0);
	if (elfnote_read(file, &info) == 0 && info.is_elf) {
		held = most_held = 0;
		if (symread(file, -1, true, table) == 0) {
			const ssize_t n = pread(table, written.memory, CODETABLE_BYTES, 0);
			struct symtab *t;

			MUST(n > 0);
			written.used = (size_t)n;
			t = symtab_take(&written, CODETABLE_BYTES);
			MUST(t != NULL);
			check_table(t);
			free(t);
		}
		MUST(most_held < 2 * length + MOST_HELD);
	}
	close(file);
	close(table);
	symtab_leave(&written);
	MUST(fuzz_clock() - began < FUZZ_MS);
	return 0;
}
