/*
 * elfnote_read() on files made by hand, good ones and lying ones.
 *
 * SPDX-License-Identifier: ISC
 */
#include "process/process.h"
#include "profsup_note.h"
#include "tap.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>

enum { SEGMENTS = 4, NOTES_AT = 0x400, NOTES_VADDR = 0x400400, SECTIONS_AT = 0x800, SIZE = 0x1000 };

#ifdef __x86_64__
enum { MACHINE = EM_X86_64, OTHER_MACHINE = EM_AARCH64 };
#else
enum { MACHINE = EM_AARCH64, OTHER_MACHINE = EM_X86_64 };
#endif

/* A file of one page: header, program headers, notes at NOTES_AT. */
struct image {
	union {
		uint8_t bytes[SIZE];
		struct {
			Elf64_Ehdr eh;
			Elf64_Phdr ph[SEGMENTS];
		};
	};
	size_t notes; /* bytes of them */
	size_t size;  /* of the file */
};

static void
add_note(struct image *im, const char *name, uint32_t type, const void *desc, uint32_t len,
         size_t align)
{
	const Elf64_Nhdr nh = { (uint32_t)strlen(name) + 1, len, type };
	uint8_t *at = im->bytes + NOTES_AT + im->notes;
	size_t desc_at = (sizeof(nh) + nh.n_namesz + align - 1) & ~(align - 1);

	memcpy(at, &nh, sizeof(nh));
	memcpy(at + sizeof(nh), name, nh.n_namesz);
	memcpy(at + desc_at, desc, len);
	im->notes += (desc_at + len + align - 1) & ~(align - 1);
	im->ph[1].p_filesz = im->ph[1].p_memsz = im->notes;
}

static void
add_runtime(struct image *im, size_t align, int32_t state_off)
{
	const struct profsup_note note = { PROFSUP_ABI_VERSION, state_off };

	add_note(im, PROFSUP_NOTE_NAME, PROFSUP_NOTE_RUNTIME, &note, sizeof(note), align);
}

/* A static program: a text segment and an empty note segment. */
static struct image
make(void)
{
	struct image im = { .size = SIZE };

	memcpy(im.eh.e_ident, ELFMAG, SELFMAG);
	im.eh.e_ident[EI_CLASS] = ELFCLASS64;
	im.eh.e_ident[EI_DATA] = ELFDATA2LSB;
	im.eh.e_ident[EI_VERSION] = EV_CURRENT;
	im.eh.e_type = ET_EXEC;
	im.eh.e_machine = MACHINE;
	im.eh.e_version = EV_CURRENT;
	im.eh.e_entry = 0x401234;
	im.eh.e_phoff = sizeof(Elf64_Ehdr);
	im.eh.e_ehsize = sizeof(Elf64_Ehdr);
	im.eh.e_phentsize = sizeof(Elf64_Phdr);
	im.eh.e_shentsize = sizeof(Elf64_Shdr);
	im.eh.e_phnum = 2;
	im.ph[0] = (Elf64_Phdr){ .p_type = PT_LOAD,
		                 .p_flags = PF_R | PF_X,
		                 .p_vaddr = 0x400000,
		                 .p_filesz = SIZE,
		                 .p_memsz = SIZE,
		                 .p_align = SIZE };
	im.ph[1] = (Elf64_Phdr){ .p_type = PT_NOTE,
		                 .p_flags = PF_R,
		                 .p_offset = NOTES_AT,
		                 .p_vaddr = NOTES_VADDR,
		                 .p_align = 4 };
	return im;
}

static int
read_back(const struct image *im, struct elf_info *info)
{
	const size_t bytes = im->size < SIZE ? im->size : SIZE;
	int fd = memfd_create("image", MFD_CLOEXEC), ret;

	if (fd < 0 || write(fd, im->bytes, bytes) != (ssize_t)bytes ||
	    ftruncate(fd, (off_t)im->size) < 0)
		bail("memfd_create");
	ret = elfnote_read(fd, info);
	close(fd);
	return ret;
}

/* Nothing in it may be permitted. */
static bool
is_refused(const struct image *im)
{
	struct elf_info info;

	return read_back(im, &info) < 0 || !info.runtime;
}

