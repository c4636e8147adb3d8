#!/bin/sh
# Without profsup a program behaves as if it had been linked without us.
. "$(dirname "$0")/../lib/sandbox.sh"

for name in none limits threads userns; do
	target=sandbox-$name
	build_plain $target
	fresh traced "$(target $target)"
	fresh plain $target.plain
	set -- ./prog
	[ $name != limits ] || set -- ./prog nnp
	run traced "$@"
	run plain "$@"
	is "$(said traced.status traced.out traced.err)" "$(cat plain.status plain.out plain.err)" \
		"$target: it prints and ends as a build without profiling does"
	is "$(ls -A traced)" prog "$target: it leaves no file"
done
fresh traced "$(target sandbox-none)"
fresh plain sandbox-none.plain
run traced ./prog
is "$(grep -c '^timer .* not set$' traced.out)" 3 'it finds no timer set'
is "$(grep -c '^SIGPROF default$' traced.out)" 1 'it finds no handler for SIGPROF'

# All of its life, start-up too.
calls_alike sandbox-none ./prog
run plain strace -f -qq -o "$scratch/plain.strace" ./prog
sed 's/^[0-9]* *//; s/(.*//' plain.strace >plain.names
run traced strace -f -qq -o "$scratch/traced.strace" ./prog
is "$(perl "$top/tests/lib/trace.pl" count traced.strace '0xb5d0001')" 0 'it makes no profil call'
is "$(sed 's/^[0-9]* *//; s/(.*//' traced.strace | grep -vxF -f plain.names)" '' \
	'it makes no system call by a name that a build without profiling does not use'

# PROFDIR is nobody's business then.
run traced env PROFDIR=/nonexistent ./prog
is "$(said traced.status traced.err)" 'exit 0' 'it says nothing of a PROFDIR that can not be opened'
run traced env PROFDIR=/nonexistent strace -f -qq -o "$scratch/traced.strace" ./prog
is "$(perl "$top/tests/lib/trace.pl" count traced.strace 'open.*nonexistent')" 0 'it does not try to open PROFDIR'

# A filter that it inherits and that knows what any small static program does.
cp "$(target sandbox-exec)" .
run traced "$scratch/sandbox-exec" ./prog
run plain "$scratch/sandbox-exec" ./prog
is "$(cat plain.status)" 'exit 0' 'a build without profiling lives in the inherited filter'
is "$(cat traced.status traced.out)" "$(cat plain.status plain.out)" 'it lives in an inherited filter all the same'
done_testing
