/*
 * Walks a call stack by rows that say, for each piece of code, how to get from a frame to its
 * caller's (tools/code/cfiread.c).  Of a function without such information the return address is
 * looked for: it is that of a call of this function.  All other code is expected to keep a frame
 * pointer.
 *
 * The stack is whatever the program makes of it: each step leads to a higher address, so that the
 * walk ends, and each return address must be in code that is mapped.  Pure, but for the reading.
 *
 * SPDX-License-Identifier: ISC
 */
#include "code/code.h"

#include "machine.h"
#include "search.h"

#include <string.h>

/* A thread has two stacks, or some more: of coroutines, and of signal handlers. */
enum { MOST_SIGNALS = 8 };
/* Words that are looked at for one return address, and for all of a stack. */
enum { SCAN_WORDS = 1024, MOST_WORDS = 4096 };
/* A frame is no larger than this. */
enum { FAR = 1 << 20 };

enum step { STEPPED, ENDED, STUCK };

/* Where a walk has got to. */
struct place_on_stack {
	struct unwind_regs regs;
	bool interrupted; /* the pc is not behind a call */
	unsigned signals, scanned;
	bool guessed;                   /* a return address was looked for */
	const struct unwind_code *code; /* NULL: none is mapped there */
	uint64_t address; /* link-time address that says which function the frame is of */
	const struct frame_row *row;
};

/* Reads a word of a stack's copy: an unwind_read. */
bool
unwind_read_copy(void *arg, uint64_t addr, uint64_t *word)
{
	const struct stack_copy *copy = arg;
	const uint64_t at = addr - copy->sp; /* below it, more than there can be */

	if (at > copy->len || copy->len - at < sizeof(*word))
		return false;
	memcpy(word, copy->data + at, sizeof(*word));
	return true;
}

/* Returns the code that is mapped at `pc`, or NULL. */
const struct unwind_code *
unwind_code_at(const struct unwind_code *code, size_t n, uint64_t pc)
{
	size_t at;

	SEARCH(at, n, code[at].low <= pc);
	return at > 0 && pc < code[at - 1].high ? &code[at - 1] : NULL;
}

/* Finds out which code a frame is in: that of its call's last byte.  But nobody has called the code
 * that a signal handler, or a coroutine's function, returns to: there is no call before it, and
 * maybe no code. */
static void
look_up(const struct unwind *u, struct place_on_stack *at)
{
	const struct frame_row *here;
	uint64_t pc = at->regs.pc;
	bool called = !at->interrupted;

	at->code = unwind_code_at(u->code, u->ncode, called ? pc - 1 : pc);
	if (at->code == NULL && called) {
		at->code = unwind_code_at(u->code, u->ncode, pc);
		called = false;
	}
	if (at->code == NULL)
		return;
	pc -= at->code->bias;
	here = frame_row_at(&at->code->rows, pc);
	at->address = called ? pc - 1 : pc;
	at->row = called ? frame_row_at(&at->code->rows, pc - 1) : here;
	if (called &&
	    (at->row->rule == FRAME_SIGNAL || (here->rule == FRAME_SIGNAL && here->low == pc) ||
	     (at->row->rule == FRAME_UNKNOWN && here->rule != FRAME_UNKNOWN))) {
		at->address = pc;
		at->row = here;
	}
}

/* Goes on where a signal handler's caller, which is no function, was interrupted. */
static enum step
step_signal(struct place_on_stack *at, unwind_read *read, void *arg)
{
	const uint64_t from = at->regs.sp + machine_frames.signal.offset;
	const uint64_t link = machine_frames.signal.link, base = machine_frames.signal.base;
	struct unwind_regs was = { 0 };

	if (at->signals++ == MOST_SIGNALS || !read(arg, from + machine_frames.signal.pc, &was.pc) ||
	    !read(arg, from + machine_frames.signal.sp, &was.sp) ||
	    !read(arg, from + machine_frames.signal.fp, &was.fp) ||
	    (link != 0 && !read(arg, from + link, &was.link)) ||
	    (base != 0 && !read(arg, from + base, &was.base)))
		return STUCK;
	at->regs = was;
	at->interrupted = true;
	return STEPPED;
}

