/*
 * pprof's format, a protocol buffer, by hand: it is a few fields, and a library would keep all of a
 * profile in memory.  A field that is 0 is left out, as the format wants it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "pprof_write.h"

#include "gzip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Field numbers of profile.proto: of the whole, and those of its messages that are no numbers.
 * Fields that are numbers are numbered from 1 on, in the order in which they are put below. */
enum { PROFILE_SAMPLE = 2, PROFILE_MAPPING, PROFILE_LOCATION, PROFILE_FUNCTION, PROFILE_STRING };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES, SAMPLE_LABEL, LOCATION_LINE = 4 };

/* In the low bits of a field's tag: nothing for a number, and this for bytes. */
enum { BYTES = 2 };

/* Bytes of the longest number, and of the longest message: a stack of 800 frames. */
enum { MOST_NUMBER = 10, MOST_MESSAGE = 8 << 10 };

struct pprof_file {
	struct gzip *out;
	uint64_t texts, mappings, functions, locations; /* how many there are */
	bool too_long;                                  /* a message was */
};

struct message {
	size_t len; /* it is MOST_MESSAGE if there is no room for more */
	uint8_t data[MOST_MESSAGE];
};

static void
put_number(struct message *m, uint64_t n)
{
	if (m->len > sizeof(m->data) - MOST_NUMBER) {
		m->len = sizeof(m->data);
		return;
	}
	do
		m->data[m->len++] = (uint8_t)(n | (n > 0x7f ? 0x80 : 0));
	while ((n >>= 7) != 0);
}

/* Makes a message of the numbers, as its fields from 1 on. */
static void
make_of(struct message *m, const uint64_t *numbers, unsigned n)
{
	m->len = 0;
	for (unsigned i = 0; i < n; i++)
		if (numbers[i] != 0) {
			put_number(m, (i + 1) << 3);
			put_number(m, numbers[i]);
		}
}

static void
put_bytes(struct message *m, unsigned field, const struct message *part)
{
	put_number(m, field << 3 | BYTES);
	put_number(m, part->len);
	if (part->len >= sizeof(m->data) - m->len) {
		m->len = sizeof(m->data);
		return;
	}
	memcpy(m->data + m->len, part->data, part->len);
	m->len += part->len;
}

static void
put_packed(struct message *m, unsigned field, const uint64_t *numbers, size_t n)
{
	struct message packed;

	packed.len = 0;
	for (size_t i = 0; i < n; i++)
		put_number(&packed, numbers[i]);
	put_bytes(m, field, &packed);
}

static void
put_part(struct message *m, unsigned field, const uint64_t *numbers, unsigned n)
{
	struct message part;

	make_of(&part, numbers, n);
	put_bytes(m, field, &part);
}

static void
write_bytes(struct pprof_file *f, unsigned field, const void *data, size_t len)
{
	struct message head;

	head.len = 0;
	put_number(&head, field << 3 | BYTES);
	put_number(&head, len);
	gzip_put(f->out, head.data, head.len);
	gzip_put(f->out, data, len);
}

static void
write_message(struct pprof_file *f, unsigned field, const struct message *m)
{
	f->too_long |= m->len == sizeof(m->data);
	write_bytes(f, field, m->data, m->len);
}

static void
write_fields(struct pprof_file *f, unsigned field, const uint64_t *numbers, unsigned n)
{
	struct message m;

	make_of(&m, numbers, n);
	write_message(f, field, &m);
}

struct pprof_file *
pprof_begin(FILE *out)
{
	struct pprof_file *f = calloc(1, sizeof(*f));

	if (f == NULL || (f->out = gzip_begin(out)) == NULL) {
		free(f);
		return NULL;
	}
	pprof_put_text(f, "");
	return f;
}

uint64_t
pprof_put_text(struct pprof_file *f, const char *text)
{
	write_bytes(f, PROFILE_STRING, text, strlen(text));
	return f->texts++;
}

uint64_t
pprof_put_mapping(struct pprof_file *f, const struct pprof_mapping *m)
{
	const uint64_t numbers[] = { ++f->mappings, m->low,        m->high,          m->offset,
		                     m->file,       m->build_id,   m->has_functions, m->has_files,
		                     m->has_lines,  m->has_inlines };

	write_fields(f, PROFILE_MAPPING, numbers, 10);
	return f->mappings;
}

uint64_t
pprof_put_function(struct pprof_file *f, const struct pprof_function *function)
{
	const uint64_t numbers[] = { ++f->functions, function->name, function->system_name,
		                     function->file, function->line };

	write_fields(f, PROFILE_FUNCTION, numbers, 5);
	return f->functions;
}

uint64_t
pprof_put_location(struct pprof_file *f, const struct pprof_location *l)
{
	struct message m;

	make_of(&m, (const uint64_t[]){ ++f->locations, l->mapping, l->address }, 3);
	for (size_t i = 0; i < l->nlines; i++)
		put_part(&m, LOCATION_LINE,
		         (const uint64_t[]){ l->lines[i].function, l->lines[i].line }, 2);
	write_message(f, PROFILE_LOCATION, &m);
	return f->locations;
}

void
pprof_put_sample(struct pprof_file *f, const struct pprof_sample *s)
{
	struct message m;

	m.len = 0;
	put_packed(&m, SAMPLE_LOCATIONS, s->locations, s->nlocations);
	put_packed(&m, SAMPLE_VALUES, s->values, s->nvalues);
	for (size_t i = 0; i < s->nlabels; i++) {
		const struct pprof_label *l = &s->labels[i];

		/* The second is for labels that are texts. */
		put_part(&m, SAMPLE_LABEL, (const uint64_t[]){ l->key, 0, l->number, l->unit }, 4);
	}
	write_message(f, PROFILE_SAMPLE, &m);
}

void
pprof_put_type(struct pprof_file *f, enum pprof_type field, uint64_t type, uint64_t unit)
{
	write_fields(f, field, (const uint64_t[]){ type, unit }, 2);
}

void
pprof_put_number(struct pprof_file *f, enum pprof_number field, uint64_t n)
{
	struct message m;

	m.len = 0;
	put_number(&m, field << 3);
	put_number(&m, n);
	gzip_put(f->out, m.data, m.len);
}

int
pprof_end(struct pprof_file *f)
{
	const bool too_long = f->too_long;
	int ret = gzip_end(f->out);

	free(f);
	if (!too_long)
		return ret;
	errno = EMSGSIZE;
	return -1;
}
