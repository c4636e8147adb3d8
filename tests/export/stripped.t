#!/bin/sh
# A program without symbols, as distributions have it: what is known is shown, and the symbols and source lines that are
# installed apart are found.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

need jq jq

cat >lib.c <<'X'
static volatile unsigned sink;
void busy(unsigned n) { while (n-- > 0) sink += n; }
X
cat >prog.c <<'X'
void busy(unsigned n); static inline __attribute__((always_inline)) void step(void) { busy(20000000); __asm__ volatile(""); }
__attribute__((noinline)) static void hidden(void)
{
	step();
}
int main(void) { for (int i = 0; i < 10; i++) hidden(); return 0; }
X
mkdir lib
{ cc -O1 -shared -fPIC -o lib/libbusy.so lib.c && cc -O1 -g -Wl,--build-id -o whole prog.c -Llib -lbusy -Wl,-rpath,"$PWD/lib"; } || bail 'no program'
strip -o prog whole
profsup -q -a -F 1000 -o gmon ./prog || bail 'the program fails'

said="prog: it has no symbols, and its functions no names: give the program as it was before strip(1), or install its debugging symbols"
profsup-export --format=json -o out ./prog gmon 2>err
is "$? $(cat err)" "0 profsup-export: ./$said" 'a stripped program is taken, and what it lacks is said'
jq -r '.functions[] | select(.total_ticks > 0).name' out >names
grep -q '^busy \[libbusy\.so\]$' names && grep -q '^\[\.text\]$' names
ok $? 'functions of libraries have their names, and its own have the name of their section' || diag_file names
! grep -qE 'hidden|step' names
ok $? 'which is all that is known'
profsup-report ./prog gmon >out 2>err
is "$? $(cat err)" "0 profsup-report: ./$said" 'profsup-report takes it, too'
grep -q ' busy \[libbusy\.so\]$' out
ok $? 'and shows the same' || diag_file out
is "$(head -n 1 out | cut -d , -f 2 | cut -d ';' -f 1)" ' samples only' 'and that there are no calls'
for pattern in busy 'busy [libbusy.so]' 'bus?'; do
	is "$(profsup-report -q --flat="$pattern" ./prog gmon 2>&1 | grep -c ' busy \[libbusy\.so\]$')" 1 "$pattern is a library's function"
done

# Where no calls were counted none are lost, and where calls are all that a format has, that is said.
for format in folded perf; do
	profsup-export --format=$format -o out ./prog gmon 2>err
	is "$(grep -c 'no room for the' err)" 0 "$format: of calls nothing is said" || diag_file err
done
profsup-export --format=folded -o out ./prog gmon 2>err
grep -qxF 'profsup-export: folded: the numbers are ticks, of which 1000 are a second' err
ok $? 'folded: what its numbers are is said' || diag_file err
profsup-export --no-stacks --format=perf -o out ./prog gmon 2>err
grep -qxF 'profsup-export: perf: without files of stacks samples have no callers' err
ok $? 'perf: nor without stacks' || diag_file err
profsup-export --format=pprof -o out ./prog gmon 2>err
gzip -dc out | grep -aq 'stacks are measured; no calls were counted'
ok $? 'pprof: its comment says so'
rm out
profsup-export --format=call-graph-order -o out ./prog gmon 2>err
is "$? $(sed 1d err)$(cat out 2>/dev/null)" '1 profsup-export: call-graph-order: no calls were counted, so there is nothing to lay out by: build the program with profsup-cc' \
	'call-graph-order: there is none'

# Both sides may be of one program.
profsup-diff ./prog gmon -- ./prog gmon 2>err >out
is "$(grep -c 'it has no symbols' err)" 1 'profsup-diff says once that it has no symbols' || diag_file err

