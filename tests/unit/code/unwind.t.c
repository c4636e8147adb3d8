/*
 * unwind.c on stacks made by hand, and with cfiread.c on our own.
 *
 * SPDX-License-Identifier: ISC
 */
#include "../../../tools/code/readcode.h"
#include "machine.h"
#include "process/process.h"
#include "tap.h"

#include <execinfo.h>
#include <fcntl.h>
#include <libelf.h>
#include <ucontext.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))
enum { STACK = 0x10000, WORDS = 4096 };

static uint64_t words[WORDS];
static uint8_t text[0x8000]; /* what is at 0x1000 */
static unsigned reads;

static bool
read_words(void *arg, uint64_t addr, uint64_t *word)
{
	(void)arg;
	reads++;
	if (addr >= 0x1000 && addr + sizeof(*word) <= 0x1000 + sizeof(text)) {
		memcpy(word, text + (addr - 0x1000), sizeof(*word));
		return true;
	}
	if (addr < STACK || addr % 8 != 0 || (addr - STACK) / 8 >= WORDS)
		return false;
	*word = words[(addr - STACK) / 8];
	return true;
}

static void
put(uint64_t addr, uint64_t word)
{
	words[(addr - STACK) / 8] = word;
}

/* The text is 0x1000 to 0x9000. */
static const struct frame_row rows[] = {
	{ .low = 0x1000, .rule = FRAME_BY_SP, .cfa = 8, .ra = -8 },
	{ .low = 0x1010, .rule = FRAME_BY_SP, .cfa = 32, .ra = -8, .fp = -16 },
	{ .low = 0x2000, .rule = FRAME_BY_FP, .cfa = 16, .ra = -8, .fp = -16 },
	{ .low = 0x3000, .rule = FRAME_SIGNAL },
	{ .low = 0x4000, .rule = FRAME_BY_SAVED, .cfa = -8, .ra = -8 },
	{ .low = 0x5000, .rule = FRAME_LAST },
	{ .low = 0x6000, .rule = FRAME_UNKNOWN },
	{ .low = 0x7700, .rule = FRAME_BY_BASE, .cfa = 24, .ra = -8, .base = -24 },
	{ .low = 0x7740, .rule = FRAME_BY_SP, .cfa = 16, .ra = -8, .base = -16 },
	{ .low = 0x7780, .rule = FRAME_UNKNOWN },
	{ .low = 0x7800, .rule = FRAME_SCAN, .cfa = 0x7800 },
	{ .low = 0x7900, .rule = FRAME_OUTERMOST, .cfa = 0x7900 },
	{ .low = 0x7a00, .rule = FRAME_BY_FP, .cfa = 16, .ra = -8, .fp = -16 },
	{ .low = 0x7a10, .rule = FRAME_BY_FP, .cfa = 16, .ra = -8, .fp = -16, .callee = 0x7800 },
	{ .low = 0x7a20, .rule = FRAME_BY_FP, .cfa = 16, .ra = -8, .fp = -16, .callee = 0x7700 },
	{ .low = 0x7a30,
	  .rule = FRAME_BY_FP,
	  .cfa = 16,
	  .ra = -8,
	  .fp = -16,
	  .callee = FRAME_CALLS_ANY },
	{ .low = 0x7a40, .rule = FRAME_UNKNOWN },
	{ .low = 0x7b00, .rule = FRAME_SIGNAL },
	{ .low = 0x8000, .rule = FRAME_BY_SP, .cfa = 8, .ra = -8 },
	{ .low = 0x8004, .rule = FRAME_BY_FP, .cfa = 16, .ra = -8, .fp = -16 },
	{ .low = 0x8100, .rule = FRAME_BY_SP, .cfa = 8, .ra = -8 },
	{ .low = 0x8104, .rule = FRAME_BY_FP, .cfa = 16, .ra = -8, .fp = -16 },
};

