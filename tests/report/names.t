#!/bin/sh
# Functions have their own names where gprof gives their time and calls to others, and long names fit the terminal.
. "$(dirname "$0")/../lib/testlib.sh"

# gprof ignores local symbols with a dot, as compilers name parts and clones of functions.
long=$(printf 'long_%0200d' 0)
cat >prog.c <<X
volatile unsigned long sink;
static void part(void) __asm__("sort.part.0");
static void clone(int n) __asm__("_ZN5space5eraseEi.isra.0");
__attribute__((noinline, noclone)) static void front(void) { sink++; }
__attribute__((noinline, noclone)) static void part(void) { for (long i = 0; i < 400000000; i++) sink += i; }
__attribute__((noinline, noclone)) static void clone(int n) { for (long i = 0; i < 2000; i++) sink += i * n; }
__attribute__((noinline)) void $long(void) { for (long i = 0; i < 2000; i++) sink ^= i; }
int main(void)
{
	front();
	part();
	for (int i = 0; i < 77; i++)
		clone(i);
	for (int i = 0; i < 5; i++)
		$long();
	return 0;
}
X
profsup-cc -O1 -fno-toplevel-reorder -o prog prog.c 2>err || bail "$(cat err)"
profsup -q --timeline -F 1000 ./prog || bail 'the program fails'
drawn stacks.prog.*
file=$(the_file prog)

profsup-report -q -a "$file" >out
likely "$(awk '$NF == "sort.part.0" { print $1 + 0 }' out)" 90 100 'a part of a function has its time' || diag_file out
is "$(awk '/space::erase\(int\)/ { print $4 }' out)" 77 'a clone has its calls' || diag_file out
is "$(awk '$NF == "front" { print $2, $4 }' out)" '0.0% 1' 'and the function before them has neither' || diag_file out
gprof -b -p prog "$file" >gprof.out 2>/dev/null
is "$(grep -c 'sort\.part\|space::erase' gprof.out) $(awk '$NF == "front" { print ($1 > 90) + 0, $4 }' gprof.out)" '0 1 79' \
	'in gprof the function before has the time and the calls, as profsup-report(1) says' || diag_file gprof.out
profsup-report -q --graph='space::erase' "$file" >out
grep -q ' 77/77  *main$' out
ok $? 'the graph has the clone, by the name without its suffix' || diag_file out

# In C++ such a clone often stands behind the runtime, whose function then has its calls in gprof.
cat >map.cc <<'X'
#include <map>
#include <string>
int main()
{
	std::map<std::string, int> m;
	for (int i = 0; i < 200000; i++)
		m[std::to_string(i % 1000)]++;
	return m.size() != 1000;
}
X
if command -v g++ >/dev/null; then
	PROFSUP_CC=g++ profsup-cc -O2 -o map map.cc || bail 'no C++'
	profsup -q -F 1000 ./map || bail 'the C++ program fails'
	profsup-report -q -a -w "$(the_file map)" >out
	is "$(grep -c '  main$' out) $(grep -c __profsup out)" '1 0' 'C++: no time or calls are the profiler'\''s' || diag_file out
else
	skip 'no g++ here'
fi

# What a compiler has taken out of a function is the function's, however it is called: 3 calls of the whole by a call and a jump
# from the same place, 4 that go straight to the part, as where the beginning was inlined.
cat >parts.c <<'X'
volatile unsigned long sink;
static void part(int) __asm__("sort.part.0");
static void cold(void) __asm__("sort.part.0.cold");
static void other(void) __asm__("other.cold");
__attribute__((noipa)) static void cold(void) { for (long i = 0; i < 300000000; i++) sink += i; }
__attribute__((noipa)) static void part(int n) { sink++; if (n == 3) cold(); sink++; }
__attribute__((noipa)) void sort(int n) { sink++; part(n); }
__attribute__((noipa)) static void other(void) { sink++; }
int main(void)
{
	for (int i = 1; i <= 3; i++)
		sort(i);
	for (int i = 0; i < 4; i++)
		part(i % 3);
	other();
	return 0;
}
X
profsup-cc -O2 -o parts parts.c || bail 'no parts'
profsup -q -F 1000 ./parts || bail 'the parts fail'
# functions OPTION...: self above half, calls, name
functions() {
	profsup-report -q -a "$@" "$(the_file parts)" | awk '/%/ && $NF ~ /sort|other/ { print ($1 + 0 > 50), $4, $NF }' | sort -k 3 | tr '\n' ';'
}
is "$(functions)" '0 1 other.cold;1 7 sort;' 'the time and the calls of its parts are a function'\''s; a part of none is by itself'
is "$(functions --parts)" '0 1 other.cold;0 3 sort;0 7 sort.part.0;1 1 sort.part.0.cold;' '--parts shows them'
is "$(profsup-export -q --format=folded "$(the_file parts)" | grep -c 'part\.0') $(profsup-export -q --parts --format=folded "$(the_file parts)" | grep -c 'part\.0')" '0 1' \
	'profsup-export, too'
