/*
 * Bytes as text, such as build ids.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef HEXADECIMAL_H
#define HEXADECIMAL_H

#include <stddef.h>
#include <stdint.h>

/* Writes 2 * n digits and a '\0'. */
void hexadecimal(const uint8_t *bytes, size_t n, char *text);

#endif
