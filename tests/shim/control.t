#!/bin/sh
# Functions left and entered in other ways than by a return and a call, and threads that are not like the others.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/exact.sh"

cp "$(target rt-control)" control
# shellcheck disable=SC2046 # flags
profsup-cc -O2 -w -mfentry $(sed -n 's|^// CFLAGS: ||p' "$top/tests/targets/runtime/rt-control.c") -o control-fentry \
	"$top/tests/targets/runtime/rt-control.c"
for program in control control-fentry; do
	exact_files=all
	exact "$program: longjmp, contexts, alternate stacks, recursion, tail calls, odd threads" ./$program
	grep -q 'no namespaces' out && skip 'no PID namespace'
	set -- gmon.$program.*.out
	is $# "$(($(grep -c 'no namespaces' out) ? 1 : 2))" "$program: the child in its PID namespace has a file of its own"
	{ [ $# -lt 2 ] || arcs_of $program "$2" | grep -v ' t_odd 20000$'; } >others
	arcs_of $program "$1" | grep -v ' t_odd 20000$' >>others
	truth out | sed 's/t_odd 110000/t_odd 90000/' >want
	same_arcs others want "$program: and no more than that child's calls are in it"
done
exact_files=one

cat >throw.cc <<'EOF'
#include <cstdio>
#include <stdexcept>

#define COUNTED __attribute__((noipa))

extern "C" {
COUNTED void t_thrower(int depth)
{
	if (depth == 0)
		throw std::runtime_error("thrown");
	t_thrower(depth - 1);
	__asm__ volatile("");
}
COUNTED void t_destroyed() { __asm__ volatile(""); }
COUNTED void t_caught() { __asm__ volatile(""); }
}

struct guard {
	COUNTED ~guard() { t_destroyed(); __asm__ volatile(""); }
};

extern "C" COUNTED void t_frame(int depth)
{
	guard g;
	t_thrower(depth);
	__asm__ volatile("");
}

int main()
{
	for (int i = 0; i < 2000; i++)
		try {
			t_frame(i % 5);
		} catch (const std::exception &) {
			t_caught();
		}
	std::printf("arc main t_frame 2000\narc t_frame t_thrower 2000\narc t_thrower t_thrower 4000\n"
	            "arc _ZN5guardD1Ev t_destroyed 2000\narc main t_caught 2000\n");
}
EOF
for flags in '-O2' '-O2 -mfentry' '-O0' '-Os'; do
	# shellcheck disable=SC2086 # words
	PROFSUP_CC=g++ profsup-cc $flags -o throw throw.cc 2>cc.err || diag_file cc.err
	exact "C++ exceptions through instrumented frames, $flags" ./throw
done
done_testing
