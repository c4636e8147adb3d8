#!/bin/sh
# The exit status: the program's own, or one of ours, as profsup(1) lists them.  And stdout is the program's alone.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target die)" prog
# A directory of PATH that we may not search would make "not found" a "not permitted", as in env(1).
PATH=$stage/bin:/usr/bin:/bin
wrong=
n=0
mkdir files
while [ $n -le 255 ]; do
	profsup -q -d files ./prog exit 0 $n 2>/dev/null
	s=$?
	[ $s -eq $n ] || wrong="$wrong $n->$s"
	n=$((n + 1))
done
rm -r files
is "$wrong" '' 'every exit status from 0 to 255 is passed on'

# ours STATUS WHAT ARGUMENT...
ours() {
	want=$1
	what=$2
	shift 2
	profsup "$@" >out 2>err
	is $? "$want" "$what: exit status $want"
	is "$(cat out)" '' "$what: nothing on stdout"
	grep -q '^profsup: ' err
	ok $? "$what: a line on stderr" || diag_file err
}

touch plain
printf '\177ELF nothing that runs' >broken
chmod 755 broken
mkdir dir locked
ours 125 'no program'
ours 125 'an unknown flag' -Z ./prog exit 0
ours 125 'a flag without its argument' -F
ours 125 'a rate of 0' -F 0 ./prog exit 0
ours 125 'an output directory that is not there' -d ./nowhere ./prog exit 0
ours 125 'an output directory that is a file' -d plain ./prog exit 0
ours 125 'an empty output directory' -d '' ./prog exit 0
ours 126 'a file that is not executable' ./plain
ours 126 'a directory' ./dir
grep -q ': Permission denied (it is a directory)$' err
ok $? 'and that is said' || diag_file err
for named in . locked; do
	profsup "$named" 2>err
	grep -q '(it is a directory)$' err
	ok $? "$named: without a slash, too" || diag_file err
done
ours 126 'a path through a file' ./plain/prog
ours 127 'a program that is not there' ./nothing
ours 127 'a command that is in no directory of PATH' no-such-command-anywhere
ours 127 'an empty name' ''
ours 127 'a program after --' -- ./nothing
is "$(the_file)" no-file 'no file is left by any of them'

profsup -- ./prog exit 10 5
is $? 5 'after -- comes the program'
is "$(calls prog "$(the_file)" work)" 10 'and it is profiled'
rm -f gmon.*
cp prog ./-F
profsup -- -F exit 10 6 2>err
is $? 127 'a name without a slash is looked for in PATH, also when it begins with a dash'
PATH=$PWD:$PATH profsup -- -F exit 10 6 2>err
is $? 6 'and found there'
rm -f gmon.*
profsup ./prog -q exit >/dev/null 2>&1
is $? "$(./prog -q exit >/dev/null 2>&1; echo $?)" 'flags behind the program are its own'
rm -f gmon.*

for flag in -h -V; do
	profsup $flag >out 2>err
	is $? 0 "$flag: exit status 0"
	[ -s out ]
	ok $? "$flag: something on stdout"
	is "$(said err)" '' "$flag: nothing on stderr"
	profsup $flag >/dev/full 2>err
	is $? 125 "$flag: a full disk is an error"
done
is "$(profsup -V)" "$(profsup -V | grep '^profsup [0-9][0-9.]*$')" '-V prints name and version'

profsup -v ./prog exit 10 0 >out 2>err
is "$(cat out)" '' '-v: nothing on stdout'
grep -q '^profsup: .*wrote gmon\.prog\.' err
ok $? '-v: the file is named on stderr'
rm -f gmon.*
profsup ./prog wait 10 >out 2>err &
kill -15 "$(ready_pid out)"
wait $! 2>/dev/null
is "$(cat out)" "$(grep ready out)" 'stdout has what the program printed and no more'

# Core dumps.  Where the core goes is the machine's affair; that there is one of the program and none of profsup
# shows in the wait status.
rm -f gmon.* core*
prlimit --pid $$ --core=unlimited: 2>/dev/null || prlimit --pid $$ --core=1000000000:
is "$(how_it_ended profsup ./prog abort 10 2>err)" 'signal 6' 'profsup dies of the same signal and dumps no core'
is "$(find . -name "core*" | wc -l)" "$(mkdir alone && cd alone && ../prog abort 10 2>/dev/null; find . -name 'core*' | wc -l)" \
	'there are as many core files as alone'
for core in core*; do
	[ -f "$core" ] || continue
	is "$(readelf -n "$core" | grep -c '/prog$')" "$(readelf -n alone/core* | grep -c '/prog$')" 'the core is the program'"'"'s'
done
done_testing
