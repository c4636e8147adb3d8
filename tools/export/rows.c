/*
 * A row for each function and each arc of each file, for databases: as JSON objects, one a line, or
 * as CSV.
 *
 * Files are not added up, and may be of several programs.  A row's file, function and caller are in
 * no other row, so a database can tell what it has got twice.
 *
 * SPDX-License-Identifier: ISC
 */
#include "calls.h"
#include "export.h"
#include "labels.h"

#include <ctype.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>

/* A program, and what all its files need of it. */
struct program {
	const char *path;
	struct model *model;
	const char **names;
};

/* What all rows of a file have. */
struct source {
	const char *name, *program; /* printable */
	uint64_t process;
	const struct model *model;
	uint32_t rate;
};

struct writer {
	FILE *out;
	const struct labels *labels;
	bool csv, begun; /* the latter: a row has a field already */
	struct program *program;
	size_t nprograms;
};

static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Names are printable UTF-8 already. */
static void
put_text(const struct writer *w, const char *s)
{
	const char escape = w->csv ? '"' : '\\';

	fputc('"', w->out);
	for (; *s != '\0'; s++) {
		if (*s == '"' || *s == escape)
			fputc(escape, w->out);
		fputc(*s, w->out);
	}
	fputc('"', w->out);
}

static void
begin_field(struct writer *w, const char *name)
{
	fputs(w->begun ? "," : w->csv ? "" : "{", w->out);
	w->begun = true;
	if (w->csv)
		return;
	put_text(w, name);
	fputc(':', w->out);
}

static void
text_field(struct writer *w, const char *name, const char *s)
{
	begin_field(w, name);
	put_text(w, s);
}

static void
number_field(struct writer *w, const char *name, uint64_t number)
{
	begin_field(w, name);
	fprintf(w->out, "%ju", (uintmax_t)number);
}

static void
end_row(struct writer *w)
{
	fputs(w->csv ? "\n" : "}\n", w->out);
	w->begun = false;
}

static bool
is_number(const char *part)
{
	part += strncmp(part, "snap", 4) == 0 ? 4 : 0;
	return isdigit((unsigned char)*part) && part[strspn(part, "0123456789")] == '\0';
}

/* Takes the program's name and process from gmon.PROG.PID.TIME.snapN.out: the program may be
 * another file by now, for its next build has taken its place.  A name of another form has neither.
 */
static char *
name_in_file(const char *file, const char *program, uint64_t *process)
{
	char *name = text_clean(base_of(file), MOST_PATH), *dot = strrchr(name, '.');
	const size_t len = strlen(program);

	*process = 0;
	if (strncmp(name, "gmon.", 5) != 0 || dot == NULL)
		return name;
	*dot = '\0';
	memmove(name, name + 5, strlen(name + 5) + 1);
	while ((dot = strrchr(name, '.')) != NULL && is_number(dot + 1)) {
		/* a program may have a number in its name, too */
		if (*process != 0 && strlen(name) == len && strcmp(name, program) == 0)
			break;
		if (strncmp(dot + 1, "snap", 4) != 0)
			*process = strtoul(dot + 1, NULL, 10) & UINT32_MAX;
		*dot = '\0';
	}
	return name;
}

static void
put_row(struct writer *w, const struct source *s, const struct tally *tally, uint64_t ticks)
{
	number_field(w, "time", (uint64_t)s->model->gmon->when.tv_sec);
	text_field(w, "host", w->labels->host);
	text_field(w, "program", s->program);
	text_field(w, "build_id", s->model->symbols->build_id);
	number_field(w, "process", s->process);
	text_field(w, "file", s->name);
	text_field(w, "function", tally->name);
	text_field(w, "caller", tally->caller != NULL ? tally->caller : "");
	number_field(w, "ticks", ticks);
	number_field(w, "period", (1000000000 + s->rate / 2) / s->rate);
	number_field(w, "calls", tally->run[0].calls);
	for (size_t i = 0; i < w->labels->n; i++)
		text_field(w, w->labels->label[i].name, w->labels->label[i].value);
	end_row(w);
}

/* Bins on the border of two functions make fractions of ticks.  A database adds whole numbers up
 * exactly, so those of functions are rounded to have the file's sum. */
static void
put_tallies(struct writer *w, const struct source *s, const struct tallies *t)
{
	struct round functions = { 0 };

	for (size_t i = 0; i < t->n; i++) {
		const struct tally *tally = &t->tally[i];
		const double ticks = tally->run[0].ticks;
		const uint64_t whole =
		    tally->caller == NULL ? round_take(&functions, ticks) : (uint64_t)(ticks + 0.5);

		if (whole > 0 || tally->run[0].calls > 0)
			put_row(w, s, tally, whole);
	}
}

static void
put_file(struct writer *w, const struct program *p, const char *file)
{
	struct source s = { .model = p->model };
	char *clean = text_clean(base_of(file), MOST_PATH), *name;
	struct tallies t;

	tallies_of(&t, p->model, p->names);
	name = name_in_file(file, t.program, &s.process);
	s.name = clean;
	s.program = s.process != 0 ? name : t.program;
	s.rate = t.rate[0];
	put_tallies(w, &s, &t);
	tallies_free(&t);
	free(clean);
	free(name);
}

static void
put_header(const struct writer *w)
{
	fputs("time,host,program,build_id,process,file,function,caller,ticks,period,calls", w->out);
	for (size_t i = 0; i < w->labels->n; i++)
		fprintf(w->out, ",%s", w->labels->label[i].name);
	fputc('\n', w->out);
}

/* Finds the program among those that there have been, by its path. */
static struct program *
known_program(struct writer *w, const char *path)
{
	for (size_t i = 0; i < w->nprograms; i++)
		if (strcmp(w->program[i].path, path) == 0)
			return &w->program[i];
	return NULL;
}

static struct program *
new_program(struct writer *w, const struct load *load, const char *path)
{
	struct program *p;

	w->program = memory_grow(w->program, w->nprograms, sizeof(*w->program));
	p = &w->program[w->nprograms++];
	p->path = path;
	p->model = load_model(load);
	load_lines(p->model);
	p->names = call_names(p->model->symbols, model_own_functions(p->model));
	return p;
}

static void
rows_write(const struct load *load, const struct labels *labels, bool csv, FILE *out)
{
	static struct writer w; /* what is known of programs stays, until the tool ends */
	char **files = files_choose(load->files, load->intervals);

	w.out = out;
	w.labels = labels;
	w.csv = csv;
	if (csv)
		put_header(&w);
	for (size_t i = 0; files[i] != NULL; i++) {
		char *one_file[] = { files[i], NULL }, *found = NULL;
		struct load one = *load;
		struct program *p;

		one.files = one_file;
		if (one.program == NULL)
			one.program = found = find_program(one_file, load->force);
		p = known_program(&w, one.program);
		if (p == NULL) {
			p = new_program(&w, &one, one.program);
		} else {
			load_again(p->model, &one, files[i]);
			free(found);
		}
		put_file(&w, p, files[i]);
	}
	free(files);
}

void
rows_write_json(const struct load *load, const struct labels *labels, FILE *out)
{
	rows_write(load, labels, false, out);
}

void
rows_write_csv(const struct load *load, const struct labels *labels, FILE *out)
{
	rows_write(load, labels, true, out);
}
