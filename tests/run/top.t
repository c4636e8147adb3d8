#!/bin/sh
# -T: what runs, every second, on the last lines of a terminal or as lines; at the end nothing is left of it.
. "$(dirname "$0")/../lib/testlib.sh"

. "$top/tests/lib/terminal.sh"

cp "$(target work)" work

# With call stacks.
profsup -g --top -F 1000 ./work busy 1700 >out 2>err
grep '% now' err >lines
is "$(grep -vcE '% now, [0-9.]+% of all, [0-9.]+% with callees, [0-9.]+ s, [0-9]+ calls: [[:graph:]]+$' lines)" 0 \
	'-g: each line has the time with callees' || diag_file err
rm -f gmon.* stacks.*

# A program that was not linked for us has no calls, not none of them.
profsup -a --top perl -e 'until ((times)[0] > 1.7) { 1 for 1 .. 10000 }' 2>err
grep '% now' err >lines
[ -s lines ]
ok $? '-a: there are lines' || diag_file err
is "$(grep -vcE ' s, samples only: ' lines)" 0 '-a: each says that there are samples only' || diag_file lines
rm -f gmon.* stacks.*

# Lines.
how=tree processes=4
for sampler in $(samplers); do
	# On a busy machine it may be over before its calls have been read once more.
	for ms in 1700 6800 27200; do
		rm -f gmon.*
		profsup --sampler="$sampler" --top -F 1000 ./work $how $ms >out 2>err
		grep '% now' err >lines
		pid=$(awk '{ print $2; exit }' out)
		last=$(grep "work $pid: .*: A\$" lines | tail -n 1)
		so_far=$(echo "$last" | sed 's/.* s, \([0-9]*\) calls.*/\1/')
		[ "${so_far:-0}" -eq 0 ] || break
	done
	is "$(sed 's/.* work \([0-9]*\): .*/\1/' lines | sort -u | wc -l)" $processes "$sampler: each process ($how) has lines"
	is "$(grep -vcE '^profsup: [0-9.]+ s: work [0-9]+: [0-9.]+% now, [0-9.]+% of all, [0-9.]+ s, [0-9]+ calls: [[:graph:]]+$' lines)" 0 \
		"$sampler: which look as they should" || diag_file lines
	between "$so_far" 1 "$(calls work "gmon.work.$pid.out" A)" "$sampler: with A's calls so far"
	is "$(wc -l <out)" $processes "$sampler: stdout is the program's"
	# That each has lines is no matter of the sampler.
	[ "$(rounds 1 2)" = 2 ] || how=busy processes=1
done

# Two functions of one name, as of two files: what one has used is not the other's news each time.
cat >same.c <<'EOS'
#include <stdlib.h>
#include <time.h>
static volatile unsigned long sink;
void other_file(long ms);
#define BURN(name)                                                                                 \
	__attribute__((noinline)) static void name(long ms) {                                      \
		for (clock_t until = clock() + ms * (CLOCKS_PER_SEC / 1000); clock() < until;)     \
			for (int i = 0; i < 100000; i++)                                           \
				sink++;                                                            \
	}
BURN(same)
#ifdef OTHER
void other_file(long ms) { same(ms); sink++; }
#else
BURN(later)
int main(int argc, char **argv) { (void)argc; same(atol(argv[1])); other_file(1); later(2 * atol(argv[1])); return 0; }
#endif
EOS
{ profsup-cc -O1 -DOTHER -c -o other.o same.c && profsup-cc -O1 -o same same.c other.o; } || bail 'profsup-cc'
# On a busy machine the last view may be of long ago.
for ms in 1300 5200; do
	rm -f gmon.*
	profsup --top -F 1000 ./same $ms 2>err
	sed -n 's/^profsup: \([0-9.]*\) s: same .*% now.*: \(same\|later\)$/\1 \2/p' err >lines
	views=$(awk '{ now[$1] = now[$1] " " $2; last = $1 } $2 == "same" { any = 1 } END { print any now[last] }' lines)
	[ "$views" != '1 later' ] || break