profsup -q --timeline -F 1000 -o timed ./parts || bail 'the parts fail'
is "$(profsup-export -q --format=firefox ./parts timed | grep -c 'sort\.part')/$(profsup-export -q --parts --format=firefox ./parts timed | grep -o 'sort\.part\.0\.cold' | sort -u)" \
	0/sort.part.0.cold 'and its firefox'

# Parameters are what the last parentheses hold.
cat >heads.c <<'X'
volatile int sink;
void helper(int) __asm__("_ZN12_GLOBAL__N_16helperEi");
void call(int) __asm__("_ZNK3FooclEPFvvE");
void clone(int) __asm__("_ZNK3Foo3barEi.isra.0.odd");
__attribute__((noipa)) void helper(int n) { sink = n; }
__attribute__((noipa)) void call(int n) { sink = n; }
__attribute__((noipa)) void clone(int n) { sink = n; }
int main(void) { helper(1); call(2); clone(3); return 0; }
X
profsup-cc -O1 -o heads heads.c || bail 'no heads'
profsup -q ./heads || bail 'the heads fail'
for name in '(anonymous namespace)::helper' 'Foo::operator()' 'Foo::bar' 'Foo::*'; do
	profsup-report -q --flat="$name" "$(the_file heads)" 2>&1 | awk '$4 == 1 { n++ } END { print n + 0 }'
done >found
is "$(xargs <found)" '1 1 1 2' 'a name is meant without its parameters' || diag "$(profsup-report -q -a "$(the_file heads)" | tail -n 5)"

# Functions of the program that have the names of what leads to main(), or to a thread's function: they were called.
cat >starts.c <<'X'
volatile unsigned long sink;
__attribute__((noipa)) static void clone(void) { sink++; }
__attribute__((noipa)) static void start_thread(void) { sink++; }
int main(void)
{
	for (int i = 0; i < 6; i++)
		clone();
	start_thread();
	return 0;
}
X
profsup-cc -O1 -o starts starts.c || bail 'no starts'
profsup -q -o starts.out ./starts || bail 'the starts fail'
# Made without a tick, so that it is their calls that show them.
"$top/tests/export/gmon-edit.pl" times 0 starts.out >starts.calls
profsup-report -q starts starts.calls >out
is "$(awk '$NF ~ /clone|start_thread|_start$/ { print $4, $NF }' out | sort | xargs)" '1 start_thread 6 clone' 'a function that was called does not only lead to main()' ||
	diag_file out