static struct stack
walk_from(const struct unwind_regs *regs)
{
	const struct unwind_code code[] = {
		{ .rows = { rows, N(rows) }, .low = 0x1000, .high = 0x9000 },
		{ .low = 0xa000, .high = 0xb000, .object = OBJECT_NO_FILE },
	};
	const struct unwind u = {
		.code = code,
		.ncode = N(code),
		.regs = *regs,
	};
	struct stack s;

	reads = 0;
	unwind_walk(&u, read_words, NULL, &s);
	return s;
}

static struct stack
walk(uint64_t pc, uint64_t sp, uint64_t fp)
{
	return walk_from(&(struct unwind_regs){ .pc = pc, .sp = sp, .fp = fp });
}

static void
is_stack(const struct stack *s, const char *what, bool cut, size_t n, const uint64_t *frame)
{
	ok(s->n == n && memcmp(s->frame, frame, n * sizeof(*frame)) == 0, "%s: the frames", what);
	is_int(s->cut, cut, "%s: whether it is cut", what);
	for (size_t i = 0; s->n != n && i < s->n; i++)
		diag("frame %zu: %#llx", i, (unsigned long long)s->frame[i]);
}

static void
test_rules(void)
{
	struct stack s;

	memset(words, 0, sizeof(words));
	put(STACK + 0x100, 0x1021);             /* return address of a leaf */
	put(STACK + 0x108 + 16, STACK + 0x300); /* its caller's fp */
	put(STACK + 0x108 + 24, 0x2050);
	put(STACK + 0x300, 0); /* by fp */
	put(STACK + 0x308, 0x5010);
	s = walk(0x1002, STACK + 0x100, 0);
	is_stack(&s, "sp, sp, fp, last", false, 4,
	         (const uint64_t[]){ 0x1002, 0x1020, 0x204f, 0x500f });

	put(STACK + 0x2f8, STACK + 0x400); /* where the stack is aligned anew */
	put(STACK + 0x3f8, 0x5011);
	s = walk(0x4004, STACK + 0x200, STACK + 0x300);
	is_stack(&s, "by a saved CFA", false, 2, (const uint64_t[]){ 0x4004, 0x5010 });

	put(STACK + 0x400, STACK + 0x500); /* no row: frame pointers */
	put(STACK + 0x408, 0x7001);
	put(STACK + 0x500, 0);
	put(STACK + 0x508, 0x7101);
	s = walk(0x7000, STACK + 0x3f0, STACK + 0x400);
	is_stack(&s, "frame pointers to their end", false, 3,
	         (const uint64_t[]){ 0x7000, 0x7000, 0x7100 });

	put(STACK + 0x600, 0x3001); /* a handler's return */
	put(STACK + 0x608 + machine_frames.signal.offset + machine_frames.signal.pc, 0x1010);
	put(STACK + 0x608 + machine_frames.signal.offset + machine_frames.signal.sp, STACK + 0x40);
	put(STACK + 0x608 + machine_frames.signal.offset + machine_frames.signal.fp, 0);
	put(STACK + 0x40 + 24, 0x5001);
	s = walk(0x1001, STACK + 0x600, 0);
	is_stack(&s, "through a signal to a lower stack", false, 4,
	         (const uint64_t[]){ 0x1001, 0x3001, 0x1010, 0x5000 });
}

/* By the register that only few frames are found by, which the function that was called from there
 * has saved. */
static void
test_base(void)
{
	struct unwind_regs from = { .pc = 0x7744, .sp = STACK + 0x100, .base = 7 };
	struct stack s;

	memset(words, 0, sizeof(words));
	put(STACK + 0x100, STACK + 0x200); /* the saved register */
	put(STACK + 0x108, 0x7711);
	put(STACK + 0x200, 9);
	put(STACK + 0x210, 0x5001);
	s = walk_from(&from);
	is_stack(&s, "by another register", false, 3, (const uint64_t[]){ 0x7744, 0x7710, 0x5000 });
	from = (struct unwind_regs){ .pc = 0x7702, .sp = STACK + 0x180, .base = STACK + 0x200 };
	s = walk_from(&from);
	is_stack(&s, "by another register, which is still there", false, 2,
	         (const uint64_t[]){ 0x7702, 0x5000 });
	from.base = STACK;
	s = walk_from(&from);
	is_stack(&s, "by another register, which leads down", true, 1,
	         (const uint64_t[]){ 0x7702 });
	from.blind = true;
	from.base = STACK + 0x200;
	s = walk_from(&from);
	is_stack(&s, "by another register, which is not known", true, 1,
	         (const uint64_t[]){ 0x7702 });
}

