/*
 * A file that is compressed by gzip while it is made: memory for it is a few blocks, however long
 * it becomes.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_GZIP_H
#define PROFSUP_GZIP_H

#include <stdio.h>

struct gzip;

/* NULL: no memory. */
struct gzip *gzip_begin(FILE *out);
void gzip_put(struct gzip *g, const void *data, size_t len);
/* Writes what is left, and frees `g`.  -1 with errno: the file is not whole. */
int gzip_end(struct gzip *g);

#endif
