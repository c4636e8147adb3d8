#!/bin/sh
# System calls that move much at once: a sample cuts none of them short, and all of the data is right.
# check-all: which calls a sample meets is chance
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target transfers)" prog
carried_on=0

# add_up: of one run.
add_up() {
	carried_on=$((carried_on + $(statistic carried_on_calls stats)))
}

# whole HZ N CALL...: each is made N times.
whole() {
	hz=$1 n=$2
	shift 2
	for call in "$@"; do
		./prog "$call" 1 >want
		if grep -q ': skipped: ' want; then
			skip "$(cat want)"
			continue
		fi
		timeout --foreground 60 profsup -q -F "$hz" --stats=stats ./prog "$call" "$n" >out 2>err
		is "$(cat out)" "$call: $n calls, 0 short, 0 interrupted" "at $hz Hz: $call: all $n are whole" ||
			diag_file err
		is "$(statistic cut_calls stats)" 0 "at $hz Hz: $call: no call is said to have been cut"
		add_up
	done
	rm -f gmon.*
}

# What is sent, and what the kernel moves by itself.
whole 1000 "$(rounds 200 400)" write-pipe writev-pipe write-unix writev-unix write-tcp writev-tcp write-tty writev-tty \
	send-tcp-timed sendto-tcp sendto-unix sendmsg-tcp sendmsg-unix \
	sendfile-tcp sendfile-offset-tcp
whole 1000 "$(rounds 60 100)" sendfile-disk-disk sendfile-offset-disk-disk sendfile-disk-pipe splice-disk-pipe \
	splice-pipe-pipe copy_file_range-disk copy_file_range-offset-disk pwritev2-tmpfs write-disk
# What is received, and what has no end.
whole 1000 "$(rounds 200 400)" recv-tcp recv-unix recv-tcp-timed recvfrom-tcp recvmsg-tcp recvmsg-unix sendmmsg-seqpacket recvmmsg-seqpacket
whole 1000 "$(rounds 150 300)" read-zero readv-zero
whole 1000 "$(rounds 80 150)" getrandom read-urandom readv-urandom
# What waits.
whole 1000 200 io_uring-wait io_uring-write-disk io_uring-send-tcp io_uring-recv-tcp
[ $carried_on -gt 100 ]
ok $? 'at 1,000 Hz: and there was reason for it: calls were carried on' || diag "$carried_on"

carried_on=0
whole 100 600 write-pipe write-tcp sendfile-tcp recv-tcp
whole 100 200 getrandom copy_file_range-disk
[ $carried_on -gt 10 ]
ok $? 'at 100 Hz: also here' || diag "$carried_on"
done_testing
