#!/bin/sh
# A program that defines one of the runtime's names itself: a name that programs may have is the program's, one that
# begins with an underscore is an error of the linker's.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/exact.sh"

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

# linker_names WHAT PATTERN: in cc.err, of something that does not link.  An error may be two lines.
linker_names() {
	[ $linked -ne 0 ] && sed ':more; /:$/ { N; s/\n/ /; b more; }' cc.err | grep -q "$2.*gcrt0\.o"
	ok $? "$1: the linker names it and the runtime" || diag_file cc.err
}

symbols=$(sed '/^#/d; /^$/d' "$top/shim/symbols.txt")
# All of them at once, as each has its own error.
printf 'int main(void) { return 0; }\n' >main.c
for name in $symbols; do
	case $name in
	_*) echo "__attribute__((no_instrument_function)) int $name(int a) { return a + 1; }" ;;
	esac
done >reserved.c
profsup-cc -w -fno-builtin -o prog main.c reserved.c 2>cc.err
linked=$?
for name in $symbols; do
	case $name in
	_*) linker_names "a program's own $name" "multiple definition of .$name'" ;;
	esac
done

for name in $symbols; do
	case $name in
	_*) continue ;;
	esac
	own "$name"
	is "$?$(said cc.err)" 0 "a program's own $name: it links"
	profsup -q ./prog 2>err
	is "$?$(said err)" 0 "and it is the program's that is called"
	calls=$(arcs_of prog "$(the_file prog)")
	# Calls of mcount are what the compiler puts into each function.
	if [ "$name" = mcount ]; then
		is "$calls" '' 'which takes the place of counting'
	else
		is "$calls" 'main t_work 10' 'and calls are counted'
	fi
done

own mcount -mfentry
is "$?$(said cc.err)" 0 "a program's own mcount with -mfentry: it links"
profsup -q ./prog
is "$(arcs_of prog "$(the_file prog)")" 'main t_work 10' 'and calls are counted'

# libc's own runtime, asked for by name.  (Its mcount.o has one symbol, which nothing but its _mcount.o uses.)
ar x "$(cc -print-file-name=libc.a)" gmon.o _mcount.o profil.o sprofil.o prof-freq.o
profsup-cc -o prog main.c gmon.o _mcount.o profil.o sprofil.o prof-freq.o 2>cc.err
linked=$?
for object in gmon _mcount profil sprofil prof-freq; do
	linker_names "libc's $object.o on the command line" "[: ]$object\.o:.*multiple definition of"
done
done_testing