# Files of which only the functions that they export have names: what is said of one with much of the time, and no word of others.
cat >lib.c <<'X'
static volatile unsigned sink;
__attribute__((noinline)) static void inner(unsigned n) { while (n-- > 0) sink += n; }
void outer(unsigned n) { inner(n); sink++; }
void busy(unsigned n) { while (n-- > 0) sink -= n; }
X
cat >both.c <<'X'
#include <stdlib.h>
void outer(unsigned n), busy(unsigned n);
int main(int argc, char **argv)
{
	for (int i = 0; i < 20 && argc > 2; i++) {
		outer(25000 * atoi(argv[1]));
		busy(25000 * atoi(argv[2]));
	}
	return 0;
}
X
cat >own.c <<'X'
static volatile unsigned sink;
__attribute__((noinline)) static void inner(unsigned n) { while (n-- > 0) sink += n; }
__attribute__((noinline)) void outer(unsigned n) { inner(n); sink++; }
int main(void) { outer(200000000); return 0; }
X
{ cc -O1 -g -shared -fPIC -Wl,--build-id -o lib/libwhole.so lib.c && cc -O1 -o both both.c lib/libwhole.so -Wl,-rpath,"$PWD/lib" &&
	cc -O1 -rdynamic -Wl,--build-id -s -o own own.c; } || bail 'no program'
mv lib/libwhole.so whole.so
strip -o lib/libwhole.so whole.so
lib_id=$(readelf -n whole.so | sed -n 's/.*Build ID: //p')
# hint FILE ID AGAIN: as a pattern
hint() {
	echo "$1: functions whose names are not known have [0-9.]* % of the time: install its debugging symbols (Debian: a -dbgsym package; or debuginfod-find debuginfo $2)$3\$"
}
# Each run is long enough that a sample which stands for ten ticks is no tenth of its time.
profsup -a -F 1000 --report -o both.gmon ./both 500 500 2>err
is "$? $(grep -c "^profsup-report: $(hint libwhole.so "$lib_id" ' and run it again')" err) $(grep -c 'whose names' err)" '0 1 1' \
	'--report: a library with much of the time in functions without names' || diag_file err
is "$(sed -n 's/.* are not known have \([0-9.]*\) .*/\1%/p' err)" "$(awk '$NF == "[libwhole.so]" && / \[.text\] / { print $1 }' err)" \
	'--report: how much of the time that is' || diag_file err
profsup-report ./both both.gmon >out 2>err
is "$? $(grep -c "^profsup-report: $(hint libwhole.so "$lib_id" ' and run it again')" err) $(grep -c . err)" '0 1 1' 'profsup-report says so, too' || diag_file err
profsup-report -q ./both both.gmon >out 2>err
is "$(cat err)" '' 'but for -q'
profsup -a -F 1000 --report -o few.gmon ./both 20 1980 2>err
is "$(grep -c 'whose names' err) $(profsup-report ./both few.gmon 2>&1 | grep -c 'whose names')" '0 0' 'a few percent are not worth a word' || diag_file err
cp whole.so lib/libwhole.so
profsup -a -F 1000 --report -o named.gmon ./both 500 500 2>err
is "$(grep -c 'whose names' err) $(profsup-report ./both named.gmon 2>&1 | grep -c 'whose names')" '0 0' 'nor is anything where all have names' || diag_file err
objcopy --remove-section .note.gnu.build-id whole.so lib/libwhole.so && strip lib/libwhole.so
profsup -a -F 1000 --report -o no-id.gmon ./both 500 500 2>err
is "$(grep -c '^profsup-report: libwhole.so: .* % of the time: it was stripped, and has no build ID by which its symbols could be found$' err)" 1 \
	'without a build ID none can be found' || diag_file err
strip -o lib/libwhole.so whole.so
profsup -a -F 1000 --report -o own.gmon ./own 2>err
own_id=$(readelf -n own | sed -n 's/.*Build ID: //p')
is "$(grep -c "^profsup-report: $(hint own "$own_id" '')" err)" 1 '--report: so it is of the program itself, which need not run again' || diag_file err

