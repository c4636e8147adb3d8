#!/bin/sh
# A program can't trace, read or take from the supervisor, also if it is the same user's, and no trick with ptrace or
# prctl costs more than its own profile.
. "$(dirname "$0")/../lib/hostile.sh"

check() {
	cp "$(target hostile-ptrace)" prog
	attack '' ./prog
	unharmed ''
	is "$(grep -c 'the supervisor: E' "$scratch/out")" 16 "${who}each attack on the supervisor is refused"
	is "$(grep 'the supervisor: 0' "$scratch/out")" '' "${who}and none is not" || diag_file "$scratch/out"
	is "$(grep -E '^(trace|attach|seize|continue)' "$scratch/out" | grep -v ': E')" '' "${who}nobody gets a tracee of its own"
	is "$(sed -n 's/^traps: //p' "$scratch/out")" 0 "${who}its own traps come to it"
	found=0
	for file in gmon.prog.*; do
		[ "$(calls prog "$file" work)" = 1000 ] && found=1
	done
	is "$found" 1 "${who}its profile is whole"
	# A plain user's supervisor can't read a program that is not to be dumped; the child that waits is killed, which it
	# may be while profsup lets it go on.
	is "$(said_but "prog: (its calls can't be read: Permission denied|killed without an exit stop: )")" '' "${who}nothing else is said"
}

each_way check
done_testing
