#!/bin/sh
# The runtime for aarch64 is cross-built and its programs run under qemu-user.  There is no supervisor (nothing can be
# traced there): an object in the program, unwatched.c, switches the runtime on as a supervisor would and writes the
# tables out.  What the supervisor knows of the machine is cross-built, too.
#
# What this can't show: an order of loads and stores that Arm permits and the machine that runs qemu does not.
# check-all: needs a cross compiler and qemu-user
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/exact.sh"
. "$top/tests/lib/dialect.sh"

cross=aarch64-linux-gnu
for tool in $cross-gcc $cross-gprof $cross-nm; do
	command -v "$tool" >/dev/null || skip_all "$tool is not installed"
done
for qemu in qemu-aarch64-static qemu-aarch64 ''; do
	! command -v "$qemu" >/dev/null || break
done
[ -n "$qemu" ] || skip_all 'qemu-user is not installed'
unset MAKEFLAGS MFLAGS MAKELEVEL

prefix=$scratch/aarch64
make -s -C "$top" runtime CC=$cross-gcc CFLAGS='-O2 -g' B="$prefix" WERROR=1 >out 2>&1
ok $? 'make runtime CC=aarch64-linux-gnu-gcc builds the runtime without a warning' || diag_file out
is "$(readelf -hW "$prefix/lib/profsup/gcrt0.o" | sed -n 's/ *Machine: *//p')" AArch64 'it is for aarch64'
readelf -nW "$prefix/lib/profsup/gcrt0.o" | grep -q 'AArch64 feature: BTI, PAC'
ok $? 'it is fit for branch target identification and signed return addresses'
is "$($cross-nm -u "$prefix/lib/profsup/gcrt0.o" | grep -c __aarch64_)" 0 'it calls none of libgcc'"'"'s atomics'
# What an instruction names, from the third column on; where it branches to is no register.
$cross-objdump -d --no-show-raw-insn "$prefix/lib/profsup/gcrt0.o" | cut -f 3- | sed 's/[0-9a-f]* <.*//' >operands
between "$(grep -cw x10 operands)" 20 1000 'it uses registers'
grep -Ew '[xw]18' operands >found
is "$(cat found)" '' 'the platform'"'"'s is not touched'
grep -Ew '[vqds]([0-9]|[12][0-9]|3[01])(\.[0-9]+[bhsd])?' operands >found
is "$(cat found)" '' 'nor are vector registers'

# libc's own runtime: every name it goes by here is ours.
$cross-ar x "$($cross-gcc -print-file-name=libc.a)" gmon.o mcount.o profil.o sprofil.o prof-freq.o
$cross-nm --defined-only -g gmon.o mcount.o profil.o sprofil.o prof-freq.o | awk 'NF == 3 { print $3 }' | sort >libc.symbols
$cross-nm --defined-only -g "$prefix/lib/profsup/gcrt0.o" "$prefix/lib/profsup/libprofil.a" | awk 'NF == 3 { print $3 }' | sort >our.symbols
is "$(comm -23 libc.symbols our.symbols)" '' 'every profiling symbol of libc.a is defined'

# An installation whose profsup-cc runs here.
mkdir "$prefix/bin"
cp "$stage/bin/profsup-cc" "$prefix/bin"
PROFSUP_CC=$cross-gcc
export PROFSUP_CC
$cross-gcc -O2 -Wall -Wextra -Werror -mbranch-protection=standard -fPIE -I"$top/proto" -c "$testdir/unwatched.c" ||
	bail 'unwatched.c'
printf '#include "unwatched.h"\n__attribute__((destructor)) static void at_exit(void) { write_arcs("gmon"); }\n' |
	$cross-gcc -O2 -I"$testdir" -x c -c -o at-exit.o - || bail 'at-exit.c'

# build WORD...: ./arm, with what the linker put in in ./map.
build() {
	rm -f arm map
	"$prefix/bin/profsup-cc" -Wall -Wextra -Werror -Wl,-Map,map -g "$@" -o arm unwatched.o >out 2>&1
}