/* Functions without information: calls of one return to 0x7a10, of another one to 0x7a20, and by a
 * pointer to 0x7a30. */
static void
test_scan(void)
{
	struct stack s;

	memset(words, 0, sizeof(words));
	put(STACK + 0x108, 0x7a18);        /* behind no call */
	put(STACK + 0x110, 0x7a20);        /* of another call before, or of a jump */
	put(STACK + 0x120, STACK + 0x200); /* the caller's fp */
	put(STACK + 0x128, 0x7a10);
	put(STACK + 0x208, 0x5001);
	s = walk(0x7804, STACK + 0x100, 7);
	is_stack(&s, "a function without information", false, 3,
	         (const uint64_t[]){ 0x7804, 0x7a0f, 0x5000 });
	s = walk(0x7804, STACK + 0x128, STACK + 0x200);
	is_stack(&s, "one that has left the frame pointer alone", false, 3,
	         (const uint64_t[]){ 0x7804, 0x7a0f, 0x5000 });
	put(STACK + 0x128, 0x7a30);
	put(STACK + 0x110, 0);
	s = walk(0x7804, STACK + 0x100, 7);
	is_stack(&s, "one that was called by a pointer", false, 3,
	         (const uint64_t[]){ 0x7804, 0x7a2f, 0x5000 });
	s = walk(0xa000, STACK + 0x100, 7);
	is_stack(&s, "code of no file", false, 3,
	         (const uint64_t[]){ frame_of_object(OBJECT_NO_FILE) | 0xa000, 0x7a2f, 0x5000 });
	put(STACK + 0x300, STACK + 0x400);
	put(STACK + 0x308, 0x2050);
	put(STACK + 0x408, 0x5001);
	s = walk(0xa000, STACK + 0x100, STACK + 0x300);
	is_stack(&s, "code of no file with a frame pointer", false, 3,
	         (const uint64_t[]){ frame_of_object(OBJECT_NO_FILE) | 0xa000, 0x204f, 0x5000 });
	put(STACK + 0x308, 0xc000);
	s = walk(0xa000, STACK + 0x100, STACK + 0x300);
	is_stack(&s, "with one that leads to no code", false, 3,
	         (const uint64_t[]){ frame_of_object(OBJECT_NO_FILE) | 0xa000, 0x7a2f, 0x5000 });
	put(STACK + 0x128, 0x7a18);
	s = walk(0x7804, STACK + 0x100, 7);
	is_stack(&s, "no call", true, 1, (const uint64_t[]){ 0x7804 });
	ok(reads < 1100, "is not looked for without end (%u)", reads);

	put(STACK + 0x128, 0x7a10);
	put(STACK + 0x208, 0x7910);
	s = walk(0x7804, STACK + 0x100, 7);
	is_stack(&s, "what a thread begins with", false, 3,
	         (const uint64_t[]){ 0x7804, 0x7a0f, 0x790f });

	put(STACK + 0x100, 0x7b00); /* a handler's return, of which only the beginning is known */
	put(STACK + 0x108 + machine_frames.signal.offset + machine_frames.signal.pc, 0x5001);
	s = walk(0x1001, STACK + 0x100, 0);
	is_stack(&s, "a signal", false, 3, (const uint64_t[]){ 0x1001, 0x7b00, 0x5001 });
}

