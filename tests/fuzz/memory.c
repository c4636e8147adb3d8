/*
 * memory_check() and memory_write() where the mappings are a text: what they let through is what
 * the text allows, whatever the names in it are, and of a text of any form no more is read than may
 * be.
 *
 * An input is what is asked for, and then either the text or the mappings of which the kernel would
 * make one.
 *
 * SPDX-License-Identifier: ISC
 */
// SOURCES: maps.c
#include <unistd.h>

static ssize_t counted_pread(int fd, void *buf, size_t len, off_t at);

#define pread counted_pread
/* Its own prototypes, and its text.  NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../supervisor/memory/memory.c"
#undef pread

#include "fuzz.h"

#include <stdarg.h>
#include <sys/mman.h>

enum { MAPPINGS = 32, QUESTIONS = 8, TEXT_ROOM = 1 << 20, PIECE = 16384, PAGE = 4096 };
#define BASE 0x7f0000000000UL

struct mapping {
	uint64_t low, high;
	bool readable, writable;
};

static struct input input;
static struct mapping mapping[MAPPINGS];
static size_t nmappings;
static bool cut; /* a line, or all of it, is longer than any that is read */
static char text[TEXT_ROOM + 1];
static size_t ntext;
static uint64_t bytes_read;

static ssize_t
counted_pread(int fd, void *buf, size_t len, off_t at)
{
	const ssize_t n = pread(fd, buf, len, at);

	bytes_read += n > 0 ? (uint64_t)n : 0;
	return n;
}

/* So that what is known is at times old. */
uint64_t
clock_now(void)
{
	static uint64_t now;

	return now += NSEC / 25;
}

__attribute__((format(printf, 1, 2))) static void
put(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ntext += (size_t)vsnprintf(text + ntext, sizeof(text) - ntext, fmt, ap);
	va_end(ap);
	MUST(ntext <= TEXT_ROOM);
}

/* Any but the end of a line, which the kernel writes in another way. */
static void
put_name(void)
{
	const uint64_t len = take_number(&input, 1), times = take_number(&input, 1);
	char name[256];

	take(&input, name, len);
	for (size_t i = 0; i < len; i++)
		if (name[i] == '\n' || name[i] == '\0')
			name[i] = ' ';
	name[len] = '\0';
	for (uint64_t i = 0; i <= times && ntext + len < TEXT_ROOM - PAGE; i++)
		put("%s", name);
}

static void
make_text(void)
{
	nmappings = take_number(&input, 1) % MAPPINGS;
	for (size_t i = 0; i < nmappings; i++) {
		struct mapping *m = &mapping[i];
		const size_t line = ntext;
		uint64_t access;

		m->low = BASE + take_number(&input, 1) * PAGE;
		m->high = m->low + (1 + take_number(&input, 1) % 8) * PAGE;
		access = take_number(&input, 1);
		m->readable = (access & 1) != 0;
		m->writable = (access & 2) != 0;
		put("%08lx-%08lx %c%c%cp 00000000 00:00 0 ", m->low, m->high,
		    m->readable ? 'r' : '-', m->writable ? 'w' : '-',
		    (access & 4) != 0 ? 'x' : '-');
		put_name();
		put("\n");
		cut |= ntext - line >= PIECE - 1 || ntext > MOST_TEXT;
	}
}

static void
take_text(void)
{
	const uint64_t times = take_number(&input, 1);

	nmappings = 0;
	for (uint64_t i = 0; i <= times && ntext + input.left <= TEXT_ROOM; i++) {
		memcpy(text + ntext, input.data, input.left);
		ntext += input.left;
	}
	input.left = 0;
}

static bool
may(uint64_t addr, uint64_t len, unsigned access)
{
	const uint64_t end = addr + len;

	if (end < addr)
		return false;
	for (size_t i = 0; i < nmappings && addr < end; i++) {
		const struct mapping *m = &mapping[i];

		if (addr < m->low || addr >= m->high ||
		    ((access & MEMORY_READABLE) != 0 && !m->readable) ||
		    ((access & MEMORY_WRITABLE) != 0 && !m->writable))
			continue;
		addr = m->high; /* the kernel's mappings stand in order */
	}
	return addr >= end;
}

struct question {
	uint64_t addr, len;
	unsigned access;
	bool write;
};

static struct question
take_question(struct input *in)
{
	const uint64_t kind = take_number(in, 1);
	struct question q = { .addr = take_number(in, 8), .len = take_number(in, 2) };

	if ((kind & 1) == 0) {
		q.addr = BASE + q.addr % 260 * PAGE;
		q.len *= 16;
	}
	q.write = (kind & 2) != 0;
	q.access = MEMORY_READABLE | ((kind & 4) != 0 || q.write ? MEMORY_WRITABLE : 0);
	return q;
}

/* As a job does it: of several writes only the first one has a new look made. */
static int
ask(struct memory *m, const struct question *q, bool checked)
{
	static const uint8_t data[UINT16_MAX * 16];

	return q->write ? memory_write(m, q->addr, data, q->len, checked)
	                : memory_check(m, q->addr, q->len, q->access);
}

static void
check_answer(const struct question *q, int ret, bool made)
{
	const bool allowed = may(q->addr, q->len, q->access);

	if (made && ret == 0)
		MUST(allowed);
	if (made && ret < 0)
		MUST(!allowed || cut || (q->write && q->addr > INT64_MAX)); /* no such offset */
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t start = fuzz_clock();
	struct memory m = { .refs = 1 };
	struct question q[QUESTIONS];
	bool made, checked = false;

	input = (struct input){ data, size };
	no_query = true;
	ntext = 0;
	cut = false;
	for (size_t i = 0; i < QUESTIONS; i++)
		q[i] = take_question(&input);
	made = take_number(&input, 1) % 2 == 0;
	if (made)
		make_text();
	else
		take_text();
	m.fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	m.maps = memfd_create("maps", MFD_CLOEXEC);
	MUST(m.fd >= 0 && m.maps >= 0 && write(m.maps, text, ntext) == (ssize_t)ntext);
	for (size_t i = 0; i < QUESTIONS; i++) {
		int ret;

		if (!made)
			q[i].len = 1; /* one look */
		bytes_read = 0;
		ret = ask(&m, &q[i], checked);
		MUST(made || bytes_read <= MOST_TEXT + PIECE);
		check_answer(&q[i], ret, made);
		checked = q[i].write && ret == 0;
	}
	close(m.fd);
	close(m.maps);
	MUST(fuzz_clock() - start < FUZZ_MS);
	return 0;
}
