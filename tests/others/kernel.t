#!/bin/sh
# The kernel's selftests of what a tracer may disturb: seccomp, futex, timers, clone3, pidfd.  Each has the same result under
# profsup as alone.
# check-all: needs the kernel's source
. "$(dirname "$0")/../lib/testlib.sh"
need_root

# The package is Debian's newest, and has the source as an archive in an archive.
cache=${PROFSUP_SOURCES:-$top/build/sources}
mkdir -p "$cache"
name=$(apt-cache depends linux-source 2>/dev/null | sed -n 's/^ *Depends: \(linux-source-.*\)$/\1/p')
[ -n "$name" ] || skip_all 'apt-get has no linux-source'
set -- "$cache/$name"_*.deb
[ -f "$1" ] || (cd "$cache" && apt-get -qq -o APT::Sandbox::User= download "$name") >log 2>&1 || skip_all "no source: $(tail -n 1 log)"
set -- "$cache/$name"_*.deb
tests=$name/tools/testing/selftests
dpkg-deb --fsys-tarfile "$1" | tar -xO "./usr/src/$name.tar.xz" | xz -dc | tar -x --wildcards "$tests/kselftest*.h" \
	"$tests/seccomp" "$tests/futex" "$tests/timers" "$tests/clone3" "$tests/pidfd"
mv "$tests" source || bail 'no selftests'

# Left out: what traces, since a process has one tracer; and a fatal signal in a wait that only those end (CAVEATS).
perl -i -pe '
	s/^TEST(_F|_SIGNAL)?\((syscall_restart|get_metadata|user_notification_wait_killable_fatal)\b.*\)/static __attribute__((unused)) void off_$2(struct __test_metadata *_metadata)/;
	s/^TEST_F(?:_SIGNAL)?\((TRACE_\w+|O_SUSPEND\w+), (\w+)\b.*\)/static __attribute__((unused)) void off_$1_$2(struct __test_metadata *_metadata, FIXTURE_DATA($1) *self, const FIXTURE_VARIANT($1) *variant)/' \
	source/seccomp/seccomp_bpf.c
mkdir built alone ours
for t in seccomp/seccomp_bpf clone3/clone3 clone3/clone3_clear_sighand clone3/clone3_set_tid clone3/clone3_cap_checkpoint_restore \
	pidfd/pidfd_fdinfo_test pidfd/pidfd_getfd_test pidfd/pidfd_open_test pidfd/pidfd_poll_test pidfd/pidfd_setns_test \
	pidfd/pidfd_wait futex/functional/futex_requeue futex/functional/futex_requeue_pi \
	futex/functional/futex_requeue_pi_mismatched_ops futex/functional/futex_requeue_pi_signal_restart \
	futex/functional/futex_wait futex/functional/futex_wait_private_mapped_file futex/functional/futex_wait_timeout \
	futex/functional/futex_wait_wouldblock futex/functional/futex_waitv timers/posix_timers timers/nanosleep; do
	[ -f "source/$t.c" ] || continue
	gcc -O1 -w -D_GNU_SOURCE -pthread -Isource -Isource/futex/include -Isource/futex/functional "-Isource/${t%/*}" \
		-o "built/${t##*/}" "source/$t.c" -lcap -lrt >log 2>&1 || diag_file log
done

# results DIR COMMAND...: of all, by the command.  Process ids are another each time.
results() {
	dir=$1
	shift
	for t in built/*; do
		(cd "$dir" && timeout -s KILL 120 "$@" "../$t") >"$dir/${t##*/}" 2>&1
		echo "status $?" >>"$dir/${t##*/}"
		grep -E '^(not )?ok|^status' "$dir/${t##*/}" | sed -E 's/\[[0-9]+\]|\([0-9]+,/[PID]/g' >"$dir/${t##*/}.results"
	done
}
results alone env
results ours profsup -q -a -F 1000 -d "$scratch"

for t in built/*; do
	t=${t##*/}
	diff "alone/$t.results" "ours/$t.results" >differs
	ok $? "$t: $(grep -c ok "alone/$t.results") results are those that it has alone" || diag_file differs
done
[ "$(cat alone/*.results | grep -c ^ok)" -gt 80 ]
ok $? 'most of them are good'
[ "$(find . -maxdepth 1 -name 'gmon.*.out' | wc -l)" -gt 9 ]
ok $? 'meanwhile they were profiled'
done_testing
