/*
 * The rows that are made of any file's call frame information: sorted, no more than may be, and
 * soon.
 *
 * An input is the file.
 *
 * SPDX-License-Identifier: ISC
 */
// SOURCES: tools/code/cfiread.c tools/code/coderead.c common/codetable.c common/machine_x86_64.c
// SOURCES: common/machine_aarch64.c common/elfbytes.c
#include "../../tools/code/readcode.h"

#include "fuzz.h"

#include <libelf.h>
#include <sys/mman.h>
#include <unistd.h>

/* Rows are made for 2 s, and here for so much less: it is CPU time, too. */
enum { FASTER = 16, MOST_ROWS = 1 << 20 };

uint64_t
cpu_ns(void)
{
	return fuzz_clock() * (NSEC / 1000) * FASTER;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t began = fuzz_clock();
	const int file = memfd_create("program", MFD_CLOEXEC);
	Elf *elf;

	MUST(file >= 0 && write(file, data, size) == (ssize_t)size);
	elf_version(EV_CURRENT);
	elf = elf_begin(file, ELF_C_READ, NULL);
	if (elf != NULL && elf_kind(elf) == ELF_K_ELF) {
		size_t n;
		struct frame_row *row = cfiread(elf, &n);

		MUST(n <= MOST_ROWS && (n == 0 || row != NULL));
		for (size_t i = 1; i < n; i++)
			MUST(row[i - 1].low < row[i].low);
		free(row);
	}
	elf_end(elf);
	close(file);
	MUST(fuzz_clock() - began < FUZZ_MS);
	return 0;
}
