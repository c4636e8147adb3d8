/*
 * The program that gmon files are of, if the command line does not name it.  The file's name and
 * the file of stacks beside it say how the program is called; it is looked for here, beside the
 * file, and where a shell finds it, and its build id has to fit.  Here and beside the file it may
 * have any name.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The kernel, and with it profsup, keeps so many bytes of a program's name. */
enum { SHORT_NAME = 15, MOST_ENTRIES = 10000 };

struct search {
	char *build_id; /* as the gmon file has it */
	bool force;
	char *dirs[2]; /* NULL: there is no second one */
	char *name;    /* one that was looked for, for the message */
	char *found;
};

static void
try_program(struct search *s, const char *dir, const char *name)
{
	char *path = memory_text("%s/%s", dir, name);
	char *id = build_id_read(path);

	if (id != NULL && (s->force || build_id_fits(s->build_id, id)))
		s->found = path;
	else
		free(path);
	free(id);
}

/* To open a file that is none may have an effect, as of some devices. */
static bool
is_executable(DIR *d, const char *name)
{
	struct stat st;

	return fstatat(dirfd(d), name, &st, 0) == 0 && S_ISREG(st.st_mode) &&
	       (st.st_mode & 0111) != 0;
}

/* Looks for programs whose names begin so. */
static void
try_longer_names(struct search *s, const char *dir, const char *name)
{
	DIR *d = opendir(dir);

	for (int i = 0; d != NULL && s->found == NULL && i < MOST_ENTRIES; i++) {
		const struct dirent *e = readdir(d);

		if (e == NULL)
			break;
		if (strncmp(e->d_name, name, strlen(name)) == 0 && is_executable(d, e->d_name))
			try_program(s, dir, e->d_name);
	}
	if (d != NULL)
		closedir(d);
}

static void
try_path(struct search *s, const char *name)
{
	const char *dirs = getenv("PATH");

	while (dirs != NULL && *dirs != '\0' && s->found == NULL) {
		const size_t len = strcspn(dirs, ":");
		char *dir = memory_text("%.*s", (int)len, dirs);

		if (*dir == '/')
			try_program(s, dir, name);
		free(dir);
		dirs += len + (dirs[len] == ':');
	}
}

static void
try_name(struct search *s, const char *name)
{
	if (*name == '\0' || strchr(name, '/') != NULL)
		return;
	if (s->name == NULL)
		s->name = memory_text("%s", name);
	for (size_t i = 0; i < 2 && s->dirs[i] != NULL && s->found == NULL; i++) {
		try_program(s, s->dirs[i], name);
		if (s->found == NULL && strlen(name) == SHORT_NAME)
			try_longer_names(s, s->dirs[i], name);
	}
	if (*s->build_id != '\0')
		try_path(s, name);
}

/* Whether a part of a file's name is a process id, the number of a file or that of a snapshot. */
static bool
is_number(const char *part)
{
	if (strncmp(part, "snap", 4) == 0)
		part += 4;
	return isdigit((unsigned char)*part) && part[strspn(part, "0123456789")] == '\0';
}

/* gmon.PROG.PID.out, and what it can be with other numbers, or none. */
static void
try_file_name(struct search *s, const char *base)
{
	const bool ours = strncmp(base, "gmon.", 5) == 0;
	char *name = memory_text("%s", base + (ours ? 5 : 0)), *dot = strrchr(name, '.');

	if (dot != NULL)
		*dot = '\0';
	for (dot = strrchr(name, '.'); dot != NULL && is_number(dot + 1); dot = strrchr(name, '.'))
		*dot = '\0';
	try_name(s, name);
	if (!ours) { /* what -o has chosen may have nothing to do with the program's name */
		free(s->name);
		s->name = NULL;
	}
	free(name);
}

/* The build id alone tells the program, too. */
static void
try_any_name(struct search *s)
{
	for (size_t i = 0; i < 2 && s->dirs[i] != NULL && s->found == NULL; i++)
		try_longer_names(s, s->dirs[i], "");
}