static void
good(void)
{
	struct image im = make();
	struct elf_info info;

	add_runtime(&im, 4, 0x5000);
	is_int(read_back(&im, &info), 0, "a static program with our note is read");
	ok(info.is_elf && !info.dynamic && !info.foreign, "it is static and for this machine");
	ok(info.runtime && !info.caller, "it carries the runtime and does not call profil itself");
	is_int(info.version, PROFSUP_ABI_VERSION, "the version is the note's");
	is_int((int64_t)info.entry, 0x401234, "the entry point is the header's");
	/* The header has 12 bytes and the name 8; state_off is 4 bytes into the descriptor. */
	is_int((int64_t)info.state, NOTES_VADDR + 12 + 8 + 4 + 0x5000,
	       "the state is where the note says, from its own address");

	im = make();
	add_runtime(&im, 4, -0x1000);
	ok(read_back(&im, &info) == 0 && info.state == NOTES_VADDR + 12 + 8 + 4 - 0x1000,
	   "also below it");
}

/* The bound on what a target may have us read: 64 KiB of notes, in all segments together. */
static void
many_notes(void)
{
	const uint64_t most = 64 << 10, half = most / 2;
	struct image im = make();
	struct elf_info info;

	add_runtime(&im, 4, 0x5000);
	im.eh.e_phnum = SEGMENTS;
	im.size = SIZE + most;
	im.ph[3] = im.ph[1];
	for (int i = 1; i < 3; i++)
		im.ph[i] = (Elf64_Phdr){ .p_type = PT_NOTE,
			                 .p_offset = SIZE,
			                 .p_filesz = half - im.ph[3].p_filesz,
			                 .p_align = 4 };
	ok(read_back(&im, &info) == 0 && info.runtime, "our note may stand behind many others");
	im.ph[1].p_filesz = im.ph[2].p_filesz = half;
	ok(read_back(&im, &info) == 0 && !info.runtime, "but not behind 64 KiB of them");
}

/* What the runtime calls its text begins where the program does: linkers put constants first. */
static void
text(void)
{
	struct image im = make();
	struct elf_info info;

	im.ph[0].p_vaddr = 0x400000;
	im.ph[0].p_memsz = SIZE;
	ok(read_back(&im, &info) == 0 && info.text_size == SIZE,
	   "the text is as long as its segment");
	im.ph[1] = im.ph[0];
	im.ph[1].p_vaddr = 0x300000;
	im.ph[1].p_flags = PF_R;
	ok(read_back(&im, &info) == 0 && info.text_size == 0x100000 + SIZE &&
	       info.text_low == 0x400000,
	   "with the constants before it");
	im.ph[1].p_vaddr = 0x500000;
	ok(read_back(&im, &info) == 0 && info.text_size == SIZE, "and not those behind it");
	im.ph[0].p_memsz = 1UL << 40;
	ok(read_back(&im, &info) == 0 && info.text_size == 256 << 20, "a claim of more is bounded");
	im.ph[0].p_memsz = UINT64_MAX;
	ok(read_back(&im, &info) == 0 && info.text_size == 0, "also if it wraps");
}

static void
several_notes(void)
{
	static const uint8_t build_id[20] = { 1, 2, 3 };
	const uint32_t version = 1;
	struct image im = make();
	struct elf_info info;

	add_note(&im, "GNU", 3, build_id, sizeof(build_id), 4);
	add_note(&im, "x", 1, build_id, 5, 4);
	add_runtime(&im, 4, 16);
	add_note(&im, PROFSUP_NOTE_NAME, PROFSUP_NOTE_CALLER, &version, sizeof(version), 4);
	ok(read_back(&im, &info) == 0 && info.runtime && info.caller,
	   "both of our notes are found behind others in one segment");
	is_int((int64_t)info.state, NOTES_VADDR + (12 + 4 + 20) + (12 + 4 + 8) + 12 + 8 + 4 + 16,
	       "and the state's address counts what stands before");

	im = make();
	add_note(&im, PROFSUP_NOTE_NAME, PROFSUP_NOTE_CALLER, &version, sizeof(version), 4);
	ok(read_back(&im, &info) == 0 && !info.runtime && info.caller,
	   "the caller's note alone is no runtime");

	im = make();
	add_note(&im, "GNU", 3, build_id, sizeof(build_id), 4);
	ok(read_back(&im, &info) == 0 && info.is_elf && !info.runtime && !info.caller,
	   "a program with other notes only has neither");

	im = make();
	im.eh.e_phnum = 3;
	im.ph[2] = im.ph[1];
	add_note(&im, "GNU", 3, build_id, sizeof(build_id), 4);
	im.ph[2].p_offset += im.notes;
	im.ph[2].p_vaddr += im.notes;
	add_runtime(&im, 4, 8);
	im.ph[2].p_filesz = im.notes - 36;
	im.ph[1].p_filesz = 36;
	ok(read_back(&im, &info) == 0 && info.runtime &&
	       info.state == NOTES_VADDR + 36 + 12 + 8 + 4 + 8,
	   "a second note segment is read as well");
}

