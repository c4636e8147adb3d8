#!/bin/sh
# Python's own tests of what a tracer may disturb: signals, sub-processes, sockets, time-outs, threads.  Each has the same result
# under profsup as alone.
# check-all: takes three minutes, and needs Python's tests
. "$(dirname "$0")/../lib/testlib.sh"

python=/usr/bin/python3
"$python" -c 'import test.test_signal, test.support' 2>/dev/null || skip_all 'libpython3.*-testsuite is not installed'
modules='test_asyncio test_mmap test_os test_pty test_selectors test_signal test_socket test_subprocess test_threading'

# run COMMAND...: all modules, by the command, in ./DIR; their results are in DIR/results.  Left out: what waits for the host of
# a virtual machine, and what hangs alone, too, if two processes of a pool end at once.
run() {
	dir=$1
	shift
	mkdir "$dir"
	# shellcheck disable=SC2086 # words
	(cd "$dir" && TMPDIR=$PWD timeout -k 10 900 "$@" "$python" -m test --timeout 300 --junit-xml xml \
		-i '*[Vv]sock*' -i '*VSOCK*' -i '*_new_process' $modules) >"$dir/out" 2>&1
	"$python" -c 'import sys, xml.etree.ElementTree as tree
for case in tree.parse(sys.argv[1]).getroot().iter("testcase"):
    how = [part.tag for part in case if part.tag in ("error", "failure", "skipped")]
    print(case.get("name"), how[0] if how else "ok")' "$dir/xml" >"$dir/unsorted"
	sort "$dir/unsorted" >"$dir/results"
}

run alone env &
run ours profsup -q -a -F 1000 -d "$scratch" &
wait
for module in $modules; do
	grep "^test\.$module\." alone/results >want
	grep "^test\.$module\." ours/results >got
	diff want got >differs
	ok $? "$module: $(wc -l <want) tests have the results that they have alone" || diag_file differs
	[ "$(grep -c 'ok$' want)" -gt 3 ]
	ok $? "$module: and pass"
done
[ "$(find . -maxdepth 1 -name 'gmon.*.out' | wc -l)" -gt 9 ]
ok $? 'meanwhile they were profiled'
done_testing
