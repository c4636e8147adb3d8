/*
 * --list: the files of a run of several programs, as profsup --report has them: each program's
 * report is made by a process of its own, since what is wrong with one file is to cost one report.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reports that are made, and programs of which the dearest are found. */
enum { MOST_SHOWN = 10, MOST_PROGRAMS = 1024, MOST_LIST = 64 << 20 };

struct program {
	const char *path; /* "": nobody knows it */
	const char *id;   /* the build that its files are of */
	char **files;     /* NULL behind the last one */
	size_t n;
	double ticks;
};

struct programs {
	struct program *program;
	size_t n, left_out;
};

/* Returns the standard input, with a NUL behind it, and its length. */
static char *
read_list(size_t *len)
{
	char *text = memory_array(MOST_LIST + 1, 1);

	*len = fread(text, 1, MOST_LIST, stdin);
	if (ferror(stdin) || (*len > 0 && text[*len - 1] != '\0'))
		errx(EXIT_BAD, "--list: no list of files, each with a NUL byte behind it");
	return text;
}

static void
add_file(struct programs *all, const char *path, char *file)
{
	const char *id = build_id_of_gmon(file);
	struct program *p = all->program;

	id = id == NULL ? "" : id;
	while (p < all->program + all->n && (strcmp(p->path, path) != 0 || strcmp(p->id, id) != 0))
		p++;
	if (p == all->program + MOST_PROGRAMS) {
		all->left_out++;
		return;
	}
	if (p == all->program + all->n)
		all->program[all->n++] = (struct program){ .path = path, .id = id };
	p->files = memory_grow(p->files, p->n + 1, sizeof(*p->files));
	p->files[p->n++] = file;
	p->files[p->n] = NULL;
}

/* Waits for a child; its message says what was wrong. */
static bool
ends_well(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Finds the ticks of each program.  What can't be read has none, and a message. */
static void
find_ticks(struct programs *all)
{
	const size_t size = MOST_PROGRAMS * sizeof(double);
	double *ticks = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (ticks == MAP_FAILED)
		err(EXIT_BAD, "mmap");
	for (size_t i = 0; i < all->n; i++) {
		const pid_t pid = fork();
		struct gmon g;

		if (pid < 0)
			err(EXIT_BAD, "fork");
		if (pid > 0) {
			all->program[i].ticks = ends_well(pid) ? ticks[i] : -1;
			continue;
		}
		gmon_read(&g, all->program[i].files, false);
		for (size_t r = 0; r < g.nranges; r++)
			for (size_t b = 0; b < g.ranges[r].bins.n; b++)
				ticks[i] += (double)g.ranges[r].bins.bin[b].ticks;
		_exit(0);
	}
	munmap(ticks, size);
}

static int
by_ticks(const void *a, const void *b)
{
	const struct program *x = a, *y = b;

	return (x->ticks < y->ticks) - (x->ticks > y->ticks);
}

static void
take_list(struct programs *all)
{
	size_t len;
	char *text = read_list(&len), *file;

	all->program = memory_array(MOST_PROGRAMS, sizeof(*all->program));
	for (char *at = text; at < text + len; at = file + strlen(file) + 1) {
		file = at + strlen(at) + 1;
		if (file < text + len)
			add_file(all, at, file);
	}
	find_ticks(all);
	qsort(all->program, all->n, sizeof(*all->program), by_ticks);
	while (all->n > 0 && all->program[all->n - 1].ticks < 0)
		all->n--;
}

void
list_each(const char **program, char *const **files)
{
	static struct programs all; /* until the tool ends */

	power_only_to_read();
	take_list(&all);
	for (size_t i = 0; i < all.n && i < MOST_SHOWN; i++) {
		const char *path = all.program[i].path;
		pid_t pid;

		if (i > 0)
			dprintf(STDOUT_FILENO, "\n");
		pid = fork();
		if (pid < 0)
			err(EXIT_BAD, "fork");
		if (pid == 0) {
			*program = access(path, R_OK) == 0 ? path : NULL;
			*files = all.program[i].files;
			return;
		}
		ends_well(pid);
	}
	if (all.n > MOST_SHOWN)
		dprintf(STDOUT_FILENO, "\nand %zu more programs\n", all.n - MOST_SHOWN);
	if (all.left_out > 0)
		warnx("--list: there are more than %d programs: %zu files are left out",
		      MOST_PROGRAMS, all.left_out);
	exit(0);
}
