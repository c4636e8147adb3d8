#!/bin/sh
# What an installation with file capabilities is good for: perf's samples, which the kernel may refuse to its users, and
# a sampler that is not kept waiting.
. "$(dirname "$0")/../lib/capslib.sh"

for tool in gprof perl; do
	command -v $tool >/dev/null || skip_all "needs $tool"
done
cp "$(target threads)" threads
cp "$(target count)" prog

samplers='ptrace auto'
if ! member "$plain" -q --sampler=perf true 2>/dev/null; then
	if member "$caps" -q --sampler=perf true 2>err; then
		ok 0 '--sampler=perf, refused to the caller, is had'
		samplers="$samplers perf"
	else
		skip "needs CAP_PERFMON in a file to be good for perf_event_open: $(cat err)"
	fi
else
	skip 'needs a kernel that refuses perf_event_open to users'
fi
case $samplers in
*perf)
	member "$caps" --sampler=perf -p $$ >out 2>err
	is "$? $(sed 's/^\(profsup: --sampler=perf: perf_event_open\): .*/\1/' err)" "125 profsup: --sampler=perf: perf_event_open
profsup: -p does not use the capabilities of profsup's file: the caller needs CAP_PERFMON" \
		'-p uses no lent right, and says so'
	;;
esac
for sampler in $samplers; do
	rm -f gmon.* stats
	member timeout -k 1 240 "$caps" -F 1000 --sampler="$sampler" --stats=stats ./prog 1000000 >out 2>err
	is "$? $(said err)" '0 ' "$sampler: a profile is taken"
	is "$(calls prog "$(the_file prog)" leaf)" 1000000 "$sampler: with each call"
	is "$(stat -c '%u %g %a' "$(the_file prog)")" '65534 65534 600' "$sampler: the file is the caller's"
done

# System time is what a user's own events would leave out.  A chain of programs: a shell, its children, execs.
for sampler in $samplers; do
	rm -f gmon.* stats
	# shellcheck disable=SC2016 # the inner shell's
	member timeout -k 1 240 "$caps" -q -F 1000 --sampler="$sampler" --stats=stats \
		sh -c 'for i in 1 2; do sh -c "exec ./prog 3000000" & done; wait; exec ./prog 1000' >out 2>err
	is "$? $(cat err)" '0 ' "$sampler: a tree of programs is run"
	set -- gmon.prog.*.out
	is $# 3 "$sampler: each that was profiled has a file"
	is "$(for file; do calls prog "$file" leaf; done | sort -n | paste -sd ' ')" '1000 3000000 3000000' "$sampler: each has its calls"
done

mkdir -m 1777 profiles
mkdir -m 700 closed
member PROFDIR="$scratch/profiles" "$caps" -q ./prog 10 2>err
is "$(stat -c '%u %g %a' profiles/gmon.prog.*.out)" '65534 65534 600' 'PROFDIR is the program'"'"'s to choose'
rm -f gmon.*
member PROFDIR="$scratch/closed" "$caps" -q ./prog 10 2>err
is "$(ls -A closed)$(grep -c "PROFDIR .*closed can't be opened" err)" 1 'as far as its rights go'

# Where a mount takes the capabilities away, it is one of no installation.
if unshare -m true 2>/dev/null; then
	export caps caps_place caps_gid
	rm -f gmon.*
	# shellcheck disable=SC2016 # its own
	unshare -m sh -c 'mount --bind "$caps_place" "$caps_place" && mount -o remount,bind,nosuid "$caps_place" || exit 77
		exec setpriv --reuid 65534 --regid 65534 --groups "$caps_gid" env "$caps" -q ./prog 10' >out 2>err
	case $? in
	77) skip 'needs to remount with nosuid' ;;
	*) is "$(cat err) $(calls prog "$(the_file prog)" leaf)" ' 10' 'on a file system without set-user-ID programs it works as without' ;;
	esac
else
	skip 'needs a mount namespace'
fi
done_testing