/* As Go links: one section of notes in a segment, another, with the build id, in none. */
static void
build_id_in_a_section(void)
{
	static const uint8_t build_id[20] = { 1, 2, 3 }, other[20] = { 4 };
	struct image im = make();
	Elf64_Shdr *sh = (Elf64_Shdr *)(im.bytes + SECTIONS_AT);
	struct elf_info info;

	add_note(&im, "Go", 4, "an id", 5, 4);
	im.eh.e_shoff = SECTIONS_AT;
	im.eh.e_shnum = 3;
	sh[1] = (Elf64_Shdr){
		.sh_type = SHT_NOTE, .sh_offset = NOTES_AT, .sh_size = im.notes, .sh_addralign = 4
	};
	sh[2] = sh[1];
	sh[2].sh_offset += im.notes;
	add_note(&im, "GNU", 3, build_id, sizeof(build_id), 4);
	add_runtime(&im, 4, 8);
	sh[2].sh_size = im.notes - sh[1].sh_size;
	im.ph[1].p_filesz = im.ph[1].p_memsz = sh[1].sh_size;
	ok(read_back(&im, &info) == 0 && info.id.build_id_len == sizeof(build_id) &&
	       memcmp(info.id.build_id, build_id, sizeof(build_id)) == 0,
	   "a build id that only a section has is found");
	ok(!info.runtime, "our own note is not, since it is not loaded");
	im.eh.e_shoff = SIZE - 8;
	ok(read_back(&im, &info) == 0 && info.id.build_id_len == 0,
	   "sections that are not in the file have none");
	im.eh.e_shoff = SECTIONS_AT;
	sh[2].sh_offset = UINT64_MAX - 8;
	ok(read_back(&im, &info) == 0 && info.id.build_id_len == 0, "nor has one that is not");

	im = make();
	add_note(&im, "GNU", 3, other, sizeof(other), 4);
	im.eh.e_shoff = SECTIONS_AT;
	im.eh.e_shnum = 2;
	sh[1] = (Elf64_Shdr){ .sh_type = SHT_NOTE,
		              .sh_offset = NOTES_AT + im.notes,
		              .sh_size = im.notes,
		              .sh_addralign = 4 };
	add_note(&im, "GNU", 3, build_id, sizeof(build_id), 4);
	im.ph[1].p_filesz = im.ph[1].p_memsz = sh[1].sh_size;
	ok(read_back(&im, &info) == 0 && memcmp(info.id.build_id, other, sizeof(other)) == 0,
	   "that of a segment counts before it");
}

static void
aligned_to_8(void)
{
	static const uint32_t property[4] = { 0xc0000002, 4, 3, 0 };
	struct image im = make();
	struct elf_info info;

	im.ph[1].p_align = 8;
	add_note(&im, "GNU", 5, property, sizeof(property), 8);
	add_runtime(&im, 8, 4);
	ok(read_back(&im, &info) == 0 && info.runtime,
	   "a note in a segment of 8-byte alignment is found");
	is_int((int64_t)info.state, NOTES_VADDR + 32 + 24 + 4 + 4, "with its descriptor's place");
}

