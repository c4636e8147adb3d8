#!/bin/sh
# Arc tables that lead around in circles and out of their memory, and arcs that no text has.
. "$(dirname "$0")/../lib/hostile.sh"

# foreign_arcs FILE LOW HIGH: arcs of addresses outside of prog's text, by the ELF file's word.
foreign_arcs() {
	perl "$top/tests/lib/gmon.pl" arcs "$1" | perl -ne '
		BEGIN { ($low, $high) = map hex, splice @ARGV, 0, 2 }
		my ($from, $self) = map hex, split;
		$n++ if $self < $low || $self > $high || ($from != 0 && ($from < $low - 1 || $from > $high));
		END { print $n + 0, "\n" }' "$2" "$3"
}

check() {
	cp "$(target hostile-tables)" prog
	# From where to where the program's text is, by its own word.
	# shellcheck disable=SC2046 # two words
	set -- $(nm prog | sed -n 's/ . __executable_start$//p') $(nm prog | sed -n 's/ . etext$//p')
	attack '-F 1000' ./prog 2
	unharmed ''
	is "$(find . -name 'gmon.prog.*' | wc -l)" 19 "${who}each process has a file"
	is "$(find . -name 'gmon.prog.*' -size +8M | wc -l)" 0 "${who}none is larger than 8 MB"
	foreign=0
	unread=0
	for file in gmon.prog.*; do
		foreign=$((foreign + $(foreign_arcs "$file" "$@")))
		gprof -b -p prog "$file" >/dev/null 2>&1 || unread=$((unread + 1))
	done
	is "$foreign" 0 "${who}no arc in them is of an address outside of the text"
	is "$unread" 0 "${who}and gprof reads all"
	is "$(said_but '^profsup: [0-9]*: prog: [0-9]* calls dropped: there was no room for them')" '' \
		"${who}nothing but the calls that found no room are told of"
	between "$rss" 1 300000 "${who}nobody needs more than 300 MB"
	between "$own" 0 20000 "${who}nor the supervisor much CPU time"
}

each_way check
done_testing
