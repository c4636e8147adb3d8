/*
 * x86-64.
 *
 * SPDX-License-Identifier: ISC
 */
#ifdef __x86_64__
#include "machine.h"

#include <string.h>

const struct machine_frames machine_frames = {
	.fp = 6,
	.sp = 7,
	.ra = 16,
	.base = 3, /* rbx: of the dynamic linker's _dl_runtime_resolve */
	.pushed = 8,
	.signal = { .offset = 40, .fp = 80, .base = 88, .sp = 120, .pc = 128 },
};

/* A call by a pointer: the length of the instruction that begins with ff, by its next two bytes. */
static unsigned
indirect_call(const uint8_t *code, size_t len)
{
	const unsigned mod = code[1] >> 6, rm = code[1] & 7;
	const bool sib = mod != 3 && rm == 4;
	unsigned bytes = 2 + sib;

	if ((code[1] >> 3 & 7) != 2)
		return 0;
	if (mod == 1)
		bytes += 1;
	else if (mod == 2 || (mod == 0 && (rm == 5 || (sib && len > 2 && (code[2] & 7) == 5))))
		bytes += 4;
	return bytes <= len ? bytes : 0;
}

unsigned
machine_call_at(const uint8_t *code, size_t len, int32_t *distance)
{
	enum { CALL = 0xe8, BY_POINTER = 0xff };

	*distance = 0;
	if (len >= 5 && code[0] == CALL) {
		memcpy(distance, code + 1, sizeof(*distance));
		return *distance == 0 ? 0 : 5;
	}
	return len >= 2 && code[0] == BY_POINTER ? indirect_call(code, len) : 0;
}

/* mov %rbp,N(%rsp); lea N(%rsp),%rbp, as Go has it up to 1.20, whose frame is larger by then. */
static unsigned
go_frame_made_at(const uint8_t *code, size_t len)
{
	static const uint8_t near[] = { 0x48, 0x89, 0x6c, 0x24 },
			     far[] = { 0x48, 0x89, 0xac, 0x24 };
	const size_t number = len >= sizeof(far) && memcmp(code, far, sizeof(far)) == 0 ? 4 : 1;
	const size_t one = sizeof(near) + number;
	const uint8_t lea = 0x8d;

	if (len < 2 * one || (number == 1 && memcmp(code, near, sizeof(near)) != 0) ||
	    code[one + 1] != lea || code[one] != code[0] ||
	    memcmp(code + 2, code + one + 2, one - 2) != 0)
		return 0;
	return (unsigned)(2 * one);
}

/* push %rbp; mov %rsp,%rbp, in either way to write that. */
unsigned
machine_frame_made_at(const uint8_t *code, size_t len)
{
	static const uint8_t store[] = { 0x55, 0x48, 0x89, 0xe5 };
	static const uint8_t load[] = { 0x55, 0x48, 0x8b, 0xec };

	if (len < sizeof(store) ||
	    (memcmp(code, store, sizeof(store)) != 0 && memcmp(code, load, sizeof(load)) != 0))
		return go_frame_made_at(code, len);
	return sizeof(store);
}

/* The number of rt_sigreturn in eax, in either way to write that, and syscall. */
bool
machine_sigreturn_at(const uint8_t *code, size_t len)
{
	static const uint8_t shorter[] = { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 };
	static const uint8_t longer[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 };

	return (len >= sizeof(shorter) && memcmp(code, shorter, sizeof(shorter)) == 0) ||
	       (len >= sizeof(longer) && memcmp(code, longer, sizeof(longer)) == 0);
}
#else
typedef int machine_x86_64_is_empty;
#endif
