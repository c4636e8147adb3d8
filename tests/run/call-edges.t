#!/bin/sh
# -g, with what no other profiler has to check itself by: each edge of a measured stack into a function that counts its
# calls is one that was counted.  In all kinds of programs: threads, signals, forks, coroutines, jumps, sandboxes.  Not
# among them are those that leave calls before they are counted (rt-step jump) or make up callers (rt-regs), and those that
# others have to talk to.
# check-all: a minute of CPU time; numbers of samples
. "$(dirname "$0")/../lib/testlib.sh"

n=0

# runs SAMPLER NAME WORD...: the program.  Its processes' files are added up, as a child's stack has calls that its parent has made.
# What they are is in the directory run.N; each file has a line in `files`, and what it is of one in `runs`.
runs() {
	runs_sampler=$1
	runs_name=$2
	shift 2
	n=$((n + 1))
	mkdir -m 1777 run.$n
	cp "$(target "$runs_name")" run.$n/
	(
		cd run.$n || exit
		mkdir -m 755 room gone
		timeout -s KILL 60 profsup -q -g --sum --sampler="$runs_sampler" -F 3000 "./$runs_name" "$@" >out 2>err </dev/null
	)
	[ -f "$(echo run.$n/stacks.*.pb.gz | cut -d ' ' -f 1)" ] || bail "$runs_sampler: $runs_name $*: no stacks"
	for runs_file in "run.$n"/stacks.*.pb.gz; do
		runs_gmon=run.$n/gmon.${runs_file#run."$n"/stacks.}
		echo "run.$n/$runs_name ${runs_gmon%.pb.gz}.out $runs_file" >>files
		echo "$runs_sampler: $runs_name $*" >>runs
	done
}

# hold: they do, in all runs until here.
hold() {
	edges=0
	# shellcheck disable=SC2046 # words
	perl "$top/tests/lib/stacks.pl" edges $(cat files) >compared 2>&1
	while read -r what <&3; do
		lacking=
		while read -r line; do
			case $line in
			*[!0-9]*) lacking="$lacking $line" ;;
			*) break ;;
			esac
		done
		is "$lacking" '' "$what: each edge was counted"
		edges=$((edges + ${line:-0}))
	done <compared 3<runs
	is "$(grep -c '^[0-9]*$' compared)" "$(wc -l <runs)" "$1: that is said of each run"
	rm -rf run.* files runs
}

for sampler in $(samplers); do
	while read -r words; do
		# shellcheck disable=SC2086 # words
		runs "$sampler" $words
	done <<-'END'
		count 20000000
		crowded 4 2 100
		detached 20
		eintr all 3
		family fork
		hopper 100
		places 100
		sleepers 0.1
		stacks dear
		stacks sort
		stacks signal
		stacks thread
		stacks fork
		stacks deep
		stacks exec
		threads hot
		threads fork
		threads leader-gone
		transfers write-pipe
		work busy 200
		work threads 200 4
		work tree 100
		work syscalls 200
		rt-big 20000000
		rt-clone eight
		rt-clone process
		rt-control
		rt-fork fork
		rt-killed file 10000000 4
		rt-step every
		rt-step same known
		rt-threads pthread 4 16 200000
		rt-threads small 16 64 50000
		rt-timer return
		rt-timer altstack
		rt-timer jump
		jail room 65534 20000000
		landlock 20000000
		sandbox-limits as
		sandbox-chroot room 65534
		sandbox-limits closed
		sandbox-limits fsize
		sandbox-limits nnp
		sandbox-limits nofile
		sandbox-none
		sandbox-rmdir gone
		sandbox-seccomp
		sandbox-strict
		sandbox-threads
		sandbox-userns
	END
	hold "$sampler"
	between "$edges" 100 1000000 "$sampler: there are such edges"
	diag "$sampler: $edges edges"
done
done_testing
