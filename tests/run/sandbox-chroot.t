#!/bin/sh
# chroot, setgroups, setresgid, setresuid: the file lands outside, in the starting directory, owned by
# who called profil first.
. "$(dirname "$0")/../lib/sandbox.sh"

need_root

jail() {
	rm -rf jail
	mkdir -m 755 jail
}

# By root: a root-owned directory that the identity it drops to could not write.
jail
alike sandbox-chroot 'exit 7' ./prog ../jail 65534
file=$(the_file_in here)
whole here/prog "$file"
is "$(stat -c %u:%g "$file")" 0:0 'the file is owned by root, who started it'
is "$(ls -A jail)" '' 'there is nothing in the jail'
chmod 755 here alone
alike_once() {
	fresh "$1" "$(target sandbox-chroot)"
	chown "$2" "$1" && chmod 700 "$1"
}
calls_alike sandbox-chroot ./prog ../jail 65534

# The same in a directory that nobody but its owner may write, from which it is moved away.
alike_once private 0:0
supervised private ./prog ../jail 65534
is "$(said private.status private.err)" 'exit 7' 'a private starting directory is no obstacle'
whole private/prog "$(the_file_in private)"

# By uid 1234 with the power to do all that: the file is 1234's, wherever it ended.
as='setpriv --reuid 1234 --regid 1235 --groups 1236 --inh-caps +sys_chroot,+setuid,+setgid
	--ambient-caps +sys_chroot,+setuid,+setgid'
who='by uid 1234: '
alike_once own 1234:1235
# shellcheck disable=SC2086 # words
run own profsup -F 1000 $as ./prog ../jail 65534
is "$(said own.status own.err)" 'exit 7' "${who}it ends as it would alone"
file=$(the_file_in own)
whole own/prog "$file"
is "$(stat -c %u:%g "$file")" 1234:1235 "${who}the file is owned by the user and group of the first profil call"

# A group of that user's is enough to write there.
alike_once group 0:1236
chmod 770 group
# shellcheck disable=SC2086 # words
run group profsup -F 1000 $as ./prog ../jail 65534
is "$(said group.status group.err)" 'exit 7' "${who}it ends as it would alone in a group's directory"
is "$(stat -c %u:%g "$(the_file_in group)")" 1234:1235 "${who}its groups count when the file is made"

# And nobody else's rights: root runs profsup, the directory is root's alone.
alike_once foreign 0:0
chmod 755 foreign
# shellcheck disable=SC2086 # words
run foreign profsup -F 1000 $as ./prog ../jail 65534
is "$(cat foreign.status)" 'exit 7' "${who}a directory that it may not write changes nothing for it"
one_line foreign.err 'gmon\.prog\.[0-9]*\.out' 'Permission denied' '-d'
is "$(ls -A foreign)" prog "${who}there is no file, and no half of one"
done_testing
