#!/bin/sh
# interfaces.t by the clock: whose time is in the file after moncontrol, monstartup and PROFIL_DISABLE.
# check-all: numbers of samples
. "$(dirname "$0")/../lib/testlib.sh"
others_begin

cp "$(target rt-use)" use

# ticks_of FILE FUNCTION
ticks_of() {
	gprof -b -p -z use "$1" 2>/dev/null | awk -v f="$2" -v hz="$(perl "$top/tests/lib/gmon.pl" rate "$1")" '$NF == f { print $3 * hz; exit }'
}

# What has been used and not been sampled is booked at the end; not so the time of a pause.  The samplers see a change
# of the mode late, by a turn of reading, which is 10 ms of 300.
for sampler in $(samplers); do
	with="profsup --sampler=$sampler -F 1000"
	rm -f gmon.*
	$with ./use pause-burning 2>err
	between_others "$(ticks "$(the_file use)")" 0 30 "$sampler: paused by moncontrol(0) to its end: it has not the time of the pause"
	for PROFIL_DISABLE in 1 0; do
		export PROFIL_DISABLE
		rm -f gmon.*
		$with ./use off-burning 2>err
		case $PROFIL_DISABLE in
		1) is "$(ticks "$(the_file use)")" 0 "$sampler: PROFIL_DISABLE=1: no time at all" ;;
		0) between_others "$(ticks "$(the_file use)")" 200 400 "$sampler: PROFIL_DISABLE=0: its time" ;;
		esac
	done
	rm -f gmon.*
	PROFIL_DISABLE=1 $with ./use on-at-last 2>err
	between_others "$(ticks "$(the_file use)")" 0 30 "$sampler: PROFIL_DISABLE=1 until its end: not the time before"
	unset PROFIL_DISABLE
done
rm -f gmon.*
profsup ./use range >out 2>err
file=$(the_file use)
between_others "$(ticks_of "$file" t_burn_in)" 2 38 'monstartup for a part of the text: its time is in the histogram, that of before the call, too'
is "$(ticks_of "$file" t_burn_out)" 0 'and no other function'"'"'s'
rm -f gmon.*
profsup ./use nonsense-range >out 2>err
between_others "$(ticks_of "$(the_file use)" t_burn_in)" 1 23 'for ranges that are none: the whole text has its time after that'
done_testing
