#!/bin/sh
# 4.4BSD's gmon.out, which GNU's gprof reads, too: its tables are the same as those of the GNU files.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

inputs >sets || bail 'no programs'

# bsd_gprof PROGRAM: both tables of `out`
bsd_gprof() {
	gprof -b -O 4.4bsd "$1" out 2>&1
}

while read -r program files; do
	# shellcheck disable=SC2086 # a list
	set -- $program $files
	case $files in
	*big*) continue ;;
	esac
	export_as bsd-gmon "$@"
	[ ! -s err ]
	ok $? "$*: nothing is said, since nothing is lost" || diag_file err
	bsd_gprof "$program" >got
	gprof -b "$@" >want 2>&1
	grep -q 'shapes::itself(int)' want && same got want "$*: both of gprof's tables are the same"
	is "$(od -A n -t u4 -j 16 -N 24 out | xargs)" \
		"$(($(od -A n -t u4 -j 37 -N 4 "$2") * 2 + 40)) 333945 1000 0 0 0" "$*: the header is BSD's"
done <sets

# seconds PROGRAM FILE: gprof's total of what is in 4.4BSD's format
seconds() {
	gprof -b -p -O 4.4bsd "$1" "$2" | perl -ne '
		$sum += $1 if /^ *[\d.]+ +[\d.]+ +([\d.]+) +\S/; END { printf "%.2f\n", $sum }'
}

at=$(nm fixed | awk '$3 == "main" { print $1 }')
# What main has in bins of 4 bytes; read back: bins, then ticks a second.
overflow() {
	overflow_rate=$1
	shift
	"$testdir/gmon-edit.pl" bins "$overflow_rate" "$at" "$@" >wide
	profsup-export --format=bsd-gmon -o out fixed wide 2>err
	od -A n -t u2 -v -j 40 out | xargs
	od -A n -t u4 -j 24 -N 4 out | xargs
}

is "$(overflow 100 65535 0 7 | xargs)" '65535 0 7 100' 'a bin of 65,535 is written as it is'
[ ! -s err ]
ok $? 'and nothing is said' || diag_file err
is "$(overflow 100 65536 0 7 | xargs)" '32768 0 3 50' 'one more, and every tick stands for two'
is "$(cat err)" 'profsup-export: bsd-gmon: no room for 65536 ticks in one bin: one stands for 2, at 50 a second' 'which is said in one line'
is "$(seconds fixed out)" 655.42 'the seconds are right, to a tick'
is "$(overflow 100 250000 1 1 1 1 1 1 1 1 1 1 | xargs)" '62500 0 0 0 1 0 0 0 1 0 0 25' 'small bins beside it keep their sum'
is "$(overflow 997 65536 996 1 | xargs)" '65 1 0 1' 'a rate that nothing divides becomes one tick a second'
is "$(overflow 10 1000000 5 | xargs)" '65535 0 1' 'what has no room at one tick a second is cut off'
is "$(sed 1d err)" 'profsup-export: bsd-gmon: no room for 34465 of the ticks: they are left out' 'which is said'
profsup-export -q --format=bsd-gmon -o out fixed wide 2>err
is "$?$(cat err)" 0 'with -q nothing is said'
"$testdir/gmon-edit.pl" bins 4294967291 "$at" 65536 >wide
usage profsup-export -q --format=bsd-gmon -o out fixed wide 2>err
light 2 200 'a rate that only its divisors would be tried of'

export_as bsd-gmon fixed fixed.big
total=$(total_by_gprof fixed fixed.big)
# gprof's total leaves out the runtime's time, which BSD's gprof does, too.
between "$(seconds fixed out)" $((total / 1000 - 2)) $((total / 1000 + 2)) 'of 1,000 times the ticks the seconds are right'

# Two ranges: joined if the bins of one fall on those of the other.
"$testdir/gmon-edit.pl" bins 100 "$at" 1 2 3 >one
"$testdir/gmon-edit.pl" bins 100 "$(printf %x $((0x$at + 16)))" 4 5 >two
profsup-export --format=bsd-gmon -o out fixed one two
is "$(od -A n -t u2 -v -j 40 out | xargs)" '1 2 3 0 4 5' 'two ranges are joined'
"$testdir/gmon-edit.pl" bins 100 "$(printf %x $((0x$at + 14)))" 4 5 >two
! profsup-export --format=bsd-gmon -o out fixed one two 2>err
is "$?$(cat err)" '0profsup-export: bsd-gmon: no room for histograms of different scales' 'or refused'
done_testing
