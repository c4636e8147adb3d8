#!/bin/sh
# Yama, which Debian's kernel has: with ptrace_scope 1 only an ancestor may trace, and the supervisor is the
# target's sibling, so the target has to permit it; with 2 it takes CAP_SYS_PTRACE; with 3 nobody may.
# older-kernel.t runs it in its guest; by itself it boots one.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/vm/guest.sh"
in_guest count || bail 'not in the guest'

scope=/proc/sys/kernel/yama/ptrace_scope
cp "$(target count)" prog

user() {
	setpriv --reuid 1000 --regid 1000 --clear-groups "$@"
}

# refused WHAT COMMAND...: says in one line that it can't trace and why, runs nothing, exits with 125.
refused() {
	what=$1
	shift
	"$@" profsup ./prog 1000 >out 2>err
	is $? 125 "$what: exit status 125"
	is "$(said err | wc -l)" 1 "$what: one line on stderr" || diag_file err
	grep "^profsup: .*not permitted" err | grep -q "kernel\.yama\.ptrace_scope is $(cat $scope)"
	ok $? "$what: which names the sysctl that forbids it" || diag_file err
	"$@" profsup touch ran >out 2>err
	[ ! -e ran ]
	ok $? "$what: the program is not run"
	is "$(the_file)" no-file "$what: there is no file"
}

echo 1 >$scope
is "$(cat $scope)" 1 'ptrace_scope is 1'
user profsup ./prog 1000000 >out 2>err
is $? 0 'scope 1, a plain user: the program ends well'
is "$(said err)" '' 'scope 1, a plain user: profsup says nothing'
file=$(the_file prog)
is "$(stat -c '%a %u' "$file")" '600 1000' 'scope 1, a plain user: its file is there, and its own'
is "$(calls prog "$file" leaf)" 1000000 'scope 1, a plain user: every call is counted'
rm -f gmon.*

# Descendants of the target are no descendants of the supervisor either, and outlive who permitted it.
cp prog child
user profsup sh -c './prog 1000 & ./child 2000; wait; (sleep 0.2; exec ./prog 3000) & exit 3' >out 2>err
is $? 3 'scope 1, a tree of processes: the exit status is that of the first'
is "$(said err)" '' 'scope 1, a tree of processes: profsup says nothing'
is "$(for f in gmon.*; do calls prog "$f" leaf; done | sort -n | tr '\n' ' ')" '1000 2000 3000 ' \
	'scope 1, a tree of processes: every one has a file with its calls'
rm -f gmon.*

echo 2 >$scope
is "$(cat $scope)" 2 'ptrace_scope is 2'
profsup ./prog 1000 >out 2>err
is "$? $(calls prog "$(the_file prog)" leaf)" '0 1000' 'scope 2, with CAP_SYS_PTRACE: the program is profiled'
rm -f gmon.*
refused 'scope 2, a plain user' user
refused 'scope 2, root without CAP_SYS_PTRACE' setpriv --bounding-set -sys_ptrace

echo 3 >$scope
is "$(cat $scope)" 3 'ptrace_scope is 3'
refused 'scope 3, root' env
done_testing
