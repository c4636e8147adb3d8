/*
 * What the tools read: a gmon file and the file of stacks beside it, which anyone may have made.
 * They are read, or refused; what comes out holds together, and as many ticks come out as were in.
 *
 * An input is how long the gmon file is and what to do, the gmon file, and the file of stacks: as
 * it is, or, since no mutation finds a checksum, before it is compressed.
 *
 * SPDX-License-Identifier: ISC
 */
// SOURCES: tools/model/stack_read.c tools/model/newest.c tools/model/names.c
// SOURCES: tools/model/gmon_read.c tools/model/stacks.c tools/model/build_id.c tools/model/beside.c
// SOURCES: tools/model/reader.c tools/model/regular.c tools/model/inflate.c
// SOURCES: tools/model/bins.c tools/model/memory.c common/hexadecimal.c
// SOURCES: tools/model/text.c common/stackfile.c common/symname.c common/unicode.c
#define TRACKED_OURS
#include "fuzz.h"
#include "model.h"
#include "tracked.h"

#include <err.h>
#include <fcntl.h>
#include <setjmp.h>
#include <unistd.h>

/* In place of elf_header.c's: no program is read here. */
const char *
elf_header_wrong(int fd, bool linked)
{
	(void)fd;
	(void)linked;
	return "there is none";
}

enum { COMPRESSED = 1, TWICE = 2 };

static jmp_buf refused;
static char directory[] = "/dev/shm/profsup-fuzz.XXXXXX";
static char gmon_file[sizeof(directory) + 8], stack_file[sizeof(gmon_file) + 8];

/* In front of what its user has; all of them are in a list. */
struct tracked {
	struct tracked *next, *before;
	size_t size;
	size_t even; /* the memory behind it is for anything */
};
_Static_assert(sizeof(struct tracked) == 32, "as malloc_usable_size knows");

static struct tracked all = { .next = &all, .before = &all };

static void
leave(struct tracked *t)
{
	t->next->before = t->before;
	t->before->next = t->next;
}

static void
enter(struct tracked *t, size_t size)
{
	t->size = size;
	t->next = all.next;
	t->before = &all;
	all.next->before = t;
	all.next = t;
}

void *
tracked_resize(void *p, size_t n, size_t size)
{
	struct tracked *t = p == NULL ? NULL : (struct tracked *)p - 1;
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes) ||
	    __builtin_add_overflow(bytes, sizeof(*t), &bytes))
		return NULL;
	if (t != NULL)
		leave(t);
	t = realloc(t, bytes);
	if (t == NULL)
		longjmp(refused, 1); /* what it was is lost, and nothing else may be freed */
	enter(t, bytes);
	return t + 1;
}

void *
tracked_zeros(size_t n, size_t size)
{
	void *p = tracked_resize(NULL, n, size);

	if (p != NULL)
		memset(p, 0, n * size);
	return p;
}

void
tracked_free(void *p)
{
	if (p == NULL)
		return;
	leave((struct tracked *)p - 1);
	free((struct tracked *)p - 1);
}

int
tracked_print(char **text, const char *fmt, va_list ap)
{
	char *s;
	const int len = vasprintf(&s, fmt, ap);

	MUST(len >= 0);
	*text = tracked_resize(NULL, 1, (size_t)len + 1);
	memcpy(*text, s, (size_t)len + 1);
	free(s);
	return len;
}

char *
tracked_copy(const char *s, size_t most)
{
	const size_t len = strnlen(s, most);
	char *copy = tracked_zeros(len + 1, 1);

	return memcpy(copy, s, len);
}

static void
free_all(void)
{
	struct tracked *t = all.next;

	all.next = all.before = &all;
	while (t != &all) {
		struct tracked *next = t->next;

		free(t);
		t = next;
	}
}

static void *
for_zlib(void *arg, unsigned n, unsigned size)
{
	(void)arg;
	return tracked_resize(NULL, n, size);
}

static void
from_zlib(void *arg, void *p)
{
	(void)arg;
	tracked_free(p);
}

int
tracked_inflate(z_stream *z, int bits)
{
	z->zalloc = for_zlib;
	z->zfree = from_zlib;
	return inflateInit2(z, bits);
}

/* A message is one line that can be shown. */
static void __attribute__((format(printf, 1, 0))) check_message(const char *fmt, va_list ap)
{
	char text[2 * MOST_PATH];

	vsnprintf(text, sizeof(text), fmt, ap);
	for (const char *c = text; *c != '\0'; c++)
		MUST((unsigned char)*c >= ' ');
}

void
errx(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	check_message(fmt, ap);
	va_end(ap);
	longjmp(refused, status);
}

void
err(int status, const char *fmt, ...)
{
	(void)fmt;
	longjmp(refused, status);
}

void
note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	check_message(fmt, ap);
	va_end(ap);
}

/* The program: some functions of 16 bytes, one of them the runtime's. */
enum { FUNCTIONS = 8, PSEUDO = 2, LOW = 0x401000 };

uint32_t
symbols_function(const struct symbols *s, uint64_t pc)
{
	return pc >= LOW && pc < LOW + 16 * (s->nfunctions - 1) ? 1 + (uint32_t)(pc - LOW) / 16 : 0;
}

