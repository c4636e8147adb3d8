#!/bin/sh
# Processes made by a program whose other threads are inside mcount all the time: each has its own counts.
. "$(dirname "$0")/../tap/testlib.sh"
# shellcheck source=tests/tap/exact.sh
. "$top/tests/tap/exact.sh"

cp "$(target rt-fork)" prog

# family HOW CHILDREN GRANDCHILDREN DESCRIPTION
family() {
	rm -f gmon.* ./*.arcs
	profsup ./prog "$1" >out 2>err
	is "$?$(said err)" 0 "$4: it ends well and nothing is said"
	"$top/tests/tap/arcs.pl" -f prog gmon.prog.*.out |
		awk '$3 ~ /^t_/ { f = $1; sub(/^[^ ]* /, ""); print >f ".arcs" }'
	truth out >want
	same_arcs "gmon.prog.$(awk '$3 == "parent" { print $2 }' out).out.arcs" want "$4: the parent has its own calls"
	for kind in child grandchild; do
		case $kind in
		child) n=$2 line='child_work t_child 100' ;;
		*) n=$3 line='grandchild_work t_grandchild 77' ;;
		esac
		is "$(awk -v k=$kind '$3 == k { print $2 }' out | sort -u | while read -r pid; do
			cat "gmon.prog.$pid.out.arcs"
		done | sort | uniq -c | sed 's/^ *//')" "$([ "$n" -eq 0 ] || echo "$n $line")" "$4: each $kind ($n) has its own calls"
	done
}

family fork 40 0 'fork'
family vfork 40 0 'vfork'
family vfork-exec 40 0 'vfork and exec'
family spawn 40 0 'posix_spawn'
family nested 40 80 'vfork and fork by children of vfork'
family handler 40 0 'fork in a signal handler'
family two-threads 40 0 'fork and vfork by two threads at once'
done_testing
