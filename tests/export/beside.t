#!/bin/sh
# A command line that names all files of a directory, as d/*, names files of stacks, too: each belongs to its gmon file.
. "$(dirname "$0")/../lib/testlib.sh"

# What reads profiles keeps all that it has to its end, as `reader` says.
ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
export ASAN_OPTIONS
command -v jq >/dev/null || skip_all 'jq is not installed'
profsup-cc -O1 -g -o prog "$testdir/stacks.c" >cc.out 2>&1 || bail "$(cat cc.out)"
mkdir d other
profsup -q -g -F 1000 -d d ./prog || bail 'the program fails'
profsup -q -g -F 1000 -d d ./prog || bail 'the program fails'
is "$(find d -name 'gmon.prog.*.out' | wc -l) $(find d -name 'stacks.prog.*.pb.gz' | wc -l)" '2 2' 'there are two files and their stacks'
set -- d/gmon.*
cp "$1" other/a
cp "$(echo "$1" | sed 's/gmon/stacks/; s/out$/pb.gz/')" other/a.pb.gz

# same COMMAND...: it says of d/* what it says of the gmon files alone
same() {
	"$@" d/gmon.* >want 2>want.err
	same_status=$?
	"$@" d/* >out 2>err
	is "$? $(cmp out want 2>&1; cmp err want.err 2>&1)" "$same_status " "$1 takes d/*" || diag_file err
	is $same_status 0 'and that is no error'
}
same profsup-report
same profsup-report ./prog
same profsup-export --format=json
same profsup-export --format=calls
profsup-export --format=calls -o base d/gmon.*
same profsup-diff --gate base
same profsup-diff --format=json d/gmon.* --
profsup-diff --no-stacks --format=json d/* -- d/* | jq -c '[.before.runs, .after.runs | length]' >out
is "$(cat out)" '[2,2]' 'profsup-diff: files of stacks are no runs, on either side'
is "$(profsup-report other/* | cksum)" "$(profsup-report other/a | cksum)" 'so it is with files of any name'
profsup-report d/gmon.* >want
profsup-report d/stacks.* >out 2>err
is "$? $(cmp out want 2>&1; cat err)" "0 $(profsup-report d/gmon.* 2>&1 >/dev/null)" 'a file of stacks alone stands for its gmon file' ||
	diag_file err
is "$(profsup-report other/a.pb.gz | cksum)" "$(profsup-report other/a | cksum)" 'also one of any name'
mkdir lone
cp d/stacks.* lone
profsup-report lone/stacks.* 2>err
is "$? $(sed 's/prog\.[0-9]*/prog.N/' err)" '1 profsup-report: lone/stacks.prog.N.pb.gz: no gmon file, but compressed: a file of stacks is found by itself beside its gmon file' \
	'but without its gmon file it is none'
echo text >x
profsup-report x x.pb.gz 2>err
is "$? $(cat err)" "1 profsup-report: x: no gmon file of GNU's format" 'nor is it one of what is no gmon file'
done_testing
