#!/bin/sh
# Snapshots, by SIGUSR2 and by the clock: whole files, numbered, of programs that run on and notice nothing.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/steps.sh"

cp "$(target steps)" steps
trap 'kill -9 ${kept:-} 2>/dev/null; cd /; rm -rf "$scratch"' EXIT

# snapshot N: the Nth is asked for, and there.
snapshot() {
	kill -USR2 "$front"
	wait_until 60 taken "$1"
}

# With the files of as many processes as live.
taken() {
	[ "$(echo gmon.*."snap$1".out | wc -w)" -eq "${alive:-1}" ] && [ -f "$(echo gmon.*."snap$1".out | cut -d' ' -f1)" ]
}

counts() {
	all_calls steps "gmon.steps.$pid.$1out"
}

for sampler in $(samplers); do
	begin --sampler="$sampler"
	step 'call 5' 'thread 3'
	snapshot 1
	ok $? "$sampler: SIGUSR2: there is a snapshot"
	step 'call 10' lock
	snapshot 2
	ok $? "$sampler: another, of a program in strict seccomp"
	step 'call 100'
	end 'exit 3'
	is "$status" 3 "$sampler: the signal is not passed on, and the exit status is the program's"
	is "$(counts snap1.)/$(counts snap2.)/$(counts '')" ' work=8/ work=18/ work=118' \
		"$sampler: each has the calls until then, the file all"
	is "$(stat -c %a "gmon.steps.$pid.snap1.out")" 600 "$sampler: the mode is 0600"
	is "$(find . -name '.gmon*')" '' "$sampler: nothing is left beside them"

	# All processes; one that comes later has no earlier number.
	begin --sampler="$sampler"
	step 'call 1'
	snapshot 1
	step keep
	kept=$(child_pid)
	alive=2
	snapshot 2
	ok $? "$sampler: a snapshot is of all processes"
	alive=1
	[ -f "gmon.steps.$kept.snap2.out" ] && [ ! -f "gmon.steps.$kept.snap1.out" ]
	ok $? "$sampler: their numbers are those of the run"
	kill -9 "$kept"
	end
	is "$status" 0 "$sampler: and it ends as ever"
	files_are 5
	ok $? "$sampler: with the files of the end beside them" || diag "$(echo gmon.*)"

	# Names.
	begin --sampler="$sampler" -o '%n-%p'
	step 'call 4'
	kill -USR2 "$front"
	wait_until 60 [ -f "steps-$pid.snap1" ]
	ok $? "$sampler: -o: the number is at the end of a name without an ending"
	end
	mkdir -p dir
	begin --sampler="$sampler" -d dir -o 'prof.out'
	step 'call 4' keep
	kept=$(child_pid)
	kill -USR2 "$front"
	wait_until 60 [ -f dir/prof.snap1.2.out ]
	is "$?$(cd dir && echo *)" '0prof.snap1.2.out prof.snap1.out' "$sampler: -d and -o: a namesake has a number more"
	kill -9 "$kept"
	end
	rm -rf dir

	# --sum
	begin --sampler="$sampler" --sum
	step 'call 5' 'fork 30'
	wait_until 60 [ -f gmon.steps.out ]
	snapshot 1
	step 'call 2' 'fork 6'
	wait_until 60 grep -q 'of 2 processes' err
	snapshot 2
	end
	is "$(all_calls steps gmon.steps.snap1.out)/$(all_calls steps gmon.steps.snap2.out)/$(all_calls steps gmon.steps.out)" \
		' child_work=30 work=5/ child_work=36 work=7/ child_work=36 work=7' \
		"$sampler: --sum: those that have ended and those that run, each once"

	# Of a program that is busy: whole files whose counts and ticks grow.
	begin --sampler="$sampler" --every=0.05
	step 'call 8000000' 'thread 8000000' 'fork 4000000' 'call 8000000'
	wait_until 60 [ -f "gmon.steps.$pid.snap3.out" ]
	ok $? "$sampler: --every: there are snapshots"
	end
	is "$status" 0 "$sampler: --every: it ends as ever"
	last=0 last_ticks=0 grown=0 n=0
	while [ -f "gmon.steps.$pid.snap$((n + 1)).out" ]; do
		n=$((n + 1))
		now=$(counts "snap$n." | sed 's/.*=//')
		now_ticks=$(ticks "gmon.steps.$pid.snap$n.out")
		[ "${now:-0}" -ge "$last" ] && [ "$now_ticks" -ge "$last_ticks" ] && grown=$((grown + 1))
		last=${now:-0} last_ticks=$now_ticks
	done
	is "$grown" "$n" "$sampler: --every: none has less than the one before"
	is "$(counts '')" ' work=24000000' "$sampler: --every: the file of the end has every call"
	between "$(ticks "gmon.steps.$pid.out")" "$last_ticks" 1000000 "$sampler: --every: and no less time than the last snapshot"
	begin --sampler="$sampler" --every=0.01 -D -1
	step 'call 5000000' 'call 5000000'
	end
	is "$(find . -name 'gmon.*.snap*')" '' "$sampler: --every: none while the profile is off"
done

# Nobody else has the supervisor take one, and nobody's is missed after the program itself has ended.
begin
step 'call 1' keep
kept=$(child_pid)
kill -IO "$(supervisor_of "$pid")"
kill -USR2 "$(supervisor_of "$pid")"
echo 'exit 5' >&8
wait_until 60 is_gone "$pid"
kill -USR2 "$front"
wait_until 60 [ -f "gmon.steps.$kept.snap1.out" ]
ok $? 'the front takes the signal also when only descendants are left'
is "$(find . -name "gmon.*.snap2.out" | wc -l)" 0 'a signal to the supervisor is none'
kill -9 "$kept"
end
is "$status" 5 'and the exit status is still the program'"'"'s'

# With -p there is no target of the front's: all the same.
rm -rf gmon.* steps.in out err
mkfifo steps.in
steps=0
./steps <steps.in >out 2>program.err &
exec 8>steps.in
pid=$(ready_pid out)
profsup -v -p "$pid" 2>err &
front=$!
will_say ': attached'
step 'call 7'
snapshot 1
ok $? '-p: SIGUSR2: there is a snapshot'
step 'call 3'
end
is "$(counts snap1.)/$(counts '')" ' work=7/ work=10' '-p: with the calls until then; the file has all'
done_testing
