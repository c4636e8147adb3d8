#!/bin/sh
# liburing's own tests of what waits, and of what ends meanwhile: time-outs, poll, accept, threads that are the kernel's.  Each
# has the same result under profsup as alone.
# check-all: needs liburing's source
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/real/lib.sh"

source_of liburing
# Left out are those that take long, and those that only read, write and register.
names=$(cd liburing/test && for t in accept*.c across-fork.c connect.c defer*.c eventfd*.c exit-no-cleanup.c files-exit-hang-*.c \
	io-cancel.c link-timeout.c poll*.c recv-*.c ring-leak*.c sigfd-deadlock.c single-issuer.c sq-poll-*.c sqpoll-*.c submit-*.c \
	sync-cancel.c teardowns.c thread-exit.c timeout*.c tty-write-dpoll.c wakeup-hang.c; do
	case $t in
	pollfree.c) ;;
	*) [ ! -f "$t" ] || echo "${t%.c}.t" ;;
	esac
done)
build log sh -c 'cd liburing && ./configure && make -s -C src'
# shellcheck disable=SC2086 # words
build log make -s -C liburing/test $names

# results COMMAND...: of each of them, run by the command.
results() {
	for t in $names; do
		timeout -s KILL 60 "$@" "./liburing/test/$t" >out.txt 2>&1 </dev/null
		echo "$t $?"
	done
}

results env >alone
if [ "$(grep -c ' 0$' alone)" -eq 0 ]; then
	skip_all 'this kernel has no io_uring'
fi
results profsup -q -a -F 1000 -d "$scratch" >ours
diff alone ours >differs
ok $? "$(wc -l <alone) tests have the results that they have alone, $(grep -c ' 0$' alone) of them good" || diag_file differs
[ "$(find . -maxdepth 1 -name 'gmon.*.out' | wc -l)" -gt 5 ]
ok $? 'meanwhile they were profiled'
done_testing