# A template's name has a type before it and arguments behind it, and operators have brackets of their own.
cat >templates.txt <<'X'
_ZN2ns4workIlEET_S1_.isra.0	ns::work	ns::work<long>	ns::work<long>(long)	long ns::work<long>(long)	ns::w*
_ZN2ns3VecIlE4pushIiEEvT_	ns::Vec<long>::push	ns::Vec<long>::push<int>	ns::Vec::push
_ZN12_GLOBAL__N_14helpIiEEvT_	(anonymous namespace)::help	(anonymous namespace)::help<int>
_ZN1AclIiEEvT_	A::operator()	A::operator()<int>
_ZltIiEbT_S0_	operator<	operator< <int>
_ZN1AssERKS_	A::operator<=>
_ZN1AptIiEEPT_v	A::operator->	A::operator-><int>
_ZN1AcvT_IiEEv	A::operator int	A::operator int<int>
_ZN1BcvlEv	B::operator long
_ZnwmRKSt9nothrow_t	operator new
_ZN1A1gIXadL_ZltiiEEEEiv	A::g	A::g<&(operator<(int, int))>
_ZThn8_N1A1fEv	non-virtual thunk to A::f
X
awk -F '\t' '{
	printf "void f%d(void) __asm__(\"%s\");\n__attribute__((noipa)) void f%d(void) { __asm__ volatile(\"nop\"); }\n", NR, $1, NR
	calls = calls sprintf("f%d(); ", NR)
} END { print "int main(void) { " calls "return 0; }" }' templates.txt >templates.c
profsup-cc -O1 -o templates templates.c || bail 'no templates'
profsup -q ./templates || bail 'the templates fail'
tab=$(printf '\t')
while IFS=$tab read -r symbol names; do
	printf '%s\n' "$names" | tr '\t' '\n' | while read -r name; do
		profsup-report -q -w --flat="$name" "$(the_file templates)" 2>&1 | grep -c '^ .* 1  ' |
			sed "s/\$/ $(printf '%s' "$name" | sed 's/[&/]/\\&/g')/"
	done
	: "$symbol"
done <templates.txt >found
is "$(grep -v '^1 ' found)" '' "$(wc -l <found) names of templates and operators are each of one function" || diag "$(profsup-report -q -a -w "$(the_file templates)")"
for name in operator 'A::f' 'long' 'const' 'work' 'new' 'ns::Vec'; do
	profsup-report -q --flat="$name" "$(the_file templates)" >out 2>&1
	is "$?" 1 "$name is none of them" || diag_file out
done

# libc has a function for some CPUs in variants, whose names nobody asks for.
cat >variants.c <<'X'
volatile int sink;
__attribute__((noipa)) void __copy_evex(void) { sink++; }
__attribute__((noipa)) void __copy_avx_unaligned_erms(void) { sink++; }
__attribute__((noipa)) void __copy_back_avx2(void) { sink++; }
__attribute__((noipa)) void __copy_over(void) { sink++; }
int main(void) { __copy_evex(); __copy_avx_unaligned_erms(); __copy_back_avx2(); __copy_over(); return 0; }
X
profsup-cc -O1 -g -o variants variants.c || bail 'no variants'
profsup -q ./variants || bail 'the variants fail'
profsup-report -q --flat=copy "$(the_file variants)" >out 2>err
is "$(awk '$4 == 1 { print $NF }' out | sort | tr '\n' ' ') $(cat err)" '__copy_avx_unaligned_erms __copy_evex  ' \
	'variants of a function are meant by its name' || diag_file out
profsup-report -q --annotate=copy_back "$(the_file variants)" | grep -q '^__copy_back_avx2: '
ok $? 'also for their source'

# Long names.
profsup-report -q -a "$file" >out
is "$(sed -n 's/.*  \(long_.*\)/\1/p' out | tr -d '\n' | wc -c)" 100 'not on a terminal, names have 100 characters'
profsup-report -q -a -w "$file" >out
grep -q "  $long\$" out
ok $? '-w: they have all'
odd=$(printf 'x'; printf 'ä%.0s' $(seq 600))
cat >cycle.c <<X
void odd(int) __asm__("$odd");
void even(int n) { if (n > 0) odd(n - 1); }
void odd(int n) { if (n > 0) even(n - 1); }
void _start(void) { even(3); }
X
gcc -O0 -nostdlib -static -o cycle cycle.c || bail 'no cycle'
"$top/tests/diff/made.pl" cycle in-cycle 100 even=3 "$odd=2" '_start->even=1' "even->$odd=2" "$odd->even=1"
profsup-report -q -a -w cycle in-cycle >out
is "$(grep -c "  $odd <cycle 1>\$" out)" 1 'also in a cycle' || diag_file out
mkfifo keys
perl "$top/tests/lib/pty.pl" keys screen profsup-report -q -a "$file" >/dev/null </dev/null
is "$(awk '/ long_0*\.\.\.0*$/ { print length }' screen)" 80 'on a terminal they end where it does, without their middle' || diag_file screen
done_testing
