# What the tests of profsup-cc share.  Source it after testlib.sh.
#
# shellcheck shell=sh
# shellcheck disable=SC2154 # testlib.sh sets stage and scratch

unset PROFSUP_CC CPATH C_INCLUDE_PATH LIBRARY_PATH PROFDIR

# One program in two files: main() calls work() 1000 times.
cat >main.c <<'END'
extern int work(int x);

int
main(void)
{
	volatile int sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += work(i);
	return sum == 0;
}
END
cat >work.c <<'END'
extern int work(int x);

__attribute__((noinline)) int
work(int x)
{
	return 3 * x + 1;
}
END

# A compiler that prints its words, one on a line, in brackets.
cat >show <<'END'
#!/bin/sh
for word; do
	printf '<%s>\n' "$word"
done
END
chmod 755 show

# shown WORD...: how the compiler is called for these, with the prefix written as PREFIX.
shown() {
	PROFSUP_CC=$scratch/show profsup-cc "$@" | sed "s|$stage|PREFIX|" | tr '\n' ' '
}

# The runtime's note; that of a program that calls profil itself is shorter.
has_note() {
	readelf -nW "$1" 2>/dev/null | grep -Eq '^ *profsup +0x0*8\b'
}

is_static() {
	[ -x "$1" ] && ! readelf -lW "$1" | grep -q INTERP && ! readelf -dW "$1" | grep -q NEEDED
}

# is_ours FILE: a static program with our note.
is_ours() {
	is_static "$1" && has_note "$1"
}

# profiled PROGRAM DESCRIPTION [CALLS]: it is static, has the note, and gprof reads from its profile that
# work() was called as often (1000).
profiled() {
	rm -f gmon.*.out
	profsup -q "$1" >/dev/null
	profiled_calls="$?, $(calls "$1" "$(the_file "$(basename "$1" | tr ' ' _)")" work) calls"
	is_ours "$1" && [ "$profiled_calls" = "0, ${3:-1000} calls" ]
	ok $? "$2" || {
		diag "exit status $profiled_calls"
		readelf -lW "$1" 2>&1 | diag_file /dev/stdin
		return 1
	}
}

# calls_mcount OBJECT: it was compiled with -pg.
calls_mcount() {
	nm "$1" 2>/dev/null | grep -Eq ' U (_?mcount|__fentry__)$'
}
