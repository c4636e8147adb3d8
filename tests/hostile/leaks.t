#!/bin/sh
# One hostile program after the other, again and again: the supervisor has no more descriptors and memory than before.
# (Not those that make it read tables of many megabytes: where malloc puts these is no leak, but looks like one.)
# check-all: memory, as measured
. "$(dirname "$0")/../lib/hostile.sh"
need_root # to look at the supervisor

for name in arcs buffers dirfd exits storm vfork; do
	cp "$(target hostile-$name)" bin
done

# Each word on its input is one round; after each, a line on its output.
cat >bin/rounds <<'EOS'
rounds() {
	rm -f gmon.*
	hostile-arcs 1
	hostile-buffers first 1
	hostile-buffers late 1
	hostile-dirfd first pipe
	hostile-dirfd first /proc
	hostile-dirfd first closed
	hostile-exits exits 1
	hostile-exits execs 1
	hostile-exits kills 1
	hostile-exits vforks 2
	hostile-storm forks 30 30
	hostile-vfork killed
	hostile-vfork no-leader
	hostile-exits forks 1 &
	kill -KILL $!
	wait
}
while read -r n; do
	while [ "$n" -gt 0 ]; do
		rounds
		n=$((n - 1))
	done >/dev/null 2>&1
	echo done
done
EOS
chmod 755 bin/*

# after ROUNDS: "descriptors kilobytes" of the supervisor.
after() {
	: >out
	echo "$1" >&3
	wait_until 60 grep -q "done" out || bail 'a round does not end'
	echo "$(find "/proc/$supervisor/fd" -mindepth 1 | wc -l) $(awk '$1 == "VmRSS:" { print $2 }' "/proc/$supervisor/status")"
}

check() {
	: >out
	mkfifo in
	chmod 666 in
	# shellcheck disable=SC2086 # words
	$run -F 1000 sh "$scratch/bin/rounds" <in >>out 2>"$scratch/err" &
	front=$!
	exec 3>in
	wait_until 60 pgrep -P "$front" -x sh
	supervisor=$(supervisor_of "$(pgrep -P "$front" -x sh)")
	more=$(rounds 5 10)
	before=$(after 3)
	later=$(after "$more")
	# Some are made once, as late as they are needed: a leak would be one in each round.
	between "${later% *}" 1 $((${before% *} + more - 1)) "${who}no descriptor is left open by $more rounds more"
	between "${later#* }" 1 $((${before#* } + 512)) "${who}nor is memory"
	exec 3>&-
	wait "$front"
	is $? 0 "${who}the program ends as it would alone"
	nobody_left
}

each_way check
done_testing