/* Code of which nothing is known: it has a frame pointer, or none of its callers is found. */
static enum step
step_by_frame_pointer(struct place_on_stack *at, unwind_read *read, void *arg)
{
	struct unwind_regs next = { .sp = at->regs.fp + 2 * sizeof(uint64_t),
		                    .base = at->regs.base };

	if (at->regs.fp == 0)
		return ENDED; /* a program's start, and a thread's, clear it */
	if (at->regs.fp < at->regs.sp || at->regs.fp % sizeof(uint64_t) != 0 ||
	    !read(arg, at->regs.fp, &next.fp) ||
	    !read(arg, at->regs.fp + sizeof(uint64_t), &next.pc))
		return STUCK;
	at->regs = next;
	at->interrupted = false;
	return STEPPED;
}

/* Reads a word, as long as there may be more that are only looked at. */
static bool
look_at(struct place_on_stack *at, uint64_t addr, unwind_read *read, void *arg, uint64_t *word)
{
	return at->scanned++ < MOST_WORDS && read(arg, addr, word);
}

static bool
is_code(const struct unwind *u, uint64_t pc)
{
	return unwind_code_at(u->code, u->ncode, pc) != NULL;
}

/* Whether a call stands before `pc`; *target: of what, 0: by a pointer. */
static bool
is_behind_call(uint64_t pc, unwind_read *read, void *arg, uint64_t *target)
{
	enum { LONGEST = 7, SHORTEST = 2 };
	const uint64_t from = (pc - sizeof(uint64_t)) & ~(uint64_t)7;
	uint64_t word[2]; /* has the 8 bytes before pc */
	int32_t distance;

	if (!read(arg, from, &word[0]) || !read(arg, from + 8, &word[1]))
		return false;
	for (unsigned len = LONGEST; len >= SHORTEST; len--)
		if (machine_call_at((uint8_t *)word + (pc - from) - len, len, &distance) == len) {
			*target = distance == 0 ? 0 : pc + (uint64_t)(int64_t)distance;
			return true;
		}
	return false;
}

/* Whether a function that may be the one of `at` begins at `target`. */
static bool
may_begin_at(const struct place_on_stack *at, uint64_t target)
{
	const struct unwind_code *code = at->code;
	const struct frame_row *row;

	if (target < code->low || target >= code->high || target > at->regs.pc)
		return false;
	row = frame_row_at(&code->rows, target - code->bias);
	return row->low == target - code->bias && row->rule == FRAME_BY_SP &&
	       row->cfa == (int32_t)sizeof(uint64_t);
}

/* Whether what may be a frame pointer leads to another one above it, or to none. */
static bool
leads_up(uint64_t fp, unwind_read *read, void *arg)
{
	uint64_t saved;

	return read(arg, fp, &saved) && (saved == 0 || saved > fp);
}

/*
 * Guesses the frame pointer of a thread that is blocked, which nobody tells, for a function whose
 * frame is found by it.  It is where the return address is that a call of this function has left,
 * as the code before that address shows.  There may be such addresses of earlier calls of other
 * functions, too: of functions that begin before the pc, the one that begins last is this one.
 * Without a direct call, it is the first return address behind what may be a frame pointer.
 */
static bool
guess_fp(const struct unwind *u, struct place_on_stack *at, unwind_read *read, void *arg)
{
	enum { WORDS = 512, MOST_CALLS = 32 };
	const uint64_t distance = (uint64_t)(int64_t)at->row->cfa + (uint64_t)(int64_t)at->row->ra;
	uint64_t best = 0, pc, target;
	bool by_pointer = false;
	unsigned calls = 0;

	for (uint64_t i = 0; i < WORDS && calls < MOST_CALLS; i++) {
		const uint64_t addr = at->regs.sp + i * sizeof(pc), fp = addr - distance;

		if (!look_at(at, addr, read, arg, &pc))
			break;
		if (!is_code(u, pc))
			continue;
		calls++;
		if (!is_behind_call(pc, read, arg, &target))
			continue;
		if (target != 0 && may_begin_at(at, target) && target > best)
			best = target;
		else if (target == 0 && best == 0 && !by_pointer && leads_up(fp, read, arg))
			by_pointer = true;
		else
			continue;
		at->regs.fp = fp;
	}
	at->guessed = true;
	at->regs.blind = best == 0 && !by_pointer;
	return !at->regs.blind;
}

