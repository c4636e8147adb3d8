#!/bin/sh
# san: no room
# A program can't tell that it is profiled from the state it was started in: whatever the caller left, all that
# tests/targets/plain/selfcheck.c can see is the same alone and under profsup.
# shellcheck disable=SC2016 # perl and inner shells expand their own
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target selfcheck)" prog
cp "$(target die)" die
: >empty
: >printed
chmod 666 printed

# same WHAT COMMAND...: where the command execs what follows it.
same() {
	what=$1
	shift
	rm -f seen alone gmon.*
	: >printed
	timeout --foreground -k 1 120 "$@" ./prog seen <empty >printed 2>&1
	is "$?$(cat printed)" 0 "$what: runs alone"
	mv seen alone
	timeout --foreground -k 1 120 "$@" profsup ./prog seen <empty >printed 2>&1
	is "$?$(said printed)" 0 "$what: runs under profsup"
	diff alone seen >differs 2>&1
	ok $? "$what: the program sees no difference" || diag_file differs
	[ -f "$(the_file)" ]
	ok $? "$what: it was profiled"
}

same 'nothing odd' env
same 'an empty environment but for PATH' env -i "PATH=$PATH"
same 'SIGPIPE ignored' env --ignore-signal=PIPE
same 'SIGCHLD ignored' env --ignore-signal=CHLD
same 'all signals ignored' env --ignore-signal
same 'terminal signals ignored' env --ignore-signal=INT,QUIT,TSTP,TTIN,TTOU,HUP
same 'SIGCHLD and others blocked' env --block-signal=CHLD,TERM,INT,USR1,TSTP,CONT,TRAP
same 'all signals blocked' env --block-signal
same 'SIGTRAP and SIGSYS ignored' env --ignore-signal=TRAP,SYS
same 'a umask of 0' sh -c 'umask 0; exec "$@"' sh
same 'a umask of 0777' perl -e 'open F, ">", "seen"; chmod 0666, "seen"; umask 0777; exec @ARGV' --
same 'stdin closed' sh -c 'exec "$@" <&-' sh
same 'stdin, stdout and stderr closed' sh -c 'exec "$@" <&- >&- 2>&-' sh
same 'descriptors 5 and 700 open' \
	perl -MPOSIX -e 'open F, "<", "empty"; dup2(fileno F, $_) for 5, 700; exec @ARGV' --
same 'nearly all descriptors below 30 open' \
	perl -MPOSIX -e 'open F, "<", "empty"; dup2(fileno F, $_) for 3 .. 29; exec @ARGV' --
same 'RLIMIT_NOFILE at 16' prlimit --nofile=16
same 'a soft RLIMIT_NOFILE of 5' prlimit --nofile=5:
same 'small limits' prlimit --stack=1000000 --nproc=500 --data=100000000 --fsize=1000000 --memlock=0 --rtprio=0 --nice=0 \
	--sigpending=100 --msgqueue=1000 --cpu=1000 --core=5
same 'nice' nice -n 7
same 'on one CPU' taskset 1
same 'SCHED_BATCH' chrt -b 0
same 'SCHED_IDLE' chrt -i 0
same 'an idle I/O class' ionice -c 3
same 'no address randomization' setarch -R
same 'another personality' setarch --uname-2.6 -B
same 'an OOM score' choom -n 300 --
same 'no_new_privs' setpriv --no-new-privs
# What exec leaves to the new program, but fork does not leave to a child.
prctl='require "syscall.ph"; sub prctl { syscall(&SYS_prctl, $_[0], $_[1], 0, 0, 0) == 0 or die "prctl: $!" }'
same 'a timer slack' perl -e "$prctl; prctl(29, 123456); exec @ARGV" --
same 'no huge pages' perl -e "$prctl; prctl(41, 1); exec @ARGV" --
same 'a death signal' setpriv --pdeathsig TERM
same 'the duty of a subreaper' perl -e "$prctl; prctl(36, 1); exec @ARGV" --
same 'an alarm' perl -e 'alarm 100000; exec @ARGV' --
same 'timers of CPU time' perl -MTime::HiRes=:DEFAULT,setitimer,ITIMER_VIRTUAL,ITIMER_PROF \
	-e 'setitimer(ITIMER_VIRTUAL, 1000.5); setitimer(ITIMER_PROF, 2000.5, 10); exec @ARGV' --
same 'a blocked signal pending' perl -MPOSIX \
	-e 'sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGUSR1)); kill USR1 => $$; exec @ARGV' --
same 'a SIGTERM pending that is ignored and blocked' env --block-signal=TERM --ignore-signal=TERM \
	perl -e 'kill TERM => $$; exec @ARGV' --
same 'signals of all kinds pending' "$(target pend)" "$(command -v env)"

if [ "$(id -u)" -eq 0 ]; then
	same 'real-time priority' chrt -r 3
	same 'a plain user' setpriv --reuid 65534 --regid 65534 --clear-groups
	same 'a user with groups' setpriv --reuid 65534 --regid 65533 --groups 20,30
	same 'a plain user with no_new_privs and a death signal' \
		setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --pdeathsig INT
	same 'an ambient capability' setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +net_raw --ambient-caps +net_raw
	same 'fewer capabilities in the bounding set' setpriv --bounding-set -net_raw,-sys_time
	same 'secure bits' setpriv --securebits +noroot,+noroot_locked
else
	skip 'other users and priorities need root'
fi

# On a terminal of its own.
rm -f gmon.* alone seen
mkfifo keys
perl "$top/tests/lib/pty.pl" keys screen sh -c './prog alone; profsup ./prog seen'
is "$(said screen | sort -u | tr -d '\n')" 'command ended with 0' 'on a terminal: runs alone and under profsup'
is "$(grep -c -E '^(tty: yes|foreground: [1-9])' seen)" 2 'on a terminal: it is in the foreground'
diff alone seen >differs 2>&1
ok $? 'on a terminal: the program sees no difference' || diag_file differs

# That the comparison sees something.
umask 027
./prog alone
umask 022
./prog seen
is "$(diff alone seen | grep -c umask)" 2 'the comparison would show a different umask'
is "$(grep -c -E '^(fd|signal|cap|auxv|env|itimer|sched|/proc/self/limits:|/proc/self/status:)' alone | sed 's/.../big/')" big 'it covers a good deal'

# The same timer, as it goes off; RLIMIT_CPU ends what it does not end.
for run in '' profsup; do
	# shellcheck disable=SC2086 # one word or none
	is "$(how_it_ended prlimit --cpu=4:8 perl -e 'alarm 1; exec @ARGV' -- $run ./die spin 10 2>&1 | tail -n 1)" 'signal 14' \
		"${run:-alone}: an alarm that the caller set ends the program"
done
done_testing
