/*
 * Names of system calls, by a table that is made of the kernel's header (syscall-names.sh).
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

const char *
syscall_name(uint64_t nr)
{
	return nr < syscall_names_n ? syscall_names[nr] : NULL;
}
