/*
 * hostile-elf MS: what tests/hostile/elf.pl makes other files of.  Calls work() 1000 times, uses so
 * many milliseconds of CPU time, says whether anybody has changed what is not theirs, and exits
 * with 7.  With "wait" it uses a little CPU time again and again until stdin ends.
 *
 * It has things that a note can point to: room for notes and program headers, a state and a mailbox
 * that nobody uses, and both where they can't be written.
 */
// CFLAGS: -Iproto
#include "../counted.h"
#include "hostile.h"

#include <poll.h>

enum { ROOM = 128 << 10 };

struct fakes {
	uint64_t before[16];
	struct profsup_state state;
	uint64_t between[16];
	struct profsup_mailbox mailbox;
	uint64_t after[16];
};

#define FAKES                                                                                      \
	{                                                                                          \
		.state = { .magic = PROFSUP_STATE_MAGIC, .version = PROFSUP_ABI_VERSION },         \
		.between = { 1 },                                                                  \
		.mailbox = { .magic = PROFSUP_MAILBOX_MAGIC,                                       \
			     .version = PROFSUP_ABI_VERSION,                                       \
			     .posted = 7,                                                          \
			     .call = PROFSUP_CALL_ILLUMOS,                                         \
			     .arg = { 0xffff888000000000, 0x7fffffffffff, 0,                       \
			              PROFSUP_SCALE_ONE } },                                       \
	}

/* Not static: they are found by name. */
const volatile char elf_room[ROOM] = { 1 };
struct fakes elf_fakes = FAKES;
const struct fakes elf_const_fakes = FAKES;

COUNTED_FUNCTION(work)

static void
use(int ms)
{
	const clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000);

	while (clock() < end)
		sink++;
}

/* But for what a supervisor stores at the state and in the mailbox that a note leads to. */
static int
is_whole(void)
{
	struct fakes now = elf_fakes;

	now.state.supervised = elf_const_fakes.state.supervised;
	now.state.mode = elf_const_fakes.state.mode;
	now.state.shared_tp = elf_const_fakes.state.shared_tp;
	now.mailbox.supervised = elf_const_fakes.mailbox.supervised;
	now.mailbox.result = elf_const_fakes.mailbox.result;
	now.mailbox.answered = elf_const_fakes.mailbox.answered;
	return memcmp(&now, &elf_const_fakes, sizeof(now)) == 0;
}

int
main(int argc, char **argv)
{
	struct pollfd in = { .fd = 0 };

	for (int i = 0; i < 1000; i++)
		work();
	if (argc > 1 && strcmp(argv[1], "wait") == 0) {
		while (poll(&in, 1, 20) == 0)
			use(1);
	} else if (argc > 1) {
		use(atoi(argv[1]));
	}
	puts(is_whole() && elf_room[0] == 1 ? "whole" : "changed");
	return 7;
}
