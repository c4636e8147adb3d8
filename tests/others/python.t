#!/bin/sh
# Python's own tests of what a tracer may disturb: signals, sub-processes, sockets, time-outs, threads.  Each has the same result
# under profsup as alone.
# check-all: takes five minutes, and needs Python's tests
. "$(dirname "$0")/../lib/testlib.sh"

python=/usr/bin/python3
"$python" -c 'import test.test_signal, test.support' 2>/dev/null || skip_all 'libpython3.*-testsuite is not installed'
modules='test_asyncio test_mmap test_os test_pty test_selectors test_signal test_socket test_subprocess test_threading'

# run DIR COMMAND...: each module, by the command; its results are in DIR/MODULE.results.  Left out: what waits for the host
# of a virtual machine, and what hangs alone, too, if two processes of a pool end at once.
run() {
	dir=$1
	shift
	mkdir "$dir"
	for module in $modules; do
		(cd "$dir" && TMPDIR=$PWD timeout -k 10 330 "$@" "$python" -m test --timeout 300 --junit-xml "$module.xml" \
			-i '*[Vv]sock*' -i '*VSOCK*' -i '*_new_process' "$module") >"$dir/$module.out" 2>&1
		"$python" -c 'import sys, xml.etree.ElementTree as tree
for case in tree.parse(sys.argv[1]).getroot().iter("testcase"):
    how = [part.tag for part in case if part.tag in ("error", "failure", "skipped")]
    print(case.get("name"), how[0] if how else "ok")' "$dir/$module.xml" 2>/dev/null | sort >"$dir/$module.results"
	done
}

run alone env &
run ours profsup -q -a -F 1000 -d "$scratch" &
wait
for module in $modules; do
	if [ ! -s "alone/$module.results" ]; then
		# It hangs, or ends, by itself: the last test that it was in, for whoever leaves that out.
		why=$(grep -E '^  File .* in test|^[A-Z][A-Za-z]*Error' "alone/$module.out" | tail -n 1)
		undecided "$module: the results are those that it has alone" "it has none alone: $why"
		continue
	fi
	diff "alone/$module.results" "ours/$module.results" >differs
	same=$?
	[ -s "ours/$module.results" ] || tail -n 40 "ours/$module.out" >differs
	ok $same "$module: $(wc -l <"alone/$module.results") tests have the results that they have alone" || diag_file differs
	[ "$(grep -c 'ok$' "alone/$module.results")" -gt 3 ]
	ok $? "$module: and pass"
done
[ "$(find . -maxdepth 1 -name 'gmon.*.out' | wc -l)" -gt 9 ]
ok $? 'meanwhile they were profiled'
done_testing
