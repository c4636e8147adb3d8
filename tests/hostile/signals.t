#!/bin/sh
# A target of the same user sends signals to the supervisor: it is neither ended nor stopped by them, and if it is
# killed the target lives on.
. "$(dirname "$0")/../lib/testlib.sh"

as=
[ "$(id -u)" -ne 0 ] || as='setpriv --reuid 65534 --regid 65534 --clear-groups'
mkdir -m 1777 dir
cp "$(target hostile-signals)" "$stage/bin/profsup" dir
cd dir || bail dir
chmod 755 . ..
chmod 1777 .
for signal in TERM=15 HUP=1 INT=2 USR1=10 CHLD=17 TSTP=20 STOP=19; do
	n=${signal#*=}
	signal=${signal%=*}
	# shellcheck disable=SC2086 # words
	timeout -s KILL 120 $as ./profsup ./hostile-signals "$n" 1000 >../out 2>../err
	is "$?: $(tail -n 1 ../out)" '0: forked' "1000 times SIG$signal: the target forks and ends" ||
		kill -KILL "$(sed -n 's/^tracer //p' ../out)"
	found=0
	for file in gmon.*; do
		[ "$(calls hostile-signals "$file" work)" = 1000 ] && found=1
	done
	is $found 1 "SIG$signal: the child has its profile"
	rm -f gmon.*
done
# shellcheck disable=SC2086 # words
timeout -s KILL 120 $as ./profsup ./hostile-signals 9 1 >../out 2>../err
is "$?: $(tail -n 1 ../out)" '0: forked' 'SIGKILL: the target forks and ends'
is "$(said ../err | wc -l)" 1 'SIGKILL: one line tells of it'
done_testing