static void
not_ours(void)
{
	const struct profsup_note note = { PROFSUP_ABI_VERSION, 0 };
	struct image im = make();
	struct elf_info info;

	add_note(&im, "profsuq", PROFSUP_NOTE_RUNTIME, &note, sizeof(note), 4);
	ok(is_refused(&im), "another name is not ours");
	im = make();
	add_note(&im, "profsup2", PROFSUP_NOTE_RUNTIME, &note, sizeof(note), 4);
	ok(is_refused(&im), "nor is a longer one");
	im = make();
	add_note(&im, "prof", PROFSUP_NOTE_RUNTIME, &note, sizeof(note), 4);
	ok(is_refused(&im), "nor a shorter one");
	im = make();
	add_note(&im, PROFSUP_NOTE_NAME, 99, &note, sizeof(note), 4);
	ok(read_back(&im, &info) == 0 && !info.runtime && !info.caller,
	   "nor another type under our name");
	im = make();
	add_note(&im, PROFSUP_NOTE_NAME, PROFSUP_NOTE_RUNTIME, &note, 4, 4);
	ok(is_refused(&im), "a descriptor that is too short permits nothing");
	im = make();
	add_runtime(&im, 4, 0);
	im.ph[1].p_type = PT_LOAD;
	ok(is_refused(&im), "a note outside of a PT_NOTE segment permits nothing");
	im = make();
	add_runtime(&im, 4, 0);
	im.eh.e_phnum = 0;
	ok(is_refused(&im), "nor does one in a file without segments");
}

static void
dynamic(void)
{
	struct image im = make();
	struct elf_info info;

	im.eh.e_phnum = 3;
	im.ph[2] = (Elf64_Phdr){ .p_type = PT_INTERP, .p_offset = 0x800, .p_filesz = 16 };
	add_runtime(&im, 4, 0);
	ok(read_back(&im, &info) == 0 && info.dynamic && info.runtime,
	   "an image with an interpreter is dynamic");
	im.eh.e_type = ET_DYN;
	im.eh.e_phnum = 2;
	ok(read_back(&im, &info) == 0 && !info.dynamic && info.runtime,
	   "a position-independent one without is static");
	im.eh.e_phnum = 3;
	im.ph[2].p_type = PT_DYNAMIC;
	ok(read_back(&im, &info) == 0 && !info.dynamic && info.runtime,
	   "even with a dynamic section, as static-pie has one");
}

static void
foreign(void)
{
	struct image im = make();
	struct elf_info info;

	im.eh.e_machine = OTHER_MACHINE;
	add_runtime(&im, 4, 0);
	ok(read_back(&im, &info) == 0 && info.is_elf && info.foreign,
	   "an image for another machine is foreign");

	im = make();
	im.eh.e_ident[EI_CLASS] = ELFCLASS32;
	ok(read_back(&im, &info) < 0 || info.foreign || !info.is_elf, "a 32-bit image is foreign");

	im = make();
	im.eh.e_ident[EI_DATA] = ELFDATA2MSB;
	ok(read_back(&im, &info) < 0 || info.foreign || !info.is_elf,
	   "an image of the other byte order is foreign");
}

static void
not_elf(void)
{
	struct image im = { .size = 200 };
	struct elf_info info;

	memcpy(im.bytes, "#!/bin/sh\nexit 0\n", 17);
	ok(read_back(&im, &info) == 0 && !info.is_elf && !info.runtime,
	   "a script is no ELF file and no error");
	im.size = 0;
	ok(read_back(&im, &info) < 0 || !info.is_elf, "an empty file is none");
	memcpy(im.bytes, "!<arch>\n", 8);
	im.size = 8;
	ok(read_back(&im, &info) < 0 || !info.is_elf, "an archive is none");
	info.is_elf = true;
	ok(elfnote_read(-1, &info) < 0 && !info.is_elf, "a bad descriptor is an error");
}

