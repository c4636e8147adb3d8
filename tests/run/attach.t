#!/bin/sh
# san: traced
# -p: a process that runs already is profiled from then on, exactly, and left as it was found.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/steps.sh"

for program in steps attach hold; do
	cp "$(target $program)" $program
done
pid='' front='' kept='' ended=''
# shellcheck disable=SC2086 # words
trap 'kill -9 $pid $front $kept $ended 2>/dev/null; cd /; rm -rf "$scratch"' EXIT

# alone PROGRAM: starts it without profsup; its pid in $pid.
alone() {
	[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null
	rm -rf gmon.* steps.in out
	mkfifo steps.in
	steps=0
	"$@" <steps.in >out 2>&1 &
	exec 8>steps.in
	pid=$(ready_pid out)
}

# attach OPTION...: profsup's pid in $front; returns when the profile is on.
attach() {
	rm -f err
	# A background job of a shell without job control has SIGINT ignored.
	# shellcheck disable=SC2016 # Perl
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' profsup -v -F 1000 -p "$pid" "$@" >p.out 2>err &
	front=$!
	wait_until 60 grep -q -e ': attached, ' -e ' -p ' err
	grep -q ': attached, ' err || diag_file err
}

# detach [SIGNAL]: profsup's exit status in $status.
detach() {
	[ "${1:-}" = none ] || kill "-${1:-TERM}" "$front"
	wait_until 60 is_gone "$front" || { diag 'profsup does not end'; kill -9 "$front"; }
	wait "$front" 2>/dev/null
	status=$?
}

# left_alone: the process has no tracer, and none of its threads is stopped.
left_alone() {
	for task in /proc/"$pid"/task/*/status; do
		awk '/^TracerPid:/ && $2 != 0 || /^State:/ && $2 !~ /[RSD]/ { bad = 1 } END { exit bad }' "$task" 2>/dev/null ||
			[ ! -e "$task" ] || { diag_file "$task"; return 1; }
	done
}

# calls_said: the last "calls N".
calls_said() {
	sed -n 's/^calls //p' out | tail -n 1
}

# shared_byte PROGRAM: the state's shared_tp, its second byte.
shared_byte() {
	perl -e '
		my ($file, $pid) = @ARGV;
		my ($at) = map { /^(\S+) . __profsup_state$/ ? hex $1 : () } `nm $file`;
		open my $mem, "<", "/proc/$pid/mem" or die;
		sysseek $mem, $at + 1, 0;
		sysread $mem, my $byte, 1;
		print ord $byte, "\n"' "$1" "$pid"
}
shared_is() {
	[ "$(shared_byte attach)" = "$1" ]
}

for sampler in $(samplers); do
	alone ./steps
	step 'call 1000'
	attach --sampler="$sampler"
	is_traced "$pid"
	ok $? "$sampler: it is traced"
	step 'call 77' 'thread 5' 'fork 9' keep
	kept=$(child_pid)
	step 'call 3'
	detach
	is "$status" 0 "$sampler: SIGTERM: the status is 0"
	left_alone
	ok $? "$sampler: it goes on, without a tracer"
	is_free "$kept" && wait_until 60 state_is "$kept" S
	ok $? "$sampler: so does a child"
	is "$(all_calls steps "gmon.steps.$pid.out")" ' work=85' "$sampler: the calls from the attach on are in its file"
	is "$(for f in gmon.*; do all_calls steps "$f"; echo; done | sort | tr -d '\n')" ' child_work=9 work=85' \
		"$sampler: a child's are in its own, without its parent's"
	is "$(set -- gmon.*; echo $#)" 3 "$sampler: there is no other"
	is "$(cat p.out)" '' "$sampler: nothing is on standard output"
	kill -9 "$kept"

	rm -f gmon.*
	step 'call 500'
	attach --sampler="$sampler"
	step 'call 6' 'fork 4'
	detach INT
	is "$status" 0 "$sampler: SIGINT: the status is 0"
	is "$(for f in gmon.*; do all_calls steps "$f"; echo; done | sort | tr -d '\n')" ' child_work=4 work=6' \
		"$sampler: a second attach counts from itself on"
	left_alone
	ok $? "$sampler: and leaves it alone"

	rm -f gmon.*
	attach --sampler="$sampler" --since-start
	step 'call 1'
	detach HUP
	is "$(all_calls steps "$(the_file)")" ' work=92' "$sampler: --since-start: with those that all of profsup have counted"
	step 'call 10' lock 'call 10'
	rm -f gmon.*
	attach --sampler="$sampler"
	step 'call 12'
	kill -KILL "$pid"
	detach none
	is "$status/$(all_calls steps "$(the_file)")" '0/ work=12' "$sampler: in a strict sandbox, and to a violent end"

	# What the program says of itself holds before and after.
	alone ./steps
	step off 'call 5'
	attach --sampler="$sampler"
	step 'call 10' on 'call 20' off 'call 40' on 'call 80'
	echo 'exit 3' >&8
	detach none
	is "$status/$(all_calls steps "$(the_file)")" '0/ work=100' "$sampler: moncontrol before and after the attach"
	alone env PROFIL_DISABLE=1 ./steps
	attach --sampler="$sampler"
	step 'call 10' on 'call 20'
	detach
	is "$(all_calls steps "$(the_file)")" ' work=20' "$sampler: PROFIL_DISABLE holds"

	# -D, --duration and --no-follow.
	alone ./steps
	attach --sampler="$sampler" -D -1
	step 'call 10'
	detach
	is "$status/$(all_calls steps "$(the_file)")" 0/ "$sampler: -D -1: nothing counts"
	attach --sampler="$sampler" --duration 1 --no-follow
	step 'fork 5'
	wait_until 60 is_gone "$front"
	detach none
	is "$status/$(set -- gmon.*; echo $#)" 0/1 "$sampler: --duration ends it, --no-follow lets children go"
	left_alone
	ok $? "$sampler: and leaves it alone"

	# Supervised from its start, and its supervisor killed.
	begin --sampler="$sampler"
	step 'call 30'
	kill -KILL "$(supervisor_of "$pid")"
	wait_until 60 is_free "$pid"
	ended=$front
	attach --sampler="$sampler"
	step 'call 5' 'fork 2'
	detach
	is "$(for f in gmon.*; do all_calls steps "$f"; echo; done | sort | tr -d '\n')" ' child_work=2 work=5' \
		"$sampler: one whose supervisor has died: from the attach on"
	rm -f gmon.*
	attach --sampler="$sampler" --since-start
	step 'call 2'
	# The program lives on when profsup is killed, and the next one finds all.
	kill -KILL "$front"
	wait_until 60 is_free "$pid"
	ok $? "$sampler: when profsup is killed, the program is let go"
	wait_until 60 files_are 1
	is "$(all_calls steps "$(the_file)")" ' work=37' "$sampler: with a file, and --since-start has its calls since then"
	left_alone
	ok $? "$sampler: and nothing is left stopped"
	kill -9 "$ended" 2>/dev/null
	attach --sampler="$sampler"
	kill -KILL "$(supervisor_of "$pid")"
	detach none
	is "$status" 125 "$sampler: the supervisor killed: the status says so"
	step 'call 4'
	ok $? "$sampler: the program goes on"

	# Threads.
	alone ./attach
	step 'threads 6'
	attach --sampler="$sampler"
	is "$(sed -n 's/.* attached, //p' err)" '7 threads' "$sampler: all threads are found"
	wait_until 60 shared_is 0
	ok $? "$sampler: threads with pointers of their own get tables of their own"
	step 'call 10000' 'burn 80' still
	detach
	is "$(all_calls attach "$(the_file)")" " work=$(calls_said)" "$sampler: threads: each call is counted"
	left_alone
	ok $? "$sampler: threads: all go on"

	alone ./attach
	step 'threads 2' raw raw
	attach --sampler="$sampler"
	step 'call 100000' still
	detach
	is "$(shared_byte attach)/$(all_calls attach "$(the_file)")" "1/ work=$(calls_said)" \
		"$sampler: threads that share a pointer: each call is counted"

	alone ./attach
	step churn
	for i in 1 2 3; do
		before=$(calls_said)
		attach --sampler="$sampler"
		step 'call 5' 'call 1000' still
		detach
		is "$status/$(all_calls attach "$(the_file)")" "0/ work=$(($(calls_said) - ${before:-0}))" \
			"$sampler: threads that come and go: each call is counted ($i)"
		left_alone
		ok $? "$sampler: and none stays stopped ($i)"
		rm -f gmon.*
	done

	# Found stopped, left stopped.
	alone ./steps
	kill -STOP "$pid"
	wait_until 60 is_stopped "$pid"
	attach --sampler="$sampler"
	detach
	wait_until 60 state_is "$pid" T
	is "$status/$(stat_field "$pid" 1)" 0/T "$sampler: what was stopped stays so"
	attach --sampler="$sampler"
	kill -CONT "$pid"
	step 'call 8'
	detach
	is "$status/$(all_calls steps "$(the_file)")" '0/ work=8' "$sampler: and can go on, attached"
done

# attach_as_user WHAT: a point, of one who is not root.
attach_as_user() {
	: >err.nobody # of the one before
	setpriv --reuid 65534 --regid 65534 --clear-groups profsup -v -p "$pid" 2>err.nobody &
	front=$!
	if wait_until 60 grep -q ': attached, ' err.nobody; then
		step 'call 9'
		detach
		is "$status/$(all_calls steps "$(the_file)")" '0/ work=9' "$1" || diag_file err.nobody
	else
		grep -q 'ptrace_scope is [123]' err.nobody
		ok $? "$1; where Yama forbids it, that is said"
	fi
	rm -f gmon.*
}

# The directory, and the identity.
mkdir -m 755 there
alone ./steps
attach -d there -o '%n.gmon'
step 'call 5'
detach
is "$(ls there)" steps.gmon '-d and -o: where and how'
chmod 1777 .
if [ "$(id -u)" -eq 0 ]; then
	alone setpriv --reuid 65534 --regid 65534 --clear-groups ./steps
	attach
	step 'call 5'
	detach
	is "$(stat -c '%u:%g' "$(the_file)")" 65534:65534 "a user's program: the file is his"
	rm -f gmon.*
	setpriv --reuid 65533 --regid 65533 --clear-groups profsup -q -p "$pid" 2>err
	is "$?/$(sed 's/[0-9][0-9]*/N/' err)" "126/profsup: -p N: can't attach (it is another user's: run profsup as that user, or as root): Operation not permitted" \
		"another user's can't be had"
	wait_until 60 state_is "$pid" S && is_free "$pid"
	ok $? 'and nothing happens to it'
	attach_as_user "the same user's can"
	# Who can't change his groups acts as he is.
	alone setpriv --reuid 65534 --regid 65534 --groups 20 ./steps
	attach_as_user 'one with other groups can be had, too'
	alone setpriv --reuid 65534 --regid 65534 --clear-groups ./steps
	setpriv --bounding-set -setuid,-setgid profsup -v -p "$pid" 2>err &
	front=$!
	wait_until 60 grep -q ': attached, ' err
	step 'call 9'
	detach
	is "$status/$(grep -c "out: can't act as uid 65534, gid 65534: Operation not permitted" err)" 125/1 \
		'root who may not be others says so' || diag_file err
fi

# What can't be.
# refused STATUS WORDS OPTION...: beside the profsup of attach(), which may write to err meanwhile.
refused() {
	want=$1 words=$2
	shift 2
	profsup "$@" >refused.out 2>refused
	is "$?/$(head -n 1 refused | grep -Fc -e "$words")/$(grep -c '^profsup:' refused)" "$want/1/1" "$words" || diag_file refused
}
alone ./attach
refused 125 'no such process' -p 4194303
step 'threads 1'
# Numbers begin again, so the new thread's may be the lower one.
for tid in /proc/"$pid"/task/*; do
	tid=${tid##*/}
	[ "$tid" = "$pid" ] || break
done
refused 125 'that is a thread: give its process ID' -p "$tid"
attach
refused 125 'it is traced already' -p "$pid"
detach
refused 125 'not chosen by --only' --only 'x*' -p "$pid"
step end-main
wait_until 60 state_is "$pid" Z
refused 125 'it has ended, or its first thread has' -p "$pid"
kill -9 "$pid"
# shellcheck disable=SC2016 # Perl's
perl -e '$| = 1; my $pid = fork // die; exit if !$pid; print "$pid\n"; sleep 60' >zombie &
kept=$!
wait_until 60 test -s zombie
zombie=$(cat zombie)
wait_until 60 state_is "$zombie" Z
refused 125 'it has ended, or its first thread has' -p "$zombie"
kill "$kept"
sleep 60 &
kept=$!
wait_until 60 test "/proc/$kept/exe" -ef "$(command -v sleep)"
refused 125 'dynamically linked; relink with profsup-cc, or -a takes samples' -p "$kept"
is_free "$kept" && wait_until 60 state_is "$kept" S
ok $? 'it runs on'
kill "$kept"
cc -static -o plain "$top/tests/targets/plain/hold.c"
mkfifo plain.in
./plain <plain.in >plain.out &
kept=$!
exec 9>plain.in
wait_until 60 test -s plain.out
refused 125 "not linked with profsup's runtime; relink with profsup-cc, or -a takes samples" -p "$kept"
exec 9>&-
if [ "$(ps -o comm= -p 2)" = kthreadd ]; then
	refused 125 'that is a thread of the kernel' -p 2
fi
# shellcheck disable=SC2016 # another shell's
sh -c 'exec profsup -q -p $$' 2>err
is "$?/$(grep -c 'that is profsup itself' err)" 125/1 'that is profsup itself'
done_testing
