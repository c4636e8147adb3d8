#!/bin/sh
# bubblewrap's own tests: namespaces, mounts, pid 1, descriptors.  Each has the same result under profsup as alone.
# check-all: needs bubblewrap's source
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/real/lib.sh"
need_root

command -v bwrap >/dev/null || skip_all 'bubblewrap is not installed'
source_of bubblewrap
gcc -O1 -o bubblewrap/tests/try-syscall bubblewrap/tests/try-syscall.c >log 2>&1 || bail "$(cat log)"

# results COMMAND...: of each of its tests, run by the command.
results() {
	for name in test-run test-specifying-pidns test-specifying-userns; do
		"$@" bash "bubblewrap/tests/$name.sh" 2>>err </dev/null | sed -nE "s/^(not )?ok.*/$name: &/p"
	done
}

results env >alone
results profsup -q -a -F 1000 -d "$scratch" >ours
diff alone ours >differs
ok $? "$(wc -l <alone) tests have the results that they have alone" || diag_file differs err
[ "$(grep -c ': ok' alone)" -gt 30 ]
ok $? 'and pass' || diag_file alone err
[ "$(find . -maxdepth 1 -name 'gmon.*.out' | wc -l)" -gt 5 ]
ok $? 'meanwhile they were profiled'
done_testing
