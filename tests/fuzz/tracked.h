/*
 * For sources of tools, which print and exit where a file is wrong: errx() comes back to the
 * harness, and what was allocated until then is freed by it.  The compiler includes this before all
 * else.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef FUZZ_TRACKED_H
#define FUZZ_TRACKED_H

#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void *tracked_resize(void *p, size_t n, size_t size);
void *tracked_zeros(size_t n, size_t size);
void tracked_free(void *p);
int tracked_print(char **text, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
char *tracked_copy(const char *s, size_t most);
int tracked_inflate(z_stream *z, int bits);

#ifndef TRACKED_OURS
#define malloc(size)             tracked_resize(NULL, 1, size)
#define calloc(n, size)          tracked_zeros(n, size)
#define realloc(p, size)         tracked_resize(p, 1, size)
#define reallocarray(p, n, size) tracked_resize(p, n, size)
#define free(p)                  tracked_free(p)
#define vasprintf(p, fmt, ap)    tracked_print(p, fmt, ap)
#undef strndup
#define strndup(s, most) tracked_copy(s, most)
#undef inflateInit2
#define inflateInit2(z, bits) tracked_inflate(z, bits)
/* What is in front of the memory is not for its user. */
#define malloc_usable_size(p) (malloc_usable_size((char *)(p)-32) - 32)
#endif

#endif
