/*
 * Which of the files are to be added up.
 *
 * A snapshot has all that the snapshots before it have: of one process only the last file counts,
 * which is the one without a number, written at its end, or that of the highest number.  Those of
 * profsup --intervals are parts, and all of them count; nothing in a file says which it is.  Of
 * which run it is each snapshot says, and another run may have used the same name.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

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
	entries = memory_array(n, sizeof(*entries));
	for (size_t i = 0; i < n; i++) {
		entries[i].file = parse(files[i], i);
		entries[i].key = without_number(&entries[i].file);
		chosen[i] = files[i];
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
