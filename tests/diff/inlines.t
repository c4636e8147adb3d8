#!/bin/sh
# A function is the same one in both builds, whether it is a function of its own or inlined into others.
. "$(dirname "$0")/../lib/testlib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

# program NAME ATTRIBUTE FLAGS: whose find() is inlined by that attribute, or not
program() {
	cat >"$1.c" <<-X
		#define CODE __asm__ volatile("nop;nop;nop;nop;nop;nop;nop;nop" ::: "memory")
		static inline __attribute__(($2)) void find(void) { CODE; }
		static inline __attribute__((always_inline)) void both(void) { CODE; }
		__attribute__((noipa, aligned(64))) void caller(void) { CODE; find(); CODE; both(); CODE; }
		__attribute__((noipa, aligned(64))) void other(void) { find(); CODE; }
		__attribute__((aligned(64))) void _start(void) { caller(); other(); }
	X
	# shellcheck disable=SC2086 # words
	gcc -O1 $3 -nostdlib -static -o "$1" "$1.c" 2>cc.err || bail "$(cat cc.err)"
}

# profile PROGRAM FILE: a tick at each byte
profile() {
	readelf -SW "$1" | perl -ne '
		next unless /\.text +PROGBITS +(\S+) +\S+ +(\S+)/;
		my ($at, $n) = (hex $1, hex($2) & ~1);
		print "gmon", pack("Vx12", 1), pack("CQ<Q<VVa15a", 0, $at, $at + $n, $n, 1000, "seconds", "s"), "\1\0" x $n' >"$2"
}

# field FUNCTION FILTER
field() {
	jq -r --arg f "$1" ".functions[] | select(.name == \$f) | $2" out
}

compare() {
	profsup-diff --format=json "$@" >out 2>err
	is "$? $(cat err)" '0 ' "compared: $*"
}

program apart noinline -g
program inlined always_inline -g
program nothing always_inline ''
for p in apart inlined nothing; do
	profile $p $p.g
done
find=$(nm -S apart | awk '$4 == "find" { print $2 }' | perl -ne 'print hex') # bytes, with the return
compare ./apart apart.g -- ./inlined inlined.g
is "$(field find '[.in, .inlined] | @csv')" '"both","after"' 'a function that is inlined now is the same'
is "$(field find '[.self.before >= '"$find"' / 1000, .self.after] | @csv')" 'true,0.016' 'it has its time on both sides'
is "$(field find '[.self | has("by_calls"), has("by_cost")] | @csv')" 'false,false' 'calls and cost are not known where it is inlined'
is "$(field 'both [inlined]' '[.in, .inlined, .self.before, .self.after] | @csv')" '"both","both",0.008,0.008' 'one that both have inlined is so marked'
is "$(field find .calls.changed)" false 'its calls are not said to have changed'
around=$(field caller '.self | [.before, .after] | @csv')
profsup-diff -a ./apart apart.g -- ./inlined inlined.g >text
sed -n '/^seconds of inlined functions, which are in those above, too:$/,/^$/p' text | grep -q ' both \[inlined\]$'
ok $? 'text: what is only inlined has a table of its own' || diag_file text
grep -q ' inlined: find$' text
ok $? 'text: it is said to be inlined' || diag_file text
profsup-diff -a ./inlined inlined.g -- ./apart apart.g >text
grep -q ' no longer inlined: find$' text
ok $? 'text: and no longer to be, the other way round' || diag_file text
compare --no-inlines ./apart apart.g -- ./inlined inlined.g
is "$(field find .in) $(field 'both [inlined]' .in)" 'before ' '--no-inlines: it is gone'
is "$(field caller '.self | [.before, .after] | @csv')" "$around" 'the function around has the time of all its code either way'
compare ./apart apart.g -- ./nothing nothing.g
is "$(field find .in)" before 'so it is without debugging information'

# What no sample is in may be there all the same.
"$testdir/made.pl" inlined elsewhere.g 1000 _start=5
for words in 'inlined.g ./inlined elsewhere.g' 'elsewhere.g ./inlined inlined.g'; do
	# shellcheck disable=SC2086 # words
	set -- $words
	compare ./inlined "$1" -- "$2" "$3"
	is "$(field 'find [inlined]' .in)" both "$1, $3: an inlined function without samples on one side is neither new nor gone"
	profsup-diff -a ./inlined "$1" -- "$2" "$3" >text
	is "$(grep -cE '^only|new: |gone: |inlined: ' text)" 0 'nor does the text say so' || diag_file text
done

# Two functions of one name, in two files, of which one is inlined.
mkdir two
printf '%s\n' 'static inline __attribute__((always_inline)) void find(void) { __asm__ volatile("nop;nop;nop;nop" ::: "memory"); }' \
	'__attribute__((noipa, aligned(64))) void caller(void) { find(); }' >two/one.c
printf '%s\n' 'static __attribute__((noinline)) void find(void) { __asm__ volatile("nop;nop;nop;nop;nop;nop" ::: "memory"); }' \
	'__attribute__((noipa, aligned(64))) void second(void) { find(); find(); }' >two/two.c
gcc -O1 -g -nostdlib -static -o both two/one.c two/two.c -Wl,-e,caller 2>cc.err || bail "$(cat cc.err)"
profile both both.g
cat both.g >with.calls
perl -e 'print pack "CQ<Q<V", 1, hex $ARGV[0], hex $ARGV[1], 5' "$(nm both | awk '$3 == "second" { print $1 }')" "$(nm both | awk '$3 == "find" { print $1 }')" >>with.calls
compare ./both with.calls -- ./both with.calls
is "$(jq -c '[.functions[] | select(.name | startswith("find")) | [.name, .inlined]] | sort' out)" \
	'[["find (one.c) [inlined]","both"],["find (two.c)",null]]' 'functions of one name in two files are two'

# Where the beginning of a function is inlined, a call of it is one of its part: f(n) makes 2 n such calls of check, of which 1 n
# come from outside.
cat >heads.c <<'X'
volatile unsigned long sink;
static void part(int) __asm__("check.part.0");
static inline __attribute__((always_inline)) void check(int n) { if (n) part(n); }
__attribute__((noipa)) static void part(int n) { sink++; if (n > 1) check(1); sink++; }
__attribute__((noipa)) void f(int n) { for (int i = 0; i < n; i++) { check(2); sink++; } }
int main(int argc, char **argv) { (void)argv; f(argc * 20); return 0; }
X
profsup-cc -O1 -g -o heads heads.c 2>cc.err || bail "$(cat cc.err)"
for n in 20 40; do
	# shellcheck disable=SC2046 # no word, or one
	profsup -q -o heads.$n ./heads $([ $n = 20 ] || echo more) || bail 'the program fails'
done
compare ./heads heads.20 -- ./heads heads.40
is "$(field check '[.calls.before, .calls.after, .calls.changed] | @csv')" '40,80,true' 'calls of a part by the beginning of its function are calls' ||
	diag "$(jq -c '.functions[] | select(.name == "check")' out)"
done_testing
