#!/bin/sh
# syscall-names.sh COMPILER: prints a table of the names of system calls, as C, made of the kernel's header.
set -eu

echo '/* Made by syscall-names.sh. */'
echo '#include "os/os.h"'
echo '#include <asm/unistd.h>'
echo 'const char *const syscall_names[] = {'
# shellcheck disable=SC2086 # a compiler and its options
echo '#include <asm/unistd.h>' | $1 -E -dM - |
	sed -n 's/^#define __NR_\([a-z][a-z0-9_]*\) .*/\1/p' | sort |
	grep -vx -e syscalls -e arch_specific_syscall |
	sed 's/.*/\t[__NR_&] = "&",/'
echo '};'
echo 'const size_t syscall_names_n = sizeof(syscall_names) / sizeof(syscall_names[0]);'
