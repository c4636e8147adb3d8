#!/bin/sh
# The main uses on the kernel of Debian's release, which may be years older than what runs here:
# ptrace's finer points differ between versions.
# check-all: needs qemu
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/vm/guest.sh"
in_guest jail landlock count || bail 'not in the guest'
diag "Linux $(uname -r)"

cp "$(target jail)" prog
mkdir -m 700 empty

# jailed HOW STATUS [SIGNAL]: in an empty directory that it can't write, as somebody who can't even see it.
jailed() {
	how=$1
	want=$2
	shift 2
	# In a subshell: what this one says of the signal is not profsup's.
	(profsup ./prog empty 65534 4000000 "$@" >out 2>err)
	is $? "$want" "chroot and setresuid, $how: the exit status is the program's"
	is "$(cat out)" 'make a file: Permission denied' "chroot and setresuid, $how: it can make no file"
	is "$(said err)" '' "chroot and setresuid, $how: profsup says nothing"
	file=$(the_file prog)
	is "$(stat -c '%a %u' "$file")" '600 0' \
		"chroot and setresuid, $how: its file is in the starting directory, with the first owner"
	is "$(calls prog "$file" leaf)" 4000000 "chroot and setresuid, $how: every call of leaf() is counted"
	is "$(calls prog "$file" work)" 1 "chroot and setresuid, $how: and the one of work()"
	between $(($(ticks "$file") + $(not_seen err))) 1 100000 "chroot and setresuid, $how: there are samples"
	is "$(ls -A empty)" '' "chroot and setresuid, $how: nothing is left in its jail"
	rm -f gmon.*
}
jailed 'to its end' 0
jailed 'ended by SIGTERM' 143 15
jailed 'ended by SIGSEGV' 139 11
jailed 'ended by SIGKILL' 137 9

"$top/tests/run/sandbox-landlock.t" >log 2>&1
ok $? 'sandbox-landlock.t passes: a program that Landlock has left no right' || diag_file log

sh "$top/tests/vm/no-perf.sh" >log 2>&1
ok $? 'no-perf.sh passes: stacks of packaged programs where no perf event is allowed' || diag_file log

# Last: what it forbids can't be taken back.  One boot is enough for all.
sh "$top/tests/vm/yama.sh" >log 2>&1
ok $? 'yama.sh passes: who may trace under each ptrace_scope' || diag_file log
done_testing
