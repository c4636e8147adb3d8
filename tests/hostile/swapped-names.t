#!/bin/sh
# What has the file's name, or its temporary one, changes while the file is made: what it points to is not touched, and
# nothing appears that the program's user could not have made.  (tests/run/output-existing.t: each of them at rest.)
. "$(dirname "$0")/../lib/hostile.sh"

check() {
	cp "$(target hostile-swap)" prog
	rm -rf "$scratch/precious"
	mkdir "$scratch/precious"
	echo precious >"$scratch/precious/file"
	# The program's own user may write it: it is the links that must not be followed.
	[ "$(id -u)" -ne 0 ] || chown "$uid:$uid" "$scratch/precious/file"
	chmod 600 "$scratch/precious/file"
	before=$(stat -c '%i %s %Y %h %u %a' "$scratch/precious/file")
	attack '' ./prog 300 "$scratch/precious/file"
	is "$status" 'exit 0' "${who}the program ends as it would alone"
	between "$(sed -n 's/^swapped //p' "$scratch/out")" 1 1000000 "${who}it has met a file under its temporary name"
	is "$(stat -c '%i %s %Y %h %u %a' "$scratch/precious/file")" "$before" \
		"${who}the file that its links lead to is as it was"
	is "$(ls -A "$scratch/precious")" file "${who}and nothing else is there"
	is "$(find . -mindepth 1 ! -user "$uid" ! -name prog ! -name victim)" '' "${who}all that there is is the program's user's"
	is "$(find . -type f -perm /077 ! -name prog ! -name victim ! -name ready)" '' "${who}and nobody else may read it"
	is "$(calls victim "$(the_file victim)" work)" 12345 "${who}the other program's profile is whole"
	is "$(said_but '^profsup: (/[^:]*/)?gmon\.prog\.[0-9]*\.out: (File exists|No such file or directory|Is a directory|Not a directory|Directory not empty) \(try -d\)$')" '' \
		"${who}each line names a file and a reason"
	nobody_left
}

each_way check
done_testing
