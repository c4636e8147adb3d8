/*
 * The walk of a call stack: whatever the registers, the stack and the rows are, it ends soon, in a
 * stack whose frames are in the text.
 *
 * An input is how many rows there are, the rows, the registers, and what is at the stack's address.
 *
 * SPDX-License-Identifier: ISC
 */
// SOURCES: unwind.c arch_x86_64.c arch_aarch64.c
#include "target/target.h"

#include "fuzz.h"

enum { STACK = 0x7000, LOW = 0x1000, HIGH = 0x5000, MOST_ROWS = 64 };

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
	struct unwind u = { .rows = { rows, take_number(&in, 1) % MOST_ROWS },
		            .low = LOW,
		            .high = HIGH };
	struct stack s;

	for (size_t i = 0; i < u.rows.n; i++)
		take_row(&in, &rows[i]);
	u.bias = take_number(&in, 1) * 16;
	u.regs.pc = take_number(&in, 2);
	u.regs.sp = take_number(&in, 2);
	u.regs.fp = take_number(&in, 2);
	u.regs.link = take_number(&in, 2);
	if (take_number(&in, 1) % 4 == 0)
		u.regs.sp -= 0x8000; /* near the end of all addresses */
	stack_data = in.data;
	stack_len = in.left;
	reads = 0;
	unwind_walk(&u, read_stack, NULL, &s);
	MUST(s.n >= 1 && s.n <= STACK_FRAMES);
	MUST(s.frame[0] == u.regs.pc - u.bias);
	for (size_t i = 1; i < s.n; i++)
		MUST(s.frame[i] >= LOW && s.frame[i] <= HIGH);
	/* Four of each frame, if it is tried in two ways; and what is only looked at. */
	MUST(reads <= 8 * (STACK_FRAMES + 1) + 4096);
	return 0;
}
