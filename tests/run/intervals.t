#!/bin/sh
# --intervals: snapshots are parts, and all parts together are the whole.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/steps.sh"

cp "$(target steps)" steps
cp "$(target waits)" waits
trap 'kill -9 ${kept:-} ${front:-} 2>/dev/null; cd /; rm -rf "$scratch"' EXIT

# snapshot N: the Nth is asked for, and has all its files.
snapshot() {
	kill -USR2 "$front"
	wait_until 60 grep -q "wrote stacks.*\\.snap$1\\." err
}

counts() {
	all_calls steps "gmon.steps.$pid.$1out"
}

stacks() {
	perl "$top/tests/lib/stacks.pl" "$@"
}

for sampler in $(samplers); do
	rm -f stacks.*
	begin --sampler="$sampler" -g --intervals --stats=stats
	step 'call 50000005' 'thread 3'
	snapshot 1
	step 'call 50000010' 'thread 7' lock
	snapshot 2
	snapshot 3
	step 'call 50000100'
	end 'exit 3'
	is "$status" 3 "$sampler: the exit status is the program's"
	is "$(counts snap1.)/$(counts snap2.)/$(counts snap3.)/$(counts '')" ' work=50000008/ work=50000017// work=50000100' \
		"$sampler: each file has the calls since the one before, in strict seccomp, too"
	is "$(ticks "gmon.steps.$pid.snap3.out")" 0 "$sampler: and none of its time"
	is "$(stacks ticks stacks.steps.*)" "$(statistic ticks stats)" "$sampler: the ticks of all files of stacks are the run's"
	is "$(($(perl "$top/tests/lib/gmon.pl" ticks gmon.steps.*.out) + $(statistic outside_ticks stats)))" "$(statistic ticks stats)" \
		"$sampler: so are those of the gmon files, with what is outside of the text"
	profsup-report -q --intervals ./steps "gmon.steps.$pid".*out >all 2>messages
	is "$? $(cat messages) $(awk '$NF == "work" { print $4 }' all)" '0  150000125' "$sampler: profsup-report --intervals adds them up" ||
		diag_file all
	profsup-report ./steps "gmon.steps.$pid".*out 2>&1 >all | grep -q '^profsup-report: 3 snapshots, such as .*(if profsup had --intervals they have not: give --intervals here, too)$'
	ok $? "$sampler: without it, it says that some are left out"
	profsup-export -q --intervals --format=json ./steps "gmon.steps.$pid".*out >all
	is "$(jq '.totals.ticks + .totals.runtime_ticks' all)" "$(stacks ticks stacks.steps.*)" "$sampler: so does profsup-export" ||
		diag_file err
	reader profsup-diff -q --one-run --intervals --format=json ./steps "gmon.steps.$pid".*out -- ./steps "gmon.steps.$pid".*out >all 2>messages
	is "$? $(cat messages) $(jq -c '[.before.calls, .after.calls]' all)" '0  [150000129,150000129]' \
		"$sampler: so does profsup-diff" || diag_file all
	sed -n 's/^profsup: to look at them: //p' err >words && reader sh <words >all 2>/dev/null
	is "$? $(awk '$NF == "work" { print $4 }' all)" '0 150000125' "$sampler: and so does what the last line says" || diag_file words
	for n in 1 2; do
		between "$(stacks ticks "stacks.steps.$pid.snap$n.pb.gz")" 10 1000000 "$sampler: snapshot $n has its part of them"
	done

	# Each begins where the one before ends, but for the time between two looks at two clocks.
	for file in "snap1." "snap2." "snap3." ''; do
		stacks time "stacks.steps.$pid.${file}pb.gz"
	done >spans
	is "$(awk 'NR > 1 && ($1 < middle || $1 > end + 1e9) { bad++ } { middle = $1 + $2 / 2; end = $1 + $2 } END { print NR, bad + 0 }' spans)" '4 0' \
		"$sampler: each begins where the one before ends" || diag_file spans

	# Children, and --report.
	begin --sampler="$sampler" -g --intervals --report
	step 'call 50000001' keep
	kept=$(child_pid)
	snapshot 1
	step 'fork 9' 'call 50000002'
	kill -9 "$kept"
	end
	is "$(for f in gmon.*; do all_calls steps "$f"; done | tr ' ' '\n' | sort | tr '\n' ' ')" ' child_work=9 work=50000001 work=50000002 ' \
		"$sampler: a child has its own"
	is "$(awk '$2 ~ /%$/ && $NF == "work" { print $4 }' err)" 100000003 "$sampler: --report: with the calls of all parts" || diag_file err
done

# Waits are shared out, too.
rm -f gmon.* stacks.*
profsup --wall --intervals --every=0.1 -F 1000 --stats=stats ./waits 4 >out 2>err
set -- stacks.waits.*
between $# 4 1000 '--wall: there are several files'
stacks values "$@" >sums
awk -v b="$(statistic blocked_ns stats)" -v r="$(statistic runnable_ns stats)" '{ exit !($3 == b && $4 == r) }' sums
ok $? '--wall: blocked and runnable of all files are the run'"'"'s' || diag "$(cat sums) not $(statistic blocked_ns stats) $(statistic runnable_ns stats)"

# Programs that were not linked for it.
rm -f gmon.* stacks.*
cat >any.c <<'EOF'
#include <time.h>
#include <unistd.h>
static volatile unsigned long n;
int
main(void)
{
	for (int i = 1; i <= 8; i++) {
		while (clock() < i * (CLOCKS_PER_SEC / 20))
			for (int j = 0; j < 10000; j++)
				n++;
		usleep(300000);
	}
}
EOF
cc -O1 -o any any.c || bail 'no compiler'
profsup -a --intervals --every=0.05 -F 1000 --stats=stats ./any 2>err
set -- stacks.any.*
between $# 2 1000 '-a: there are several files'
is "$(stacks ticks "$@")" "$(statistic ticks stats)" '-a: they are the whole'
empty=0
for f; do
	[ "$(stacks ticks "$f")" -gt 0 ] || empty=$((empty + 1))
done
between "$empty" 0 1 '-a: an interval in which nothing was seen has no file'

profsup --intervals --sum ./any 2>err
is "$?/$(cat err)" '125/profsup: --intervals is not for --sum (--help shows the options)' '--sum is refused'
done_testing