static void
lies(void)
{
	static const uint64_t offsets[] = { UINT64_MAX - 8, UINT64_MAX - 7, 1UL << 63, 1UL << 32,
		                            SIZE - 8 };
	static const uint32_t heads[][2] = { { UINT32_MAX, 8 },
		                             { 8, UINT32_MAX },
		                             { 0, 8 },
		                             { UINT32_MAX, UINT32_MAX },
		                             { 0xfffffffd, UINT32_MAX } };
	const struct image good_image = make();
	struct image im = good_image;
	struct elf_info info;
	int refused = 0;

	add_runtime(&im, 4, 0);
	for (uint64_t align = 1UL << 63; align != 0; align /= 2) {
		im.ph[1].p_align = align - 1;
		read_back(&im, &info);
	}
	ok(1, "no alignment of a segment does harm");
	im.ph[1].p_align = 4;
	im.ph[1].p_filesz = 0;
	ok(is_refused(&im), "a segment of nothing permits nothing");
	im.ph[1].p_filesz = UINT64_MAX;
	ok(is_refused(&im), "a note segment of 2^64 bytes is not read");
	im.ph[1].p_filesz = 1UL << 30;
	ok(is_refused(&im), "nor is one of a gigabyte");
	im.ph[1].p_filesz = SIZE;
	ok(is_refused(&im), "nor one that reaches past the end of the file");
	im.ph[1].p_filesz = im.notes - 4;
	ok(is_refused(&im), "nor a note that reaches past its segment");

	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		im = good_image;
		add_runtime(&im, 4, 0);
		im.ph[1].p_offset = offsets[i];
		ok(is_refused(&im), "a segment at %#lx is not read", (long)offsets[i]);
	}

	im = good_image;
	add_runtime(&im, 4, 0);
	im.eh.e_phnum = 0xfffe;
	read_back(&im, &info);
	ok(1, "65,534 segments in a file of one page do no harm");
	im.eh.e_phnum = PN_XNUM;
	read_back(&im, &info);
	ok(1, "nor does a number of them that stands elsewhere");
	im.eh.e_phoff = UINT64_MAX - 10;
	im.eh.e_phnum = 2;
	ok(is_refused(&im), "segment headers past the end permit nothing");

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		im = good_image;
		add_runtime(&im, 4, 0);
		memcpy(im.bytes + NOTES_AT, heads[i], sizeof(heads[i]));
		ok(is_refused(&im), "a name of %u bytes and a descriptor of %u permit nothing",
		   heads[i][0], heads[i][1]);
	}

	im = good_image;
	add_runtime(&im, 4, 0);
	for (im.size = 0; im.size < NOTES_AT + im.notes; im.size++)
		refused += is_refused(&im);
	is_int(refused, NOTES_AT + (int)im.notes, "no file cut short anywhere permits anything");
	im.size = NOTES_AT + im.notes;
	ok(!is_refused(&im), "the whole one does");
}

/* Any byte of header and notes may be anything. */
static void
noise(void)
{
	struct image im = make();
	struct elf_info info;
	uint64_t random = 4;

	add_runtime(&im, 4, 0);
	for (int i = 0; i < 20000; i++) {
		struct image bad = im;

		for (int j = 0; j < 3; j++) {
			size_t at;

			random = random * 6364136223846793005U + 1442695040888963407U;
			at = (random >> 33) %
			     (sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr) + im.notes);
			if (at >= sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr))
				at += NOTES_AT - sizeof(Elf64_Ehdr) - 2 * sizeof(Elf64_Phdr);
			bad.bytes[at] = (uint8_t)(random >> 24);
		}
		read_back(&bad, &info);
	}
	ok(1, "20,000 damaged files do no harm");
}

/* libelf would make room for all of them. */
static void
sections_elsewhere(void)
{
	struct image im = make();
	const Elf64_Shdr first = { .sh_size = 40 };

	add_runtime(&im, 4, 0x5000);
	im.eh.e_shoff = 0x600;
	memcpy(im.bytes + im.eh.e_shoff, &first, sizeof(first));
	ok(is_refused(&im), "a file whose first section tells the number of sections is refused");
	im.eh.e_shnum = 1;
	ok(!is_refused(&im), "one whose header tells it is not");
}

int
main(void)
{
	good();
	many_notes();
	text();
	several_notes();
	build_id_in_a_section();
	aligned_to_8();
	not_ours();
	dynamic();
	foreign();
	not_elf();
	lies();
	sections_elsewhere();
	noise();
	return done_testing();
}
