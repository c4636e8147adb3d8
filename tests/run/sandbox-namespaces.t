#!/bin/sh
# User, mount and pid namespaces: the file's PID is the one that the supervisor sees.
. "$(dirname "$0")/../lib/sandbox.sh"

need_userns
[ "$(id -u)" -ne 0 ] || setpriv --reuid 65534 --regid 65534 --clear-groups unshare -Ur true 2>/dev/null ||
	skip_all 'needs user namespaces for plain users'

# Put around it by unshare(1).
around() {
	alike sandbox-none 'exit 0' unshare -Urmpf ./prog
	whole here/prog "$(the_file_in here)"
	fresh here "$(target sandbox-none)"
	: >pid && chmod 666 pid
	supervised here unshare -Urmpf ./prog ../pid
	is "$(said here.status here.err)" 'exit 0' "${who}it ends as it would alone"
	whole here/prog "$(the_file_in here "$(cat pid)")"
}

# Made by the program itself, with a file system mounted over what it had.
inside() {
	alike sandbox-userns 'exit 4' ./prog
	is "$(cat here.out)" 'pid 1, parent 0, uid 0' "${who}it is process 1 and root in there"
	is "$(find here -name 'gmon.prog.*.out' | wc -l)" 2 "${who}there is a file for it and one for its parent"
	fresh here "$(target sandbox-userns)"
	: >pid && chmod 666 pid
	supervised here ./prog ../pid
	is "$(said here.status here.err)" 'exit 4' "${who}it ends as it would alone"
	file=$(the_file_in here "$(cat pid)")
	whole here/prog "$file"
	rm -f "$file"
	is "$(calls here/prog "$(the_file_in here)" hot)" 0 "${who}its parent's file has none of its calls"
}

around
calls_alike sandbox-none unshare -Urmpf ./prog
inside
calls_alike sandbox-userns ./prog
if [ "$(id -u)" -eq 0 ]; then
	as_nobody
	around
	inside

	# Root in a namespace of its own is nobody outside, also when root runs profsup.
	nobody=$as as='' who='as a plain user under root: '
	fresh here "$(target sandbox-none)"
	chmod 755 here
	for mode in 755 711; do
		chmod $mode here/prog
		# shellcheck disable=SC2086 # words
		run here profsup -F 1000 $nobody unshare -Ur ./prog
		is "$(cat here.status)" 'exit 0' "${who}it ends as it would alone (mode $mode)"
		one_line here.err 'gmon\.prog\.[0-9]*\.out' 'Permission denied' '-d'
		is "$(ls -A here)" prog "${who}no file is made where only root may (mode $mode)"
	done
	chmod 1777 here
	chmod 755 here/prog
	# shellcheck disable=SC2086 # words
	run here profsup -F 1000 $nobody unshare -Urmpf ./prog
	is "$(said here.status here.err)" 'exit 0' "${who}it ends as it would alone where it may write"
	file=$(the_file_in here)
	whole here/prog "$file"
	is "$(stat -c %u:%g "$file")" 65534:65534 "${who}the file is its user's outside"
fi
done_testing