done
is "$views" '1 later' 'functions of one name have each its own time of now' || diag_file err

# What is forgotten counts no less.
rm -f gmon.*
profsup --top --intervals --every=0.1 --sampler=ptrace -F 1000 ./work busy 1700 >out 2>err
is "$(grep -c '% of a CPU' err)/$(grep -cE ' [0-9]{4,}% of a CPU' err)" "$(grep -c '% of a CPU' err)/0" \
	'--intervals: what they use is no more than all CPUs' || diag_file err
rm -f gmon.*

# Of a server that forks for each request, the time is mostly in processes that have ended.
cat >forks.c <<'EOS'
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long sink;
__attribute__((noinline)) void burn(void) { for (clock_t until = clock() + CLOCKS_PER_SEC / 20; clock() < until;) sink++; }
int main(void) {
	for (int i = 0; i < 40; i++) {
		if (fork() == 0) { burn(); _exit(0); }
		wait(NULL);
	}
	return 0;
}
EOS
profsup-cc -O1 -o forks forks.c || bail 'profsup-cc'
rm -f gmon.*
profsup --top --sampler=ptrace --stats=stats -F 1000 ./forks 2>err
# All but what they use after the last view, in less than a second.
all=$(perl -ne '
	$n += 10 * ($1 - $last) * $2, $last = $1 if /^profsup: ([0-9.]+) s: processes that have ended since: ([0-9]+)% of a CPU$/;
	END { printf "%.0f", $n }' err)
between "$all" 500 "$(($(statistic ticks stats) * 2))" 'what those have used that have ended is shown' || diag_file err

# On a terminal.
cat >start.sh <<'EOS'
stty rows 30 cols 100
echo before
profsup -T -F 1000 "$@"
echo "after $?"
EOS

screen_has() {
	grep -q "$1" screen
}

# on_terminal WORD...: starts it, in $pty.
on_terminal() {
	: >screen
	TERM=${term-xterm} timeout 60 perl "$top/tests/lib/pty.pl" keys screen sh start.sh "$@" &
	pty=$!
	exec 9>keys
}
shown() {
	perl "$top/tests/lib/vt.pl" 30 100 <screen
}
# nothing_left WHAT
nothing_left() {
	is "$(shown | grep -cE '  function|% of a CPU')/$(shown | tail -n 1)" 0/state: "$1: nothing is left on the terminal" || diag "$(shown)"
}

on_terminal ./work tree 2200
wait_until 60 screen_has 'work [0-9]*: .* of a CPU'
ok $? 'a terminal shows processes'
wait $pty
perl -0pe 's/\e7\e\[r.*//s' screen | perl "$top/tests/lib/vt.pl" 30 100 >middle
is "$(grep -cE '^ +now +all +self s +calls  function$' middle)/$(tail -n 1 middle)" '1/state: region hidden' 'once, drawn in place' || diag_file middle
grep -qE '^ +[0-9.]+% +[0-9.]+% +[0-9.]+ +[0-9]+  A$' middle
ok $? 'and their functions' || diag_file middle
nothing_left 'at the end'
is "$(shown | grep -cE '^(before|work [0-9]+ .*|after 0)$')" 6 'and all that others wrote is there'

on_terminal -a perl -e 'until ((times)[0] > 2) { 1 for 1 .. 10000 }'
wait_until 60 screen_has 'perl [0-9]*: .* of a CPU'
wait $pty
perl -0pe 's/\e7\e\[r.*//s' screen | perl "$top/tests/lib/vt.pl" 30 100 >middle
grep -qE '^ +[0-9.]+% +[0-9.]+% +[0-9.]+% +[0-9.]+  [^ ]' middle
is "$?/$(grep -cE '^ +now +all +total +self s  function$' middle)" 0/1 '-a: there is no column of calls, which are not counted' || diag_file middle

on_terminal ./work burst 60000
wait_until 60 screen_has '  A'
printf '\003' >&9
wait $pty
nothing_left 'after Ctrl-C'
on_terminal sh -c './work burst 60000 & echo "pid $!"; wait $!; echo gone'
wait_until 60 screen_has '  A'
kill -SEGV "$(sed -n 's/.*pid \([0-9]*\).*/\1/p' screen | head -n 1)"
wait $pty
nothing_left 'after a crash'
is "$(shown | grep -c '^gone$')" 1 'and what was written then is there'
on_terminal sh -c 'echo "pid $$"; exec ./work burst 60000'
wait_until 60 screen_has '  A'
pid=$(sed -n 's/.*pid \([0-9]*\).*/\1/p' screen | head -n 1)
kill -KILL "$(supervisor_of "$pid")"
wait_until 60 screen_has 'the supervisor was killed'
kill "$pid"
wait $pty
is "$(shown | tail -n 1)/$(shown | grep -c 'the supervisor was killed')" state:/1 'after the death of the supervisor the terminal is whole' || diag "$(shown)"
# What the program sends to its group, or does to the reader.
cat >readers.sh <<'EOS'
# readers PROFSUP: the process that shows --top, and those that read programs for it.
readers() {
	for top in $(cat "/proc/$1/task/$1/children"); do
		case $(tr '\0' ' ' <"/proc/$top/cmdline") in
		'profsup-report --top '*) echo "$top $(cat "/proc/$top/task/$top/children")" ;;
		esac
	done
}
EOS
on_terminal sh -c 'trap "" USR1; ./work burst 60000 & echo "pid $!"; wait $!; kill -USR1 0; echo gone'
wait_until 60 screen_has '  A'
kill "$(sed -n 's/.*pid \([0-9]*\).*/\1/p' screen | head -n 1)"
wait $pty
nothing_left 'after a signal to its group'
# shellcheck disable=SC2016 # it is for that shell
on_terminal sh -c '. ./readers.sh; ./work burst 60000 & echo "pid $!"; wait $!; set -- $(readers $PPID); shift; kill -STOP "$@"; exec ./work busy 1400'
wait_until 60 screen_has '  A'
kill "$(sed -n 's/.*pid \([0-9]*\).*/\1/p' screen | head -n 1)"
wait $pty
nothing_left 'while a program is still read'
exec 9>&-

