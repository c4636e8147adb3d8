#!/bin/sh
# Which function an address belongs to.  The programs never run: their files are made up, a tick for each address.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

need jq jq

cat >code.s <<'X'
	.text
	.globl _start
	.type _start, %function
_start:	.skip 16
	.size _start, 16
	.globl strong, __strong
	.weak weak
	.type strong, %function
	.type __strong, %function
	.type weak, %function
	.type local, %function
local:
__strong:
weak:
strong:	.skip 16
	.size strong, 16
	.size __strong, 16
	.size weak, 16
	.size local, 16
	.skip 64			/* nobody's */
	.type outer, %function
	.type inner, %function
outer:	.skip 8
label:	.skip 8			/* within a function: not a function */
inner:	.skip 8
	.size inner, 8
	.skip 8
	.size outer, 32
bare:	.skip 16			/* an assembler's function, without type or size */
	.type dotted.isra.0, %function
dotted.isra.0: .skip 10
	.size dotted.isra.0, 10
	.skip 6			/* padding */
	.type _ZN1a1bEi, %function
_ZN1a1bEi: .skip 16
	.size _ZN1a1bEi, 16
	.type mcount, %function
	.globl mcount
mcount:	.skip 16
	.size mcount, 16
	.section .other, "ax", %progbits
	.skip 16
	.data
thing:	.skip 16
X

# names PROGRAM FILE: ticks and name of each function that has any
names() {
	profsup-export --format=json "$@" 2>err | jq -r '.functions[] | select(.self_ticks > 0) | "\(.self_ticks) \(.name)"'
}

# at SYMBOL [OFFSET]: an address of the program
at() {
	nm code | awk -v s="$1" '$3 == s { print $1; exit }'
}

for cc in gcc aarch64-linux-gnu-gcc; do
	need $cc gcc-aarch64-linux-gnu
	$cc -nostdlib -static -Wl,-Ttext=0x400000,--build-id=none -o code code.s 2>cc.err || bail "$cc: $(cat cc.err)"
	# 4 bytes each: 4 of _start, 4 of strong, 16 of nobody, outer 2, label 2, inner 2, outer 2, bare 4, dotted 4 ...
	"$testdir/gmon-edit.pl" bins 100 "$(at _start)" \
		1 1 1 1  1 1 1 1  0 0 0 0 1 1 1 1 1 1 1 1 1 1 1 1  1 1 1 1 1 1 1 1  1 1 1 1  1 1 1 1  1 1 1 1  1 1 1 1 >ticks
	names code ticks >got
	is "$(sort got | xargs)" '12 [.text] 2 inner 4 _start 4 a::b(int) 4 bare 4 dotted.isra.0 4 strong 6 outer' \
		"$cc: every address is somebody's"
	is "$(profsup-export --format=json code ticks | jq -c '[.totals.ticks, .totals.runtime_ticks]')" '[40,4]' \
		"$cc: the runtime's time is apart"
	# ARM's tools mark where data begins within code; that is no function.
	[ $cc = gcc ] || nm -a code | grep -q ' \$[dx]$' || bail 'no such mark'
	"$testdir/gmon-edit.pl" bins 100 "$(readelf -SW code | sed -n 's/.* \.other  *PROGBITS  *\([0-9a-f]*\).*/\1/p')" 1 >ticks
	is "$(names code ticks)" '1 [.other]' "$cc: code without symbols has its section's name"
	"$testdir/gmon-edit.pl" bins 100 "$(at thing)" 3 >ticks
	is "$(names code ticks)" '3 [unknown]' "$cc: what is not code is nobody's"
	is "$(cat err)" 'profsup-export: code has no code where 3 of 3 ticks are; is it the program that ran?' "$cc: which is said"
done

# Names are text that anyone may have chosen.
gcc -nostdlib -static -Wl,-Ttext=0x400000,--build-id=none -o code code.s
start=$(at _start)
"$testdir/gmon-edit.pl" bins 100 "$start" 5 >ticks
for format in callgrind folded json pprof; do
	# JSON's and others' marks, a separator, what is no character, what is no UTF-8, what is.
	objcopy --redefine-sym "_start=$(printf 'a"\\b;c\033[m\n\377\303\251')" code odd
	profsup-export -q --format=$format -o out odd ticks || break
	case $format in
	callgrind) grep '^fn=' out | cut -d ' ' -f 2- ;;
	folded) sed 's/ 5$//' out ;;
	json) jq -r '.functions[] | select(.self_ticks > 0).name' out ;;
	pprof) gzip -dc <out | grep -ao 'a".*é' ;;
	esac >name
	want='a"\b;c?[m??é'
	[ $format != folded ] || want='a"\b,c?[m??é'
	is "$(cat name)" "$want" "$format: what is fit to print of a name is printed"
done

# Each character that perl's tables hold for no graphic one stands between two that are.
perl -CS -e '
	no warnings;
	print join "x", "", grep { /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{NChar}]/ } map { chr } 1 .. 0xd7ff, 0xe000 .. 0x10ffff;
	print "x"' >unfit
objcopy --redefine-sym "_start=$(cat unfit)" code odd
profsup-export -q --format=folded odd ticks >out
is "$(sed 's/?x//g' out)" 'x 5' 'no character that is not graphic is printed'

# A name of some hundred bytes that stands for one of 2^40: it stays as it is.
bomb=_Z1fI1AIiiE
for n in 1 2 3 4 5 6 7 8 9 A B C D E F G H I J K L M N O P Q R S T U V W X Y Z 10 11 12 13; do
	bomb="${bomb}S0_IS${n}_S${n}_E"
done
bomb=${bomb}Evv
objcopy --redefine-sym "_start=$bomb" code odd
timeout 60 profsup-export -q --format=folded odd ticks >out
is "$? $(cat out)" "0 $bomb 5" 'a name that stands for terabytes stays mangled'
done_testing