static void
test_calls(void)
{
#ifdef __x86_64__
	static const struct {
		const char *what;
		uint8_t code[8];
		unsigned len;
		int32_t distance;
	} calls[] = {
		{ "call", { 0xe8, 0x10, 0, 0, 0 }, 5, 16 },
		{ "call *%rax", { 0xff, 0xd0 }, 2, 0 },
		{ "call *8(%rbx)", { 0xff, 0x53, 8 }, 3, 0 },
		{ "call *8(%rsp)", { 0xff, 0x54, 0x24, 8 }, 4, 0 },
		{ "call *256(%rbx)", { 0xff, 0x93, 0, 1, 0, 0 }, 6, 0 },
		{ "call *0(%rip)", { 0xff, 0x15, 0, 0, 0, 0 }, 6, 0 },
		{ "call *(%rax,%rdi,8)", { 0xff, 0x14, 0xf8 }, 3, 0 },
		{ "call *table(,%rdi,8)", { 0xff, 0x14, 0xfd, 0, 0, 0, 1 }, 7, 0 },
		{ "jmp *%rax", { 0xff, 0xe0 }, 0, 0 },
		{ "push 8(%rax)", { 0xff, 0x70, 8 }, 0, 0 },
	};
	int32_t distance;

	for (size_t i = 0; i < N(calls); i++) {
		is_int(machine_call_at(calls[i].code, sizeof(calls[i].code), &distance),
		       calls[i].len, "%s", calls[i].what);
		is_int(distance, calls[i].distance, "%s: how far", calls[i].what);
	}
	is_int(machine_frame_made_at((const uint8_t *)"\x55\x48\x89\xe5", 4), 4, "a frame is made");
	is_int(machine_frame_made_at((const uint8_t *)"\x55\x48\x8b\xec", 4), 4, "or so");
	is_int(machine_frame_made_at((const uint8_t *)"\x55\x48\x89\xe5", 3), 0,
	       "there is too little code");
	is_int(machine_frame_made_at((const uint8_t *)"\x55\x48\x89\xfb", 4), 0,
	       "another register");
	/* mov %rbp,0x78(%rsp); lea 0x78(%rsp),%rbp */
	is_int(
	    machine_frame_made_at((const uint8_t *)"\x48\x89\x6c\x24\x78\x48\x8d\x6c\x24\x78", 10),
	    10, "Go makes a frame so");
	is_int(
	    machine_frame_made_at((const uint8_t *)"\x48\x89\x6c\x24\x78\x48\x8d\x6c\x24\x70", 10),
	    0, "which is at the place where the old frame pointer is");
	is_int(
	    machine_frame_made_at((const uint8_t *)"\x48\x89\x6c\x24\x78\x48\x8d\x6c\x24\x78", 9),
	    0, "a part of it is none");
	is_int(machine_frame_made_at((const uint8_t *)"\x48\x89\xac\x24\x80\x01\0\0"
	                                              "\x48\x8d\xac\x24\x80\x01\0\0",
	                             16),
	       16, "or a large one so");
	ok(machine_sigreturn_at((const uint8_t *)"\xb8\x0f\0\0\0\x0f\x05", 7),
	   "a handler's return");
	ok(!machine_sigreturn_at((const uint8_t *)"\xb8\x0e\0\0\0\x0f\x05", 7), "another call");
#endif
}

static void
test_hostile(void)
{
	struct stack s;

	memset(words, 0, sizeof(words));
	s = walk(0x1002, 8, 8);
	is_stack(&s, "no such memory", true, 1, (const uint64_t[]){ 0x1002 });
	s = walk(0x2002, UINT64_MAX - 7, UINT64_MAX - 7);
	is_stack(&s, "the end of all addresses", true, 1, (const uint64_t[]){ 0x2002 });
	put(STACK + 0x100, STACK + 0x100); /* a frame that is its own caller */
	put(STACK + 0x108, 0x2002);
	s = walk(0x2002, STACK, STACK + 0x100);
	ok(s.cut && s.n <= 2, "a cycle ends (%zu frames)", s.n);
	for (uint64_t i = 0; i < WORDS; i++)
		words[i] = 0x1001; /* a call at each word */
	s = walk(0x1001, STACK, 0);
	is_int((int64_t)s.n, STACK_FRAMES, "an endless stack is cut");
	is_int(s.cut, true, "and marked");
	ok(reads <= 3 * STACK_FRAMES, "after so many reads");
	memset(words, 0, sizeof(words));
	put(STACK + 0x100, 0xdead);
	s = walk(0x1002, STACK + 0x100, 0);
	is_stack(&s, "a return address outside of the text", true, 1, (const uint64_t[]){ 0x1002 });
	/* Signal frames that lead to each other, with no stack between. */
	put(STACK + 0x200 + machine_frames.signal.offset + machine_frames.signal.pc, 0x3002);
	put(STACK + 0x200 + machine_frames.signal.offset + machine_frames.signal.sp, STACK + 0x200);
	s = walk(0x3002, STACK + 0x200, 0);
	ok(s.cut && s.n < STACK_FRAMES, "signal frames end (%zu frames)", s.n);
}

