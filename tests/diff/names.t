#!/bin/sh
# Functions are matched by name, wherever they are, and whatever a compiler has made of them.
. "$(dirname "$0")/../lib/testlib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

# functions FILE NAME...: functions of these names as the linker knows them; "static:NAME" is a local one
functions() {
	functions_file=$1 functions_i=0
	shift
	for functions_name; do
		functions_i=$((functions_i + 1))
		case $functions_name in
		static:*) printf '__attribute__((used)) static void f%d(void) __asm__("%s");\n' $functions_i "${functions_name#static:}" ;;
		*) printf 'void f%d(void) __asm__("%s");\n' $functions_i "$functions_name" ;;
		esac
		printf '__attribute__((noipa, aligned(64))) void f%d(void) { __asm__ volatile("nop"); }\n' $functions_i
	done >"$functions_file"
}

# program NAME FLAGS FILE...
program() {
	program_name=$1 program_flags=$2
	shift 2
	# shellcheck disable=SC2086 # words
	gcc -O1 $program_flags -nostdlib -static -o "$program_name" "$@" 2>cc.err || bail "$(cat cc.err)"
}

# field FUNCTION FILTER
field() {
	jq -r --arg f "$1" ".functions[] | select(.name == \$f) | $2" out
}

# compare WORD...: to out
compare() {
	profsup-diff --format=json "$@" >out 2>err
	is "$? $(cat err)" '0 ' "compared: $*"
}

functions main.c _start plain
functions before.c moved whole.part.0 whole inlined clone gone many.isra.0 many.constprop.1.isra.2 odd.name.0
functions after.c new odd.name.0 clone.isra.0 inlined.part.0 whole moved many whole.part.0 whole.cold
program before '' main.c before.c
program after '' after.c main.c
"$testdir/made.pl" before b 1000 moved=300 whole=100 whole.part.0=50 inlined=10 clone=70 gone=400 many.isra.0=3 many.constprop.1.isra.2=4 \
	odd.name.0=9 '_start->moved=10' '_start->whole=20' 'whole->whole.part.0=5' '_start->inlined=30' '_start->clone=7' '_start->gone=2' \
	'_start->many.isra.0=1' 'many.isra.0->many.constprop.1.isra.2=6'
"$testdir/made.pl" after a 1000 moved=301 whole=90 whole.part.0=61 whole.cold=1 inlined.part.0=11 clone.isra.0=68 new=500 many=8 \
	odd.name.0=9 '_start->moved=10' '_start->whole=20' '_start->whole.part.0=5' '_start->inlined.part.0=30' '_start->clone.isra.0=7' \
	'_start->new=3' '_start->many=1' 'many->many=6'
compare ./before b -- ./after a
is "$(field moved '[.in, .self.before, .self.after, .calls.before, .calls.after] | @csv')" '"both",0.3,0.301,10,10' 'a function that is elsewhere now'
is "$(field whole '[.self.before, .self.after] | @csv')" '0.15,0.152' 'a function and its parts are one'
is "$(field whole '[.calls.before, .calls.after] | @csv')" '20,20' 'what it calls of its own parts, and jumps to, is not called'
is "$(field inlined '[.in, .self.before, .calls.after] | @csv')" '"both",0.01,30' 'a function of which a part is left'
is "$(field clone '[.in, .self.before, .self.after, .calls.after] | @csv')" '"both",0.07,0.068,7' 'and one that was changed'
is "$(field many '[.self.before, .self.after, .calls.before, .calls.after] | @csv')" '0.007,0.008,7,7' 'several of one are added up, and recursion is calls'
is "$(field odd.name.0 .in)" both 'another name with dots stays as it is'
is "$(field gone .in) $(field new .in)" 'before after' 'what one program has alone is so marked'
is "$(jq '[.functions[].calls.changed] | map(select(.)) | length' out)" 2 'no calls have changed but of these two'
is "$(field gone '[.self.by_calls == .self.change, .self.by_cost] | @csv')" 'true,0' 'that a function is gone is a change of its calls'
profsup-diff ./before b -- ./after a >text
is "$(grep -E '^only' text)" 'only before, 1 function: gone
only after, 1 function: new' 'text: both are named'
grep -q 'gone: gone$' text && grep -q 'new: new$' text
ok $? 'text: and marked in the table'

# The same program linked otherwise shows nothing at all.  The error is that of 880 samples of two ticks, and of 5 % of the
# time, on both sides: 1.96 times the root of 2 * 2 * 880.5 ms^2 and 2 * (0.05 * 0.880 s)^2.
program again '-Wl,-Ttext=0x600000' before.c main.c
words='moved=300 whole=100 inlined=10 clone=70 gone=400 _start->moved=10 _start->whole=20'
# shellcheck disable=SC2086 # words
"$testdir/made.pl" before b 1000 $words && "$testdir/made.pl" again a 1000 $words
profsup-diff ./before b -- ./again a >text
is "$(cat text)" 'CPU time 0.880 s -> 0.880 s: +0.000 s +- 0.169 s (+0.0 %)
no function has changed by more than chance explains
one run each: that a run'\''s time varies by 5 % is assumed; give several runs' 'a program that was linked again: nothing has changed'

# Static functions of the same name.
functions one.c static:twin static:same
functions two.c static:twin static:same
mkdir there && cp one.c two.c there
program before '-g' main.c one.c two.c
program after '-g' there/two.c there/one.c main.c
"$testdir/made.pl" before b 1000 twin=100 twin@2=200
"$testdir/made.pl" after a 1000 twin=201 twin@2=101
compare ./before b -- ./after a
is "$(field 'twin (one.c)' '[.self.before, .self.after] | @csv') $(field 'twin (two.c)' '[.self.before, .self.after] | @csv')" \
	'0.1,0.101 0.2,0.201' 'static functions of one name are told apart by their files'
program after '' main.c one.c two.c
"$testdir/made.pl" after a 1000 twin=102 twin@2=202
compare ./before b -- ./after a
is "$(field twin '[.self.before, .self.after] | @csv') $(field 'twin #2' '[.self.before, .self.after] | @csv')" \
	'0.1,0.102 0.2,0.202' 'and by their order, if one program has no source lines'

# C++.
cat >cc.cc <<'Y'
namespace a { __attribute__((noipa, aligned(64))) int f(int x) __asm__("_ZN1a1fEi.constprop.0"); int f(int x) { return x; }
	__attribute__((noipa, aligned(64))) int g(int x) { return x; } }
Y
sed 's/\.constprop\.0//' cc.cc >cd.cc
program before '' main.c cc.cc
program after '' main.c cd.cc
"$testdir/made.pl" before b 1000 _ZN1a1fEi.constprop.0=40
"$testdir/made.pl" after a 1000 _ZN1a1fEi=41
compare ./before b -- ./after a
is "$(field 'a::f(int)' '[.in, .self.before, .self.after] | @csv')" '"both",0.04,0.041' 'names of C++ are demangled' || diag "$(jq -c .functions out)"
done_testing
