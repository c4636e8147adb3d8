#!/bin/sh
# Pipes to and from a profiled program: their ends are nobody's but the program's.
# shellcheck disable=SC2016 # perl and inner shells expand their own
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target yes)" yes
cp "$(target closer)" closer

for run in '' profsup; do
	with=${run:-alone}
	# shellcheck disable=SC2086 # one word or none
	{ perl -e 'system @ARGV; print STDERR $? & 127, "\n"' -- $run ./yes 2>ended | head -n 1 >first; }
	is "$(cat first)" y "$with: the reader gets its line"
	is "$(said ended)" 13 "$with: the writer dies of SIGPIPE when the reader is gone"
	# shellcheck disable=SC2086
	{ perl -e '$SIG{PIPE} = "IGNORE"; system @ARGV; print STDERR $? >> 8, "\n"' -- $run ./yes 2>ended | head -n 1 >first; }
	is "$(said ended)" 3 "$with: with SIGPIPE ignored, it sees the error"

	mkfifo out in
	# shellcheck disable=SC2086
	$run ./closer <in >out 2>err &
	job=$!
	exec 8>in
	timeout 120 cat out >got # ends when nobody holds the other end
	is $? 0 "$with: the reader sees the end of its input"
	pid=$(ready_pid got)
	is_gone "$pid"
	is $? 1 "$with: the reader sees the end when the program closes it, not when it ends"
	perl -e '$SIG{PIPE} = "IGNORE"; open F, ">&8"; exit(syswrite(F, "x") ? 1 : 0)'
	ok $? "$with: nobody reads from its stdin once it is closed"
	exec 8>&-
	kill "$pid"
	wait $job 2>/dev/null
	rm -f in out got gmon.*
done

# stdin is the program's to read, all of it.
is "$(printf 'one\ntwo\n' | { profsup sh -c 'read -r line; echo "got $line"' 2>/dev/null; cat; })" "$(printf 'got one\ntwo')" \
	'what the program does not read is left to the next'
done_testing
