#!/bin/sh
# A program's name may be any 15 bytes, and change: no file leaves its directory or has an odd name, and no odd byte
# comes to the terminal.
. "$(dirname "$0")/../lib/hostile.sh"

# named HEX WANT [HEX]: what its files are called, in place of gmon.X.PID.out.
named() {
	rm -f gmon.*
	attack -v ./prog "$1" ${3:+"$3"} </dev/null
	is "$status" 'exit 0' "$who$1: it ends as it would alone"
	is "$(find "$scratch" ! -path "$scratch" | grep -vE '/(bin|lib|read-code|dir|in|ready|stats|out|err|results|victim|prog|profsup|profsup-report|gmon\.victim\..*)$' |
		sed -n "s|^$scratch/dir/gmon\\.\\(.*\\)\\.[0-9]*\\.out\$|\\1|p; t; p" | sort | uniq -c | awk '{ print $1, $2 }')" "2 $2" \
		"$who$1: its two files are there, with a name that is safe, and nothing else"
	is "$(LC_ALL=C tr -d '\n -~' <"$scratch/err" | wc -c)" 0 "$who$1: all that is said is printable"
	is "$(grep -vc '^profsup: ' "$scratch/err")" 0 "$who$1: in whole lines of our own"
}

check() {
	cp "$(target hostile-name)" prog
	named 2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f _______________
	named 2e2e2f2e2e2f2e2e2f6574632f78 .._.._.._etc_x
	named 2e2e ..
	named 2e .
	named 0a0d0a0a ____
	named 61200a70726f667375703a20 a__profsup:_
	named 1b5d303b781b5c1b5b324a07 '_]0;x_\_[2J_'
	named ffffffffffffffffffffffffffffff _______________
	named c2852028c3a9 '___(__'
	named 2573256e2573256e %s%n%s%n
	named 7f _
	# Nothing at all, and a change after the profile has started.
	named 00 unknown
	named 6f6c64 old 2f2e2e2f78
	named 6f6c64 old ffffffffffffffffffffffffffffff

	# The line that tells of a file that could not be made.
	mkdir gone
	[ "$(id -u)" -ne 0 ] || chown "$uid:$uid" gone
	# shellcheck disable=SC2086 # words
	(cd gone && echo x | $run ../prog 1b5b324a0a2f) 2>"$scratch/err"
	is "$(said "$scratch/err" | sed 's/\.[0-9][0-9]*\.out/.N.out/; s,: .*/gone (deleted)/,: DIR/,' | sort -u)" 'profsup: DIR/gmon._[2J__.N.out: No such file or directory (try -d)' \
		"${who}the line of an error is as safe"
}

each_way check
done_testing
