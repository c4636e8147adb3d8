#!/bin/sh
# san: no room
# What the program has under an installation with file capabilities is what its caller gives it when he runs it himself:
# ids, groups, capabilities, secure bits, keyrings, descriptors, environment, all that tests/targets/plain/selfcheck.c can see.
# shellcheck disable=SC2016 # perl and inner shells expand their own
. "$(dirname "$0")/../lib/capslib.sh"

cp "$(target selfcheck)" prog
: >empty
: >printed
chmod 666 printed
profsup=$caps

# same WHAT COMMAND...: where the command, run by a member, execs what follows it.
same() {
	what=$1
	shift
	rm -f seen alone gmon.*
	: >printed
	timeout --foreground -k 1 120 setpriv --reuid 65534 --regid 65534 --groups "$caps_gid" env \
		"$@" ./prog seen <empty >printed 2>&1
	is "$?$(cat printed)" 0 "$what: runs alone"
	mv seen alone
	timeout --foreground -k 1 120 setpriv --reuid 65534 --regid 65534 --groups "$caps_gid" env \
		"$@" "$profsup" ./prog seen <empty >printed 2>&1
	is "$?$(said printed)" 0 "$what: runs under profsup"
	diff alone seen >differs 2>&1
	ok $? "$what: the program sees no difference" || diag_file differs
	is "$(stat -c '%u %g %a' "$(the_file)")" '65534 65534 600' "$what: it was profiled, as the caller"
}

same 'nothing odd' env
same 'an empty environment' env -i
same 'an environment that a C library mistrusts' env -i B=1 TMPDIR=/nowhere LD_LIBRARY_PATH=/nowhere A=2 LOCPATH=/nowhere \
	LD_BIND_NOW=1 GLIBC_TUNABLES=glibc.malloc.check=0 MALLOC_ARENA_MAX=1 MALLOC_CHECK_=1 TZDIR=/nowhere A=3 NLSPATH=
same 'an environment that is no list of variables' perl -e 'require "syscall.ph"; my @argv = @ARGV;
	my @env = ("word", "", "=", "=x", "A=1", "", "A=2", "TMPDIR=/x");
	my ($argv, $env) = map { pack "P*", undef } 1, 2; sub list { join "", map({ pack "P", $_ } @{$_[0]}), pack "Q", 0 }
	syscall(&SYS_execve, $argv[0], list(\@argv), list(\@env)); die "$!"'
same 'stdin closed' sh -c 'exec "$@" <&-' sh
same 'stdin, stdout and stderr closed' sh -c 'exec "$@" <&- >&- 2>&-' sh
same 'stdout and stderr to /dev/null' sh -c 'exec "$@" >/dev/null 2<>/dev/null' sh
same 'descriptors 5 and 700 open' \
	perl -MPOSIX -e 'open F, "<", "empty"; dup2(fileno F, $_) for 5, 700; exec @ARGV' --
same 'a soft RLIMIT_NOFILE of 5' prlimit --nofile=5:
same 'small limits' prlimit --stack=1000000 --nproc=500 --data=100000000 --fsize=1000000 --memlock=0 --rtprio=0 --nice=0 \
	--sigpending=100 --msgqueue=1000 --cpu=1000 --core=5
same 'nice' nice -n 7
same 'SCHED_BATCH' chrt -b 0
same 'no_new_privs' setpriv --no-new-privs
same 'all signals ignored' env --ignore-signal
same 'SIGCHLD and others blocked' env --block-signal=CHLD,TERM,INT,USR1,TSTP,CONT,TRAP

rm -f seen alone gmon.*
member perl -e 'require "syscall.ph"; syscall(&SYS_keyctl, 1, 0) > 0 or die "keyctl: $!\n"; exec @ARGV' -- \
	sh -c './prog alone; "$0" ./prog seen' "$profsup" <empty >printed 2>&1
is "$?$(said printed)" 0 'a session keyring of its own: runs'
is "$(grep ^keyring alone)" "$(grep ^keyring seen)" 'a session keyring of its own: the program has it'

# As root leaves it to its user.
same_from_root() {
	what=$1
	shift
	rm -f seen alone gmon.*
	setpriv --reuid 65534 --regid 65533 --groups "20,$caps_gid" "$@" env ./prog seen <empty >printed 2>&1
	is "$?$(cat printed)" 0 "$what: runs alone"
	mv seen alone
	setpriv --reuid 65534 --regid 65533 --groups "20,$caps_gid" "$@" env "$profsup" ./prog seen <empty >printed 2>&1
	is "$?$(said printed)" 0 "$what: runs under profsup"
	diff alone seen >differs 2>&1
	ok $? "$what: the program sees no difference" || diag_file differs
	[ -f "$(the_file)" ]
	ok $? "$what: it was profiled"
}

same_from_root 'groups, inheritable capabilities' --inh-caps +net_raw,+perfmon,+sys_nice
same_from_root 'fewer capabilities in the bounding set' --bounding-set -net_raw,-sys_time
same_from_root 'no CAP_PERFMON in the bounding set' --bounding-set -perfmon
same_from_root 'an empty bounding set' --bounding-set -all
same_from_root 'secure bits' --securebits +noroot,+noroot_locked
is "$(grep -c '^cap .*ambient 0' alone)" "$(($(cat /proc/sys/kernel/cap_last_cap) + 1))" 'the comparison covers the ambient set'

# What the kernel takes from who execs a program with file capabilities is gone: SECURITY.md names it.
rm -f seen
setpriv --reuid 65534 --regid 65534 --groups "$caps_gid" --inh-caps +net_raw --ambient-caps +net_raw --pdeathsig TERM \
	setarch -R prlimit --stack=100000000: "$caps" -q ./prog seen
is "$(grep -cE '^(cap 13: ambient 0|caps 0: 0 0 2000|pdeathsig: 0 |personality: 0 )' seen)" 4 \
	'an ambient capability, a death signal and a personality are lost, and no more is gained'

if member "$caps" -q --sampler=perf true 2>/dev/null; then
	profsup=$scratch/by-perf
	printf '#!/bin/sh\nexec "%s" --sampler=perf "$@"\n' "$caps" >"$profsup"
	chmod 755 "$profsup"
	export _=1 # so that its place among the variables is the same
	same 'sampled by perf' env "_=$scratch/by-perf" "PWD=$scratch" OLDPWD=
else
	skip 'needs perf_event_open with CAP_PERFMON'
fi
profsup=$plain
same 'without file capabilities' env
done_testing