/* A walk from 0x1002, of a program with main() there. */
static struct stack
walk_with_main(uint64_t low, uint64_t bytes, uint64_t sp)
{
	const struct unwind_code code = { .rows = { rows, N(rows) },
		                          .low = 0x1000,
		                          .high = 0x9000,
		                          .main_low = low,
		                          .main_bytes = bytes };
	const struct unwind u = { &code, 1, { .pc = 0x1002, .sp = sp } };
	struct stack s;

	unwind_walk(&u, read_words, NULL, &s);
	return s;
}

/* A stack that can't be walked behind main() is whole, unless it is longer than we walk. */
static void
test_main(void)
{
	static const struct {
		uint64_t low, bytes;
		bool cut;
	} mains[] = { { 0x1000, 0x10, false },
		      { 0x1002, 1, false },
		      { 0x1003, 0x10, true },
		      { 0x1000, 2, true },
		      { 0x1000, 0, true } };
	struct stack s;

	memset(words, 0, sizeof(words));
	for (uint64_t i = 0; i < STACK_FRAMES + 1; i++)
		put(STACK + 0x100 + 8 * i, 0x1001);
	put(STACK + 0x100, 0xdead);
	for (size_t i = 0; i < N(mains); i++) {
		s = walk_with_main(mains[i].low, mains[i].bytes, STACK + 0x100);
		is_int(s.cut, mains[i].cut, "main() of %llu bytes at %#llx",
		       (unsigned long long)mains[i].bytes, (unsigned long long)mains[i].low);
	}
	s = walk_with_main(0x1000, 0x10, STACK + 0x108);
	ok(s.n == STACK_FRAMES && s.cut, "a stack of main()s without end");
}

static void
test_copy(void)
{
	static const uint64_t data[] = { 11, 22 };
	struct stack_copy copy = { STACK, (const uint8_t *)data, sizeof(data) };
	uint64_t word = 0;

	ok(unwind_read_copy(&copy, STACK, &word) && word == 11, "a copy's first word");
	ok(unwind_read_copy(&copy, STACK + 8, &word) && word == 22, "its last");
	ok(!unwind_read_copy(&copy, STACK + 9, &word) &&
	       !unwind_read_copy(&copy, STACK + 16, &word) &&
	       !unwind_read_copy(&copy, STACK + 24, &word),
	   "what reaches over its end");
	ok(!unwind_read_copy(&copy, STACK - 8, &word) && word == 22, "what is before it");
	copy.len = 4;
	ok(!unwind_read_copy(&copy, STACK, &word), "less than a word");
}

enum { LIBRARY = OBJECTS_OF_RUN + 3 };

/* Walks through code of no file at 0x30000, a library at 0x20000, whose rows are those of the text,
 * and the text.  Returns what the walk does. */
static uint64_t
walk_objects_from(struct unwind_regs regs, bool awaited, size_t ncode, struct stack *s)
{
	const struct unwind_code code[] = {
		{ .low = 0x1000, .high = 0x9000, .rows = { rows, N(rows) } },
		{ .low = 0x20000,
		  .high = 0x23000,
		  .bias = 0x1f000,
		  .object = LIBRARY,
		  .awaited = awaited,
		  .rows = { rows, N(rows) } },
		{ .low = 0x30000, .high = 0x31000, .object = OBJECT_NO_FILE },
	};
	const struct unwind u = { code, ncode, regs };

	return unwind_walk(&u, read_words, NULL, s);
}

