/*
 * A file system's answer to the kernel (FUSE).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef FUSE_H
#define FUSE_H

#include <linux/fuse.h>
#include <stddef.h>
#include <sys/uio.h>

static inline void
fuse_reply(int device, uint64_t unique, int error, void *data, size_t len)
{
	struct fuse_out_header head = { .len = (uint32_t)(sizeof(head) + len),
		                        .error = -error,
		                        .unique = unique };
	struct iovec iov[] = { { &head, sizeof(head) }, { data, len } };

	writev(device, iov, 2);
}

#endif