/* Finds the CFA, which is the caller's sp. */
static bool
find_cfa(const struct unwind_regs *regs, const struct frame_row *row, unwind_read *read, void *arg,
         uint64_t *cfa)
{
	const uint64_t from = row->rule == FRAME_BY_SP     ? regs->sp
	                      : row->rule == FRAME_BY_BASE ? regs->base
	                                                   : regs->fp;

	*cfa = from + (uint64_t)(int64_t)row->cfa;
	return row->rule != FRAME_BY_SAVED || read(arg, *cfa, cfa);
}

/* Whether a register of the caller's that a row says is saved at CFA + saved, 0: nowhere, is still
 * there.  Where it is said to be saved below sp, it has been popped. */
static bool
keeps(const struct unwind_regs *regs, int16_t saved, uint64_t cfa)
{
	return saved == 0 || cfa + (uint64_t)(int64_t)saved < regs->sp;
}

/* Finds the caller's frame pointer. */
static bool
find_fp(const struct unwind_regs *regs, const struct frame_row *row, uint64_t cfa,
        unwind_read *read, void *arg, uint64_t *fp)
{
	const uint64_t at = cfa + (uint64_t)(int64_t)row->fp;

	/* Where the stack is aligned anew, it is saved where it points to. */
	if (row->rule == FRAME_BY_SAVED)
		return read(arg, regs->fp, fp);
	*fp = regs->fp;
	return keeps(regs, row->fp, cfa) || read(arg, at, fp);
}

/* The same of the register that only few frames are found by; 0: it is not known. */
static uint64_t
find_base(const struct unwind_regs *regs, const struct frame_row *row, uint64_t cfa,
          unwind_read *read, void *arg)
{
	uint64_t base;

	if (keeps(regs, row->base, cfa))
		return regs->base;
	return read(arg, cfa + (uint64_t)(int64_t)row->base, &base) ? base : 0;
}

static enum step
step_by_row(struct place_on_stack *at, unwind_read *read, void *arg)
{
	const struct frame_row *row = at->row;
	struct unwind_regs next = { .pc = at->regs.link };

	if (!find_cfa(&at->regs, row, read, arg, &next.sp) || next.sp < at->regs.sp ||
	    (next.sp == at->regs.sp && row->ra != 0))
		return STUCK;
	if (row->ra != 0 && !read(arg, next.sp + (uint64_t)(int64_t)row->ra, &next.pc))
		return STUCK;
	if (!find_fp(&at->regs, row, next.sp, read, arg, &next.fp))
		return STUCK;
	next.base = find_base(&at->regs, row, next.sp, read, arg);
	next.blind =
	    at->regs.blind && row->rule == FRAME_BY_SP && keeps(&at->regs, row->fp, next.sp);
	at->regs = next;
	at->interrupted = false;
	return STEPPED;
}

/* Returns whom the call before `pc` calls, if that is in the same object as the frame; 0: there is
 * none, or it calls code that has rows. */
static uint32_t
called_before(const struct unwind *u, const struct place_on_stack *at, uint64_t pc)
{
	const struct unwind_code *code = unwind_code_at(u->code, u->ncode, pc);
	const struct frame_row *row =
	    code == NULL ? NULL : frame_row_at(&code->rows, pc - code->bias);

	if (row == NULL || row->low != pc - code->bias)
		return 0;
	return code->object == at->code->object || row->callee == FRAME_CALLS_ANY ? row->callee : 0;
}

/* Finds the return address of a function whose frame is not known: that of a call of this function,
 * else, for one that was reached by a pointer or a jump, of any such call. */
static bool
find_return(const struct unwind *u, struct place_on_stack *at, unwind_read *read, void *arg,
            uint64_t *where, uint64_t *pc)
{
	uint64_t word;

	*where = 0;
	for (unsigned i = 0; i < SCAN_WORDS; i++) {
		const uint64_t addr = at->regs.sp + i * sizeof(word);
		uint32_t callee;

		if (addr < at->regs.sp || !look_at(at, addr, read, arg, &word))
			break;
		callee = called_before(u, at, word);
		if (callee == 0 || (callee != (uint32_t)at->row->cfa && *where != 0))
			continue;
		*where = addr;
		*pc = word;
		if (callee == (uint32_t)at->row->cfa)
			return true;
	}
	return *where != 0;
}

