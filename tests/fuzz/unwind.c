/*
 * The walk of a call stack: whatever the registers, the stack and the rows are, it ends soon, in a
 * stack whose frames are in the text.
 *
 * An input is how many rows there are, the rows, the registers, and what is at the stack's address.
 *
 * SPDX-License-Identifier: ISC
 */
// SOURCES: unwind.c common/codetable.c common/machine_x86_64.c common/machine_aarch64.c
#include "process/process.h"

#include "fuzz.h"

enum { STACK = 0x7000, LOW = 0x1000, MIDDLE = 0x3000, HIGH = 0x5000, MOST_ROWS = 64 };

static const uint8_t *stack_data;
static size_t stack_len;
static unsigned reads;

/* Every fifth word is one that the input does not have to find. */
static bool
read_stack(void *arg, uint64_t addr, uint64_t *word)
{
	(void)arg;
	reads++;
	if (addr < STACK || addr - STACK >= stack_len || stack_len - (addr - STACK) < sizeof(*word))
		return false;
	memcpy(word, stack_data + (addr - STACK), sizeof(*word));
	if (*word % 5 == 0)
		*word = LOW + *word % (HIGH - LOW);
	else if (*word % 5 == 1)
		*word = STACK + *word % stack_len;
	return true;
}

static void
take_row(struct input *in, struct frame_row *row)
{
	*row = (struct frame_row){ .low = LOW + take_number(in, 2) % (HIGH - LOW),
		                   .rule = (uint8_t)take_number(in, 1) };
	row->cfa = (int32_t)take_number(in, row->rule % 2 == 0 ? 1 : 4);
	row->fp = (int16_t)take_number(in, 2);
	row->ra = (int16_t)take_number(in, 2);
	row->base = (int16_t)(row->fp + row->ra);
	row->rule /= 2;
	if (row->fp % 4 == 1)
		row->callee = FRAME_CALLS_ANY;
	else if (row->fp % 4 == 3)
		row->callee = (uint32_t)row->cfa;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct frame_row rows[MOST_ROWS];
	const uint64_t bias = take_number(&in, 1) * 16;
	const uint8_t awaited = (uint8_t)take_number(&in, 1);
	const size_t n = take_number(&in, 1) % MOST_ROWS;
	const struct frame_rows all = { rows, n };
	const struct unwind_code code[] = {
		{ .low = LOW + bias, .high = MIDDLE + bias, .bias = bias, .rows = all },
		{ .low = MIDDLE + bias,
		  .high = HIGH + bias,
		  .bias = bias,
		  .object = 7,
		  .rows = all,
		  .awaited = awaited % 8 == 0 },
	};
	struct unwind u = { .code = code, .ncode = 2 };
	struct stack s;

	for (size_t i = 0; i < n; i++)
		take_row(&in, &rows[i]);
	u.regs.pc = take_number(&in, 2);
	u.regs.sp = take_number(&in, 2);
	u.regs.fp = take_number(&in, 2);
	u.regs.link = take_number(&in, 2);
	u.regs.base = u.regs.fp ^ u.regs.link;
	u.regs.blind = u.regs.link % 2 != 0;
	if (take_number(&in, 1) % 4 == 0)
		u.regs.sp -= 0x8000; /* near the end of all addresses */
	stack_data = in.data;
	stack_len = in.left;
	reads = 0;
	unwind_walk(&u, read_stack, NULL, &s);
	MUST(s.n >= 1 && s.n <= STACK_FRAMES);
	MUST(frame_address(s.frame[0]) == u.regs.pc - bias ||
	     frame_object(s.frame[0]) == OBJECT_NO_FILE);
	for (size_t i = 1; i < s.n; i++)
		MUST(frame_address(s.frame[i]) >= LOW && frame_address(s.frame[i]) <= HIGH);
	for (size_t i = 0; i < s.n; i++)
		MUST(frame_object(s.frame[i]) == 0 || frame_object(s.frame[i]) == 7 || i == 0);
	MUST(!s.waits || frame_object(s.frame[s.n - 1]) == 7);
	/* Four of each frame, if it is tried in two ways; and what is only looked at. */
	MUST(reads <= 8 * (STACK_FRAMES + 1) + 4096);
	return 0;
}
