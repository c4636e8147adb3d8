#!/bin/sh
# --format=firefox: each thread's samples and waits, with their times, in tables that fit together; nothing of the file of
# stacks is lost, and functions have their calls.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

need jq jq
cp "$(target waits)" prog

# read_as WHAT: of `out`
read_as() {
	"$testdir/firefox.pl" "$1" <out 2>&1
}

# fits WHAT: `out` has nothing that does not fit together.
fits() {
	"$testdir/firefox.pl" states <out >/dev/null 2>wrong
	ok $? "$1: all tables fit together" || diag_file wrong
}

profsup -q --wall --timeline -F 1000 ./prog 10 2 >said || bail 'it fails'
gmon=$(the_file prog)
pid=$(echo "$gmon" | tr -dc 0-9)
profsup-export -q --no-inlines --format=firefox -o out prog "$gmon" 2>err
is "$? $(cat err)" '0 ' 'it is written'
fits 'with waits'
profsup-export -q --no-inlines --format=json prog "$gmon" >json

read_as threads >threads.out
is "$(head -n 1 threads.out)" "$pid $pid *prog" "the first thread is the process's own, and has the program's name"
is "$(awk '$1 != pid' pid="$pid" threads.out)" '' "all are the process's"
is "$(wc -l <threads.out)" 3 'there is one for each thread'
is "$(sed 1d threads.out | awk '$3 " " $4 != "thread " $2' ; sed 1d threads.out | awk '{ print $2 }' | sort -un | wc -l)" 2 'which has its number'

# The profiler's own time is left out.
read_as sums >got
perl "$top/tests/lib/stacks.pl" timed stacks.* >all
jq -r '.functions[] | select(.self_ticks > 0) | .name | sub(" \\[[^ ]*\\]$"; "")' json >names
awk -F '\t' 'FNR == NR { known[$0] = 1; next } known[$2] || $2 ~ /^\[/' names all | sort >want
same got want 'by thread and innermost frame it is all the time that has a time, to the nanosecond'
is "$(awk -F '\t' '$2 ~ /^\[/ { n += $3 } END { printf "%.0f", n }' all)" \
	"$(perl "$top/tests/lib/stacks.pl" values stacks.* | awk '{ printf "%.0f", $3 + $4 }')" 'and each wait has one'

# A thread that is not seen while it waits has blocked time all the same.
read_as waits >waits.out
is "$(awk -F '\t' '$2 !~ /^(waiting for a CPU|blocked.*)$/ && $3 !~ ";\\[" $2 "\\]$"' waits.out)" '' 'a wait has its stack, which ends in the call'
is "$(awk -F '\t' '$2 == "read" && $3 !~ /;by_read;/ || $2 == "poll" && $3 !~ /;by_poll;/ || $2 == "clock_nanosleep" && $3 !~ /;by_nap;/' waits.out)" '' \
	'and the call is where the program makes it'
read_as states >states.out
is "$(grep -c Blocked states.out)" 1 'threads are blocked'

read_as calls >got
jq -r '.functions[] | "\(.name)\t\(.calls)"' json | sort >calls
if [ -s got ]; then
	is "$(comm -23 got calls)" '' 'functions have their exact calls'
else
	undecided 'functions have their exact calls' 'no stack was seen'
fi
read_as lines >got
source=$top/tests/targets/plain/waits.c
# The first instruction's line is that of the name, or of the brace below it.
while IFS='	' read -r name where; do
	line=${where##*:}
	sed -n "$((line - 1)),${line}p" "$source" | grep -q "^$name(" || echo "$name $where"
	case $where in
	*tests/targets/plain/waits.c:*) ;;
	*) echo "$name $where" ;;
	esac
done <got >elsewhere
is "$(cat elsewhere)" '' 'and their source files and lines'
profsup-export -q --no-inlines --format=firefox prog "$gmon" >again
cmp -s out again
ok $? 'written again it is the same'

# Two processes; files with names of their own.
mkdir two
for run in 1 2; do
	profsup -q --wall --timeline -F 1000 -d two -o "run.$run" ./prog 1 >said || bail 'it fails'