# Of many programs that come and go.
mkdir many
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
	cp work "many/w$n"
done
cat >many.sh <<'EOS'
. ./readers.sh
for n in 0 8 16; do
	for i in 1 2 3 4 5 6 7 8; do
		many/w$((n + i)) burst 60000 >/dev/null &
		pids="$pids $!"
	done
	until [ "$(grep -oE ': w[0-9]+ ' err | sort -u | wc -l)" -ge $((n + 8)) ]; do sleep 0.1; done
	kill $pids
	wait
	pids=
done
readers $PPID >pids
EOS
profsup -q --top -F 1000 sh many.sh 2>err
between "$(wc -w <pids)" 2 17 'of 24 programs 16 are kept'
left=0
tr -s ' ' '\n' <pids >each
while read -r pid; do
	wait_until 60 is_gone "$pid" || left=$((left + 1))
done <each
is $left 0 'and at the end none'
rm -f gmon.*

# Job control.
is_whole() {
	[ "$(perl "$top/tests/lib/vt.pl" <screen | tail -n 1)" = state: ]
}
terminal bash --norc -i -m
type_line 'stty rows 24 cols 80; TERM=xterm profsup -T -F 1000 ./work burst 60000'
shows '  A$\|  A[^a-z]'
press '\032'
shows Stopped && wait_until 60 is_whole
ok $? 'a program that is stopped has no view'
views=$(grep -c '  A' screen)
type_line 'fg'
shows '  A' $((views + 1))
ok $? 'one that goes on has'
press '\003'
type_line 'echo status $?'
shows '^status 130' && is_whole
ok $? 'and none at its end'
leave

term=dumb on_terminal ./work busy 5000
wait $pty
is "$(grep -c "$(printf '\033')" screen)" 0 'a terminal that can do nothing gets lines'
screen_has 'profsup: .*% now'
ok $? 'with the same' || diag_file screen
done_testing
