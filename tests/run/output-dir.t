#!/bin/sh
# -d: every file of the run goes there and is the caller's, whatever PROFDIR or a jail say.
. "$(dirname "$0")/../lib/sandbox.sh"

fresh_out() {
	fresh here "$(target "$1")"
	# shellcheck disable=SC2086 # words
	$as mkdir -m 700 here/out here/profiles
}

# all_in_out UID:GID: the one file is in here/out, whole, and owned so; and nobody has anything to say.
all_in_out() {
	is "$(said here.err)" '' "${who}there is nothing to say"
	is "$(cd here && find . -name '*gmon*' | sed 's/\.[0-9]*\.out//')" ./out/gmon.prog \
		"${who}the file is in -d's directory and nowhere else"
	file=$(the_file_in here/out)
	whole here/prog "$file"
	is "$(stat -c %u:%g "$file")" "$1" "${who}the file is owned by the caller"
}

check() {
	fresh_out sandbox-none
	supervised here -d out ./prog
	all_in_out "$1"
	fresh_out sandbox-none
	PROFDIR=profiles supervised here -d out ./prog
	all_in_out "$1"
	fresh_out sandbox-none
	chmod 755 here
	supervised here -d "$scratch/here/out" ./prog
	all_in_out "$1"

	# Two processes: two files.
	fresh_out sandbox-none
	# shellcheck disable=SC2016 # for the shell inside
	PROFDIR=profiles supervised here -d out sh -c './prog & ./prog & wait'
	is "$(find here/out -name 'gmon.prog.*.out' | wc -l)" 2 "${who}each process has its file in there"
	is "$(find here -name '*gmon*' | grep -vc '^here/out/')" 0 "${who}and none elsewhere"
}

check "$(id -u):$(id -g)"
if [ "$(id -u)" -eq 0 ]; then
	as_nobody
	check 65534:65534
	as='' who='root for another user: '

	# In a jail that it can't write, which is also where it starts.
	jail() {
		fresh_out sandbox-none
		chmod 755 here
		mkdir -m 755 here/jail
		cp here/prog here/jail/prog
	}
	jail
	supervised here chroot --userspec=65534:65534 jail /prog
	is "$(cat here.status)" 'exit 0' "${who}in a jail that it can't write it ends as it would alone"
	one_line here.err 'gmon\.prog\.[0-9]*\.out' 'Permission denied' '-d'
	is "$(ls -A here/jail)" prog "${who}there is no file in the jail"
	jail
	supervised here -d out chroot --userspec=65534:65534 jail /prog
	is "$(cat here.status)" 'exit 0' "${who}with -d it ends as it would alone"
	all_in_out 0:0
	jail
	PROFDIR=/ supervised here -d out chroot --userspec=65534:65534 jail /prog
	is "$(cat here.status)" 'exit 0' "${who}with -d and PROFDIR it ends as it would alone"
	all_in_out 0:0

	# Jails itself.
	fresh_out sandbox-chroot
	mkdir -m 755 here/jail
	supervised here -d out ./prog jail 65534
	is "$(cat here.status)" 'exit 7' "${who}jailing itself it ends as it would alone"
	all_in_out 0:0

	# Set-uid to somebody who can't even look into the directory.
	fresh_out sandbox-none
	chown 1234:1235 here/prog
	chmod 6755 here/prog
	supervised here -d out setpriv --reuid 65534 --regid 65534 --clear-groups ./prog
	is "$(cat here.status)" 'exit 0' "${who}set-uid it ends as it would alone"
	all_in_out 0:0
else
	skip 'needs root: -d for a program of another user'
fi
done_testing
