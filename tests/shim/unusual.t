#!/bin/sh
# What programs may do that others do not: functions without a prologue, and functions of libc's names that need main.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/exact.sh"

if [ "$(uname -m)" = x86_64 ]; then
	cat >naked.c <<'EOF'
#include <stdio.h>

__attribute__((naked, noinline)) long t_naked(long a) { __asm__("lea 1(%rdi), %rax; ret"); }

/* Calls it with anything in rbp, as a coroutine's switch does. */
__attribute__((no_instrument_function, noinline)) static long
call(long a, long frame)
{
	long result;

	__asm__ volatile("push %%rbp; mov %2, %%rbp; call t_naked; pop %%rbp"
	                 : "=a"(result), "+D"(a)
	                 : "r"(frame)
	                 : "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
	return result;
}

int
main(void)
{
	long sum = 0;

	for (long i = 0; i < 1000; i++)
		sum += call(i, 0) + call(i, 1) + call(i, 0x10000);
	printf("%ld\n", sum);
	return 0;
}
EOF
	for compiler in gcc clang; do
		for mode in '' PROFIL_DISABLE=1; do
			what="$compiler${mode:+, $mode}"
			PROFSUP_CC=$compiler profsup-cc -O2 -mno-red-zone -o naked naked.c 2>err || bail "$(cat err)"
			rm -f gmon.*
			# shellcheck disable=SC2086 # nothing or a word
			is "$(env $mode ./naked) $?" '1501500 0' "$what: a function without a prologue runs, whatever is in rbp" || continue
			# shellcheck disable=SC2086 # nothing or a word
			is "$(env $mode profsup -q ./naked 2>err) $?" '1501500 0' 'and so it does when it is profiled' || diag_file err
			[ -n "$mode" ] || is "$(arcs_of naked "$(the_file naked)" | awk '$2 == "t_naked" { n += $3 } END { print n }')" 3000 'and all its calls are counted' ||
				diag "$(arcs_of naked "$(the_file naked)")"
		done
	done
fi

# Start-up comes before main.
cat >own.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ready;
extern char **environ;

char *
getenv(const char *name)
{
	if (!ready)
		abort();
	for (char **e = environ; *e != NULL; e++)
		if (strncmp(*e, name, strlen(name)) == 0 && (*e)[strlen(name)] == '=')
			return *e + strlen(name) + 1;
	return NULL;
}

unsigned long
getauxval(unsigned long type)
{
	if (!ready)
		abort();
	return type == 0;
}

int
main(void)
{
	ready = 1;
	printf("%s %lu\n", getenv("IT_IS"), getauxval(0));
	return 0;
}
EOF
# A variable of libc's that the program has itself: PROFDIR is found all the same.
cat >environ.c <<'EOF'
char **environ;
int main(void) { return environ != 0; }
EOF
profsup-cc -O1 -o environ environ.c 2>err || bail "$(cat err)"
mkdir elsewhere
is "$(PROFDIR=$PWD/elsewhere profsup -q ./environ 2>&1) $?" ' 0' "a program with an environ of its own runs"
is "$(find . -name 'gmon.environ.*' | grep -c '^./elsewhere/')" 1 'and its file is in PROFDIR'

# glibc calls getenv before main by itself where a program is static.
if command -v musl-gcc >/dev/null; then
	PROFSUP_CC=musl-gcc profsup-cc -O1 -o own own.c 2>err || bail "$(cat err)"
	is "$(IT_IS=there ./own 2>err) $?" 'there 1 0' "start-up calls no getenv or getauxval of the program's" || diag_file err
	is "$(IT_IS=there profsup -q ./own 2>err) $?" 'there 1 0' 'nor under profsup' || diag_file err
else
	skip 'no musl-gcc here'
fi
done_testing
