#!/bin/sh
# Fork bombs and clone storms under a limit of processes: each process has its file, each call is in one.
. "$(dirname "$0")/../lib/hostile.sh"

# storm HOW LIMIT MOST: leaves $made.
storm() {
	rm -f gmon.*
	cp "$(target hostile-storm)" prog
	attack '' ./prog "$@"
	unharmed "$1"
	made=$(sed -n 's/^made \([0-9]*\).*/\1/p' "$scratch/out")
	between "$(sed -n 's/.*refused //p' "$scratch/out")" "${4:-1}" 1000000 "$who$1: the limit was met"
	is "$(said "$scratch/err")" '' "$who$1: nothing is said"
	between "$rss" 1 100000 "$who$1: nobody needs more than 100 MB"
	between "$own" 0 20000 "$who$1: nor the supervisor much CPU time"
}

files() {
	find . -name 'gmon.prog.*' | wc -l
}

check() {
	storm forks 60 600
	is "$(files)" $((made + 1)) "${who}each of $made processes has a file"
	is "$(all_calls_of prog work)" "$made" "${who}with its one call"
	storm threads 60 2000
	is "$(files)" 1 "${who}the process of $made threads has a file"
	is "$(all_calls_of prog work)" "$made" "${who}with each thread's call"
	storm clones 60 512
	is "$(all_calls_of prog work)" "$made" "${who}the files of what $made raw clones made have each one's call"
	storm untraced 60 100 0
	is "$(files)" 1 "${who}what has asked not to be traced has no file"
}

each_way check
done_testing
