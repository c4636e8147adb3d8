#!/bin/sh
# A part that a compiler has taken out of a static function is compared with the function of its file, not with one of the same
# name in another file.
. "$(dirname "$0")/../lib/testlib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

alone='__attribute__((noinline, used, aligned(64)))'
code='{ __asm__ volatile("nop" ::: "memory"); }'
printf '%s\n' "static void part(void) __asm__(\"check.part.0\"); $alone static void part(void) $code" >part.c
printf '%s\n' "$alone static void check(void) $code" >whole.c
cat part.c whole.c >both.c
printf '%s\n' "$alone void check(void) $code" >global.c
printf '%s\n' "static void clone(void) __asm__(\"check.isra.0\"); $alone static void clone(void) $code" >clone.c

# program NAME CC CODE-OF-A CODE-OF-B: of a.c and b.c
program() {
	mkdir -p "$1.d"
	{ cat "$3.c" && echo "$alone void _start(void) $code"; } >"$1.d/a.c"
	cp "$4.c" "$1.d/b.c"
	# shellcheck disable=SC2086 # words
	(cd "$1.d" && $2 -O1 -nostdlib -static -o "../$1" a.c b.c 2>../cc.err) || bail "$(cat cc.err)"
}

# rows WANT WHAT: the time in ms, the calls and the names of each check, before and after
rows() {
	profsup-diff -q --format=json ./before b -- ./after a >out 2>err || diag_file err
	is "$(jq -r '.functions[] | select(.name | startswith("check")) |
		"\(.self.before * 1000 | round)-\(.self.after * 1000 | round) \(.calls.before)-\(.calls.after) \(.name)"' out | sort | xargs)" "$1" "$2" ||
		diag "$(jq -c '.functions[]' out)"
}

for cc in gcc clang; do
	command -v $cc >/dev/null || { skip "no $cc here" && continue; }
	for g in -g ''; do
		named=${g:+ with source lines}
		one='check (a.c)' two='check (b.c)'
		[ -n "$g" ] || { one='check' && two='check #2'; }
		# All calls of a.c's check are inlined before, but for a part.
		program before "$cc $g" part whole
		"$testdir/made.pl" before b 1000 check.part.0=2000 check=100 '_start->check.part.0=7' '_start->check=3'
		program after "$cc $g" both whole
		"$testdir/made.pl" after a 1000 check=1001 check.part.0=1000 check@2=101 '_start->check=8' '_start->check@2=3'
		rows "100-101 3-3 $two 2000-2001 7-8 $one" "$cc$named: a part is the function of its file"
		# One part of two functions, which is the second one's.
		program before "$cc $g" whole both
		"$testdir/made.pl" before b 1000 check=2000 check@2=100 check.part.0=50 '_start->check=7' '_start->check.part.0=3'
		program after "$cc $g" whole whole
		"$testdir/made.pl" after a 1000 check=2001 check@2=151 '_start->check=8' '_start->check@2=3'
		rows "150-151 3-3 $two 2000-2001 7-8 $one" "$cc$named: one part of two functions, too"
		program before "$cc $g" clone whole
		"$testdir/made.pl" before b 1000 check.isra.0=2000 check=100 '_start->check.isra.0=7' '_start->check=3'
		rows "100-151 3-3 $two 2000-2001 7-8 $one" "$cc$named: so is a changed copy"
	done
	# A global function's part is local.
	program before $cc part global
	"$testdir/made.pl" before b 1000 check.part.0=2000 check=100 '_start->check=7'
	program after $cc global part
	"$testdir/made.pl" after a 1000 check=2000 check.part.0=101 '_start->check=7'
	rows '2100-2101 7-7 check' "$cc: and a global function has its part"
done
done_testing
