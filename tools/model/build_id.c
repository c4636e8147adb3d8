/*
 * Which build of a program a file is of.
 *
 * gmon files have the first bytes of the build id, since there is no room for more; zeros say that
 * nothing is known: the program has none, or another profiler has written the file.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "functions.h"
#include "hexadecimal.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NOTES = 64, MOST_NOTE = 64 << 10, MOST_ID = 64 };

static char *
in_hexadecimal(const uint8_t *bytes, size_t n)
{
	char *text = memory_array(2 * n + 1, 1);

	hexadecimal(bytes, n, text);
	return text;
}

/* Returns a section's build id, or NULL. */
static char *
in_section(Elf_Scn *scn, unsigned *notes)
{
	GElf_Shdr sh;
	GElf_Nhdr head;
	size_t name_at, desc_at;
	Elf_Data *data;

	if (gelf_getshdr(scn, &sh) == NULL || sh.sh_type != SHT_NOTE || sh.sh_size > MOST_NOTE)
		return NULL;
	(*notes)++;
	data = elf_getdata(scn, NULL);
	if (data == NULL || gelf_getnote(data, 0, &head, &name_at, &desc_at) == 0 ||
	    head.n_type != NT_GNU_BUILD_ID || head.n_descsz > MOST_ID || head.n_namesz != 4 ||
	    memcmp((char *)data->d_buf + name_at, "GNU", 4) != 0)
		return NULL;
	return in_hexadecimal((uint8_t *)data->d_buf + desc_at, head.n_descsz);
}

/* Returns it in hexadecimal; "": there is none. */
char *
build_id_of(Elf *elf)
{
	Elf_Scn *scn = NULL;
	unsigned notes = 0;
	char *id = NULL;

	while (id == NULL && notes < MOST_NOTES && (scn = elf_nextscn(elf, scn)) != NULL)
		id = in_section(scn, &notes);
	return id != NULL ? id : memory_text("%s", "");
}

/* Opens a program, with the descriptor that the caller closes, too; NULL: it is none that a profile
 * can be of. */
Elf *
program_open(const char *path, int *fd)
{
	struct stat st;
	Elf *elf = NULL;

	*fd = regular_open(path, &st);
	if (*fd < 0)
		return NULL;
	if (elf_header_wrong(*fd, true) == NULL) {
		elf_version(EV_CURRENT);
		elf = elf_begin(*fd, ELF_C_READ, NULL);
	}
	if (elf == NULL)
		close(*fd);
	return elf;
}

/* Returns the build id of a file; NULL: it is no such program. */
char *
build_id_read(const char *path)
{
	int fd;
	Elf *elf = program_open(path, &fd);
	char *id;

	if (elf == NULL)
		return NULL;
	id = build_id_of(elf);
	elf_end(elf);
	close(fd);
	return id;
}

/* The first bytes of a build id, as a gmon file has them, in hexadecimal; "": it has none. */
char *
build_id_in_gmon(const uint8_t id[GMON_BUILD_ID])
{
	static const uint8_t none[GMON_BUILD_ID];

	return memcmp(id, none, sizeof(none)) == 0 ? memory_text("%s", "")
	                                           : in_hexadecimal(id, GMON_BUILD_ID);
}

/* The same of a gmon file; NULL: it is none. */
char *
build_id_of_gmon(const char *path)
{
	struct stat st;
	const int fd = regular_open(path, &st);
	struct gmon_file_header head;
	char *id = NULL;

	if (fd >= 0 && pread(fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	    memcmp(head.cookie, GMON_MAGIC, sizeof(head.cookie)) == 0)
		id = build_id_in_gmon(head.build_id);
	if (fd >= 0)
		close(fd);
	return id;
}

/* Whether a program with that build id may be the one that the gmon files are of. */
bool
build_id_fits(const char *of_gmon, const char *of_program)
{
	const size_t len = strlen(of_program), most = 2 * (size_t)GMON_BUILD_ID;

	if (*of_gmon == '\0')
		return true;
	if (len == 0 || strncmp(of_gmon, of_program, len < most ? len : most) != 0)
		return false;
	return len >= most || strspn(of_gmon + len, "0") == most - len;
}

/* Exits if the program is not the one that ran; with `force` it only prints. */
void
build_id_check(const struct gmon *g, const struct symbols *s, bool force)
{
	if (build_id_fits(g->build_id, s->build_id))
		return;
	if (!force)
		errx(EXIT_BAD,
		     "%s: not the program that ran: its build ID is %s, that of %s begins with %s "
		     "(--force takes it)",
		     s->program, *s->build_id != '\0' ? s->build_id : "(none)", g->build_id_file,
		     g->build_id);
	note("%s: not the program that ran: names, lines and calls may be wrong", s->program);
}
