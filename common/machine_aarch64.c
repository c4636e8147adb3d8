/*
 * 64-bit Arm.
 *
 * SPDX-License-Identifier: ISC
 */
#ifdef __aarch64__
#include "machine.h"

#include <string.h>

const struct machine_frames machine_frames = {
	.fp = 29,
	.sp = 31,
	.ra = 30,
	.signal = { .offset = 128 + 176,
	            .fp = 8 + 29 * 8,
	            .link = 8 + 30 * 8,
	            .sp = 8 + 31 * 8,
	            .pc = 8 + 32 * 8 },
};

unsigned
machine_call_at(const uint8_t *code, size_t len, int32_t *distance)
{
	(void)code;
	(void)len;
	*distance = 0;
	return 0;
}

unsigned
machine_frame_made_at(const uint8_t *code, size_t len)
{
	(void)code;
	(void)len;
	return 0;
}

/* mov x8, 139; svc 0 */
bool
machine_sigreturn_at(const uint8_t *code, size_t len)
{
	static const uint8_t sigreturn[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };

	return len >= sizeof(sigreturn) && memcmp(code, sigreturn, sizeof(sigreturn)) == 0;
}
#else
typedef int machine_aarch64_is_empty;
#endif
