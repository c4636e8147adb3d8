#!/bin/sh
# bubblewrap: everything unshared, the whole tree bound, or a read-only root with a tmpfs.
. "$(dirname "$0")/../lib/sandbox.sh"

command -v bwrap >/dev/null || skip_all 'needs bwrap (bubblewrap)'
bwrap --unshare-all --bind / / true 2>/dev/null || skip_all 'needs bubblewrap to be permitted here'

check() {
	alike sandbox-none 'exit 0' bwrap --bind / / --unshare-all --dev /dev --proc /proc ./prog
	whole here/prog "$(the_file_in here)"
	alike sandbox-seccomp 'exit 3' bwrap --bind / / --unshare-all --new-session --die-with-parent ./prog
	whole here/prog "$(the_file_in here)"

	# A root that can't be written: the line, and -d.
	fresh here "$(target sandbox-none)"
	supervised here bwrap --unshare-all --ro-bind / / --tmpfs /run ./prog
	is "$(cat here.status)" 'exit 0' "${who}with a read-only root it ends as it would alone"
	is "$(cat here.out)" "$(cat alone.none)" "${who}with a read-only root it prints the same"
	one_line here.err 'gmon\.prog\.[0-9]*\.out' 'Read-only file system' '-d'
	is "$(ls -A here)" prog "${who}with a read-only root there is no file"
	$as mkdir here/out
	supervised here -d out bwrap --unshare-all --ro-bind / / --tmpfs /run ./prog
	is "$(said here.status here.err)" 'exit 0' "${who}with -d it ends as it would alone"
	whole here/prog "$(the_file_in here/out)"

	# The starting directory is in the tmpfs and gone with the sandbox; -d is not.
	rm -rf here/out
	$as mkdir here/out
	supervised here -d out bwrap --unshare-all --ro-bind / / --tmpfs /run --ro-bind prog /run/prog \
		--chdir /run /run/prog
	is "$(said here.status here.err)" 'exit 0' "${who}started in a tmpfs it ends as it would alone"
	whole here/prog "$(the_file_in here/out)"
}

fresh alone "$(target sandbox-none)"
run alone bwrap --unshare-all --ro-bind / / --tmpfs /run ./prog
is "$(cat alone.status alone.err)" 'exit 0' 'bubblewrap lets it run alone'
cp alone.out alone.none
check
calls_alike sandbox-none bwrap --bind / / --unshare-all --dev /dev --proc /proc ./prog
if [ "$(id -u)" -eq 0 ]; then
	as_nobody
	check
fi
done_testing
