#!/bin/sh
# -g, with what no other profiler has to check itself by: each edge of a measured stack into a function that counts its
# calls is one that was counted.  In all kinds of programs: threads, signals, forks, coroutines, jumps, sandboxes.  Not
# among them are those that leave calls before they are counted (rt-step jump) or make up callers (rt-regs), and those that
# others have to talk to.
. "$(dirname "$0")/../lib/testlib.sh"
# shellcheck source=tests/lib/proclib.sh
. "$top/tests/lib/proclib.sh"

edges=0

# holds SAMPLER NAME WORD...: it is so in a run of the program.  Its processes' files are added up, as a child's stack has
# calls that its parent has made.
holds() {
	holds_sampler=$1
	holds_name=$2
	shift 2
	mkdir -m 1777 run
	cp "$(target "$holds_name")" run/
	(
		cd run || exit
		mkdir -m 755 room gone
		timeout -s KILL 60 profsup -q -g --sum --sampler="$holds_sampler" -F 3000 "./$holds_name" "$@" >out 2>err </dev/null
	)
	[ -f "$(echo run/stacks.*.pb.gz | cut -d ' ' -f 1)" ] || bail "$holds_sampler: $holds_name $*: no stacks"
	for holds_file in run/stacks.*.pb.gz; do
		holds_gmon=run/gmon.${holds_file#run/stacks.}
		holds_gmon=${holds_gmon%.pb.gz}.out
		perl "$top/tests/lib/stacks.pl" edges "run/$holds_name" "$holds_gmon" "$holds_file" >compared 2>&1
		is "$(sed '$d' compared)" '' "$holds_sampler: $holds_name $*: each edge was counted"
		edges=$((edges + $(tail -n 1 compared)))
	done
	rm -rf run
}

for sampler in $(samplers); do
	edges=0
	while read -r words; do
		# shellcheck disable=SC2086 # words
		holds "$sampler" $words
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
		threads hot
		threads fork
		threads leader-gone
		transfers all
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
		sandbox-as
		sandbox-chroot room 65534
		sandbox-closed
		sandbox-fsize
		sandbox-nnp
		sandbox-nofile
		sandbox-none
		sandbox-rmdir gone
		sandbox-seccomp
		sandbox-strict
		sandbox-threads
		sandbox-userns
	END
	between "$edges" 100 1000000 "$sampler: there are such edges"
	diag "$sampler: $edges edges"
done
done_testing
