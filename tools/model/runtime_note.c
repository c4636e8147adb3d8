/*
 * Whether a program counts its calls: the runtime that does so has a note in it, which stays where
 * symbols are stripped.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "profsup_note.h"

#include <gelf.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SEGMENTS = 256, MOST_NOTES = 64 << 10 /* bytes, of a segment */ };

static bool
is_in_segment(Elf *elf, const GElf_Phdr *ph)
{
	const Elf_Type type = ph->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
	size_t at = 0, next, name_at, desc_at;
	GElf_Nhdr head;
	Elf_Data *data;

	if (ph->p_type != PT_NOTE || ph->p_filesz == 0 || ph->p_filesz > MOST_NOTES)
		return false;
	data = elf_getdata_rawchunk(elf, (int64_t)ph->p_offset, ph->p_filesz, type);
	while (data != NULL && (next = gelf_getnote(data, at, &head, &name_at, &desc_at)) > 0) {
		if (head.n_type == PROFSUP_NOTE_RUNTIME &&
		    head.n_namesz == sizeof(PROFSUP_NOTE_NAME) &&
		    memcmp((const char *)data->d_buf + name_at, PROFSUP_NOTE_NAME,
		           sizeof(PROFSUP_NOTE_NAME)) == 0)
			return true;
		at = next;
	}
	return false;
}

bool
runtime_note_is_in(const char *path)
{
	int fd;
	Elf *elf = program_open(path, &fd);
	size_t n = 0;
	bool is = false;

	if (elf == NULL)
		return false;
	if (elf_getphdrnum(elf, &n) == 0)
		for (size_t i = 0; i < n && i < MOST_SEGMENTS && !is; i++) {
			GElf_Phdr ph;

			is = gelf_getphdr(elf, (int)i, &ph) != NULL && is_in_segment(elf, &ph);
		}
	elf_end(elf);
	close(fd);
	return is;
}
