/*
 * Which of the files are to be added up.
 *
 * A snapshot has all that the snapshots before it have: of one process only the last file counts,
 * which is the one without a number, written at its end, or that of the highest number.  Those of
 * profsup --intervals are parts, and all of them count; nothing in a file says which it is.  Of
 * which run it is each snapshot says, and another run may have used the same name.  A file that is
 * named twice counts once.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct file {
	const char *name;
	size_t start, end;    /* of what a snapshot's name has and the last one's has not */
	unsigned long number; /* of the snapshot; 0: it is none */
	uint64_t run;         /* 0: it does not say */
	size_t position;
};

/* Finds the last ".snapN" in a file's name. */
static struct file
parse(const char *name, size_t position)
{
	static const char mark[] = ".snap";
	const char *slash = strrchr(name, '/');
	const char *at = slash == NULL ? name : slash + 1, *found;
	struct timespec when;
	struct file f = {
		name, strlen(name), strlen(name), 0, newest_run_of(name, &when), position
	};
	char *end;

	while ((found = strstr(at, mark)) != NULL) {
		at = found + strlen(mark);
		if (*at < '1' || *at > '9')
			continue;
		f.number = strtoul(at, &end, 10);
		f.start = (size_t)(found - name);
		f.end = (size_t)(end - name);
	}
	return f;
}

static char *
without_number(const struct file *f)
{
	return memory_text("%.*s%s", (int)f->start, f->name, f->name + f->end);
}

struct entry {
	char *key; /* the name of the process's last file */
	struct file file;
};

static bool
is_one_process(const struct entry *x, const struct entry *y)
{
	return x->file.run == y->file.run && strcmp(x->key, y->key) == 0;
}

/* By process; its last file comes first. */
static int
compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	const int order = strcmp(x->key, y->key);

	if (order != 0)
		return order;
	if (x->file.run != y->file.run)
		return x->file.run < y->file.run ? -1 : 1;
	if ((x->file.number == 0) != (y->file.number == 0))
		return x->file.number == 0 ? -1 : 1;
	if (x->file.number != y->file.number)
		return x->file.number > y->file.number ? -1 : 1;
	return x->file.position < y->file.position ? -1 : 1;
}

/* What a name leads to. */
struct identity {
	dev_t dev;
	ino_t ino;
	size_t position;
	bool twice; /* an earlier name leads there */
};

static int
compare_identities(const void *a, const void *b)
{
	const struct identity *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return x->position < y->position ? -1 : 1;
}

/* Prints. */
static void
note_twice(size_t left, const char *later, const char *first)
{
	char *clean = text_clean(later, MOST_PATH), *other = text_clean(first, MOST_PATH);

	if (left == 1)
		note("%s is left out: it is the same file as %s", clean, other);
	else
		note("%zu files, such as %s, are left out: they are the same as others", left,
		     clean);
	free(clean);
	free(other);
}

/* Leaves out what is there by another name, or twice by one: its ticks and calls are those of one
 * run.  What can't be looked at is for whoever opens it to refuse.  Returns how many stay. */
static size_t
leave_out_twice(char **files)
{
	struct identity *ids = NULL;
	size_t n = 0, left = 0, out = 0, total = 0, later = 0, first = 0;
	struct stat st;

	for (; files[total] != NULL; total++)
		if (stat(files[total], &st) == 0) {
			ids = memory_grow(ids, n, sizeof(*ids));
			ids[n++] = (struct identity){ .dev = st.st_dev,
				                      .ino = st.st_ino,
				                      .position = total };
		}
	if (n > 0)
		qsort(ids, n, sizeof(*ids), compare_identities);
	for (size_t i = 1, one = 0; i < n; i++) {
		if (ids[i].dev != ids[one].dev || ids[i].ino != ids[one].ino) {
			one = i;
			continue;
		}
		if (left++ == 0 || ids[i].position < later) {
			later = ids[i].position;
			first = ids[one].position;
		}
		ids[i].twice = true;
	}
	if (left > 0)
		note_twice(left, files[later], files[first]);
	for (size_t i = 0; i < n; i++)
		if (ids[i].twice)
			files[ids[i].position] = NULL;
	for (size_t i = 0; i < total; i++)
		if (files[i] != NULL)
			files[out++] = files[i];
	files[out] = NULL;
	free(ids);
	return out;
}

/* Returns those that count, in their order, with NULL behind them.  Prints how many do not. */
char **
files_choose(char *const *files, bool intervals)
{
	size_t n = 0, left = 0, out = 0;
	struct entry *entries;
	const char *one = NULL;
	char **chosen;

	while (files[n] != NULL)
		n++;
	chosen = memory_array(n + 1, sizeof(*chosen));
	memcpy(chosen, files, n * sizeof(*chosen));
	n = leave_out_twice(chosen);
	entries = memory_array(n, sizeof(*entries));
	for (size_t i = 0; i < n; i++) {
		entries[i].file = parse(chosen[i], i);
		entries[i].key = without_number(&entries[i].file);
	}
	qsort(entries, n, sizeof(*entries), compare);
	for (size_t i = 1; i < n; i++)
		if (!intervals && entries[i].file.number != 0 &&
		    is_one_process(&entries[i], &entries[i - 1])) {
			one = entries[i].file.name;
			chosen[entries[i].file.position] = NULL;
			left++;
		}
	for (size_t i = 0; i < n; i++) {
		free(entries[i].key);
		if (chosen[i] != NULL)
			chosen[out++] = chosen[i];
	}
	chosen[out] = NULL;
	free(entries);
	if (left > 0) {
		char *clean = text_clean(one, MOST_PATH);

		if (left == 1)
			note("%s is left out: a later file of the same process has what is in it "
			     "(if profsup had --intervals it has not: give --intervals here, too)",
			     clean);
		else
			note("%zu snapshots, such as %s, are left out: later files of the same "
			     "processes have what is in them (if profsup had --intervals they "
			     "have not: give --intervals here, too)",
			     left, clean);
		free(clean);
	}
	return chosen;
}