/* Whether `fp` may be the frame pointer of the caller, whose frame is above `where`. */
static bool
may_be_fp(const struct unwind *u, struct place_on_stack *at, uint64_t fp, uint64_t where,
          unwind_read *read, void *arg)
{
	uint64_t pc;

	return fp > where && fp - where < FAR && fp % sizeof(fp) == 0 &&
	       look_at(at, fp + sizeof(fp), read, arg, &pc) && is_code(u, pc);
}

/* The caller's frame pointer is still there, or the function has saved it in its frame. */
static uint64_t
find_saved_fp(const struct unwind *u, struct place_on_stack *at, uint64_t where, unwind_read *read,
              void *arg)
{
	uint64_t fp = at->regs.fp;
	bool found = may_be_fp(u, at, fp, where, read, arg);

	for (uint64_t addr = at->regs.sp; !found && addr < where; addr += sizeof(fp))
		found = look_at(at, addr, read, arg, &fp) && may_be_fp(u, at, fp, where, read, arg);
	return found ? fp : at->regs.fp;
}

/* A function of which no more is known than where it begins. */
static enum step
step_by_scan(const struct unwind *u, struct place_on_stack *at, unwind_read *read, void *arg)
{
	struct unwind_regs next = { .base = at->regs.base };
	uint64_t where;

	if (at->regs.sp % sizeof(uint64_t) != 0 || !find_return(u, at, read, arg, &where, &next.pc))
		return step_by_frame_pointer(at, read, arg);
	next.fp = find_saved_fp(u, at, where, read, arg);
	at->guessed = true;
	next.sp = where + sizeof(uint64_t);
	next.blind = at->regs.blind && next.fp == 0;
	at->regs = next;
	at->interrupted = false;
	return STEPPED;
}

/* Code without rows, as of a compiler at run time, has a frame pointer or has been called by a
 * pointer. */
static enum step
step_outside(const struct unwind *u, struct place_on_stack *at, unwind_read *read, void *arg)
{
	struct place_on_stack next = *at;
	const enum step how = step_by_frame_pointer(&next, read, arg);

	if (how == STUCK || (how == STEPPED && !is_code(u, next.regs.pc)))
		return step_by_scan(u, at, read, arg);
	*at = next;
	return how;
}

static enum step
step(const struct unwind *u, struct place_on_stack *at, unwind_read *read, void *arg)
{
	switch ((enum frame_rule)at->row->rule) {
	case FRAME_BY_FP:
	case FRAME_BY_SAVED:
		if (at->regs.blind && !guess_fp(u, at, read, arg))
			return STUCK;
		return step_by_row(at, read, arg);
	case FRAME_BY_BASE:
		return at->regs.blind ? STUCK : step_by_row(at, read, arg);
	case FRAME_BY_SP:
		return step_by_row(at, read, arg);
	case FRAME_SIGNAL:
		return step_signal(at, read, arg);
	case FRAME_LAST:
		return ENDED;
	case FRAME_OUTERMOST:
		return at->interrupted ? step_by_scan(u, at, read, arg) : ENDED;
	case FRAME_SCAN:
		return step_by_scan(u, at, read, arg);
	case FRAME_SAME:
	case FRAME_UNKNOWN:
		break;
	}
	return step_outside(u, at, read, arg);
}

/* Walks the stack of a thread that was interrupted at u->regs.  The innermost frame is always
 * there.  What has called main() is not missed.  Returns an address where code was expected and is
 * not mapped, as far as we know; 0: there is none. */
uint64_t
unwind_walk(const struct unwind *u, unwind_read *read, void *arg, struct stack *stack)
{
	struct place_on_stack at = { .regs = u->regs, .interrupted = true };
	bool past_main = false;
	enum step how = STUCK;

	stack->n = 0;
	look_up(u, &at);
	do {
		stack->frame[stack->n++] =
		    at.code == NULL ? frame_of_object(OBJECT_NO_FILE) | frame_address(at.regs.pc)
				    : frame_of_object(at.code->object) | frame_address(at.address);
		stack->waits = at.code != NULL && at.code->awaited;
		if (at.code == NULL || stack->waits)
			break;
		past_main |= at.address - at.code->main_low < at.code->main_bytes;
		how = step(u, &at, read, arg);
		if (how == STEPPED)
			look_up(u, &at);
	} while (how == STEPPED && stack->n < STACK_FRAMES && at.code != NULL);
	stack->guessed = at.guessed;
	stack->cut = how != ENDED && (!past_main || stack->n == STACK_FRAMES);
	return at.code == NULL ? at.regs.pc : 0;
}
