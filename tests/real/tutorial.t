#!/bin/sh
# docs/tutorial.md: its commands are run as they stand there, and do and say what it says.
# check-all: needs curl, and Debian's sources
. "$(dirname "$0")/../lib/testlib.sh"
others_begin
. "$testdir/lib.sh"
need_root
command -v curl >/dev/null || skip_all 'no curl'

# The tutorial unpacks it itself, from what this has downloaded; here it is for the reason if it can't be.
source_of mini-httpd
tutorial=$top/docs/tutorial.md

# Its home, with profsup in it, is the test's.  The port is the one thing that differs: that one may be taken.
mkdir home
ln -s "$top" home/profsup
port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
perl "$top/tests/lib/console.pl" script "$tutorial" | sed "s/^port=8080\$/port=$port/" >commands
is "$(grep -c "^port=$port\$" commands)" 1 'the tutorial has commands, and a port of its own'

# A process group of its own, so that whatever it leaves can be ended.
unset MAKEFLAGS MFLAGS MAKELEVEL
trap 'kill -TERM -"$session" 2>/dev/null; cd /; rm -rf "$scratch"' EXIT
(umask 022 && HOME=$scratch/home exec setsid timeout 240 bash commands) >output 2>&1 </dev/null &
session=$!
wait "$session"
is $? 0 'all of them were run'
perl "$top/tests/lib/console.pl" compare "$tutorial" output >differences
is "$(cat differences)" '' 'each succeeds and says what is shown' || diag_file output

# The numbers that its story is about.
sed -n 's/^profsup: .* \([0-9.]*\) s of CPU time.*/\1/p' output >seconds
is "$(wc -l <seconds)" 3 'three runs were profiled'
between_others "$(tail -n 1 seconds)" 0 "$(awk 'NR == 1 { print $1 / 3 }' seconds)" \
	'the last takes less than a third of the first'
# Of some sixty samples, so by chance 27 points less in one run of 10^7.
between_others "$(awk '/SHA512_/ && $1 ~ /^[0-9.]+%$/ { all += $1 } END { print all + 0 }' home/tour/flat)" 64 100 'nine tenths are the hash'
between_others "$(tail -n 1 home/tour/measured)" 75 100 'and all of that is on behalf of the password'
done_testing
