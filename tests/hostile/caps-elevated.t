#!/bin/sh
# Programs that have more power than their caller, under a profsup with file capabilities: what is traced has lost the
# power, and what has it is neither traced nor sampled.
# check-all: numbers of samples
. "$(dirname "$0")/../lib/capslib.sh"

cp "$(target hostile-caps)" prog
dir=$caps_place/programs
mkdir -m 755 "$dir"
for name in suid sgid fcap none; do
	cp prog "$dir/$name"
done
chmod 4755 "$dir/suid"
chmod 2755 "$dir/sgid"
setcap cap_net_raw,cap_kill=ep "$dir/fcap"

# what_it_is FILE: without its pid.
what_it_is() {
	grep uid "$1" | sed 's/^[a-z]* [0-9]* //; s/1[0-9a-f]*ffff/all/g'
}

# What it has when nobody traces it.
power_of() {
	case $1 in
	suid) echo "uid 0 gid 65534 permitted $2 effective $2" ;;
	sgid) echo 'uid 65534 gid 0 permitted 0 effective 0' ;;
	fcap) echo 'uid 65534 gid 65534 permitted 2020 effective 2020' ;;
	none) echo 'uid 65534 gid 65534 permitted 0 effective 0' ;;
	esac
}

samplers=ptrace
if member "$caps" -q --sampler=perf true 2>/dev/null; then
	samplers='ptrace perf'
else
	skip 'needs perf_event_open with CAP_PERFMON'
fi
member "$dir/suid" show suid >out
all=$(what_it_is out | sed 's/.*effective \([^ ]*\) .*/\1/')
for name in suid sgid fcap; do
	member "$dir/$name" show $name >out
	is "$(what_it_is out)" "$(power_of $name "$all") traced 0" "$name: alone it has its power"
done
for sampler in $samplers; do
	for name in suid sgid fcap none; do
		rm -f gmon.*
		member timeout -k 1 120 "$caps" -q --sampler="$sampler" "$dir/$name" show $name >out 2>err
		is "$? $(what_it_is out)" "0 $(power_of none) traced 1" "$sampler: $name: traced it has its caller's"
		is "$(stat -c '%u %g' gmon.$name.*.out)" '65534 65534' "$sampler: $name: the file is the caller's"
	done
done

# A file that holds more than it should: the same.
cp "$caps" "$caps_place/more"
chgrp "$caps_group" "$caps_place/more"
chmod 750 "$caps_place/more"
much=cap_sys_ptrace,cap_setuid,cap_setgid,cap_dac_override,cap_kill,cap_perfmon
setcap $much=ep "$caps_place/more"
# In effect at once they can't be had unless all can.
member "$caps_place/more" -V >out 2>&1 || setcap $much=p "$caps_place/more"
for name in suid fcap none; do
	member timeout -k 1 120 "$caps_place/more" -q "$dir/$name" show $name >out 2>err
	is "$? $(what_it_is out)" "0 $(power_of none) traced 1" "under one that holds many capabilities: $name: it has its caller's"
done

ours=$caps_place
others_begin
# Who is not traced, by a program that is, has its power and leaves no sample.
for sampler in $samplers; do
	for name in suid sgid fcap none; do
		for how in untraced thread; do
			rm -f gmon.* stats
			member timeout -k 1 120 "$caps" -q -F 1000 --sampler="$sampler" --stats=stats \
				./prog $how "$dir/$name" show $name 150 >out 2>err
			is "$? $(what_it_is out)" "0 $(power_of $name "$all") traced 0" \
				"$sampler: $name: $how it has its power"
			# The file of the number that it has, if any, is about what was there before.
			used=$(for file in gmon.*.out; do ticks "$file"; done | awk '{ n += $1 } END { print n }')
			nobodys=$(statistic unattributed_samples stats)
			if [ "$name$sampler" = noneperf ]; then
				between_others "$nobodys" 50 200 "perf: $how, without power of its own, it is sampled for nobody"
			else
				between_others "$((used + nobodys))" 0 20 "$sampler: $name: $how it is not sampled"
			fi
		done
	done
done
done_testing
