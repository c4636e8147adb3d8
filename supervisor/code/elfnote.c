/*
 * What an executable file says of itself, by libelf: is it static, does it carry our note, where is
 * its text.  The file is the target's, so nothing is mapped (a file may shrink under a mapping) and
 * what is read is bounded.
 *
 * SPDX-License-Identifier: ISC
 */
#include "code/code.h"

#include "elfbytes.h"
#include "os/arch.h"
#include "profsup_note.h"

#include <errno.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SEGMENTS = 256, MAX_SECTIONS = 256, MAX_TEXT = 256 << 20 };
enum { MAX_NOTES = 64 << 10 }; /* bytes, of all together */

static uint32_t
get32(const char *at)
{
	uint32_t n;

	memcpy(&n, at, sizeof(n));
	return n;
}

/* Takes one of our notes; `addr` is the link-time address of its descriptor. */
static void
take_note(struct elf_info *info, const GElf_Nhdr *note, const char *desc, uint64_t addr)
{
	if (note->n_type == PROFSUP_NOTE_CALLER)
		info->caller = true;
	if (note->n_descsz < sizeof(struct profsup_note))
		return;
	addr += offsetof(struct profsup_note, state_off);
	addr += (uint64_t)(int64_t)(int32_t)get32(desc + offsetof(struct profsup_note, state_off));
	if (note->n_type == PROFSUP_NOTE_MAILBOX)
		info->mailbox = addr;
	if (note->n_type != PROFSUP_NOTE_RUNTIME)
		return;
	info->runtime = true;
	info->version = get32(desc + offsetof(struct profsup_note, version));
	info->state = addr;
}

/* Any file may claim any build id, which only tells programs of one owner apart. */
static void
take_build_id(struct elf_info *info, const GElf_Nhdr *note, const char *desc)
{
	if (note->n_type != NT_GNU_BUILD_ID || note->n_descsz > BUILD_ID_MOST)
		return;
	memset(info->id.build_id, 0, sizeof(info->id.build_id)); /* there may be several */
	memcpy(info->id.build_id, desc, note->n_descsz);
	info->id.build_id_len = note->n_descsz;
}

static bool
is_named(const GElf_Nhdr *note, const char *at, const char *name)
{
	return note->n_namesz == strlen(name) + 1 && memcmp(at, name, note->n_namesz) == 0;
}

/* Our notes may sit next to others in one segment: walk them all.  `ours`: they count.  `left`: so
 * many bytes of notes are still read. */
static int
walk_notes(Elf *elf, const GElf_Phdr *ph, bool ours, struct elf_info *info, uint64_t *left)
{
	Elf_Type type = ph->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
	size_t at = 0, next, name_at, desc_at;
	GElf_Nhdr note;
	Elf_Data *data;

	if (ph->p_filesz > *left || ph->p_filesz == 0)
		return 0;
	*left -= ph->p_filesz;
	data = elf_getdata_rawchunk(elf, (int64_t)ph->p_offset, ph->p_filesz, type);
	while (data != NULL && (next = gelf_getnote(data, at, &note, &name_at, &desc_at)) > 0) {
		const char *base = data->d_buf;

		if (ours && is_named(&note, base + name_at, PROFSUP_NOTE_NAME))
			take_note(info, &note, base + desc_at, ph->p_vaddr + desc_at);
		else if (is_named(&note, base + name_at, ELF_NOTE_GNU))
			take_build_id(info, &note, base + desc_at);
		at = next;
	}
	return data != NULL ? 0 : -1;
}

/* The linker of Go 1.24 gives the build id a section that is in no segment of notes.  A reader
 * finds it there, so the profile must have it.  Our own notes count in segments only. */
static void
take_build_id_of_section(Elf *elf, struct elf_info *info, uint64_t *left)
{
	struct elfsection at = { .elf = elf };
	size_t n = 0;

	while (n++ < MAX_SECTIONS && info->id.build_id_len == 0 && elfsection_next(&at)) {
		const GElf_Phdr ph = { .p_offset = at.header.sh_offset,
			               .p_filesz = at.header.sh_size,
			               .p_align = at.header.sh_addralign };

		if (at.header.sh_type == SHT_NOTE)
			walk_notes(elf, &ph, false, info, left);
	}
}

static int
take_segment(Elf *elf, const GElf_Phdr *ph, struct elf_info *info, uint64_t *low, uint64_t *left)
{
	if (ph->p_type == PT_INTERP)
		info->dynamic = true;
	if (ph->p_type == PT_NOTE && walk_notes(elf, ph, true, info, left) < 0)
		return -1;
	if (ph->p_type == PT_LOAD && ph->p_vaddr < *low)
		*low = ph->p_vaddr;
	if (ph->p_type != PT_LOAD || (ph->p_flags & PF_X) == 0)
		return 0;
	if (info->text_high == 0 || ph->p_vaddr < info->text_low)
		info->text_low = ph->p_vaddr;
	if (ph->p_vaddr + ph->p_memsz > info->text_high)
		info->text_high = ph->p_vaddr + ph->p_memsz;
	return 0;
}

static int
read_elf(Elf *elf, struct elf_info *info)
{
	uint64_t left = MAX_NOTES, low = UINT64_MAX;
	GElf_Ehdr eh;
	GElf_Phdr ph;
	size_t n;

	if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &eh) == NULL)
		return 0;
	info->is_elf = true;
	info->machine = eh.e_machine;
	info->is_64 = eh.e_ident[EI_CLASS] == ELFCLASS64;
	info->foreign = info->machine != arch_elf_machine || !info->is_64;
	info->entry = eh.e_entry;
	if (elf_getphdrnum(elf, &n) != 0 || n > MAX_SEGMENTS)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) == NULL ||
		    take_segment(elf, &ph, info, &low, &left) < 0)
			return -1;
	if (info->text_high > low)
		info->text_size =
		    info->text_high - low < MAX_TEXT ? info->text_high - low : MAX_TEXT;
	take_build_id_of_section(elf, info, &left);
	return 0;
}

/* A file that is no ELF file is no error: is_elf says so. */
int
elfnote_read(int fd, struct elf_info *info)
{
	Elf *elf;
	int ret;

	*info = (struct elf_info){ 0 };
	elf_version(EV_CURRENT);
	elf = !elfbytes_counted(fd) ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	ret = elf == NULL ? -1 : read_elf(elf, info);
	elf_end(elf);
	if (ret < 0)
		errno = ENOEXEC;
	return ret;
}
