#!/bin/sh
# --no-follow, -f and --only: who is profiled; the others run on as if alone.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/steps.sh"

cp "$(target family)" family
cp "$(target steps)" steps
cp "$(target count)" count
cp "$(target threads)" threads
trap 'kill -9 ${kept:-} 2>/dev/null; cd /; rm -rf "$scratch"' EXIT

for sampler in $(samplers); do
	for how in fork fork-_exit vfork-exec vfork-_exit clone clone-parent clone-untraced clone3 posix_spawn fork-exec-self grandchildren; do
		rm -f gmon.*
		profsup --sampler="$sampler" --no-follow ./family $how >out 2>err
		is "$?$(said err)" 0 "$sampler, --no-follow, $how: all end as alone"
		is "$(all_calls family "$(the_file)")" ' parent_work=1500' "$sampler, $how: one file, with the first one's calls alone"
		is "$(sort out | cut -d' ' -f1 | tr '\n' ' ')" "$(./family $how | sort | cut -d' ' -f1 | tr '\n' ' ')" \
			"$sampler, $how: the others have run"
	done
	rm -f gmon.*
	profsup --sampler="$sampler" --no-follow ./family clone-vm >out 2>err
	is "$?$(said err)/$(all_calls family "$(the_file)")" '0/ child_work=100 parent_work=1500' \
		"$sampler: what runs in the same memory counts there"

	begin --sampler="$sampler" --no-follow
	step 'call 10' 'thread 7' 'fork 5' keep
	kept=$(child_pid)
	wait_until 60 is_free "$kept"
	ok $? "$sampler: a child has no tracer"
	is_traced "$pid"
	ok $? "$sampler: its parent has"
	end 'exit 3'
	is "$status" 3 "$sampler: profsup ends with the program"
	is "$(all_calls steps "$(the_file)")" ' work=17' "$sampler: threads are followed"
	wait_until 60 state_is "$kept" S
	ok $? "$sampler: and the child goes on"
	kill -9 "$kept"

	# Through exec, not through fork.
	rm -f gmon.*
	profsup --sampler="$sampler" --no-follow sh -c './count 6; exec ./count 5' 2>err
	is "$(calls count "$(the_file)" leaf)" 5 "$sampler: the first process is followed through its execs"
	rm -f gmon.*
	profsup -q --sampler="$sampler" --no-follow -f ./family fork >out 2>err
	is "$(set -- gmon.*; echo $#)" 5 "$sampler: -f takes it back"
	rm -f gmon.*

	profsup --sampler="$sampler" --only 'fam*' --only steps sh -c './family fork >out; ./count 3; echo "call 4" | ./steps >out' 2>err
	is "$?$(said err)" 0 "$sampler: --only: nothing to say"
	is "$(set -- gmon.family.*; echo $#)/$(calls steps "$(the_file steps)" work)" 5/4 "$sampler: what has the name is profiled, children too"
	is "$(the_file count)" no-file "$sampler: and nothing else"
done

# A container's filter may refuse kcmp, which tells whether a child runs in its parent's memory.
calls_of_all() {
	for file in gmon.*; do
		echo "$(all_calls family "$file");"
	done | sort | tr '\n' ' '
}
for how in posix_spawn vfork-_exit vfork-exec fork; do
	for follow in --no-follow --follow-forks; do
		rm -f gmon.*
		profsup "$follow" ./family $how >out 2>err
		usual=$(calls_of_all)
		rm -f gmon.*
		"$(target no-ptrace)" -c profsup "$follow" ./family $how >out 2>err
		is "$?$(said err)/$(calls_of_all)" "0/$usual" "without kcmp, $follow, $how: the same calls" || diag_file err
	done
done
rm -f gmon.*
is "$(profsup -q --no-follow "$(target mailbox-left)" | tr '\n' ' ')" 'child: Function not implemented parent: done ' \
	'a call of another profil in a child that is let go is answered as alone, at once'
rm -f gmon.*
mkdir dir
cp count 'dir/a b'
profsup --only 'a_b' 'dir/a b' 9 2>err
is "$(the_file)" "$(the_file a_b)" 'a name is as it stands in the name of the file'
rm -f gmon.*
profsup --only nix ./count 9 2>err
is "$?$(said err)" '0profsup: nothing was profiled: count: not chosen by --only' 'where nothing is chosen a line says so'
is "$(the_file)" no-file 'and there is no file'
done_testing
