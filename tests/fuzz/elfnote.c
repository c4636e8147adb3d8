/*
 * elfnote_read() on any file.
 *
 * An input is what stands at the file's start; if its last byte is odd, the file goes on after that
 * as a hole of up to 4 GiB, so that a size that the headers claim may be there.
 *
 * SPDX-License-Identifier: ISC
 */
// SOURCES: elfnote.c common/elfbytes.c arch_x86_64.c arch_aarch64.c
#include "fuzz.h"
#include "start/start.h"

#include <sys/mman.h>
#include <unistd.h>

enum { MAX_TEXT = 256 << 20 };

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t start = fuzz_clock();
	static int fd = -1;
	struct elf_info info;
	off_t length = (off_t)size;

	if (fd < 0)
		fd = memfd_create("program", MFD_CLOEXEC);
	if (size > 0 && data[size - 1] % 2 != 0)
		length += 1L << (data[size - 1] / 8);
	MUST(ftruncate(fd, 0) == 0 && ftruncate(fd, length) == 0);
	MUST(pwrite(fd, data, size, 0) == (ssize_t)size);
	if (elfnote_read(fd, &info) == 0) {
		MUST(info.is_elf || (!info.runtime && !info.caller && !info.dynamic));
		MUST(info.text_size <= MAX_TEXT && info.id.build_id_len <= BUILD_ID_MOST);
	}
	MUST(fuzz_clock() - start < FUZZ_MS);
	return 0;
}
