/*
 * Bytes as text, such as build ids.
 *
 * SPDX-License-Identifier: ISC
 */
#include "hexadecimal.h"

#include <stdio.h>

void
hexadecimal(const uint8_t *bytes, size_t n, char *text)
{
	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}
