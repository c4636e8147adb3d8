#!/bin/sh
# -D and --duration: calls and time count between the two, exactly; afterwards the program runs on as if alone.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/steps.sh"

cp "$(target steps)" steps
cp "$(target work)" work
cp "$(target eintr)" eintr
trap 'kill -9 ${kept:-} 2>/dev/null; cd /; rm -rf "$scratch"' EXIT

now_ms() {
	echo $(($(date +%s%N) / 1000000))
}

# before_it OPTION MS LINE...: the lines are done before that time is over, which a machine that is busy may need another
# try for.
before_it() {
	option=$1 ms=$2
	shift 2
	# shellcheck disable=SC2046,SC2086 # words
	while :; do
		began=$(now_ms)
		begin --sampler="$sampler" $more "$option$(awk -v ms="$ms" -v o="$option" 'BEGIN { print o == "-D" ? ms : ms / 1000 }')"
		step "$@"
		[ $(($(now_ms) - began)) -ge "$ms" ] || return 0
		kill -9 $(child_pid) 2>/dev/null
		end
		[ "$ms" -lt 30000 ] || return 1
		ms=$((ms * 4))
	done
}

over='the time is over'
for sampler in $(samplers); do
	more=
	before_it -D 250 'call 1000' 'thread 100' 'fork 1000' keep
	kept=$(child_pid)
	will_say 'profile starts'
	step 'call 77' 'thread 5' 'fork 9' lock 'call 3'
	kill -9 "$kept"
	end 'exit 4'
	is "$status" 4 "$sampler: -D: the exit status is the program's"
	wait_until 60 files_are 4 || diag "$(echo gmon.*)"
	is "$(all_calls steps "gmon.steps.$pid.out")" ' work=85' "$sampler: -D: calls count from the start of the profile on, in threads and in a sandbox"
	is "$(for f in gmon.*; do all_calls steps "$f"; echo; done | sort | tr -d '\n')" ' child_work=9 work=85' \
		"$sampler: -D: so do a child's"

	before_it -D 250 'call 1000' off
	will_say 'profile starts'
	step 'call 500' on 'call 6' off 'call 7' on
	end
	is "$(all_calls steps "$(the_file)")" ' work=6' "$sampler: -D: what the program itself has paused stays so"
	before_it -D 250 off 'call 20' on 'call 1000'
	will_say 'profile starts'
	step 'call 8'
	end
	is "$(all_calls steps "$(the_file)")" ' work=8' "$sampler: -D: moncontrol(1) does not start it earlier"

	begin --sampler="$sampler" -D -1
	step 'call 10' off on 'call 10' 'fork 5' lock 'call 10'
	end
	is "$(files_are 2; echo $?)/$(all_calls steps "gmon.steps.$pid.out")" 0/ "$sampler: -D -1: files, and nothing in them"

	more=
	before_it --duration= 250 'call 50' 'thread 2' 'fork 9' keep
	kept=$(child_pid)
	will_say "$over"
	wait_until 60 is_free "$pid" && wait_until 60 is_free "$kept"
	ok $? "$sampler: --duration: then nobody has a tracer"
	is "$(all_calls steps "gmon.steps.$pid.out")" ' work=52' "$sampler: --duration: the file is there, with the calls until then"
	is "$(set -- gmon.*; echo $#)" 3 "$sampler: --duration: a child's too"
	step 'call 60' 'thread 3' 'fork 10' off on lock 'call 5'
	end 'exit 7'
	is "$status" 7 "$sampler: --duration: the exit status is still passed on"
	is "$(set -- gmon.*; echo $#)/$(all_calls steps "gmon.steps.$pid.out")" '3/ work=52' "$sampler: --duration: the files stay as they are"
	wait_until 60 state_is "$kept" S
	ok $? "$sampler: --duration: the child goes on"
	kill -9 "$kept"

	before_it --duration= 250 'call 50' lock 'call 1'
	will_say "$over"
	wait_until 60 is_free "$pid"
	step 'call 7'
	kill -KILL "$pid"
	end
	is "$status/$(all_calls steps "$(the_file)")" '137/ work=51' "$sampler: --duration: also in a sandbox, and a later death is passed on"

	# Stopped while it ends.
	before_it --duration= 400 'call 50'
	kill -STOP "$pid"
	will_say "$over"
	wait_until 60 is_free "$pid"
	ok $? "$sampler: --duration: a stopped program is let go"
	# Whoever is let go while it is stopped goes as far as to the next stop.
	wait_until 60 is_stopped "$pid"
	ok $? "$sampler: --duration: and stays stopped"
	kill -CONT "$pid" "$front"
	step 'call 4'
	ok $? "$sampler: --duration: it can go on"
	end
	is "$status" 0 "$sampler: --duration: and end"

	more='-D 150'
	before_it --duration= 400 'call 3'
	will_say "$over"
	wait_until 60 is_free "$pid"
	end
	is "$(files_are 1; echo $?)/$(grep -E -c 'profile starts|is over' err)" 0/2 "$sampler: -D and --duration: one after the other"

	rm -f gmon.*
	profsup -F 1000 --sampler="$sampler" -D 200 --duration 0.4 ./work threads 1500 2 >out 2>err
	is "$?$(said err)" 0 "$sampler: a program in threads: all is well"
	rm -f gmon.*
	is "$(timeout --foreground 60 profsup -q -F 1000 --sampler="$sampler" --duration 0.1 ./eintr all 5 2>&1)" "$(./eintr all 5)" \
		"$sampler: no wait is broken by the end"
done

is "$(profsup -q --duration=0.3 "$(target mailbox-left)" later | tail -n 1)" 'parent: Function not implemented' \
	'a call of another profil after the end is answered as alone, at once'
done_testing
