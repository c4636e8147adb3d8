/*
 * A process that keeps one program's symbols and makes rows of its profiles: what is wrong with a
 * program, or with a file, ends this process, and the view goes on without its functions.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include "pass.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Whose rows are remembered, to tell what is new. */
enum { MOST_PIDS = 64 };
/* How long a worker may take, that of a large program, too, and what all of them have left once
 * profsup has ended, which waits a second for us.  A file system may not answer. */
enum { PATIENCE_MS = 10000, LAST_MS = 300 };

struct worker {
	int to;
	pid_t pid;
};

/* What the functions of a process had. */
struct before {
	int pid;
	double *ticks; /* by the number of the function's address and name */
	uint32_t n;
};

struct work {
	struct load load;
	struct model *m; /* NULL: no profile has come yet */
	struct names names;
	struct before before[MOST_PIDS];
	size_t next; /* the one that is forgotten next */
};

/* Takes a request and its files; exits when there are no more. */
static int
take(int from, int fds[2])
{
	int pid, files[PASS_FILES];
	size_t n;

	if (pass_take(from, &pid, sizeof(pid), files, &n, 0) != sizeof(pid) || n == 0)
		exit(0);
	fds[0] = files[0];
	fds[1] = n > 1 ? files[1] : -1;
	return pid;
}

static void
read_profile(struct work *w, const int fds[2])
{
	char *file = memory_text("/proc/self/fd/%d", fds[0]);
	char *stacks = memory_text("/proc/self/fd/%d", fds[1]);
	char *files[] = { file, NULL };

	w->load.stacks = fds[1] >= 0;
	w->load.stacks_file = stacks;
	w->load.files = files;
	if (w->m == NULL)
		w->m = load_model(&w->load);
	else
		load_again(w->m, &w->load, file);
	w->load.files = NULL;
	w->load.stacks_file = NULL;
	free(file);
	free(stacks);
	close(fds[0]);
	if (fds[1] >= 0)
		close(fds[1]);
}

static struct before *
before_of(struct work *w, int pid)
{
	for (size_t i = 0; i < MOST_PIDS; i++)
		if (w->before[i].pid == pid)
			return &w->before[i];
	w->next = (w->next + 1) % MOST_PIDS;
	free(w->before[w->next].ticks);
	w->before[w->next] = (struct before){ .pid = pid };
	return &w->before[w->next];
}

/* Functions of several files may have one name, and those of libraries have no address. */
static uint32_t
number_of(struct work *w, const struct function *f)
{
	char *key = memory_text("%jx %s", (uintmax_t)f->low, f->name);
	const uint32_t number = names_number(&w->names, key, NULL);

	free(key);
	return number;
}

/* Returns the ticks that the function has used since the last time, and notes those of now. */
static double
fresh_of(struct work *w, struct before *b, uint32_t f)
{
	const uint32_t number = number_of(w, &w->m->symbols->functions[f]);
	const double now = w->m->costs[f].self;
	double fresh;

	for (; b->n <= number; b->n++) {
		b->ticks = memory_grow(b->ticks, b->n, sizeof(*b->ticks));
		b->ticks[b->n] = 0;
	}
	fresh = now - b->ticks[number];
	b->ticks[number] = now;
	return fresh > 0 ? fresh : 0;
}

static bool
is_before(const struct row *a, const struct row *b)
{
	if (a->fresh != b->fresh)
		return a->fresh > b->fresh;
	if (a->ticks != b->ticks)
		return a->ticks > b->ticks;
	if (a->total != b->total)
		return a->total > b->total;
	return a->calls > b->calls;
}

/* Keeps the first rows. */
static void
add_row(struct rows *rows, const struct row *row)
{
	unsigned i = rows->n < WORKER_ROWS ? rows->n++ : WORKER_ROWS - 1;

	if (i == WORKER_ROWS - 1 && rows->row[i].name[0] != '\0' && !is_before(row, &rows->row[i]))
		return;
	for (; i > 0 && is_before(row, &rows->row[i - 1]); i--)
		rows->row[i] = rows->row[i - 1];
	rows->row[i] = *row;
}

static void
make_rows(struct work *w, int pid, struct rows *rows)
{
	const struct model *m = w->m;
	struct before *b = before_of(w, pid);

	*rows = (struct rows){ .ticks = m->ticks, .has_totals = m->stacks != NULL };
	for (uint32_t f = 0; f < m->symbols->nfunctions; f++) {
		const struct cost *c = &m->costs[f];
		struct row row = { .ticks = c->self, .calls = c->calls - c->by_self };

		if (m->symbols->functions[f].runtime || !model_has(m, f))
			continue;
		row.fresh = fresh_of(w, b, f);
		row.total = rows->has_totals ? c->total : 0;
		rows->fresh += row.fresh;
		if (row.ticks <= 0 && row.calls == 0 && row.total <= 0)
			continue;
		snprintf(row.name, sizeof(row.name), "%s", m->symbols->functions[f].name);
		add_row(rows, &row);
	}
}

static void __attribute__((noreturn)) work(int from, const char *program)
{
	static struct work w = { .load = { .all = true } };
	static struct rows rows;

	note_quiet();
	w.load.program = program;
	for (;;) {
		int fds[2];
		const int pid = take(from, fds);

		read_profile(&w, fds);
		make_rows(&w, pid, &rows);
		if (send(from, &rows, sizeof(rows), MSG_NOSIGNAL) != sizeof(rows))
			exit(0);
	}
}

struct worker *
worker_start(const char *program)
{
	struct worker *w;
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return NULL;
	pid = child_start();
	if (pid == 0) {
		close(pair[0]);
		work(pair[1], program);
	}
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return NULL;
	}
	w = memory_array(1, sizeof(*w));
	*w = (struct worker){ pair[0], pid };
	return w;
}

/* Whether it has answered, or ended. */
static bool
has_news(const struct worker *w)
{
	struct pollfd both[] = { { .fd = w->to, .events = POLLIN },
		                 { .fd = STDIN_FILENO, .events = POLLRDHUP } };
	int n = poll(both, 2, PATIENCE_MS);

	if (n > 0 && both[0].revents == 0) {
		static int last = LAST_MS;

		n = poll(both, 1, last);
		last = n > 0 ? last : 0;
	}
	return n > 0;
}

bool
worker_ask(struct worker *w, int pid, int gmon, int stacks, struct rows *rows)
{
	const int fds[] = { gmon, stacks };

	return pass_send(w->to, &pid, sizeof(pid), fds, stacks >= 0 ? 2 : 1, 0) && has_news(w) &&
	       recv(w->to, rows, sizeof(*rows), 0) == sizeof(*rows);
}

void
worker_end(struct worker *w)
{
	close(w->to);
	child_kill(w->pid);
	free(w);
}
