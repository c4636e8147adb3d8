#!/bin/sh
# What profsup says at the end of a run, and --stats: true, to stderr or the file, and nothing with -q.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target work)" work
cp "$(target count)" count

# member NAME: of stats.json, by a reader of JSON.
member() {
	perl -MJSON::PP -e 'local $/; open my $f, "<", "stats.json"; print JSON::PP->new->decode(<$f>)->{$ARGV[0]}' "$1"
}

for sampler in $(samplers); do
	rm -f gmon.* stats.json
	profsup --sampler="$sampler" -F 1000 --stats=stats.json ./work threads 300 2 >out 2>err
	file=$(the_file work)
	is "$(sed -n 's/^profsup: \(1 process, 1 file: .*\); .* at 1000 Hz, .* samples* ('"$sampler"').*/\1/p' err)" "1 process, 1 file: $(pwd -P)/$file" \
		"$sampler: one line says what was seen, and where it is"
	is "$(sed -n 's/^profsup: \(own CPU time\) .*/\1/p' err)" 'own CPU time' "$sampler: another what it has cost"
	is "$(said err)" '' "$sampler: there is nothing else to say"
	is "$(($(member ticks) - $(member outside_ticks)))" "$(ticks "$file")" "$sampler: the ticks are those of the file"
	is "$(member cpu_ns)" "$(($(member ticks) * 1000000))" "$sampler: and the CPU time is what they stand for"
	is "$(member sampler)/$(member hz)/$(member processes)/$(member files)" "$sampler/1000/1/1" "$sampler: and the rest of the first line"
	between "$(member own_cpu_ns)" 1 1000000000 "$sampler: our own CPU time is told"
	if [ "$sampler" = ptrace ]; then
		is "$(member stops)" "$(member samples)" "$sampler: each sample is a stop"
		between "$(member longest_stop_ns)" 1 "$(member stopped_ns)" "$sampler: the longest is one of them"
	else
		is "$(member stops)/$(member stopped_ns)" 0/0 "$sampler: there is no stop"
		is "$(grep -c stops err)" 0 "$sampler: and so none is told of"
	fi
done

rm -f gmon.* stats.json
profsup -q --stats=stats.json ./count 3 >out 2>err
is "$?$(cat err)" 0 '-q: nothing is said'
is "$(member files)" 1 '-q: the numbers are in the file all the same'
profsup -q --stats=nowhere/file ./count 3 >out 2>err
is "$? $(cat err)" '125 profsup: --stats=nowhere/file: No such file or directory' 'a file that can not be made is an error before the start'
is "$(cat out)" '' 'and the program is not run'
if [ -w /dev/full ]; then
	profsup -q --stats=/dev/full ./count 3 >out 2>err
	is "$? $(cat err)" '0 profsup: --stats=/dev/full: No space left on device' 'one that can not be written is told of'
fi
rm -f gmon.*
profsup true 2>err
is "$(grep -c process err)" 0 'where nothing was profiled there is no summary'

# A tree: all its processes are in the sums.
profsup --stats=stats.json sh -c './count 3; ./count 4 & wait' 2>err
is "$(member processes)/$(member files)" 2/2 'the processes of a tree are counted together'
grep -qF "profsup: 2 processes, 2 files in $(pwd -P); " err
ok $? 'also in the line, with the directory' || diag_file err
mkdir a b elsewhere
cp work elsewhere/other
rm -f gmon.*
for how in './count 3; elsewhere/other threads 200 1' 'elsewhere/other threads 20 1; sleep 0.2; elsewhere/other threads 200 1'; do
	profsup sh -c "$how" 2>err
	sed -n 's/^profsup: to look at [a-z]*: //p' err >words && reader sh <words >out 2>err
	is "$(sed -n '1s/: .*//p' out)" elsewhere/other "$how: the command at the end works, wherever the program is" || diag_file err
	rm -f gmon.*
done
profsup sh -c 'cd a; ../count 3; cd ../b; ../count 4' 2>err
grep -q '^profsup: 2 processes, 2 files; ' err
ok $? 'of two directories none is named' || diag_file err
odd=$(printf 'a\033[m\n/\342\200\256')
mkdir -p "$odd"
(cd "$odd" && profsup "$scratch/count" 3) 2>err
LC_ALL=C grep -q '[^ -~]' err
is "$?/$(sed -n 's/.* 1 file: \(.*\)\/gmon.*/\1/p' err)" "1/$(pwd -P)/a?[m?/?" 'what is not fit to be shown in its name is not' || diag_file err
if [ "$(id -u)" -eq 0 ]; then
	# shellcheck disable=SC2016 # the inner shell's
	(cd b && profsup unshare -m --propagation private sh -c 'mount -t tmpfs none . && cd "$PWD" && ../count 3') 2>err
	is "$(sed -n 's/.* 1 file: \([^;]*\);.*/\1/p' err | sed 's/[0-9][0-9]*/N/')" "gmon.count.N.out, in a directory of its program's" \
		'a directory that is in another namespace of mounts is said to be, and there is no hint' || diag_file err
else
	skip 'a directory in another namespace of mounts: needs root'
fi

# The kernel's own limit.
limit=/proc/sys/kernel/perf_event_max_sample_rate
if [ "$(samplers | wc -l)" = 2 ]; then
	if [ -w $limit ] && before=$(cat $limit) && echo 2000 2>/dev/null >$limit; then
		trap 'echo "$before" >$limit; cd /; rm -rf "$scratch"' EXIT
		rm -f gmon.*
		profsup --sampler=perf -F 5000 ./work busy 200 >out 2>err
		is "$(said err)" 'profsup: -F 5000: lowered to 2000, the limit of kernel.perf_event_max_sample_rate' \
			'a rate above the limit of the kernel is lowered, with one line'
		is "$(perl "$top/tests/lib/gmon.pl" rate "$(the_file work)")" 2000 'and the file has the lower one'
		echo "$before" >$limit
	else
		skip "$limit can not be written"
	fi
fi
done_testing
