/*
 * read-code: reads a file's code for the supervisor.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef READCODE_H
#define READCODE_H

#include "codetable.h"

#include <gelf.h>
#include <stdbool.h>

#define NSEC 1000000000ULL

/* filter.c */
void filter_begin(void);

/* cpu.c */
uint64_t cpu_ns(void);

/* symread.c */
int symread(int file, int debug, bool names, int table);
int symread_map(int map, int table);

/* cfiread.c: the rows of a program */
struct frame_row *cfiread(Elf *elf, size_t *n);

/* coderead.c: rows for code without call frame information */
struct frame_row *coderead(Elf *elf, const struct frame_rows *known, uint64_t until, size_t *n);

#endif