# run PART [QEMU-OPTION]...: its output in ./out, its arcs in ./gmon.
run() {
	run_part=$1
	shift
	rm -f gmon ./*.report
	timeout 60 "$qemu" "$@" ./arm "$run_part" >out 2>&1
}

# report FILE: what gprof says of it, made once a run, in ./FILE.report.
report() {
	[ -f "$1.report" ] || $cross-gprof -b -p -q -z arm "$1" >"$1.report" 2>err
}

# counted FUNCTION [FILE]
counted() {
	report "${2:-gmon}"
	awk -v name="$1" '
		/^granularity/ { exit }
		$NF == name { print (NF == 7) ? $4 : 0; found = 1; exit }
		END { if (!found) print "none" }' "${2:-gmon}.report"
}

# parents FUNCTION [FILE]: "PARENT COUNT" of each of its callers.
parents() {
	report "${2:-gmon}"
	awk -v name="$1" '
		/^granularity/ { graph = 1 }
		!graph { next }
		/^-+$/ { n = 0 }
		/^\[/ { if ($(NF - 1) == name) for (i = 0; i < n; i++) print entry[i]; n = -1000 }
		/^ .*\// { split($3, count, "/"); entry[n++] = $4 " " count[1] }' "${2:-gmon}.report" | sort | tr '\n' ' '
}

build -O2 "$testdir/arm.c"
ok $? 'profsup-cc links a program with it' || diag_file out
grep -q 'profsup/gcrt0\.o' map && ! grep -Eq 'libc\.a\((gmon|mcount|profil|sprofil|prof-freq)\.o\)' map
ok $? 'without libc'"'"'s runtime'
is "$(readelf -nW arm 2>/dev/null | grep -Ec '^ *profsup +0x0*8\b')" 1 'the program has the note'
is "$(readelf -lW arm | grep -Ec 'INTERP|GNU_STACK.*RWE')" 0 'it is static and its stack is not executable'

run threads
is "$?,$(counted only_this_thread),$(counted leaf),$(counted work)" 0,96000,96000,96 \
	'96 threads, 8 at a time: each call is counted'
run signals
is "$(counted again) $(counted on_alarm) $(counted leaf)" "$(awk '{ print $1, $2, $1 }' out)" \
	'calls in and around 3000 signal handlers are'
# Each instruction by itself, so that a signal may come between any two.
case $("$qemu" -help) in
*-one-insn-per-tb*) single=-one-insn-per-tb ;;
*) single=-singlestep ;;
esac
run signals $single
is "$(counted again) $(counted on_alarm) $(counted leaf)" "$(awk '{ print $1, $2, $1 }' out)" \
	'also if handlers interrupt the counting at any instruction'
run handler
is "$(parents on_signal)" 'restorer 5 ' 'the caller of a signal handler is the code that it returns to'
run fork
is "$(counted a) $(counted leaf) $(parents a)" '2 1007 main 2 ' 'a parent counts its own calls after a fork'
is "$(($(counted leaf child.after) - $(counted leaf child.before)))" 50 'so does the child'
run registers
is "$(tr '\n' ' ' <out)$(counted probe)" '0 0 0 3' '_mcount leaves argument registers, vector registers and stack pointer as they were'
run arguments
is "$(cat out) $(counted make) $(counted sum)" '8.25 12 45 3 1' 'arguments in registers, on the stack, and variable ones arrive'

# The targets of tests/shim that do without the supervisor and without x86: each arc is what they say.
mkdir names
ln -s "$(command -v $cross-nm)" names/nm
for words in 'threads pthread 1 4 20000' 'threads pthread 16 64 2000' 'threads c11 16 64 2000' 'timer return'; do
	name=${words%% *}
	# shellcheck disable=SC2046 # flags
	[ -f "rt-$name" ] ||
		"$prefix/bin/profsup-cc" -O2 -w $(sed -n 's|^// CFLAGS: ||p' "$top/tests/targets/runtime/rt-$name.c") -DRT_FEW \
			-o "rt-$name" "$top/tests/targets/runtime/rt-$name.c" unwatched.o at-exit.o >out 2>&1 || diag_file out
	rm -f gmon
	# shellcheck disable=SC2086 # words
	timeout 120 "$qemu" "./rt-$name" ${words#* } >out 2>&1
	ok $? "rt-$words runs"
	PATH=$PWD/names:$PATH arcs_of "./rt-$name" gmon >got
	truth out >want
	same_arcs got want "rt-$words: each arc has its exact count"
done

# The older dialects.
"$prefix/bin/profsup-cc" -O2 -g -Wall -Wextra -Werror -I"$top/proto" -o dialects "$testdir/dialects.c" -pthread >out 2>&1
ok $? 'a program of the older dialects is linked' || diag_file out
is "$(readelf -nW dialects 2>/dev/null | grep -c '^ *profsup ')" 2 'with the note of the runtime and of the mailbox'
timeout 120 "$qemu" ./dialects >out 2>&1
is "$?/$(grep -c . out)" 0/11 'it runs' || diag_file out
points out ''

# The same program by other roads.  BTI and PAC are those of qemu's best processor.  pauth-impdef: by a hash that it computes fast.
while read -r words; do
	# shellcheck disable=SC2086 # words
	build $words "$testdir/arm.c" || diag_file out
	run plain -cpu max,pauth-impdef=on
	is "$(counted leaf),$(parents leaf)" '1500,a 1000 b 500 ' "$words: the counts and the callers are right"
	case $words in
	*branch*)
		[ "${words%% *}" = -O3 ] || [ "$(rounds 1 2)" = 2 ] || continue
		run threads -cpu max,pauth-impdef=on
		is "$(counted leaf),$(parents leaf)" '96000,only_this_thread 96000 ' "$words: with threads, too"
		;;
	esac
done <<'END'
-O0
-O1
-O3 -mbranch-protection=standard
-Os -fno-pie
-O2 -static-pie
-O2 -static-pie -mbranch-protection=standard -Wl,-z,separate-code
-O2 -flto
-O2 -ffunction-sections -Wl,--gc-sections
-O2 -fno-pie -mcmodel=large
END

# Clang 14 does not pass the caller's address; the frame record has it.
if command -v clang >/dev/null; then
	make -s -C "$top" runtime CC="clang --target=$cross" CFLAGS=-O2 B="$scratch/clang" WERROR=1 >out 2>&1
	ok $? 'clang builds the runtime without a warning' || diag_file out
	cp -R "$scratch/clang/lib/profsup/"* "$prefix/lib/profsup"
	for level in -O0 -O2; do
		clang --target=$cross -pg -Wall -Wextra -Werror $level -fPIE -c "$testdir/arm.c" -o arm.o >out 2>&1
		ok $? "clang $level compiles for it" || diag_file out
		build -static-pie arm.o || diag_file out
		run plain
		is "$(counted leaf),$(parents leaf)" '1500,a 1000 b 500 ' "clang $level: the counts and the callers are right"
		[ "$level" = -O2 ] || [ "$(rounds 1 2)" = 2 ] || continue
		run threads
		is "$(counted leaf),$(parents leaf)" '96000,only_this_thread 96000 ' "clang $level: with threads, too"
	done
else
	skip 'clang is not installed'
fi

# The supervisor, of which few files know what machine it is.
if [ "$(rounds 1 2)" = 1 ]; then
	# shellcheck disable=SC2046 # names
	make -s -j2 -C "$top" CC=$cross-gcc CFLAGS=-O0 B="$scratch/supervisor" WERROR=1 $(cd "$top" &&
		grep -lE 'arch[_.]|machine_|SYS_|syscall\(|sys/user|elf\.h|AUDIT_' supervisor/*/*.c common/machine*.c tools/code/filter.c | sed "s|\(.*\)\.c|$scratch/supervisor/\1.o|") >out 2>&1
	ok $? 'make CC=aarch64-linux-gnu-gcc compiles what knows the machine without a warning' || diag_file out
	$cross-nm supervisor/supervisor/*/*.o | awk '
		$NF ~ /^arch_/ { if ($(NF - 1) == "U") used[$NF]; else is[$NF] }
		END { for (name in used) { n++; if (!(name in is)) print name } if (n < 3) print "few" }' >lacking
	is "$(cat lacking)" '' 'what it asks of a machine is there for this one'
else
	make -s -j2 -C "$top" supervisor-objects CC=$cross-gcc CFLAGS=-O1 B="$scratch/supervisor" WERROR=1 >out 2>&1
	ok $? 'make CC=aarch64-linux-gnu-gcc compiles the supervisor without a warning' || diag_file out
	# The libraries it is linked with are only names here, and have nothing to give.
	$cross-nm -u "$scratch"/supervisor/*/*.o "$scratch"/supervisor/*/*/*.o | sed -n 's/^ *U \(\(\(g\{0,1\}elf\|cplus\|rust\|dwarf\)_\|deflate\).*\)/\1/p' | sort -u |
		sed 's/.*/.globl &\n&: mov x0, xzr\n	ret/' >libraries.s
	$cross-gcc -O1 -o profsup "$scratch"/supervisor/*/*.o "$scratch"/supervisor/*/*/*.o libraries.s -static >out 2>&1
	ok $? 'it links' || diag_file out
	is "$("$qemu" ./profsup -V)" "$(profsup -V)" 'and says its version'
	# qemu has no perf_event_open for it.
	"$qemu" ./profsup true 2>&1 | grep -q '^profsup: sampler: ptrace, whose stops make system calls fail with EINTR on this machine'
	ok $? 'without perf it says what stops do on this machine'
fi
done_testing
