/*
 * --list: the files of a run of several programs, as profsup --report has them: each program's
 * report is made by a process of its own, since what is wrong with one file is to cost one report.
 * Only such processes open files, and they print; this one waits for no file system and no reader.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Reports that are made, and programs of which the dearest are found. */
enum { MOST_SHOWN = 10, MOST_PROGRAMS = 1024, MOST_LIST = 64 << 20 };
/* Seconds in which a process of ours may use no CPU time.  Each time that one takes longer, the
 * next have half of that. */
enum { PATIENCE = 60 };

/* A pair of the list. */
struct listed {
	const char *path;
	char *file;
	const char *id; /* the file's build ID; "": not known */
};

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
add_file(struct programs *all, const struct listed *l)
{
	struct program *p = all->program;

	while (p < all->program + all->n &&
	       (strcmp(p->path, l->path) != 0 || strcmp(p->id, l->id) != 0))
		p++;
	if (p == all->program + MOST_PROGRAMS) {
		all->left_out++;
		return;
	}
	if (p == all->program + all->n)
		all->program[all->n++] = (struct program){ .path = l->path, .id = l->id };
	p->files = memory_grow(p->files, p->n + 1, sizeof(*p->files));
	p->files[p->n++] = l->file;
	p->files[p->n] = NULL;
}

/* Memory that children have, too, until the tool ends. */
static void *
shared_array(size_t n, size_t element)
{
	void *array =
	    mmap(NULL, n * element + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (array == MAP_FAILED)
		err(EXIT_BAD, "mmap");
	return array;
}

static pid_t
start(void)
{
	const pid_t pid = child_start();

	if (pid < 0)
		err(EXIT_BAD, "fork");
	return pid;
}

static bool
is_read(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&out, 1, 0) == 1;
}

/* Kills a child.  There is nobody to tell if it is the reader of our output that does not read. */
static void
give_up(pid_t pid, const char *what)
{
	child_kill(pid);
	if (!is_read())
		_exit(EXIT_BAD);
	warnx("%s: left out: a file system does not answer",
	      *what == '\0' ? "--list" : text_clean(what, MOST_PATH));
}

/* Returns the CPU time that a process has used, in ns; 0: there is none. */
static int64_t
cpu_of(pid_t pid)
{
	struct timespec cpu = { 0 };
	clockid_t clock;

	if (pid > 0 && clock_getcpuclockid(pid, &clock) == 0)
		clock_gettime(clock, &cpu);
	return cpu.tv_sec * (int64_t)1000000000 + cpu.tv_nsec;
}

/* Returns the process that reads debugging information for a child of ours, 0: there is none. */
static pid_t
reader_of(pid_t pid)
{
	char *name = memory_text("/proc/%d/task/%d/children", pid, pid), text[16] = "";
	FILE *f = fopen(name, "re");

	free(name);
	if (f == NULL)
		return 0;
	if (fgets(text, sizeof(text), f) == NULL)
		text[0] = '\0';
	fclose(f);
	return (pid_t)strtol(text, NULL, 10);
}

/* Waits for a child that works on `what`; its message says what was wrong. */
static bool
ends_well(pid_t pid, const char *what)
{
	static const struct timespec second = { .tv_sec = 1 };
	static int most = PATIENCE;
	int64_t before = 0;
	sigset_t news;
	int status = -1, idle = 0;

	sigemptyset(&news);
	sigaddset(&news, SIGCHLD);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		const int64_t now = cpu_of(pid) + cpu_of(reader_of(pid));

		idle = now != before ? 0 : idle + 1;
		before = now;
		if (idle > most) {
			most /= 2;
			give_up(pid, what);
			return false;
		}
		sigtimedwait(&news, NULL, &second);
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Finds the build IDs of the files. */
static void
find_ids(struct listed *list, size_t n)
{
	enum { SIZE = 2 * GMON_BUILD_ID + 1 };
	char(*ids)[SIZE] = shared_array(n, SIZE);
	const pid_t pid = start();

	for (size_t i = 0; pid == 0 && i < n; i++) {
		const char *id = build_id_of_gmon(list[i].file);

		snprintf(ids[i], SIZE, "%s", id == NULL ? "" : id);
	}
	if (pid == 0)
		_exit(0);
	ends_well(pid, "");
	for (size_t i = 0; i < n; i++)
		list[i].id = ids[i];
}

/* Finds the ticks of each program.  What can't be read has none, and a message. */
static void
find_ticks(struct programs *all)
{
	double *ticks = shared_array(MOST_PROGRAMS, sizeof(*ticks));

	for (size_t i = 0; i < all->n; i++) {
		const pid_t pid = start();
		struct gmon g;

		if (pid > 0) {
			all->program[i].ticks =
			    ends_well(pid, all->program[i].path) ? ticks[i] : -1;
			continue;
		}
		gmon_read(&g, all->program[i].files, false);
		for (size_t r = 0; r < g.nranges; r++)
			for (size_t b = 0; b < g.ranges[r].bins.n; b++)
				ticks[i] += (double)g.ranges[r].bins.bin[b].ticks;
		_exit(0);
	}
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
	size_t len, n = 0;
	char *text = read_list(&len), *file;
	struct listed *list = NULL;

	all->program = memory_array(MOST_PROGRAMS, sizeof(*all->program));
	for (char *at = text; at < text + len; at = file + strlen(file) + 1) {
		file = at + strlen(at) + 1;
		if (file == text + len)
			break;
		list = memory_grow(list, n, sizeof(*list));
		list[n++] = (struct listed){ at, file, "" };
	}
	find_ids(list, n);
	for (size_t i = 0; i < n; i++)
		add_file(all, &list[i]);
	free(list);
	find_ticks(all);
	qsort(all->program, all->n, sizeof(*all->program), by_ticks);
	while (all->n > 0 && all->program[all->n - 1].ticks < 0)
		all->n--;
}

void
list_each(const char **program, char *const **files)
{
	static struct programs all; /* until the tool ends */
	sigset_t news;

	power_only_to_read();
	sigemptyset(&news);
	sigaddset(&news, SIGCHLD);
	sigprocmask(SIG_BLOCK, &news, NULL);
	signal(SIGTTOU, SIG_IGN); /* the program may run in the background, and write nothing */
	take_list(&all);
	for (size_t i = 0; i < all.n && i < MOST_SHOWN; i++) {
		const char *path = all.program[i].path;
		const pid_t pid = start();

		if (pid == 0) {
			if (i > 0)
				dprintf(STDOUT_FILENO, "\n");
			*program = access(path, R_OK) == 0 ? path : NULL;
			*files = all.program[i].files;
			return;
		}
		ends_well(pid, path);
	}
	if (!is_read())
		_exit(EXIT_BAD);
	if (all.n > MOST_SHOWN)
		dprintf(STDOUT_FILENO, "\nand %zu more programs\n", all.n - MOST_SHOWN);
	if (all.left_out > 0)
		warnx("--list: there are more than %d programs: %zu files are left out",
		      MOST_PROGRAMS, all.left_out);
	exit(0);
}
