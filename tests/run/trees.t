#!/bin/sh
# Processes that make others: a file for each, with what it did itself and nothing of its parent's.
# shellcheck disable=SC2016 # inner shells expand their own
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target family)" family
cp "$(target threads)" threads
cp "$(target count)" count

# calls_of PROGRAM OUTPUT: for each "NAME PID" line of the output: NAME and the calls in the file of that pid.
calls_of() {
	grep ' ' "$2" | sort | while read -r name pid; do
		printf '%s:%s ' "$name" "$(all_calls "$1" "gmon.$1.$pid.out")"
	done
}

# family_is HOW WHAT FILES CALLS [MAY-SAY]: lines that match the last may be on stderr (x^: none does).
family_is() {
	rm -f gmon.*
	profsup ./family "$1" >out 2>err
	is $? 0 "$2: the exit status is 0"
	is "$(calls_of family out)" "$4 " "$2: each process has its own calls"
	files_are "$3"
	ok $? "$2: the number of files is $3" || diag "$(ls)"
	is "$(said err | grep -vE "${5:-x^}")" '' "$2: nothing is said"
}

parent='parent: parent_work=1500'
family_is fork fork 5 "child1: child_work=100 child2: child_work=200 child3: child_work=300 child4: child_work=400 $parent"
family_is fork-_exit 'fork and _exit' 2 "child1: child_work=100 $parent"
family_is vfork-exec 'vfork and exec' 2 "child3: child_work=300 $parent"
family_is posix_spawn posix_spawn 2 "child3: child_work=300 $parent"
family_is clone clone 2 "child1: child_work=100 $parent"
family_is clone-parent 'clone with CLONE_PARENT' 2 "child1: child_work=100 $parent"
family_is clone-no-signal 'clone without an exit signal' 2 "child1: child_work=100 $parent"
family_is clone3 clone3 2 "child1: child_work=100 $parent"
family_is clone3-clear-sighand 'clone3 with CLONE_CLEAR_SIGHAND' 2 "child1: child_work=100 $parent"
family_is fork-exec-self 'fork and exec of itself' 2 "child3: child_work=300 $parent"
family_is grandchildren grandchildren 5 \
	"child1: child_work=100 child2: child_work=200 grandchild: grandchild_work=77 grandchild: grandchild_work=77 $parent"

# One that is killed just when it is let run may be let go from its exit stop as well: that is said.
family_is bomb '200 children killed while they are born' 201 "$parent" ': family: killed without an exit stop: '

rm -f gmon.*
profsup ./family vfork-_exit >out 2>err
is "$?$(said err)" 0 'vfork and _exit: the exit status is 0 and nothing is said'
is "$(calls_of family out)" "$parent " 'vfork and _exit: the parent has its calls'

rm -f gmon.*
profsup ./family clone-untraced >out 2>err
is "$?$(said err)" 0 'a child made with CLONE_UNTRACED runs on, unprofiled'
is "$(calls_of family out | grep -o 'parent:.*')" "$parent " 'and its parent has its calls'

rm -f gmon.*
profsup ./family exec-self >out 2>err
is "$?$(said err)" 0 'exec of itself: the exit status is 0 and nothing is said'
is "$(all_calls family "$(the_file)")" ' child_work=300' 'exec of itself: the file has the calls after it'

# A daemon: its parents are long gone when it begins its work.
rm -f gmon.* out
mkfifo go
{ profsup ./family daemon go >out 2>err; echo "ended $?" >>log; } &
wait_until 60 grep -q parent out
wait_until 60 is_gone "$(awk '{ print $2 }' out)"
ok $? 'daemon: the program itself has ended'
sleep 0.3 # for a profsup that does not wait for it to end
echo released >>log
timeout 60 sh -c 'echo >go'
wait
is "$(tr '\n' ' ' <log)" 'released ended 0 ' 'daemon: profsup ends when the daemon has, with the program'"'"'s status'
is "$(calls_of family out)" "grandchild: grandchild_work=77 $parent " 'daemon: its file is there'

# threads_is HOW WHAT STATUS CALLS...: one file for each of the last arguments, which are in the order of sort(1).
threads_is() {
	rm -f gmon.*
	how=$1
	what=$2
	profsup ./threads "$how" >out 2>err
	is $? "$3" "$what: the exit status is $3"
	shift 3
	files_are $#
	ok $? "$what: the number of files is $#" || diag "$(ls)"
	is "$(for f in gmon.threads.*.out; do all_calls threads "$f"; echo; done | sort)" "$(printf ' %s\n' "$@")" "$what: no call is lost"
	is "$(said err)" '' "$what: nothing is said"
}

threads_is waves '64 threads that come and go' 0 thread_work=64000
threads_is hot '8 threads at once' 0 thread_work=8000000
threads_is fork 'fork in a thread' 0 child_work=321 thread_work=1000
threads_is exec 'exec in a thread that is not the leader' 42 exec_work=99
threads_is leader-gone 'a leader that ends before its threads' 0 thread_work=1000
threads_is leader-gone-exec 'exec after the leader is gone' 42 exec_work=99
threads_is kill-thread 'a thread killed by seccomp' 0 thread_work=1500

# Other programs before it.
prefixed() {
	what=$1
	where=$2
	shift 2
	rm -f gmon.* "$where"/gmon.*
	profsup "$@" 1234 2>err
	is "$?$(said err)" 0 "$what: the exit status is 0 and nothing is said"
	is "$(calls count "$(cd "$where" && echo "$PWD/$(the_file)")" leaf)" 1234 "$what: the program is profiled"
}

prefixed 'sh -c' . sh -c './count $1; exit' sh
prefixed 'sh -c with an exec' . sh -c 'exec ./count $1' sh
prefixed 'two shells, env and nice' . sh -c 'env nice sh -c "./count $1; :"' sh
prefixed 'setarch' . setarch -R ./count
prefixed 'xargs' . sh -c 'echo $1 | xargs ./count' sh
if unshare -Ur true 2>/dev/null; then
	prefixed 'unshare -Ur' . unshare -Ur ./count
	prefixed 'unshare with a PID namespace' . unshare -Urpf ./count
else
	skip 'no user namespaces here'
fi
if [ "$(id -u)" -eq 0 ]; then
	mkdir jail
	chmod 1777 jail
	cp count jail
	prefixed 'chroot' jail chroot jail /count
	prefixed 'setpriv --reuid' . setpriv --reuid 65534 --regid 65534 --clear-groups ./count
	is "$(stat -c %u:%g "$(the_file)")" 65534:65534 'setpriv --reuid: the file is its new user'"'"'s'
else
	skip 'chroot and setpriv need root'
fi
done_testing
