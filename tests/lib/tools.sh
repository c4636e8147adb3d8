# For tests of what reads profiles: $tool is the command.  Source it after testlib.sh.
#
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # of the tests

# told STATUS WANT ARGUMENT...: $tool ends so, and that line is all that it prints.
told() {
	told_status=$1 told_want=$2
	shift 2
	timeout -s KILL 60 "$tool" "$@" >out 2>err
	is "$? $(cat out err)" "$told_status $tool: $told_want" "$tool, status $told_status: $told_want"
}

# misused WANT ARGUMENT...: the command line is wrong.
misused() {
	misused_want=$1
	shift
	told 2 "$misused_want (--help shows the options)" "$@"
}

# two_functions NAME [BUILDID]: a program that is not for running; where its functions are is in $callee and $start.
two_functions() {
	cat >code.c <<-'X'
		__attribute__((aligned(16), noinline)) void callee(void) { __asm__ volatile(""); }
		__attribute__((aligned(16))) void _start(void) { callee(); for (;;) ; }
	X
	gcc -O0 -g -nostdlib -static ${2:+"-Wl,--build-id=0x$2"} -o "$1" code.c 2>cc.err || bail "$(cat cc.err)"
	callee=$(nm "$1" | awk '$3 == "callee" { print $1 }')
	start=$(nm "$1" | awk '$3 == "_start" { print $1 }')
}
