#!/bin/sh
# A source file whose name in the program is relative is below the directory where it was compiled, wherever the report is made.
. "$(dirname "$0")/../lib/testlib.sh"

mkdir -p built/sub built/inc else/sub else/inc
printf '%s\n' '/* hot */ static inline __attribute__((always_inline)) void hot(void) { __asm__ volatile("nop;nop;nop;nop" ::: "memory"); }' >built/inc/h.h
cat >built/sub/a.c <<'X'
#include "inc/h.h"
/* own */ static inline __attribute__((always_inline)) void own(void) { __asm__ volatile("nop;nop;nop;nop" ::: "memory"); }
__attribute__((aligned(64))) void _start(void)
{
	__asm__ volatile("nop;nop;nop;nop" ::: "memory"); /* begins */
	hot();
	own();
	__asm__ volatile("nop;nop;nop;nop" ::: "memory");
}
X
printf '/* another */\n%.0s' 1 2 3 4 5 6 7 8 >else/sub/a.c
cp else/sub/a.c else/inc/h.h

# program NAME CC OPTION...: and its profile NAME.g, with a tick at each byte
program() {
	program=$1
	shift
	(cd built && "$@" -O1 -g -I. -nostdlib -static -o "../$program" sub/a.c 2>../cc.err) || bail "$(cat cc.err)"
	readelf -SW "$program" | perl -ne '
		next unless /\.text +PROGBITS +(\S+) +\S+ +(\S+)/;
		my ($at, $n) = (hex $1, hex($2) & ~1);
		print "gmon", pack("Vx12", 1), pack("CQ<Q<VVa15a", 0, $at, $at + $n, $n, 1000, "seconds", "s"), "\1\0" x $n' >"$program.g"
}

# names FORMAT: of source files, each once
names() {
	(cd else && profsup-export -q --format="$1" "../$program" "../$program.g") >out
	case $1 in
	pprof) gzip -dc <out ;;
	*) cat out ;;
	esac | grep -aoE '[[:alnum:]/._-]*(sub/a\.c|inc/h\.h)' | sort -u | xargs
}

for cc in gcc clang; do
	command -v $cc >/dev/null || { skip "no $cc here" && continue; }
	for dwarf in 4 5; do
		program $cc$dwarf $cc -gdwarf-$dwarf
		for format in json callgrind pprof; do
			is "$(names $format | sed 's,/\./,/,g')" "$PWD/built/inc/h.h $PWD/built/sub/a.c" "$cc, DWARF $dwarf: $format has whole names"
		done
		(cd else && profsup-report -q -a --annotate "../$program" "../$program.g") >out 2>err
		is "$? $(cat err) $(grep -c another out)" '0  0' "$cc, DWARF $dwarf: the source is not that of another file of this name"
		is "$(grep -cE '/\* (hot|own|begins) \*/' out) $(grep -c '(inlined)' out)" '4 0' \
			"$cc, DWARF $dwarf: the file of an inlined function is its own" || diag_file out
		program $cc$dwarf $cc -gdwarf-$dwarf "-ffile-prefix-map=$PWD/built=."
		is "$(names json | sed 's,\./,,g')" 'inc/h.h sub/a.c' "$cc, DWARF $dwarf: a name stays as -ffile-prefix-map has made it"
		program $cc$dwarf $cc -gdwarf-$dwarf "-ffile-prefix-map=$PWD/built=/usr/src"
		is "$(names json | sed 's,/\./,/,g')" '/usr/src/inc/h.h /usr/src/sub/a.c' "$cc, DWARF $dwarf: so does the directory"
	done
done
done_testing
