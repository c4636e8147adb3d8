#!/bin/sh
# A program that defines one of the runtime's names itself: a name that programs may have is the program's, one that
# begins with an underscore is an error of the linker's.
. "$(dirname "$0")/../tap/testlib.sh"
# shellcheck source=tests/tap/exact.sh
. "$top/tests/tap/exact.sh"

# own NAME FLAGS...: ./prog defines it, calls it ten times, and calls t_work() ten times.
own() {
	cat >prog.c <<EOF
__attribute__((noipa)) void t_work(void) { __asm__ volatile(""); }
static volatile int called;
__attribute__((no_instrument_function, noipa)) int $1(int a) { called++; return a + 1; }
int main(void)
{
	for (int i = 0; i < 10; i++)
		t_work();
	called = 0;
	for (int i = 0; i < 10; i++)
		if ($1(i) != i + 1)
			return 1;
	return called != 10;
}
EOF
	rm -f prog gmon.*
	shift
	profsup-cc -w -O2 -fno-builtin "$@" -o prog prog.c 2>cc.err
}

symbols=$(sed '/^#/d; /^$/d' "$top/shim/symbols.txt")
for name in $symbols; do
	own "$name"
	linked=$?
	case $name in
	_*)
		[ $linked -ne 0 ] && grep -q "multiple definition of .$name'.*gcrt0\.o" cc.err
		ok $? "a program's own $name: the linker names it and the runtime" || diag_file cc.err
		;;
	*)
		is "$linked$(said cc.err)" 0 "a program's own $name: it links"
		profsup -q ./prog 2>err
		is "$?$(said err)" 0 "and it is the program's that is called"
		calls=$(arcs_of prog "$(the_file prog)")
		# Calls of mcount are what the compiler puts into each function.
		if [ "$name" = mcount ]; then
			is "$calls" '' 'which takes the place of counting'
		else
			is "$calls" 'main t_work 10' 'and calls are counted'
		fi
		;;
	esac
done

own mcount -mfentry
is "$?$(said cc.err)" 0 "a program's own mcount with -mfentry: it links"
profsup -q ./prog
is "$(arcs_of prog "$(the_file prog)")" 'main t_work 10' 'and calls are counted'

# libc's own runtime, asked for by name.  (Its mcount.o has one symbol, which nothing but its _mcount.o uses.)
printf 'int main(void) { return 0; }\n' >main.c
for object in gmon _mcount profil sprofil prof-freq; do
	ar x "$(cc -print-file-name=libc.a)" $object.o
	! profsup-cc -o prog main.c $object.o 2>cc.err && grep -q 'multiple definition of .*gcrt0\.o' cc.err
	ok $? "libc's $object.o on the command line: the linker names it and the runtime" || diag_file cc.err
done
done_testing
