#!/bin/sh
# profsup's own processes under valgrind: no error, no block that nobody holds, no descriptor more for more targets.
. "$(dirname "$0")/../lib/testlib.sh"
command -v valgrind >/dev/null || skip_all 'needs valgrind'

for name in faults threads profil-calls hostile-vfork hostile-arcs; do
	cp "$(target $name)" .
done

# watched WHAT COMMAND...: the supervisor and the front have nothing to report.  Only those that run to their end
# have a log with anything in it: the program's exec ends its own.
watched() {
	watched_what=$1
	shift
	rm -f log.* gmon.*
	timeout -s KILL 300 valgrind -q --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
		--track-fds=yes --log-file="$scratch/log.%p" profsup -F 200 "$@" >out 2>err </dev/null
	ok $(($? > 124)) "$watched_what: it ends well"
	is "$(grep -l '^==[0-9]*== FILE DESCRIPTORS' log.* | wc -l)" 2 "$watched_what: front and supervisor are at their end"
	# An open descriptor is not yet a leaked one.
	sed -e 's/^==[0-9]*== *//' -e '/^Open file descriptor/,/^$/d' -e '/^FILE DESCRIPTORS/d' -e '/^$/d' log.* >errors
	[ ! -s errors ]
	ok $? "$watched_what: valgrind finds nothing" || diag_file errors
}

# The most descriptors that one of ours has at its end.
descriptors() {
	sed -n 's/^==[0-9]*== FILE DESCRIPTORS: \([0-9]*\) open.*/\1/p' log.* | sort -n | tail -n 1
}

for sampler in $(samplers); do
	watched "$sampler: one program" --sampler="$sampler" ./faults
	few=$(descriptors)
	# shellcheck disable=SC2016 # for sh
	watched "$sampler: forty" --sampler="$sampler" sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do ./faults; done'
	is "$(descriptors)" "$few" "$sampler: after forty processes as many descriptors are open as after four"
	watched "$sampler: threads" --sampler="$sampler" ./threads waves
	watched "$sampler: vforks" --sampler="$sampler" ./hostile-vfork threads 200
	watched "$sampler: a program that lies" --sampler="$sampler" ./hostile-arcs
	watched "$sampler: its own calls" --sampler="$sampler" ./profil-calls own:=:65536:-1 own:=:65537:-1 wild:5:0:999
	watched "$sampler: a file that can't be made" --sampler="$sampler" sh -c 'mkdir gone && cd gone && rmdir ../gone && ../faults'
done
watched '-d' -d . ./faults
if [ "$(id -u)" -eq 0 ]; then
	watched 'another user' setpriv --reuid 65534 --regid 65534 --clear-groups ./faults
fi
watched 'nothing to profile' true
done_testing