# What was stripped, where debuggers find it: in a file system that only these commands see.
id=$(readelf -n whole | sed -n 's/.*Build ID: //p')
objcopy --only-keep-debug whole debug
# shellcheck disable=SC2016 # the other shell's
apart='
	lower=/usr/lib
	mkdir -p "upper/debug/${1%/*}" work &&
		cp "$2" "upper/debug/$1" &&
		mount -t overlay -o lowerdir=$lower,upperdir=$PWD/upper,workdir=$PWD/work overlay $lower || exit 99
	shift 2
	exec "$@"'
if [ "$(id -u)" -eq 0 ]; then
	own='unshare -m'
else
	need_userns
	own='unshare -rm'
fi
# with_at PLACE DEBUG-FILE COMMAND...
with_at() {
	rm -rf upper work
	# shellcheck disable=SC2086 # words
	$own sh -c "$apart" sh "$@"
}
# with DEBUG-FILE COMMAND...
with() {
	with_at ".build-id/${id%"${id#??}"}/${id#??}.debug" "$@"
}
with debug true || { skip 'no overlay can be mounted over /usr/lib here' && done_testing; }
with debug profsup-export --format=json -o out ./prog gmon 2>err
is "$? $(cat err)" '0 ' 'with its debugging symbols installed nothing is said'
is "$(jq -r '.functions[] | select(.name == "hidden" and .total_ticks > 0) | "\(.file | sub(".*/"; "")):\(.line)"' out)" \
	prog.c:3 'and its functions have names and lines' || diag_file out
is "$(jq '[.functions[] | select(.name == "step [inlined]" and .total_ticks > 0)] | length' out)" 1 'also those that are inlined'
with whole profsup-export --format=json -o out ./prog gmon 2>err
is "$(jq -r '.functions[] | select(.total_ticks > 0).name' out | grep -c '^hidden$')" 1 'a whole program may stand there'
cc -O1 -g -Wl,--build-id=0x1234 -o other prog.c -Llib -lbusy
with other profsup-export --format=json -o out ./prog gmon 2>err
is "$(cat err)" "profsup-export: ./$said" 'a file with another build ID is not taken'
id=$lib_id
objcopy --only-keep-debug whole.so debug
with debug profsup -a -F 1000 --report -o found.gmon ./both 500 500 2>err
is "$(grep -c 'whose names' err) $(profsup-report ./both found.gmon 2>/dev/null | grep -c ' inner \[libwhole.so\]$')" '0 1' \
	'a library has all its names if it runs again with them' || diag_file err

# What several of them have in common, as dwz(1) makes it, is taken from where distributions have it, and nowhere else.
"$testdir/elf-made.pl" common common.debug
"$testdir/elf-made.pl" parted parted
"$testdir/gmon-edit.pl" bins 100 400000 1 2 4 8 16 >ticks
folded() {
	profsup-export -q --format=folded "$1" ticks | sort | xargs
}
is "$(folded parted)" 'f0 15 f1 16' 'a function whose name is in another file, which is not there, is not known'
with_at .dwz/profsup/common.debug common.debug profsup-export -q --format=folded -o out parted ticks
is "$(sort out | xargs)" 'f0 9 f0;g [inlined] 6 f1 16' 'where that is installed, it is'
"$testdir/elf-made.pl" else common.debug
with_at .dwz/profsup/common.debug common.debug profsup-export -q --format=folded -o out parted ticks
is "$(sort out | xargs)" 'f0 15 f1 16' 'but not of another build'
"$testdir/elf-made.pl" common common.debug
"$testdir/elf-made.pl" astray parted
with_at .dwz/profsup/common.debug common.debug profsup-export -q --format=folded -o out parted ticks
is "$(sort out | xargs)" 'f0 15 f1 16' 'nor is a file that is elsewhere'
done_testing
