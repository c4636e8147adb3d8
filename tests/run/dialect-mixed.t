#!/bin/sh
# The older dialects together, next to the six-argument profile, in sandboxes, without a supervisor, in threads.
# check-all: numbers of samples
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/dialect.sh"

build_both mixed
for word in known vfork threads strict filter; do
	each_way $word
done

for sampler in $(samplers); do
	rm -f gmon.*
	profsup -F 1000 --stats=stats --sampler="$sampler" ./static all >out 2>err
	points out "$sampler, with a six-argument profile: all at once: " err
	burnt=$(sed -n 's/^#	burnt //p' out)
	between "$(ticks "$(the_file)")" $((burnt * 9 / 10 - 30 - $(statistic unseen_ticks stats))) $((burnt * 11 / 10 + 30)) \
		"$sampler: and the file has all of its ticks"
	profsup -F 1000 --stats=stats --sampler="$sampler" ./dynamic all >out 2>err
	points out "$sampler, dynamic: all at once: " err
	is "$(said err)" '' "$sampler: nothing is said"
done
rm -f gmon.* stats

for how in static dynamic; do
	"./$how" alone >out 2>err
	is "$?" 0 "$how: without a supervisor nothing crashes"
	points out "$how: "
done

# The supervisor dies.
for how in static dynamic; do
	mkfifo in
	profsup -F 1000 "./$how" 'wait' >out 2>err <in &
	front=$!
	exec 7>in
	pid=$(ready_pid out)
	supervisor=$(supervisor_of "$pid")
	kill -KILL "$supervisor"
	wait_until 60 is_gone "$supervisor"
	echo >&7
	exec 7>&-
	wait $front
	is $? 0 "$how: supervisor killed: the program goes on to its end"
	grep -v ready out >points
	points points "$how: supervisor killed: "
	rm in
done

is "$(profsup -q ./dynamic fork)" 0 'a child has an answer'
is "$(profsup -q --no-follow ./dynamic fork)" 38 'but not one that is let go: ENOSYS'
timeout 60 profsup -q --duration=0.3 ./dynamic late
is $? 0 'after --duration a call is ENOSYS'
is "$(profsup -q --only='x*' ./dynamic fork)" 38 'and so in a program that --only does not choose'

# What is registered for later does not count before.
cat >delayed.c <<'END'
#include <profil.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static unsigned short bin;
int
main(void)
{
	profil_bsd(&bin, 2, 0, 1);
	profil_aix(&bin, 2, 0, 1);
	while (clock() < CLOCKS_PER_SEC / 2)
		continue;
	printf("%d\n", bin);
	return 0;
}
END
gcc -w -I"$stage/include" -o delayed delayed.c -L"$stage/lib/profsup" -lprofil
is "$(profsup -q -D -1 ./delayed)" 0 'before -D is over nothing is counted'
between "$(profsup -q -D 1 ./delayed)" 1 100 'after it something is'
done_testing
