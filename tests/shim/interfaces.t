#!/bin/sh
# monstartup, moncontrol, _mcleanup and PROFIL_DISABLE, as moncontrol(3) has them.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/exact.sh"

cp "$(target rt-use)" use

exact 'moncontrol pauses and resumes, and pauses nest' ./use nested
exact 'pauses by 8 threads at once, 500 times: on when none of them has one' ./use other-thread
export PROFIL_DISABLE
for PROFIL_DISABLE in 1 yes; do
	exact "PROFIL_DISABLE=$PROFIL_DISABLE: off until the first moncontrol(1)" ./use disabled
	rm -f gmon.*
	profsup ./use off 2>err
	is "$?$(said err)" 0 "PROFIL_DISABLE=$PROFIL_DISABLE and no moncontrol: it ends well"
	is "$(perl "$top/tests/lib/gmon.pl" calls "$(the_file use)")" 0 'and no call is counted'
done
for PROFIL_DISABLE in 0 ''; do
	exact "PROFIL_DISABLE='$PROFIL_DISABLE': on" ./use enabled
done
unset PROFIL_DISABLE
exact '_mcleanup called by the program: counting goes on' ./use cleanup
exact 'monstartup for a part of the text: calls are counted in all of it' ./use range
file=$(the_file use)
is "$(perl "$top/tests/lib/gmon.pl" records "$file" | awk '$1 == "hist" { print $2, $3 }')" \
	"$(nm use | awk '$3 == "t_burn_in" { a = $1 } $3 == "t_burn_out" { b = $1 } END { sub(/^0*/, "", a); sub(/^0*/, "", b); print a, b }')" \
	'the histogram has that range'
exact 'monstartup for ranges that are none' ./use nonsense-range
done_testing
