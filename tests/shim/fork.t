#!/bin/sh
# Processes made by a program whose other threads are inside mcount all the time: each has its own counts.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/exact.sh"

cp "$(target rt-fork)" prog

# family HOW CHILDREN GRANDCHILDREN DESCRIPTION [ARC...]: the arcs are of children of vfork, which count in their
# parent's memory.
family() {
	rm -f gmon.* ./*.arcs
	profsup ./prog "$1" >out 2>err
	is "$?$(said err)" 0 "$4: it ends well and nothing is said"
	"$top/tests/lib/arcs.pl" -f prog gmon.prog.*.out |
		awk '$3 ~ /^t_/ { f = $1; sub(/^[^ ]* /, ""); print >f ".arcs" }'
	{
		truth out
		[ $# -eq 4 ] || printf '%s\n' "$@" | sed 1,4d
	} | sort >want
	same_arcs "gmon.prog.$(awk '$3 == "parent" { print $2 }' out).out.arcs" want "$4: the parent has its own calls${5:+ and those of vfork\'s children}"
	for kind in child grandchild; do
		case $kind in
		child) n=$2 line='child_work t_child 100' ;;
		*) n=$3 line='grandchild_work t_grandchild 77' ;;
		esac
		is "$(awk -v k=$kind '$3 == k { print $2 }' out | sort -u | while read -r pid; do
			[ ! -e "gmon.prog.$pid.out.arcs" ] || cat "gmon.prog.$pid.out.arcs"
		done | sort | uniq -c | sed 's/^ *//')" "$([ "$n" -eq 0 ] || echo "$n $line")" "$4: each $kind ($n) has its own calls"
	done
}

family fork 40 0 'fork'
family vfork 0 0 'vfork' 'child_work t_child 4000'
family vfork-exec 40 0 'vfork and exec' 'child_work t_child 4000'
family spawn 40 0 'posix_spawn'
family nested 0 40 'vfork and fork by children of vfork' 'child_work t_child 4000' 'grandchild_work t_grandchild 3080'
family handler 40 0 'fork in a signal handler'
cp "$(target rt-child-threads)" child-threads
exact_files=all exact 'a child makes a thread before it calls anything' ./child-threads
family two-threads 20 0 'fork and vfork by two threads at once' 'child_work t_child 2000'
done_testing
