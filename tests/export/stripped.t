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
void busy(unsigned n);
__attribute__((noinline)) static void hidden(void)
{
	busy(20000000);
	__asm__ volatile("");
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
! grep -q hidden names
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
profsup-export --format=call-graph-order -o out ./prog gmon 2>err
is "$(sed 1d err)$(cat out)" 'profsup-export: call-graph-order: no calls were counted, so there is nothing to lay out by: build the program with profsup-cc' \
	'call-graph-order: why it is empty'

# What was stripped, where debuggers find it: in a file system that only these commands see.
id=$(readelf -n whole | sed -n 's/.*Build ID: //p')
objcopy --only-keep-debug whole debug
# shellcheck disable=SC2016 # the other shell's
apart='
	lower=/usr/lib
	mkdir -p upper/debug/.build-id/${1%"${1#??}"} work &&
		cp "$2" "upper/debug/.build-id/${1%"${1#??}"}/${1#??}.debug" &&
		mount -t overlay -o lowerdir=$lower,upperdir=$PWD/upper,workdir=$PWD/work overlay $lower || exit 99
	shift 2
	exec "$@"'
if [ "$(id -u)" -eq 0 ]; then
	own='unshare -m'
else
	need_userns
	own='unshare -rm'
fi
# with DEBUG-FILE COMMAND...
with() {
	with_file=$1
	shift
	rm -rf upper work
	# shellcheck disable=SC2086 # words
	$own sh -c "$apart" sh "$id" "$with_file" "$@"
}
with debug true || { skip 'no overlay can be mounted over /usr/lib here' && done_testing; }
with debug profsup-export --format=json -o out ./prog gmon 2>err
is "$? $(cat err)" '0 ' 'with its debugging symbols installed nothing is said'
is "$(jq -r '.functions[] | select(.name == "hidden" and .total_ticks > 0) | "\(.file | sub(".*/"; "")):\(.line)"' out)" \
	prog.c:3 'and its functions have names and lines' || diag_file out
with whole profsup-export --format=json -o out ./prog gmon 2>err
is "$(jq -r '.functions[] | select(.total_ticks > 0).name' out | grep -c '^hidden$')" 1 'a whole program may stand there'
cc -O1 -g -Wl,--build-id=0x1234 -o other prog.c -Llib -lbusy
with other profsup-export --format=json -o out ./prog gmon 2>err
is "$(cat err)" "profsup-export: ./$said" 'a file with another build ID is not taken'
done_testing
