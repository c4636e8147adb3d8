#!/bin/sh
# Rows have all calls and ticks of each file, by names that a next build has, too, and no two of a file have one key.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'
profsup-c++ -O1 -g -o shapes "$testdir/shapes.cc" 2>cc.err || bail "$(cat cc.err)"
cp "$(target work)" prog
mkdir files
for _ in 1 2; do
	profsup -q -g -F 1000 -d files ./shapes || bail 'shapes fails'
done
profsup -q -F 1000 -d files -o gmon.prog.77.1795549141.snap3.out ./prog cpu 100 || bail 'prog fails'

profsup-export --format=rows --label=service=hello --label 'note=a"b\c' files/* >rows 2>err
is "$?/$(cat err)" 0/ 'files of two programs need none to be named'
is "$(jq -c . rows | wc -l)" "$(wc -l <rows)" 'each line is an object'
is "$(jq -c 'keys_unsorted' rows | sort -u)" \
	'["time","host","program","build_id","process","file","function","caller","ticks","period","calls","service","note"]' 'of the same fields'
is "$(jq -c '[.host, .service, .note]' rows | sort -u)" "[\"$(uname -n)\",\"hello\",\"a\\\"b\\\\c\"]" 'this host, and the labels'
is "$(jq -c '[.file, .function, .caller]' rows | sort | uniq -d)" '' 'file, function and caller are a key'
for file in files/gmon.*; do
	name=${file##*/}
	program=$(echo "$name" | cut -d . -f 2)
	profsup-export --format=json "./$program" "$file" >json
	jq -c --arg f "$name" 'select(.file == $f)' rows >of
	is "$(jq -s -c 'map(select(.caller == "")) | [(map(.ticks) | add), (map(.calls) | add)]' of)" \
		"$(jq -c '.totals | [.ticks, .calls]' json)" "$program: functions have the file's ticks and calls"
	is "$(jq -s 'map(select(.caller != "").calls) | add' of)" "$(jq .totals.calls json)" "$program: and so have arcs its calls"
	is "$(jq -c '[.program, .build_id, .period, .time]' of | sort -u)" \
		"[\"$program\",$(jq .build_id json),1000000,$(stat -c %Y "$file")]" "$program: they say what they are of"
done
is "$(jq 'select(.program == "prog").process' rows | sort -u)" 77 'the process is in the name of its file'
is "$(jq 'select(.program == "shapes").process' rows | sort -u | wc -l)" 2 'each has its own'
is "$(jq -c 'select(.function == "shapes::itself(int)" and .process != 0) | [.caller, .calls]' rows | sort -u)" \
	'["",101]
["main",1]
["shapes::itself(int)",100]' 'each arc has its calls'
jq -e -s 'map(select(.function == "shapes::leaf(int)" and .program == "shapes")) | (map(select(.caller != "").ticks) | add) == (map(select(.caller == "").ticks) | add)' rows >/dev/null
ok $? 'with stacks, an arc has the time below it: all of a leaf'
is "$(profsup-export --format=rows --no-stacks files/gmon.shapes.* | jq -s 'map(select(.caller != "").ticks) | add')" 0 'and without them none'

# A caller that this file has no calls of has its name all the same: another interval of the process may have them.
cat >late.c <<'X'
#include <stdlib.h>
volatile int n;
__attribute__((noipa)) void work(void) { n++; }
__attribute__((noipa)) void begin(void) { exit(0); }
__attribute__((constructor, no_instrument_function)) void early(void) { work(); }
int main(void) { begin(); }
X
profsup-cc -O1 -g -o late late.c 2>cc.err || bail "$(cat cc.err)"
profsup -q -o gmon.late.1.out ./late
is "$(profsup-export --format=rows late gmon.late.1.out | jq -r 'select(.function == "work" and .caller != "") | .caller')" early \
	'callers that are not counted have their names'

profsup-export --format=csv --label host=web1 --label 'note=a"b,c' files/* >csv
is "$(head -n 1 csv)" time,host,program,build_id,process,file,function,caller,ticks,period,calls,note 'CSV has the names first'
tail -n +2 csv | sed 's/a""b,c/ab/' | perl -ne 'chomp; my @f = /"((?:[^"]|"")*)"|(\d+)/g; print join("\t", grep { defined } @f), "\n"' >got
jq -r '[.time, "web1", .program, .build_id, .process, .file, .function, .caller, .ticks, .period, .calls, "ab"] | @tsv' rows >want
same got want 'and the same rows, with this host'

misused '--label=1a=b: not NAME=VALUE, with a name of letters, digits and _' --format=rows --label=1a=b files/gmon.shapes.*
misused '--label=a: not NAME=VALUE, with a name of letters, digits and _' --format=rows --label=a files/gmon.shapes.*
misused '--label=ticks=1: a row has ticks already' --format=rows --label=ticks=1 files/gmon.shapes.*
misused '--label=a=2: a row has a already' --format=rows --label=a=1 --label=a=2 files/gmon.shapes.*
misused '--label: json has no rows' --format=json --label=a=1 files/gmon.shapes.*
head -c 300 "$(echo files/gmon.prog.*)" >short
told 1 'short: the file ends in the middle of a record' --format=rows prog files/gmon.prog.* short
done_testing
