#!/bin/sh
# The number of profil by the gate of another kind of program is no profil: there the number is another call's.
. "$(dirname "$0")/../lib/testlib.sh"

[ "$(uname -m)" = x86_64 ] || {
	skip 'this machine has one kind of system call'
	done_testing
	exit
}
cat >prog.c <<'EOF'
#include <profil.h>
#include <stdio.h>
__attribute__((noinline)) void counted(void) { __asm__ volatile(""); }
int
main(int argc, char **argv)
{
	long ret = 0x0b5d0001;
	/* profil(NULL, 0, 0, 0, 65537, -1), which would be EINVAL; mkdir has the number of the harmless call. */
	__asm__ volatile("int $0x80" : "+a"(ret) : "b"(0), "c"(0), "d"(0), "S"(0), "D"(65537) : "memory", "r8", "r9", "r10", "r11");
	printf("%ld\n", ret);
	if (argc > 1)
		profil(NULL, 0, 0, 0, 0, -1);
	for (int i = 0; i < 1000; i++)
		counted();
	return argv == NULL;
}
EOF
"$stage/bin/profsup-cc" -O2 -w -o prog prog.c || bail 'profsup-cc'
alone=$(./prog 2>&1)
[ "$alone" = -38 ] || {
	skip "no 32-bit system calls here ($alone)"
	done_testing
	exit
}
is "$(profsup ./prog 2>err)" -38 'the kernel'"'"'s own answer comes back'
is "$(said err)" '' 'nothing is said'
is "$(calls prog "$(the_file)" counted)" 1000 'and the program is profiled as ever'
done_testing
