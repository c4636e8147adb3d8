#!/bin/sh
# -a -g: processes that are too short for a tick, and too many for their libraries to be read in each: every tick has all of
# its callers, also one that is booked when its process ends.  The compiler's own functions of each program have no rows, and
# a sample may meet one of them (one in some 40,000).
. "$(dirname "$0")/../lib/testlib.sh"

cat >short.c <<'END'
#include <stdio.h>
#include <stdlib.h>

int
main(void)
{
	char text[100];
	double sum = 0;

	for (int i = 0; i < 6000; i++) {
		sum += strtod("3.14159265358979", NULL);
		snprintf(text, sizeof(text), "%d %f", i, sum);
	}
	return sum < 0;
}
END
gcc -O1 -o short short.c || bail 'no compiler'

# How long CPUs have been idle, and all of them have been there, in hundredths of a second.
cpus() {
	awk '/^cpu / { for (i = 2; i <= 9; i++) all += $i; print $5 + $6, all }' /proc/stat
}

for sampler in $(samplers); do
	for rate in 100 1000; do
		rm -f gmon.* stacks.*
		before=$(cpus)
		# shellcheck disable=SC2016 # an inner shell expands its own
		profsup -a -g --sum --stats=stats --sampler="$sampler" -F $rate sh -c '
			i=0
			while [ $i -lt 40 ]; do ./short; i=$((i + 1)); done' 2>err
		status=$?
		after=$(cpus)
		is $status 0 "$sampler, $rate Hz: it runs"
		profsup-export -q --format=folded ./short gmon.short.out >tree
		is $? 0 "$sampler, $rate Hz: it has a profile"
		is "$(grep -v '^\[cut\];[^;]* [0-9]*$' tree | grep -ce '\[cut\]' -e '\[no file\]')" 0 \
			"$sampler, $rate Hz: a tick that has a place has all of its callers" || diag_file tree
		start_files=$(perl -ne '$n += $1 if /^\[cut\];(?:__do_global_dtors_aux|(?:de)?register_tm_clones|frame_dummy) (\d+)$/;
			END { print $n // 0 }' tree)
		cut=$(statistic cut_stack_ticks stats)
		most=$(($(statistic unfound_ticks stats) + start_files))
		only="$sampler, $rate Hz: only those have none that ended before there was a sample, or in code without rows"
		# Where no CPU is free, the thread that reads a stack may wait for one for longer than a stop may take.
		idle=$(echo "$before $after" | awk '{ printf "%d", 100 * ($3 - $1) / ($4 - $2 + 1) }')
		if [ "$cut" -gt $most ] && [ "$idle" -lt 10 ]; then
			undecided "$only" "$cut ticks, $most wanted; CPUs were idle for $idle % of the time"
		else
			between "$cut" 0 $most "$only"
		fi
		[ "$(statistic unfound_ticks stats)" -lt "$(statistic ticks stats)" ] ||
			grep -qE '100 % of the time was used by processes whose profile ended before a sample: (-F|--sampler=ptrace)' err
		ok $? "$sampler, $rate Hz: if all have, what would find some is told" || diag_file err
	done
done
done_testing
