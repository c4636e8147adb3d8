/*
 * All of some bytes, where write(2) may take a part of them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef WRITE_ALL_H
#define WRITE_ALL_H

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

/* -1 with errno: not all of it is there. */
static inline int
write_all(int fd, const void *data, size_t len)
{
	int tries = 0; /* who serves a file system may say EINTR for ever */

	for (const char *at = data; len > 0;) {
		const ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR && tries++ < 100)
			continue;
		if (n <= 0) {
			errno = n < 0 ? errno : EIO;
			return -1;
		}
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

#endif
