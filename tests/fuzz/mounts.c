/*
 * A line of the table of mounted file systems: whatever is mounted, and wherever, it is taken for
 * what it is.
 *
 * An input is either a line, or what the kernel would make one of: names that anybody may choose
 * who may mount with fusermount, and the type.
 *
 * SPDX-License-Identifier: ISC
 */
// SOURCES:
/* One function of it.  NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../supervisor/os/mounts.c"
#include "fuzz.h"

enum { MOST_LINE = 64 << 10, MOST_NAME = 255 };

static char text[MOST_LINE + 1];
static size_t ntext;

static void
put(const char *more)
{
	ntext += (size_t)snprintf(text + ntext, sizeof(text) - ntext, "%s", more);
	MUST(ntext <= MOST_LINE);
}

/* As the kernel does, with these in octal. */
static void
put_name(struct input *in)
{
	const uint64_t len = take_number(in, 1);
	char name[MOST_NAME];

	take(in, name, len);
	for (uint64_t i = 0; i < len && name[i] != '\0'; i++) {
		char c[8] = { name[i] };

		if (strchr(" \t\n\\#", name[i]) != NULL)
			snprintf(c, sizeof(c), "\\%03o", (unsigned char)name[i]);
		put(c);
	}
}

static void
check_made(struct input *in)
{
	const uint64_t kind = take_number(in, 1), id = take_number(in, 4);
	const unsigned major_number = (unsigned)take_number(in, 2) % 4096;
	const unsigned minor_number = (unsigned)take_number(in, 3) % (1 << 20);
	const bool is_known = kind % 2 != 0;
	char numbers[64];
	struct mount m;

	snprintf(numbers, sizeof(numbers), "%llu 1 %u:%u /", (unsigned long long)id, major_number,
	         minor_number);
	put(numbers);
	put_name(in);
	put(" /");
	put_name(in);
	put(" rw,relatime");
	put((kind & 2) != 0 ? " shared:1 - " : " - ");
	if (is_known) {
		put(safe[kind / 4 % (sizeof(safe) / sizeof(safe[0]))]);
	} else {
		put("fuse.");
		put_name(in);
	}
	put(" ");
	put_name(in);
	put(" rw\n");
	MUST(take_line(text, &m));
	MUST(m.id == id && m.dev == makedev(major_number, minor_number) && m.safe == is_known);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t start = fuzz_clock();
	struct input in = { data, size };
	struct mount m;

	ntext = 0;
	if (take_number(&in, 1) % 2 == 0) {
		check_made(&in);
	} else {
		ntext = in.left < MOST_LINE ? in.left : MOST_LINE;
		take(&in, text, ntext);
		text[ntext] = '\0';
		take_line(text, &m);
	}
	MUST(fuzz_clock() - start < FUZZ_MS);
	return 0;
}
