#!/bin/sh
# All that the supervisor reads of a program's memory changes while it is read.
. "$(dirname "$0")/../lib/hostile.sh"

check() {
	cp "$(target hostile-rewrite)" prog
	rm -f gmon.*
	attack '-F 1000' ./prog 250
	unharmed ''
	is "$(find . -name 'gmon.prog.*' | wc -l)" "$(cat "$scratch/out")" "${who}each process has a file"
	is "$(find . -name 'gmon.prog.*' -size +64M | wc -l)" 0 "${who}none is larger than 64 MB"
	bad=0
	for file in gmon.prog.*; do
		perl "$top/tests/lib/gmon.pl" rate "$file" >/dev/null || bad=$((bad + 1))
	done
	is "$bad" 0 "${who}all of them can be read"
	is "$(said_but 'calls dropped: there was no room for them|a bin could not be written')" '' "${who}nothing odd is said"
	between "$rss" 1 300000 "${who}nobody needs more than 300 MB"
	between "$own" 0 10000 "${who}nor the supervisor much CPU time"
}

each_way check
done_testing
