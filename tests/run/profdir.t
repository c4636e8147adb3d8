#!/bin/sh
# PROFDIR: where the files go, as long as it can be opened and the program has no more power than its caller.
. "$(dirname "$0")/../lib/sandbox.sh"

here_with() {
	fresh here "$(target sandbox-none)"
	# shellcheck disable=SC2086 # words
	$as mkdir here/profiles
}

check() {
	here_with
	PROFDIR=profiles supervised here ./prog
	is "$(said here.status here.err)" 'exit 0' "${who}a PROFDIR that can be opened is no matter to talk about"
	is "$(the_file_in here)" no-file "${who}the file is not in the starting directory"
	whole here/prog "$(the_file_in here/profiles)"

	here_with
	PROFDIR=$scratch/here/profiles supervised here ./prog
	is "$(the_file_in here) $(the_file_in here/profiles | sed 's/\.[0-9]*\.out//')" \
		'no-file here/profiles/gmon.prog' "${who}an absolute path does as well"

	here_with
	PROFDIR=nowhere supervised here ./prog
	is "$(cat here.status)" 'exit 0' "${who}one that is not there ends nothing"
	one_line here.err 'PROFDIR' 'nowhere'
	whole here/prog "$(the_file_in here)"

	here_with
	PROFDIR=prog supervised here ./prog
	one_line here.err 'PROFDIR' 'prog'
	whole here/prog "$(the_file_in here)"

	here_with
	PROFDIR='' supervised here ./prog
	is "$(said here.err)" '' "${who}an empty one is none"
	whole here/prog "$(the_file_in here)"

	# The directory is what was opened at start-up, whatever becomes of name and descriptors.
	here_with
	cp "$(target sandbox-limits)" here/prog
	PROFDIR=profiles supervised here ./prog closed
	is "$(said here.status here.err)" 'exit 8' "${who}all descriptors closed: nothing to say"
	whole here/prog "$(the_file_in here/profiles)"
}

check
if [ "$(id -u)" -eq 0 ]; then
	as_nobody
	check
	here_with
	mkdir -m 700 here/private
	PROFDIR=private supervised here ./prog
	one_line here.err 'PROFDIR' 'private'
	whole here/prog "$(the_file_in here)"

	# It can be opened and not be written: that shows in the end.
	here_with
	mkdir -m 755 here/public
	PROFDIR=public supervised here ./prog
	is "$(cat here.status)" 'exit 0' "${who}a PROFDIR that it can't write ends nothing"
	one_line here.err 'gmon\.prog\.[0-9]*\.out' 'Permission denied' '-d'

	# Root runs profsup, the program is another user's: the same.
	nobody=$as as='' who='as a plain user under root: '
	here_with
	chmod 777 here/profiles
	# shellcheck disable=SC2086 # words
	PROFDIR=profiles run here profsup -F 1000 $nobody ./prog
	is "$(said here.status here.err)" 'exit 0' "${who}it ends as it would alone"
	file=$(the_file_in here/profiles)
	whole here/prog "$file"
	is "$(stat -c %u:%g "$file")" 65534:65534 "${who}the file is its user's"
	here_with
	# shellcheck disable=SC2086 # words
	PROFDIR=profiles run here profsup -F 1000 $nobody ./prog
	one_line here.err 'gmon\.prog\.[0-9]*\.out' 'Permission denied' '-d'
	is "$(the_file_in here/profiles)" no-file "${who}a directory that it may not write stays as it is"

	# Set-uid: the environment is its caller's, the power is not.
	who='set-uid: '
	here_with
	chmod 777 here/profiles
	chown 1234:1235 here/prog
	chmod 6755 here/prog
	# shellcheck disable=SC2086 # words
	PROFDIR=profiles run here profsup -F 1000 $nobody ./prog
	is "$(said here.status here.err)" 'exit 0' "${who}it says nothing of PROFDIR"
	is "$(the_file_in here/profiles)" no-file "${who}PROFDIR is ignored"
	file=$(the_file_in here)
	whole here/prog "$file"
	is "$(stat -c %u:%g "$file")" 1234:1235 "${who}the file in the starting directory is its owner's"
	# shellcheck disable=SC2086 # words
	PROFDIR=nowhere run here profsup -F 1000 $nobody ./prog
	is "$(said here.err)" '' "${who}a PROFDIR that is not there is ignored as well"
else
	skip 'needs root: PROFDIR and set-uid programs'
fi
done_testing
