#!/bin/sh
# Debian's kernel allows no perf event to a plain user (perf_event_paranoid 3, which is Debian's own value): programs as
# they are packaged are profiled all the same, with their stacks.  older-kernel.t runs it in its guest; by itself it boots one.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/vm/guest.sh"
in_guest count || bail 'not in the guest'

is "$(cat /proc/sys/kernel/perf_event_paranoid)" 3 'perf_event_paranoid is 3, as Debian sets it'
user() {
	setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --no-new-privs "$@"
}
mkdir -m 777 work
cd work || bail 'no directory'
# shellcheck disable=SC2016 # perl's
script='my $n = 0; for my $i (1 .. 2000000) { $n += length "$i" } print "$n\n"; exit 3'

user profsup -q -a --sampler=perf perl -e "$script" >out 2>err
is $? 125 'a plain user has no perf sampler'
grep -q 'perf_event_paranoid' err
ok $? 'which is said, with the sysctl that forbids it' || diag_file err
rm -f gmon.* stacks.*
user profsup -a -g -F 500 perl -e "$script" >out 2>err
is "$? $(cat out)" '3 12888896' 'the program does what it does alone' || diag_file err
user profsup-export -q --format=folded "$(command -v perl)" gmon.perl.*.out >folded 2>err ||
	diag_file err
samples=$(awk '{ n += $NF } END { print n + 0 }' folded)
between "$samples" 20 100000 'there are samples'
between "$(awk '/(^|;)(main|_start|__libc_start_main)/ { n += $NF } END { print n + 0 }' folded)" $((samples * 95 / 100)) "$samples" \
	'nineteen of twenty stacks reach main' || diag_file folded
between "$(awk '/Perl_runops|Perl_pp_/ { n += $NF } END { print n + 0 }' folded)" $((samples / 2)) "$samples" \
	"the interpreter's functions have their names" || diag_file folded
done_testing
