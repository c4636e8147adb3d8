/*
 * SPDX-License-Identifier: ISC
 */
#include "pass.h"

#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(PASS_FILES * sizeof(int))];
};

bool
pass_send(int to, const void *text, size_t len, const int *files, size_t n, int flags)
{
	const size_t bytes = n * sizeof(*files);
	union control control = { { CMSG_LEN(bytes), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec whole = { (void *)(uintptr_t)text, len };
	struct msghdr message = { .msg_iov = &whole, .msg_iovlen = 1 };

	if (n > 0) {
		memcpy(CMSG_DATA(&control.head), files, bytes);
		message.msg_control = control.bytes;
		message.msg_controllen = CMSG_SPACE(bytes);
	}
	return sendmsg(to, &message, flags | MSG_NOSIGNAL) == (ssize_t)len;
}

ssize_t
pass_take(int from, void *text, size_t most, int files[PASS_FILES], size_t *n, int flags)
{
	union control control;
	struct iovec whole = { text, most };
	struct msghdr message = { .msg_iov = &whole,
		                  .msg_iovlen = 1,
		                  .msg_control = control.bytes,
		                  .msg_controllen = sizeof(control.bytes) };
	const ssize_t len = recvmsg(from, &message, flags | MSG_CMSG_CLOEXEC);
	const struct cmsghdr *head = len < 0 ? NULL : CMSG_FIRSTHDR(&message);

	*n = 0;
	if (head != NULL && head->cmsg_type == SCM_RIGHTS) {
		*n = (head->cmsg_len - CMSG_LEN(0)) / sizeof(*files);
		memcpy(files, CMSG_DATA(head), *n * sizeof(*files));
	}
	return len;
}
