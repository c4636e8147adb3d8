#!/bin/sh
# Root's supervisors have real-time priority, and what they have to do is their targets' to choose: an ordinary program
# on the same CPU has its share of it all the same.  (At a priority that was lent: realtime-lent.t.)
# check-all: how long others wait for a CPU
. "$(dirname "$0")/../lib/hostile.sh"
. "$top/tests/lib/realtime.sh"
need_root
command -v taskset >/dev/null || skip_all 'needs taskset'

mkdir programs
for name in share hostile-bomb hostile-calls; do
	cp "$(target $name)" "programs/$name"
done
mv bin/profsup programs
PATH=$scratch/programs:$PATH
perl "$top/tests/lib/fat.pl" programs/hostile-bomb programs/fat 256 || bail fat.pl
alone_as=
without_priority='setpriv --bounding-set=-sys_nice'
seconds=$(rounds 1.5 3)

# attackers N KIND
attackers() {
	case $2 in
	exits) left_alone "$1 whose many threads exit" "$seconds" "$1" "$scratch/programs" \
		profsup -q -- programs/fat exits 1 272 ;;
	calls) left_alone "$1 whose calls are watched" "$seconds" "$1" "$scratch/programs" \
		profsup -q -- programs/hostile-calls 90 ;;
	ticks) left_alone "$1 that are sampled often" "$seconds" "$1" "$scratch/programs" \
		profsup -q -F 4000 --sampler=ptrace -- programs/share 60 loop ;;
	esac
}

for attack in $(rounds "1exits 8calls" "1exits 1calls 1ticks 8exits 8calls 8ticks"); do
	attackers "${attack%%[a-z]*}" "${attack#[0-9]}"
done
who=
nobody_left
done_testing
