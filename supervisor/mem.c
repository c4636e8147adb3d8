/*
 * Copies out of and into target memory.  process_vm_readv and process_vm_writev respect the
 * target's page protection, as a kernel's copyin and copyout do; /proc/PID/mem would not.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <errno.h>
#include <limits.h>
#include <sys/uio.h>

static int
check(ssize_t n, size_t len)
{
	if (n < 0)
		return -1;
	if ((size_t)n != len) {
		errno = EFAULT;
		return -1;
	}
	return 0;
}

/* All of it or EFAULT. */
int
mem_read(pid_t pid, uint64_t addr, void *buf, size_t len)
{
	struct iovec local = { buf, len };
	struct iovec remote = { (void *)(uintptr_t)addr, len };

	return check(process_vm_readv(pid, &local, 1, &remote, 1, 0), len);
}

int
mem_write(pid_t pid, uint64_t addr, const void *buf, size_t len)
{
	struct iovec local = { (void *)(uintptr_t)buf, len };
	struct iovec remote = { (void *)(uintptr_t)addr, len };

	return check(process_vm_writev(pid, &local, 1, &remote, 1, 0), len);
}

/* Each value to its own address; at most IOV_MAX.  EFAULT if one can't be written; those before it
 * are. */
int
mem_write_16(pid_t pid, const uint64_t *addr, const uint16_t *value, size_t n)
{
	struct iovec local = { (void *)(uintptr_t)value, n * sizeof(*value) };
	struct iovec remote[IOV_MAX];

	for (size_t i = 0; i < n; i++)
		remote[i] = (struct iovec){ (void *)(uintptr_t)addr[i], sizeof(*value) };
	return check(process_vm_writev(pid, &local, 1, remote, n, 0), n * sizeof(*value));
}
