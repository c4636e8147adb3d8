#!/bin/sh
# -a: a program that was not linked for us maps 4000 files with bad names as code, and executes code that moves.
. "$(dirname "$0")/../lib/hostile.sh"

gcc -O1 -D_GNU_SOURCE -o "$scratch/maps" "$(source_of_target any-maps)" || bail 'no compiler'
chmod 755 "$scratch/maps"

many_maps() {
	cp "$scratch/maps" .
	attack '-a -g' ./maps 4000 2
	unharmed '4000 mapped files'
	is "$(find . -name 'gmon.maps.*.out' -uid "$uid" | wc -l)" 1 "${who}it has a profile of its own, which is its user's"
}

each_way many_maps
done_testing
