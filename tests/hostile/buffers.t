#!/bin/sh
# Buffers that can't be, and buffers that are taken away while they are in use.
. "$(dirname "$0")/../lib/hostile.sh"

# The kind of lines that this costs, all of them about the program itself.
lines='a bin could not be written: its profile ends there|its calls can.t be read: Bad address'

check() {
	cp "$(target hostile-buffers)" prog
	for when in first late; do
		rm -f gmon.*
		attack '-F 1000' ./prog "$when" 150
		unharmed "$when"
		is "$(grep -v '^children' "$scratch/out")" '' "$who$when: each call is answered as it should be"
		children=$(sed -n 's/^children \([0-9]*\).*/\1/p' "$scratch/out")
		files=$(find . -name 'gmon.prog.*' | wc -l)
		[ "$when" = first ] || children=$((children + 1)) # their parent, by the runtime
		is "$files" "$children" "$who$when: each process that registered one has a file"
		bad=0
		for file in gmon.prog.*; do
			perl "$top/tests/lib/gmon.pl" ticks "$file" >/dev/null || bad=$((bad + 1))
		done
		is "$bad" 0 "$who$when: which can be read"
		is "$(grep -c 'a bin could not be written' "$scratch/err")" "$(sed -n 's/.*unwritable //p' "$scratch/out")" \
			"$who$when: a buffer that can't be written is told of once"
		is "$(said_but "$lines")" '' "$who$when: nothing else is said"
		between "$rss" 1 100000 "$who$when: nobody needs much memory"
	done
}

each_way check
done_testing
