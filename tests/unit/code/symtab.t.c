/*
 * symtab.c: tables as read-code writes them, and lying ones.
 *
 * SPDX-License-Identifier: ISC
 */
#include "code/code.h"
#include "tap.h"

#include <errno.h>

/* A table of two functions, of three rows, and of names that end with a NUL. */
struct table {
	struct codetable_head head;
	struct codetable_span span[2];
	struct frame_row row[3];
	char name[12];
};

static struct symtab_place place;
static struct table *table;

static void
fill(void)
{
	*table = (struct table){
		.head = { .version = CODETABLE_VERSION,
		          .spans = 2,
		          .rows = 3,
		          .main_low = 0x401100,
		          .main_bytes = 0x20,
		          .names = sizeof(table->name),
		          .segment = { { 0x1000, 0x800, 0x401000 },
		                       { 0x20000, 0x100, 0x520000 } } },
		.span = { { 0x401000, 0x401100, 1, 0 }, { 0x401200, 0x401210, 7, 0 } },
		.row = { { .low = 0x401000 }, { .low = 0x401100 }, { .low = 0x401200 } },
		.name = "\0first\0last",
	};
	/* Its last padding is part of no table. */
	place.used = offsetof(struct table, name) + sizeof(table->name);
	place.id = (struct image_id){ .ino = 77 };
}

static struct symtab *
take(void)
{
	errno = 0;
	return symtab_take(&place, CODETABLE_BYTES);
}

static bool
is_refused(int error)
{
	struct symtab *t = take();
	const bool refused = t == NULL && errno == error;

	free(t);
	return refused;
}

static void
test_found(void)
{
	struct unwind_code code = { .object = OBJECT_PROGRAM }, other = { .object = 99 };
	uint64_t low = 1, high = 2, offset = 3;
	struct symtab *t;

	fill();
	t = take();
	if (t == NULL)
		bail("symtab_take");
	is_int((int64_t)symtab_bytes(t), (int64_t)place.used, "as long as what was left");
	is_int((int64_t)symtab_id(t)->ino, 77, "of that file");
	is_str(symtab_name(t, symtab_at(t, 0x401000)), "first", "a function's first address");
	is_str(symtab_name(t, symtab_at(t, 0x4010ff)), "first", "its last");
	is_int(symtab_at(t, 0x401100), 0, "the one behind it");
	is_int(symtab_at(t, 0x4011ff), 0, "the one before the next function");
	is_str(symtab_name(t, symtab_at(t, 0x401200)), "last", "the next one");
	is_int(symtab_at(t, 0x400fff), 0, "before all");
	is_int(symtab_at(t, 0x401210), 0, "behind all");
	is_str(symtab_name(t, 12), "[unknown]", "a name that is none");
	is_str(symtab_name(t, 11), "", "the last byte of the names");
	symtab_unwind(t, &code);
	ok(code.rows.n == 3 && code.rows.row[2].low == 0x401200, "its rows");
	ok(code.main_low == 0x401100 && code.main_bytes == 0x20, "where main() is, of the program");
	symtab_unwind(t, &other);
	ok(other.rows.n == 3 && other.main_low == 0 && other.main_bytes == 0,
	   "and of no other file");
	is_int((int64_t)symtab_address(t, 0x1000), 0x401000, "a segment's first byte");
	is_int((int64_t)symtab_address(t, 0x17ff), 0x4017ff, "its last");
	is_int((int64_t)symtab_address(t, 0x800), 0x400800, "a page that begins before it");
	is_int((int64_t)symtab_address(t, 0x1800), 0x1800, "what is in none");
	is_int((int64_t)symtab_address(t, 0x20010), 0x520010, "another segment");
	is_int((int64_t)symtab_address(t, 0x20100), 0x20100, "behind it");
	symtab_code(t, &low, &high, &offset);
	ok(low == 0x401000 && high == 0x401800 && offset == 0x1000, "where the code is");
	table->name[1] = 'F';
	is_str(symtab_name(t, 1), "first", "what is changed later is not seen");
	free(t);

	memset(table->head.segment, 0, sizeof(table->head.segment));
	t = take();
	symtab_code(t, &low, &high, &offset);
	ok(low == 0x401000 && high == 0x401800 && offset == 0x1000, "no segment says nothing");
	is_int((int64_t)symtab_address(t, 0x10), 0x10, "and has no address");
	free(t);
}

static void
test_none(void)
{
	struct unwind_code code = { .main_low = 5 };

	is_int(symtab_at(NULL, 0x401000), 0, "without a table no function is known");
	is_str(symtab_name(NULL, 0), "[unknown]", "it has that name");
	is_int((int64_t)symtab_address(NULL, 0x1234), 0x1234, "an offset is its address");
	symtab_unwind(NULL, &code);
	ok(code.rows.n == 0 && code.main_low == 5, "nothing is known of frames");
}

static void
test_lies(void)
{
	fill();
	place.used = CODETABLE_BYTES + 1UL;
	ok(is_refused(EFBIG), "more than there is room for");
	fill();
	errno = 0;
	ok(symtab_take(&place, place.used - 1) == NULL && errno == EFBIG, "more than is wanted");
	for (size_t used = 0; used < offsetof(struct table, name) + 12; used++) {
		fill();
		place.used = used;
		if (!is_refused(EINVAL))
			break;
		place.used++;
	}
	is_int((int64_t)place.used, offsetof(struct table, name) + 12, "any shorter one");
	fill();
	table->head.version++;
	ok(is_refused(EINVAL), "another version");
	fill();
	table->head.names++;
	ok(is_refused(EINVAL), "more names than there are");
	fill();
	table->head.names--;
	ok(is_refused(EINVAL), "fewer");
	fill();
	table->name[11] = 'x';
	ok(is_refused(EINVAL), "a last name without an end");
	fill();
	_Static_assert(sizeof(table->row[0]) % 8 == 0,
	               "so many more rows take no more, modulo 2^64");
	table->head.rows += 1UL << 61;
	ok(is_refused(EINVAL), "rows beyond all memory");
	fill();
	table->head.spans = UINT32_MAX;
	ok(is_refused(EINVAL), "spans beyond it");
	fill();
	place.used -= sizeof(table->name);
	table->head.names = 0;
	ok(is_refused(EINVAL), "no name at all");
}

int
main(void)
{
	if (symtab_place(&place) < 0)
		bail("symtab_place");
	table = (void *)place.memory;
	test_found();
	test_none();
	test_lies();
	symtab_leave(&place);
	ok(place.memory == NULL, "the place is given up");
	symtab_leave(&place);
	return done_testing();
}