static uint64_t
walk_objects(bool awaited, size_t ncode, struct stack *s)
{
	const struct unwind_regs regs = { .pc = 0x30010, .sp = STACK + 0xf0, .fp = STACK + 0x100 };

	return walk_objects_from(regs, awaited, ncode, s);
}

static void
test_objects(void)
{
	const uint64_t library = frame_of_object(LIBRARY), none = frame_of_object(OBJECT_NO_FILE);
	struct stack s;

	memset(words, 0, sizeof(words));
	put(STACK + 0x100, STACK + 0x200); /* by its frame pointer */
	put(STACK + 0x108, 0x20005);       /* of a leaf in the library */
	put(STACK + 0x110, 0x5010);
	is_int((int64_t)walk_objects(false, 3, &s), 0, "through a library: no code is missed");
	is_stack(&s, "each frame has its object", false, 3,
	         (const uint64_t[]){ none | 0x30010, library | 0x1004, 0x500f });
	is_int(s.waits, false, "nothing is waited for");
	walk_objects(true, 3, &s);
	is_stack(&s, "up to the library that is being read", true, 2,
	         (const uint64_t[]){ none | 0x30010, library | 0x1004 });
	is_int(s.waits, true, "which is waited for");
	put(STACK + 0x110, 0x40010);
	is_int((int64_t)walk_objects(false, 3, &s), 0x40010, "code that is not known is told");
	is_stack(&s, "and where it was called", true, 2,
	         (const uint64_t[]){ none | 0x30010, library | 0x1004 });
	is_int((int64_t)walk_objects(false, 0, &s), 0x30010, "without any code, too");
	is_stack(&s, "there is the innermost frame", true, 1, (const uint64_t[]){ none | 0x30010 });
	for (uint64_t i = 0; i < WORDS; i++)
		words[i] = 0x1001; /* a call at each word */
	words[STACK_FRAMES - 1] = 0x20005;
	walk_objects_from((struct unwind_regs){ .pc = 0x1001, .sp = STACK }, true, 3, &s);
	ok(s.n == STACK_FRAMES && !s.waits, "a library behind all frames is not waited for");
}

static bool
read_ours(void *arg, uint64_t addr, uint64_t *word)
{
	(void)arg;
	memcpy(word, (const void *)(uintptr_t)addr, sizeof(*word));
	return true;
}

/* Each has another kind of frame. */
static struct stack found;
static void *said[64];
static int nsaid;
static struct unwind_code our_code;
static struct unwind ours = { .code = &our_code, .ncode = 1 };

static __attribute__((noinline)) void
look(void)
{
	ucontext_t c;

	nsaid = backtrace(said, (int)N(said));
	getcontext(&c);
#ifdef __x86_64__
	ours.regs = (struct unwind_regs){ .pc = (uint64_t)c.uc_mcontext.gregs[REG_RIP],
		                          .sp = (uint64_t)c.uc_mcontext.gregs[REG_RSP],
		                          .fp = (uint64_t)c.uc_mcontext.gregs[REG_RBP] };
#else
	ours.regs = (struct unwind_regs){ .pc = c.uc_mcontext.pc,
		                          .sp = c.uc_mcontext.sp,
		                          .fp = c.uc_mcontext.regs[29],
		                          .link = c.uc_mcontext.regs[30] };
#endif
	unwind_walk(&ours, read_ours, NULL, &found);
}

static __attribute__((noinline)) void
with_array(int n)
{
	volatile char room[n];

	room[0] = 1;
	look();
	words[0] = (uint64_t)room[0];
}

static __attribute__((noinline)) void
with_alignment(int n)
{
	_Alignas(64) volatile char room[256] = { 0 };

	room[n] = 1;
	with_array(n);
	said[0] = (void *)(uintptr_t)room[0];
}

extern const char __executable_start, etext;

