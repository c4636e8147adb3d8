/*
 * What a program's headers say: where its code lies in memory and in the file, and where it starts.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <gelf.h>

/* What a file may claim; programs have one such segment, or two. */
enum { MOST_SEGMENTS = 64 };

/* Behind PN_XNUM stands a number that only libelf would hold against the file's length. */
void
segments_read(struct symbols *s, struct Elf *elf)
{
	GElf_Ehdr eh;
	GElf_Phdr ph;

	if (gelf_getehdr(elf, &eh) == NULL)
		return;
	s->machine = eh.e_machine;
	s->pie = eh.e_type == ET_DYN;
	s->entry = eh.e_entry;
	for (int i = 0; eh.e_phnum != PN_XNUM && i < eh.e_phnum; i++) {
		if (gelf_getphdr(elf, i, &ph) == NULL || ph.p_type != PT_LOAD ||
		    (ph.p_flags & PF_X) == 0 || ph.p_filesz == 0 ||
		    ph.p_vaddr + ph.p_filesz < ph.p_vaddr || s->nsegments == MOST_SEGMENTS)
			continue;
		s->segments = memory_grow(s->segments, s->nsegments, sizeof(*s->segments));
		s->segments[s->nsegments++] = (struct segment){
			.low = ph.p_vaddr,
			.high = ph.p_vaddr + ph.p_filesz,
			.offset = ph.p_offset,
		};
	}
}
