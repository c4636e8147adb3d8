/*
 * A file to be made, and its making.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_FILE_H
#define PROFSUP_FILE_H

#include "output/output.h"

#include <limits.h>

/* A file to be made. */
struct job {
	const struct counts *what;
	const struct image_id *image;
	const char *program;                /* its name */
	const struct buffer *data, *stacks; /* the two, encoded; NULL: not yet */
	unsigned hz;
	uint64_t run, ticks;
	int dir;
	unsigned long random;
	bool replaces;           /* a file of ours has the name */
	char name[NAME_MAX + 1]; /* name that the file is to have */
	bool not_owner;          /* we can't act as its owner */
	bool has_stacks;         /* there is a file of stacks to be made beside it */
	int stacks_error;        /* errno why that could not be made */
};

/* file.c */
int file_write(int fd, const struct buffer *b);
int file_encode(struct job *j, struct buffer *data, struct buffer *stacks);
int file_make(struct job *j, const struct buffer *data, const struct buffer *stacks);
int file_encode_and_make(void *arg);

#endif