done
profsup-export -q --no-inlines --format=firefox prog two/run.1 two/run.2 >out
fits 'two processes'
read_as threads >threads.out
is "$(awk '{ print ($1 == $2), $3 }' threads.out)" "$(printf '1 *prog\n1 *prog')" 'each process has its thread, whatever its file is called'
read_as sums >got
perl "$top/tests/lib/stacks.pl" timed two/*.pb.gz | awk -F '\t' '$2 ~ /^\[/' >want
grep '	\[' got | sort >got.waits
sort want -o want
same got.waits want 'and its own waits'

# Several snapshots are of one process.
profsup -q --wall --timeline -F 1000 -d two -o gmon.prog.77.out ./prog 1 >said || bail 'it fails'
cp two/gmon.prog.77.out two/gmon.prog.77.snap3.out
cp two/stacks.prog.77.pb.gz two/stacks.prog.77.snap3.pb.gz
profsup-export -q --format=firefox --intervals prog two/gmon.prog.77.out two/gmon.prog.77.snap3.out >out
fits 'intervals'
is "$(read_as threads | awk '{ print $1 }' | sort -u)" 77 'intervals of one process are of one process'

# Without waits.
profsup -q --timeline -F 1000 -o cpu.gmon ./prog 3 >said || bail 'it fails'
profsup-export --format=firefox prog cpu.gmon >out 2>err
status=$?
if [ -s out ]; then
	is "$status $(grep -v 'no room for what has no time' err)" '0 profsup-export: firefox: threads are not seen where they wait, without profsup --wall' \
		'without --wall that is said'
	fits 'without waits'
	is "$(read_as states)" Running 'and threads run, or nothing is known of them'
else
	is "$status" 1 'a run without a sample has nothing to show'
fi

# What has no times.
profsup -q --wall -o wall.gmon ./prog 1 >said || bail 'it fails'
refused() {
	profsup-export --format=firefox -o none "$@" 2>err
	echo "$? $(cat err)$([ ! -e none ] || echo ', and a file')"
}
is "$(refused prog wall.gmon)" '1 profsup-export: prog: no sample has a time; firefox is made of those, which profsup --timeline writes' \
	'files without times are refused, by the option that is missing'
profsup -q -o flat.gmon ./prog 1 >said || bail 'it fails'
is "$(refused prog flat.gmon)" '1 profsup-export: no file of stacks is beside a gmon file; firefox is made of stacks, which profsup --timeline writes' \
	'and so are those without stacks'
is "$(refused --no-stacks prog flat.gmon)" '2 profsup-export: --no-stacks: firefox is made of stacks (--help shows the options)' '--no-stacks is'
is "$(refused --type=blocked prog wall.gmon)" '2 profsup-export: --type=blocked: firefox has all kinds of time (--help shows the options)' 'and --type'

# Samples and waits that are made up: what is known of a time is drawn before it, as far as nothing else was then; the rest of a
# wait for a CPU is where the thread did not run before.
two_functions code aa00112233445566
"$testdir/gmon-edit.pl" bins 100 "$callee" 5 >g
at() {
	echo "100000000$((1000000 + $1))000"
}
"$testdir/stack-edit.pl" moments aa00112233445566 10000000 \
	6 "$(at 130000)" "$callee" 3 0 0 \
	5 "$(at 125000)" "$callee/read" 0 5000000 0 \
	5 "$(at 50000)" "$callee/read" 0 50000000 0 \
	5 "$(at 60000)" "$callee" 1 0 0 \
	5 "$(at 120000)" "$callee/cpu" 0 0 45000000 \
	5 "$(at 100000)" "$callee" 1 0 0 </dev/null | gzip -c >g.pb.gz
profsup-export --format=firefox code g >out 2>err
is "$? $(cat err)" '0 ' 'made up: all of it has its time'
fits 'made up'
is "$(read_as threads)" "$(printf '5 5 *code\n5 6 thread 6')" 'made up: the lowest thread is the process'
# A number in a file's name is the process only in names that profsup has made, and there the one that has a thread.
for name in prof.2.out gmon.code.5.2.out gmon.code.77.out; do
	cp g "$name"
	cp g.pb.gz "$(echo "$name" | sed 's/^gmon\(.*\)out$/stacks\1pb.gz/; t; s/$/.pb.gz/')"
	profsup-export -q --format=firefox code "$name" >named
	"$testdir/firefox.pl" threads <named 2>&1 | awk '{ print $1 }' | sort -u
done >processes
is "$(xargs <processes)" '5 5 77' 'made up: so it is where a name has a number that is none'
read_as rows >got
cat >want <<'X2'
5 0.000000 [read] 50.000000
5 50.000000 [read] 0.000000
5 50.000000 callee 10.000000
5 60.000000 - 0.000000
5 65.000000 [waiting for a CPU] 25.000000
5 90.000000 [waiting for a CPU] 0.000000
5 90.000000 callee 10.000000
5 100.000000 [waiting for a CPU] 20.000000
5 120.000000 [waiting for a CPU] 0.000000
5 120.000000 [read] 5.000000
5 125.000000 - 0.000000
6 100.000000 callee 30.000000
6 130.000000 callee 0.000000
6 130.000000 - 0.000000
X2
sed -E 's/([0-9]+\.[0-9]*[1-9])0+\b/\1/g; s/\.0+\b//g' want >want.short
sed -E 's/([0-9]+\.[0-9]*[1-9])0+\b/\1/g; s/\.0+\b//g' got >got.short
same got.short want.short 'made up: each sample and wait is where it was'
read_as spans | sed -E 's/\.0+\b//g' >got
printf '%s\n' '5 read 0 50' '5 waiting for a CPU 65 90' '5 waiting for a CPU 100 120' '5 read 120 125' >want
same got want 'made up: and so are the markers'
is "$(jq -c '[.meta.startTime + 0, .meta.interval + 0, .shared.resourceTable.length]' out)" '[1000000001000,10,1]' 'made up: since when, and how long a tick is'

# A function that is inlined has its frame, and its lines.
cat >inl.c <<'X2'
static inline __attribute__((always_inline)) void inner(void) {
	__asm__ volatile("nop"); }
__attribute__((noinline)) void callee(void) {
	inner(); }
__attribute__((aligned(16))) void _start(void) { callee(); for (;;) ; }
X2
gcc -O1 -g -nostdlib -static -Wl,--build-id=0xaa00112233445566 -o inl inl.c 2>cc.err || bail "$(cat cc.err)"
callee=$(nm inl | awk '$3 == "callee" { print $1 }')
"$testdir/gmon-edit.pl" bins 100 "$callee" 1 >g
"$testdir/stack-edit.pl" moments aa00112233445566 10000000 5 "$(at 10000)" "$callee" 1 0 0 </dev/null | gzip -c >g.pb.gz
profsup-export --format=firefox inl g >out 2>err
is "$? $(cat err)" '0 ' 'inlined: it is written'
fits 'inlined'
is "$(read_as stacks)" 'callee 4;inner [inlined] 2' 'inlined: it is called by the function that it is in, at its line'
profsup-export --format=firefox --no-inlines inl g >out
is "$(read_as stacks)" 'callee 2' 'and not by --no-inlines'
done_testing
