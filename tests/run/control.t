#!/bin/sh
# --control: a run that is under way does what a fifo says, also while the program sits in strict seccomp.
. "$(dirname "$0")/../lib/testlib.sh"
others_begin
. "$top/tests/lib/steps.sh"

cp "$(target steps)" steps
mkfifo ctl ack
trap 'kill -9 ${kept:-} ${front:-} 2>/dev/null; cd /; rm -rf "$scratch"' EXIT
exec 6<>ctl 7<>ack

# start OPTION...: ./steps with the fifos.
start() {
	begin --sampler="$sampler" --control=fifo:ctl,ack "$@"
}

# The next line of the answers, or "nothing" after a minute.
answer() {
	# shellcheck disable=SC2016 # for the inner shell
	timeout 60 sh -c 'read -r line && echo "$line"' <&7 || echo nothing
}

# order COMMAND...: each is answered.
order() {
	for command; do
		echo "$command" >&6
		is "$(answer)" ack "$sampler: $command is answered"
	done
}

counts() {
	all_calls steps "gmon.steps.$pid.$1out"
}

# ask: what status says, in $said.
ask() {
	echo status >&6
	said=
	while line=$(answer); do
		case $line in
		ack | nothing) return ;;
		esac
		said="$said$line;"
	done
}

for sampler in $(samplers); do
	start
	step 'call 5'
	order ping
	step 'call 10' lock
	order disable
	step 'call 100'
	ask
	is "$said" "$pid steps $(echo "$said" | cut -d' ' -f3) off;" "$sampler: status: what is off is so"
	order enable
	step 'call 1000'
	ask
	is "$said" "$pid steps $(echo "$said" | cut -d' ' -f3) on;" "$sampler: status: and what is on"
	order snapshot
	is "$(counts snap1.)" ' work=1015' "$sampler: snapshot: it is there when the answer comes"
	order disable disable
	step 'call 4'
	ask
	ticks=$said
	step 'call 50000000'
	ask
	is "$said" "$ticks" "$sampler: disable: no ticks are counted after it"
	order snapshot enable enable
	step 'call 10000'
	end 'exit 6'
	is "$status" 6 "$sampler: the exit status is the program's"
	is "$(counts snap2.)/$(counts '')" ' work=1015/ work=11015' "$sampler: calls count while the profile is enabled, in a sandbox"
	is "$(grep -v '^ready\|^done' out)" '' "$sampler: the program prints nothing else"

	# Threads and forks.
	start -D -1
	step 'call 3' 'thread 5' 'fork 7' keep
	kept=$(child_pid)
	order enable
	step 'thread 11' 'fork 13'
	ask
	is "$(echo "$said" | tr ';' '\n' | grep -c ' on$')" 2 "$sampler: -D -1: enable is for all processes"
	order disable
	step 'thread 17' 'fork 19' 'call 23'
	order enable
	kill -9 "$kept"
	end
	is "$(counts '')" ' work=11' "$sampler: threads count while it is enabled"
	is "$(for f in gmon.*; do all_calls steps "$f"; done | tr ' ' '\n' | sort | tr '\n' ' ')" ' child_work=13 work=11 ' \
		"$sampler: and so do forked children"
	start
	step off
	order disable enable
	step 'call 3' on
	order disable
	step off on 'call 5'
	order enable
	step 'call 7'
	end
	is "$(counts '')" ' work=7' "$sampler: what the program has paused stays so, and what we have paused it can't start"
	start -D 1000000
	step 'call 3'
	order enable
	step 'call 4'
	end
	is "$(counts '')" ' work=4' "$sampler: enable comes before the end of a delay"

	# zero
	start -F 1000
	step 'call 50000000' 'thread 6'
	order snapshot zero
	is "$(ask; echo "$said" | cut -d' ' -f3)" 0 "$sampler: zero: no ticks are left"
	step 'call 50000001' 'fork 9' lock
	order snapshot zero
	step 'call 8'
	end
	is "$(counts snap1.)/$(counts snap2.)/$(counts '')" ' work=50000006/ work=50000001/ work=8' \
		"$sampler: zero: each part has its own calls, so that all parts together are the whole"
	between_others "$(($(ticks "gmon.steps.$pid.snap1.out") + $(ticks "gmon.steps.$pid.snap2.out")))" 10 1000000 "$sampler: and the time"
	[ "$(ticks "gmon.steps.$pid.out")" -lt "$(ticks "gmon.steps.$pid.snap2.out")" ]
	ok $? "$sampler: zero: the time of before is not in the last one"
	start --sum
	step 'call 5' 'fork 30'
	wait_until 60 [ -f gmon.steps.out ]
	order snapshot zero
	step 'call 6'
	end
	is "$(all_calls steps gmon.steps.snap1.out)/$(all_calls steps gmon.steps.out)" ' child_work=30 work=5/ work=6' \
		"$sampler: zero: with --sum, those that have ended count no more"

	# stop
	start
	step 'call 5' keep
	kept=$(child_pid)
	order stop
	is "$(counts '')" ' work=5' "$sampler: stop: the file is there"
	wait_until 60 is_free "$pid" && wait_until 60 is_free "$kept"
	ok $? "$sampler: stop: nobody has a tracer any more"
	step 'call 7' 'fork 8' lock
	end 'exit 9'
	is "$status/$(set -- gmon.*; echo $#)$(counts '')" '9/2 work=5' "$sampler: stop: the program runs on, and ends as ever"
	kill -9 "$kept"

	# A stopped program.
	start
	step 'call 6'
	kill -STOP "$pid"
	wait_until 60 is_stopped "$pid"
	order snapshot disable zero enable
	is_stopped "$pid"
	ok $? "$sampler: a stopped program stays stopped"
	kill -CONT "$pid" "$front"
	step 'call 2'
	end
	is "$(counts snap1.)/$(counts '')" ' work=6/ work=2' "$sampler: and has its calls"