void
symbols_add_pseudo(struct symbols *s, const char *name)
{
	MUST(s->nfunctions < FUNCTIONS + PSEUDO);
	s->functions[s->nfunctions++] = (struct function){ .raw = name };
}

static void
write_file(const char *path, const uint8_t *data, size_t size)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

static void
write_compressed(const char *path, const uint8_t *data, size_t size)
{
	const size_t most = size + size / 100 + 100;
	uint8_t *to = malloc(most);
	z_stream z = { .next_in = (uint8_t *)(uintptr_t)data, .avail_in = (unsigned)size };

	MUST(to != NULL && deflateInit2(&z, 1, Z_DEFLATED, MAX_WBITS + 16, 8, 0) == Z_OK);
	z.next_out = to;
	z.avail_out = (unsigned)most;
	MUST(deflate(&z, Z_FINISH) == Z_STREAM_END);
	write_file(path, to, most - z.avail_out);
	deflateEnd(&z);
	free(to);
}

static uint64_t
check_gmon(const struct gmon *g)
{
	uint64_t ticks = 0;

	for (size_t i = 0; i < g->nranges; i++) {
		const struct gmon_range *r = &g->ranges[i];

		MUST(r->low < r->high && r->nbins > 0);
		for (size_t j = 0; j < r->bins.n; j++) {
			MUST(r->bins.bin[j].index < r->nbins && r->bins.bin[j].ticks > 0);
			MUST(j == 0 || r->bins.bin[j - 1].index < r->bins.bin[j].index);
			ticks += r->bins.bin[j].ticks;
		}
	}
	for (size_t i = 1; i < g->narcs; i++)
		MUST(g->arcs[i - 1].from < g->arcs[i].from ||
		     (g->arcs[i - 1].from == g->arcs[i].from &&
		      g->arcs[i - 1].self < g->arcs[i].self));
	MUST(g->rate > 0);
	return ticks;
}

static void
check_stacks(const struct stacks *s, const struct symbols *symbols, uint64_t ticks)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct stack *stack = &s->stack[i];

		MUST(stack->n > 0 && stack->n <= MOST_STACK && stack->ticks > 0);
		MUST(stack->at + stack->n <= s->nframes);
		sum += stack->ticks;
		for (uint32_t j = 0; j < stack->n; j++)
			MUST(s->frames[stack->at + j] < s->nplaces);
	}
	for (size_t i = 0; i < s->nplaces; i++) {
		const struct place *at = &s->places[i];

		MUST(at->function < symbols->nfunctions && at->object <= s->object_names.n);
		MUST(at->object == 0 || (at->pc >= s->objects[at->object - 1].low &&
		                         at->pc < s->objects[at->object - 1].high));
	}
	MUST(sum + s->runtime_ticks == s->ticks);
	MUST(ticks + s->outside >= s->ticks - s->homeless && ticks <= s->ticks - s->outside);
}

static void
read_files(uint64_t how, struct symbols *symbols)
{
	char *files[] = { gmon_file, how & TWICE ? gmon_file : NULL, NULL };
	struct stacks stacks;
	struct gmon gmon;
	char *why = NULL;
	uint64_t ticks;

	gmon_read(&gmon, files, false);
	ticks = check_gmon(&gmon);
	if (stacks_read(&stacks, &gmon, symbols, files,
	                &(struct load){ .times = true, .addresses = true }, &why))
		check_stacks(&stacks, symbols, ticks);
	else
		MUST(symbols->nfunctions == FUNCTIONS);
}

static void
remove_files(void)
{
	unlink(gmon_file);
	unlink(stack_file);
	rmdir(directory);
}

static void
make_names(void)
{
	if (gmon_file[0] != '\0')
		return;
	MUST(mkdtemp(directory) != NULL && atexit(remove_files) == 0);
	snprintf(gmon_file, sizeof(gmon_file), "%s/g", directory);
	snprintf(stack_file, sizeof(stack_file), "%s.pb.gz", gmon_file);
}

static void
write_input(struct input *in, uint64_t how)
{
	const uint64_t claimed = take_number(in, 2);
	const size_t len = claimed < in->left ? claimed : in->left;

	write_file(gmon_file, in->data, len);
	if (how & COMPRESSED)
		write_compressed(stack_file, in->data + len, in->left - len);
	else
		write_file(stack_file, in->data + len, in->left - len);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t began = fuzz_clock();
	struct function functions[FUNCTIONS + PSEUDO] = { [3] = { .runtime = true } };
	struct symbols symbols = { .program = "prog", .functions = functions };
	static char id[] = "aa00112233445566";
	struct input in = { data, size };
	const uint64_t how = take_number(&in, 1);
	const int first = dup(STDERR_FILENO);

	make_names();
	symbols.nfunctions = FUNCTIONS;
	symbols.build_id = id;
	write_input(&in, how);
	if (setjmp(refused) == 0)
		read_files(how, &symbols);
	free_all();
	MUST(first >= 0 && close_range((unsigned)first, ~0U, 0) == 0);
	MUST(fuzz_clock() - began < FUZZ_MS);
	return 0;
}