static void __attribute__((noreturn)) ask(const struct search *s, const char *file)
{
	char *clean = text_clean(file, MOST_PATH);
	char *name = s->name != NULL ? text_clean(s->name, MOST_PATH) : NULL;

	if (*s->build_id == '\0')
		errx(EXIT_BAD,
		     "%s: it does not say which build of %s it is of: name the program before the "
		     "files",
		     clean, name != NULL ? name : "its program");
	errx(EXIT_BAD, "%s: no %s of its build ID is in %s%s%s: name the program before the files",
	     clean, name != NULL ? name : "program", s->dirs[0], s->dirs[1] != NULL ? " or " : "",
	     s->dirs[1] != NULL ? text_clean(s->dirs[1], MOST_PATH) : "");
}

bool
find_is_directory(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

/* What is called as a gmon file and is no program is not taken for one: it may be damaged. */
static bool
is_called_gmon(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *id = build_id_read(path);
	const bool is_program = id != NULL;

	free(id);
	return !is_program && strncmp(slash == NULL ? path : slash + 1, "gmon.", 5) == 0;
}

char *const *
find_operands(int n, char **operand, const char **program)
{
	bool is_program;
	char *id;

	if (n == 0)
		command_refuse("no gmon file");
	n = stacks_leave_out(n, operand);
	*program = NULL;
	if (find_is_directory(operand[0]))
		return operand;
	id = build_id_of_gmon(operand[0]);
	if (id == NULL && n > 1 && !is_called_gmon(operand[0]))
		*program = *operand++;
	free(id);
	id = *program == NULL ? build_id_read(operand[0]) : NULL;
	is_program = id != NULL;
	free(id);
	if (is_program)
		command_refuse("no gmon file of %s", text_clean(operand[0], MOST_PATH));
	return operand;
}

/* Exits if the file is none of GNU's format. */
static struct search
search_of(const char *file, bool force)
{
	const char *slash = strrchr(file, '/');
	struct search s = { .build_id = build_id_of_gmon(file), .force = force };

	if (s.build_id == NULL && find_is_directory(file))
		errx(EXIT_BAD, "%s: a directory: name the files in it, as %s/*",
		     text_clean(file, MOST_PATH), text_clean(file, MOST_PATH));
	if (s.build_id == NULL && access(file, R_OK) != 0)
		err(EXIT_BAD, "%s", text_clean(file, MOST_PATH));
	if (s.build_id == NULL)
		errx(EXIT_BAD, "%s: no gmon file of GNU's format", text_clean(file, MOST_PATH));
	s.dirs[0] = memory_text(".");
	if (slash != NULL)
		s.dirs[1] = memory_text("%.*s", (int)(slash - file) + (slash == file), file);
	return s;
}

static void
try_all(struct search *s, const char *file)
{
	const char *slash = strrchr(file, '/');
	char *name;

	if (*s->build_id == '\0' && !s->force)
		return;
	try_file_name(s, slash == NULL ? file : slash + 1);
	name = s->found == NULL ? stacks_program(file) : NULL;
	if (name != NULL)
		try_name(s, name);
	free(name);
	if (s->found == NULL && *s->build_id != '\0' && !s->force)
		try_any_name(s);
}

/* What was found, and nothing else of the search. */
static char *
end(struct search *s)
{
	free(s->build_id);
	free(s->name);
	free(s->dirs[0]);
	free(s->dirs[1]);
	return s->found;
}

char *
find_program_if(const char *file)
{
	struct search s = search_of(file, false);

	try_all(&s, file);
	return end(&s);
}

char *
find_program(char *const *files, bool force)
{
	static struct search s; /* until the tool ends, which may be in ask() */

	s = search_of(files[0], force);
	try_all(&s, files[0]);
	if (s.found == NULL)
		ask(&s, files[0]);
	return end(&s);
}
