/*
 * A file system of one's own (FUSE): its mount, its server, and the answers that are the same in
 * all of them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef FUSE_H
#define FUSE_H

#include "own_namespaces.h"

#include <linux/fuse.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>

static int fuse_device;
static int fuse_self; /* this program, which is among the files */

/* Opens the device and mounts the file system.  -1 with errno. */
static inline int
fuse_mount(const char *dir, const char *device, const char *more)
{
	char text[128];

	fuse_self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	fuse_device = open(device, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fuse_device < 0)
		return -1;
	snprintf(text, sizeof(text), "fd=%d,rootmode=40000,user_id=0,group_id=0%s", fuse_device,
	         more);
	return mount("fuse", dir, "fuse", 0, text);
}

static inline void
fuse_reply(uint64_t unique, int error, void *data, size_t len)
{
	struct fuse_out_header head = { .len = (uint32_t)(sizeof(head) + len),
		                        .error = -error,
		                        .unique = unique };
	struct iovec iov[] = { { &head, sizeof(head) }, { data, len } };

	writev(fuse_device, iov, 2);
}

static inline uint64_t
fuse_self_size(void)
{
	return (uint64_t)lseek(fuse_self, 0, SEEK_END);
}

/* Answers a read of this program. */
static inline void
fuse_give_self(const struct fuse_in_header *in)
{
	static char bytes[1 << 20];
	const struct fuse_read_in *what = (const struct fuse_read_in *)(in + 1);
	const size_t most = what->size < sizeof(bytes) ? what->size : sizeof(bytes);
	const ssize_t n = pread(fuse_self, bytes, most, (off_t)what->offset);

	fuse_reply(in->unique, n < 0 ? errno : 0, bytes, n < 0 ? 0 : (size_t)n);
}

/* Answers a look for the file with these attributes, whose inode 0 stands for none. */
static inline void
fuse_found(const struct fuse_in_header *in, struct fuse_attr attr)
{
	struct fuse_entry_out entry = {
		.nodeid = attr.ino, .entry_valid = 1000, .attr_valid = 1000, .attr = attr
	};

	fuse_reply(in->unique, attr.ino == 0 ? ENOENT : 0, &entry,
	           attr.ino == 0 ? 0 : sizeof(entry));
}

/* Answers what is not about the contents of a directory or file; `attr`: those of the inode. */
static inline void
fuse_answer(const struct fuse_in_header *in, struct fuse_attr attr)
{
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION,
		                      .minor = FUSE_KERNEL_MINOR_VERSION,
		                      .max_background = 1000,
		                      .congestion_threshold = 1000,
		                      .max_write = 4096 };
	struct fuse_attr_out attributes = { .attr_valid = 1000, .attr = attr };
	struct fuse_open_out open = { 0 };

	switch (in->opcode) {
	case FUSE_INIT:
		fuse_reply(in->unique, 0, &init, sizeof(init));
		break;
	case FUSE_GETATTR:
		fuse_reply(in->unique, 0, &attributes, sizeof(attributes));
		break;
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		fuse_reply(in->unique, 0, &open, sizeof(open));
		break;
	case FUSE_ACCESS:
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
		fuse_reply(in->unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		fuse_reply(in->unique, ENOSYS, NULL, 0);
	}
}

/* Has `answer` answer all requests, until the file system is gone; `wait_ms`, which may be NULL,
 * does what else is due, and returns how long to wait for the next request. */
static inline void __attribute__((noreturn))
fuse_serve(void (*answer)(const struct fuse_in_header *in), int (*wait_ms)(void))
{
	static char request[FUSE_MIN_READ_BUFFER + 8192];
	struct pollfd news = { .fd = fuse_device, .events = POLLIN };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		poll(&news, 1, wait_ms == NULL ? -1 : wait_ms());
		while (read(fuse_device, request, sizeof(request)) > 0)
			answer((const struct fuse_in_header *)request);
		if (errno == ENODEV)
			_exit(0);
	}
}

/* Both in namespaces of one's own; `users`: of users, too.  Where there can be none it prints "no"
 * and the reason, and exits. */
static inline void
fuse_in_own_namespaces(bool users, const char *dir, const char *device, const char *more,
                       void (*answer)(const struct fuse_in_header *in), int (*wait_ms)(void))
{
	/* The device by who is in the namespaces already. */
	if (own_namespaces(users) < 0 || fuse_mount(dir, device, more) < 0) {
		printf("no %s\n", strerror(errno));
		exit(0);
	}
	if (fork() == 0)
		fuse_serve(answer, wait_ms);
	close(fuse_device);
}

#endif
