/*
 * Files that go from process to process with a message.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PASS_H
#define PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { PASS_FILES = 16 }; /* with one message, at the most */

/* Sends a message whole, and n files with it. */
bool pass_send(int to, const void *text, size_t len, const int *files, size_t n, int flags);
/* Returns the length of a message, as recvmsg(2) does; *n files came with it, closed on exec. */
ssize_t pass_take(int from, void *text, size_t most, int files[PASS_FILES], size_t *n, int flags);

#endif
