#!/bin/sh
# Root's supervisor of a plain user's program neither reads nor writes, for that program, the memory of a set-user-ID
# program that one of its threads executes: what the old image has claimed ends with it.
. "$(dirname "$0")/../lib/hostile.sh"
need_root
command -v strace >/dev/null || skip_all 'needs strace'

# What the supervisor does to memory: each waits before it begins, as if others kept the machine busy.
slow=process_vm_readv,process_vm_writev,pread64,pwrite64,preadv,pwritev
delay_us=10000
tries=$(rounds 8 60)

# elevated DIRECTORY: set-user-ID root there; nothing of ours is in it.
elevated() {
	# shellcheck disable=SC2046 # words
	cc -O2 -w -static -o "$1/elevated" "$top/tests/targets/hostile/elevated.c" \
		$(sed -n 's|^// CFLAGS: ||p' "$top/tests/targets/hostile/elevated.c") || bail 'cc elevated.c'
	chmod 4755 "$1/elevated"
	setpriv --reuid "$nobody" --regid "$nobody" --clear-groups "$1/elevated" 0 | grep -q 'as 0,'
}

place=
for dir in "$scratch" /var/tmp "$top"; do
	place=$(mktemp -d "$dir/elevated.XXXXXX") && chmod 755 "$place" && elevated "$place" && break
	rm -rf "$place"
	place=
done
[ -n "$place" ] || skip_all 'needs a directory where set-user-ID programs have their power: all are nosuid'
trap 'kill_survivors; cd /; rm -rf "$place" "$scratch"' EXIT

mkdir dir
chown "$nobody:$nobody" dir
chmod 755 . dir
cp "$(target hostile-elevated)" prog
cd dir || bail dir
who=
mkfifo go

# slow_down PID: that supervisor from now on, until it ends.
slow_down() {
	strace -f -qq -o /dev/null -p "$1" -e signal=none -e trace="$slow" \
		-e inject="$slow:delay_enter=$delay_us" 2>"$scratch/strace.err" &
	wait_until 60 is_traced "$1"
}

# secrets: how many records of all files here are of the set-user-ID program's memory.
secrets() {
	for file in gmon.*; do
		[ ! -f "$file" ] || perl "$top/tests/lib/gmon.pl" arcs "$file"
	done | grep -c '^53[0-9a-f]* 53'
}

# untouched WHAT: points, of what is in out and gmon.*, which it removes.
untouched() {
	is "$(grep -c '^elevated ran as 0,' out)" "$tries" "$1: the set-user-ID program has run $tries times, with its power" ||
		diag_file err
	is "$(grep -c '^elevated .* [1-9][0-9]* bytes were written' out)" 0 "$1: nothing was written to its memory"
	is "$(secrets)" 0 "$1: nothing of its memory is in a file"
	is "$(find . -user root ! -name go ! -name out ! -name err | wc -l)" 0 "$1: no file is root's"
	nobody_left
	rm -f gmon.* out err
}

# slowly WHAT SAMPLER THREAD LEADER: under profsup -u, its supervisor slowed down from the program's start on.
slowly() {
	timeout -k 1 600 profsup -q -F 1000 --sampler="$2" -u "$nobody:$nobody" sh -c '
		echo "ready $$"
		read -r go <go
		exec "$@"' - ../prog "$3" "$4" "$tries" 10000 "$place/elevated" 0.1 >out 2>err &
	run=$!
	slow_down "$(supervisor_of "$(ready_pid out)")" || diag_file "$scratch/strace.err"
	timeout 60 sh -c 'echo go >go'
	wait "$run"
	untouched "$1"
}

# plainly WHAT SAMPLER THREAD LEADER: the same at its own pace.
plainly() {
	timeout -k 1 600 profsup -q -F 1000 --sampler="$2" -u "$nobody:$nobody" \
		../prog "$3" "$4" "$tries" 10000 "$place/elevated" 0.1 >out 2>err
	untouched "$1"
}

# attached WHAT SAMPLER THREAD LEADER: root's profsup -p, slowed down.
attached() {
	setpriv --reuid "$nobody" --regid "$nobody" --clear-groups \
		../prog "$3" "$4" "$tries" 10000 "$place/elevated" 0.1 >out 2>err &
	pid=$(ready_pid out)
	timeout -k 1 600 profsup -q -F 1000 --sampler="$2" -p "$pid" >attach.out 2>attach.err &
	run=$!
	wait_until 60 is_traced "$pid"
	ok $? "$1: root's profsup -p has it" || diag_file attach.err
	slow_down "$(supervisor_of "$pid")" || diag_file "$scratch/strace.err"
	wait "$run"
	rm -f attach.out attach.err
	untouched "$1"
}

for sampler in $(samplers); do
	slowly "$sampler: an untraced thread executes it while the first is in its exit stop" "$sampler" untraced exits
	plainly "$sampler: a traced thread executes it" "$sampler" traced spins
done
attached 'the same in a process that was found running' ptrace untraced exits
done_testing