done

# The fifo itself.
sampler=ptrace
start
printf 'pi' >&6
printf 'ng\nping\nping\nno such\n\n' >&6
is "$(answer)$(answer)$(answer)" ackackack 'a command may come in parts, and several at once'
order ping
is "$(grep -c 'unknown command' err)/$(grep -c 'unknown command: no such$' err)" 1/1 'what is no command is told of, and not answered'
head -c 1000000 /dev/zero | tr '\0' x >&6
echo >&6
order ping
head -c 1000000 /dev/zero | tr '\0' '\n' >&6
order ping
yes | head -c 500000 >&6
order ping
between "$(grep -c 'unknown command' err)" 3 30 'garbage is told of, but not for ever'
perl -e 'print "\0\377\033[31m\n"' >&6
order ping
is "$(tr -d '\n\t -~' <err | wc -c)" 0 'and shown as printable characters only'
rm ctl ack
order ping
step 'call 3'
end
is "$status/$(counts '')" '0/ work=3' 'the run goes on when the fifos have been removed'
exec 6<&- 7<&-

# Nobody at the other end.
mkfifo ctl ack
begin --control=fifo:ctl,ack
step 'call 3'
yes status 2>/dev/null | head -n 3000 >ctl
echo snapshot >ctl
wait_until 60 [ -f "gmon.steps.$pid.snap1.out" ]
ok $? 'that nobody reads the answers holds nothing up'
step 'call 4'
end
is "$status/$(counts '')" '0/ work=7' 'and ends nothing'
begin --control=fifo:ctl
step 'call 3'
echo status >ctl
wait_until 60 grep -q "^profsup: $pid steps [0-9]* on$" err
ok $? 'without a fifo for answers status is on standard error'
end

# What it can't be.
echo precious >file
for bad in fd:3 fifo: fifo:,ack 'fifo:ctl,' fifo:none fifo:ctl,none fifo:file fifo:ctl,file x ''; do
	profsup --control="$bad" ./steps </dev/null 2>err
	is "$?/$(grep -c '^profsup: --control' err)" 125/1 "--control=$bad is refused"
done
is "$(cat file)" precious 'and what it names unharmed'
done_testing
