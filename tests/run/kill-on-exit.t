#!/bin/sh
# --kill-on-exit: all that is followed goes with profsup, whichever of its processes is killed; and SIGINT and SIGTERM
# to profsup alone reach the program once.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/steps.sh"

cp "$(target steps)" steps
cp "$(target signals)" signals
cp "$(target family)" family
trap 'kill -9 ${kept:-} 2>/dev/null; cd /; rm -rf "$scratch"' EXIT

# begin_with_child OPTION...
begin_with_child() {
	begin "$@"
	step 'call 40' keep
	kept=$(child_pid)
}

both_gone() {
	is_gone "$pid" && is_gone "$kept"
}

for sampler in $(samplers); do
	begin_with_child --sampler="$sampler" --kill-on-exit
	kill -9 "$front"
	wait_until 60 both_gone
	ok $? "$sampler: profsup is killed: so are the program and its child"
	end
	is "$status" 137 "$sampler: by SIGKILL"
	wait_until 60 files_are 2
	ok $? "$sampler: their files are written"
	is "$(all_calls steps "gmon.steps.$pid.out")" ' work=40' "$sampler: with the calls until then"

	begin_with_child --sampler="$sampler" --kill-on-exit
	step lock
	kill -9 "$(supervisor_of "$pid")"
	wait_until 60 both_gone
	ok $? "$sampler: its supervisor is killed: so are they, also in a sandbox"
	end
	is "$status" 137 "$sampler: profsup ends as the program did"

	begin_with_child --sampler="$sampler" --kill-on-exit
	end 'exit 3' &
	ender=$!
	exec 8>&-
	# profsup has waited for it, too: until then a signal is passed on to the program.
	wait_until 60 test ! -e "/proc/$pid"
	is_traced "$kept"
	ok $? "$sampler: the program ends by itself: its child goes on"
	kill -TERM "$front"
	wait_until 60 is_gone "$kept"
	ok $? "$sampler: and goes when profsup is terminated"
	wait "$ender" "$front" 2>/dev/null
	wait_until 60 files_are 2
	ok $? "$sampler: both files are there"

	begin_with_child --sampler="$sampler"
	kill -9 "$front"
	wait_until 60 is_gone "$front"
	step 'call 2'
	ok $? "$sampler: without it the program goes on"
	kill -9 "$kept"
	end
	wait_until 60 files_are 2
	is "$(all_calls steps "gmon.steps.$pid.out")" ' work=42' "$sampler: and its file is whole"

	begin_with_child --sampler="$sampler" --kill-on-exit --no-follow
	wait_until 60 is_free "$kept"
	kill -9 "$front"
	wait_until 60 is_gone "$pid"
	ok $? "$sampler: with --no-follow the program is killed"
	is_going "$kept"
	ok $? "$sampler: and its child, which is not followed, is not"
	kill -9 "$kept"
	end
done

# The signals that end things, to profsup alone: the program gets each of them once, and its file is written.
for sig in INT TERM; do
	for sampler in $(samplers); do
		rm -f gmon.* out
		cat >count-signals.pl <<-'END'
			$SIG{INT} = $SIG{TERM} = sub { $n++ };
			$| = 1;
			system './steps </dev/null >/dev/null';
			print "ready $$\n";
			select undef, undef, undef, 10 until $n;
			select undef, undef, undef, 0.3;
			print "signals $n\n";
			exec './steps </dev/null >/dev/null';
		END
		perl -e '$SIG{INT} = $SIG{QUIT} = "DEFAULT"; exec @ARGV' profsup --sampler="$sampler" perl count-signals.pl >out 2>err &
		front=$!
		ready_pid out >ready
		kill -$sig "$front"
		wait "$front"
		is "$?/$(grep signals out)" '0/signals 1' "$sampler: SIG$sig to profsup alone reaches the program once"
		files_are 2
		ok $? "$sampler: SIG$sig: the files are written"

		rm -f gmon.* out
		perl -e '$SIG{INT} = $SIG{QUIT} = "DEFAULT"; exec @ARGV' profsup --sampler="$sampler" ./family wait >out 2>err &
		front=$!
		wait_until 60 grep -q '^ready' out
		kill -$sig "$front"
		wait_until 60 files_are 1
		ok $? "$sampler: SIG$sig: one that dies of it has its file"
		sed -n 's/^child[0-9]* //p' out | xargs kill -9
		wait "$front"
		is $? "$([ $sig = INT ] && echo 130 || echo 143)" "$sampler: SIG$sig: and profsup dies of it, too"
		is "$(set -- gmon.*; echo $#)" 9 "$sampler: SIG$sig: after the files of the others"
	done
done
done_testing