static void
test_ours(void)
{
	const int fd = open("/proc/self/exe", O_RDONLY);
	struct frame_row *row;
	size_t n, sorted = 0;
	unsigned same = 0;
	int at = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	row = cfiread(elf, &n);
	ok(n > 100, "our own program has rows (%zu)", n);
	for (size_t i = 1; i < n; i++)
		sorted += row[i - 1].low < row[i].low;
	is_int((int64_t)sorted, (int64_t)n - 1, "they are sorted");
	our_code.rows = (struct frame_rows){ row, n };
	our_code.low = our_code.bias = (uint64_t)(uintptr_t)&__executable_start;
	our_code.high = (uint64_t)(uintptr_t)&etext;
	with_alignment(100);
	/* A sanitizer's backtrace() has frames of its own before ours. */
	while (at < nsaid && found.frame[1] + 1 != (uint64_t)(uintptr_t)said[at] - our_code.bias)
		at++;
	for (size_t i = 1; i < found.n && at < nsaid; i++, at++)
		same += found.frame[i] + 1 == (uint64_t)(uintptr_t)said[at] - our_code.bias;
	ok(found.n >= 4, "the stack has look(), with_array(), with_alignment(), test_ours() (%zu)",
	   found.n);
	is_int(same, (int64_t)found.n - 1, "and the callers are those that libgcc finds");
	for (size_t i = 0; i < found.n; i++)
		diag("%#llx", (unsigned long long)found.frame[i]);
	free(row);
	elf_end(elf);
	close(fd);
}

#ifdef __x86_64__
/* Puts a call before `pc`; `target` 0: by a pointer. */
static void
put_call(uint64_t pc, uint64_t target)
{
	const int32_t distance = (int32_t)(target - pc);
	uint8_t *end = text + (pc - 0x1000);

	if (target == 0) {
		end[-2] = 0xff;
		end[-1] = 0xd0;
		return;
	}
	end[-5] = 0xe8;
	memcpy(end - sizeof(distance), &distance, sizeof(distance));
}

/* Nobody tells the frame pointer of a thread that is blocked. */
static void
test_blind(void)
{
	const struct unwind_regs regs = { .pc = 0x1002, .sp = STACK + 0x100, .blind = true };
	struct stack s;

	memset(words, 0, sizeof(words));
	put_call(0x8050, 0x8000);
	put_call(0x2080, 0x8100);
	put_call(0x20c0, 0);
	put(STACK + 0x100, 0x8120);        /* a leaf's return address, into a function by fp */
	put(STACK + 0x110, 0x8140);        /* behind no call */
	put(STACK + 0x118, 0x8050);        /* of an earlier call, of another function */
	put(STACK + 0x140, STACK + 0x300); /* where its frame pointer is */
	put(STACK + 0x148, 0x2080);
	put(STACK + 0x300, 0);
	put(STACK + 0x308, 0x5010);
	s = walk_from(&regs);
	is_stack(&s, "blind", false, 4, (const uint64_t[]){ 0x1002, 0x811f, 0x207f, 0x500f });
	ok(s.guessed, "blind: that is a guess");

	put(STACK + 0x118, 0x20c0); /* by a pointer: also of an earlier call */
	put(STACK + 0x110, STACK + 0x200);
	s = walk_from(&regs);
	is_stack(&s, "blind: a call of the function is better than one by a pointer", false, 4,
	         (const uint64_t[]){ 0x1002, 0x811f, 0x207f, 0x500f });

	put(STACK + 0x118, 0);
	put(STACK + 0x148, 0x20c0);
	s = walk_from(&regs);
	is_stack(&s, "blind: by a pointer", false, 4,
	         (const uint64_t[]){ 0x1002, 0x811f, 0x20bf, 0x500f });

	put(STACK + 0x148, 0);
	s = walk_from(&regs);
	is_stack(&s, "blind: without a call", true, 2, (const uint64_t[]){ 0x1002, 0x811f });
	ok(reads < 2000, "blind: it ends (%u reads)", reads);
}
#endif

int
main(void)
{
#ifdef __x86_64__
	test_blind();
	memset(text, 0, sizeof(text));
#endif
	test_rules();
	test_base();
	test_scan();
	test_calls();
	test_hostile();
	test_main();
	test_copy();
	test_objects();
	test_ours();
	return done_testing();
}
