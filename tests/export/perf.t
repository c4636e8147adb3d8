#!/bin/sh
# perf.data, read by perf itself: no complaint, the shares of the profile, callers where stacks were measured, and a
# wrong program is noticed.
# check-all: needs perf
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

need perf linux-perf
need jq jq
need protoc protobuf-compiler
for how in static static-pie; do
	for_perf "$how"
done

# by_perf COMMAND WORD...: what it says on both, without what begins with "#"; nothing may be a complaint.
by_perf() {
	by_perf_what=$1
	shift
	perf "$by_perf_what" "$@" >perf.out 2>perf.err </dev/null
	ok $? "$program: perf $by_perf_what is content" || diag_file perf.err
	! grep -qiE 'warn|error|fail|not |corrupt|invalid|lost [1-9]' perf.err
	ok $? "$program: and has no complaint" || diag_file perf.err
	grep -v '^#' perf.out | grep . >words
}

# shares COLUMN...: of a report in `words`, "share<TAB>function" of our own functions
shares() {
	awk -F '|' '{ gsub(/[%[:space:]]/, "", $1); gsub(/^ *\[.\] *| *$/, "", $NF); print $1 "\t" $NF }' words |
		grep -E '	(main|cheap|dear|work|leaf|itself|odd|even|compare|call)$' | sort
}

# wanted KEY: the same of the profile
wanted() {
	jq -r --arg key "$1" '.totals.ticks as $all | .functions[] | select(.[$key] > 0) | "\(100 * .[$key] / $all)\t\(.name)"' json |
		grep -E '	(main|cheap|dear|work|leaf|itself|odd|even|compare|call)$' | sort
}

for program in static static-pie; do
	export_as perf $program $program.gmon
	mv out perf.data
	profsup-export -q --format=json $program $program.gmon >json
	by_perf report --stdio -t '|' --no-children -g none -F overhead,sym
	shares >got
	wanted self_ticks >want
	near got want 0.1 "$program: each function's own share is the profile's"
	by_perf report --stdio -t '|' --children -g none -F overhead_children,overhead,sym
	shares >got
	wanted total_ticks >want
	near got want 0.1 "$program: so is its share with what it called"
	by_perf script -F ip,sym,period
	is "$(awk 'NF == 1 && /^ *[0-9]+ *$/ { n += $1 } END { print n }' words)" "$(jq '.totals.ticks * 1000000' json)" \
		"$program: periods are the nanoseconds of all ticks"
	grep -A 1 ' work$' words | grep -q ' dear$'
	ok $? "$program: a frame's caller is the next" || diag "$(head words)"
	by_perf annotate --stdio -s work
	grep -q 'sink += i' words && grep -qE '^ *[1-9][0-9]*\.[0-9]+ ' words
	ok $? "$program: perf annotate finds code and source"
	by_perf diff perf.data perf.data
	is "$(awk '$1 ~ /%/ && $2 != "+0.00%"' words)$(grep -c 'work$' words)" 1 "$program: perf diff finds no difference to itself"
	is "$(perf buildid-list -i perf.data 2>&1)" "$(readelf -n $program | awk '/Build ID/ { print $3 }') $scratch/$program" "$program: the build ID is there"
	profsup-export -q --format=perf $program $program.gmon >again
	cmp -s perf.data again
	ok $? "$program: written again it is the same"

	# Without stacks.
	profsup-export --no-stacks --format=perf -o perf.data $program $program.gmon 2>err
	is "$(cat err)" 'profsup-export: perf: no room for the calls; without files of stacks samples have no callers' "$program: without stacks that is said"
	profsup-export -q --no-stacks --format=json $program $program.gmon >json
	by_perf report --stdio -t '|' -F overhead,sym
	shares >got
	wanted self_ticks >want
	near got want 0.1 "$program: and own shares are the profile's"
	by_perf annotate --stdio -s work
	grep -q 'sink += i' words
	ok $? "$program: each sample has its address"
done

# The program was built again since, and then without a build ID.
profsup-cc -O2 -g -static-pie -o static-pie "$testdir/stacks.c" >cc.out 2>&1 || bail "$(cat cc.out)"
perf report --stdio -F overhead,sym >perf.out 2>perf.err </dev/null
[ "$(grep -c '%.*0x' perf.out)" -gt 0 ] && ! grep -qE ' (work|leaf)$' perf.out
ok $? 'a program of another build gives no names' || diag_file perf.out
profsup-cc -O1 -g -static-pie -Wl,--build-id=none -o none "$testdir/stacks.c" >cc.out 2>&1 || bail "$(cat cc.out)"
profsup -q -F 1000 -o none.gmon ./none >out 2>&1 || bail 'the program fails'
profsup-export --no-stacks --format=perf -o perf.data none none.gmon 2>err
is "$(sed 1d err)" 'profsup-export: perf: no build ID, by which perf would know none from other programs' 'that a program has no build ID is said'
program=none
by_perf report --stdio -F overhead,sym
grep -qE ' work$' words
ok $? 'and it has names all the same' || diag_file words

# With the times and threads of --timeline.
rm -f gmon.* stacks.*
profsup -q --timeline -F 1000 ./static || bail 'the program fails'
program=static
export_as perf static gmon.static.*
mv out perf.data
pid=$(echo gmon.static.*.out | tr -dc 0-9)
gzip -dc stacks.static.* | protoc --decode_raw | perl -0777 -ne '
	my @text = /^6: "(.*)"$/mg;
	while (/^  3 \{\n    1: (\d+)\n    3: (\d+)\n/mg) { print "$2\n" if $text[$1] eq "time" }' | sort >want
by_perf script -F tid,time,period --ns
sed -n 's/^ *\([0-9]*\) *\([0-9]*\)\.\([0-9]*\): .*/\2\3 \1/p' words >timed
awk '{ print $1 }' timed | sort >got
between "$(wc -l <want)" 20 100000 'profsup --timeline has noted times'
profsup-export -q --format=json static gmon.static.* >json
between "$(comm -13 got want | wc -l)" 0 "$(jq .totals.runtime_ticks json)" 'each is that of a sample, but for the time of counting calls'
is "$(sort -u got | comm -23 - want)" '' 'and no sample has another'
is "$(awk -v pid="$pid" '$2 != pid' timed)" "$(awk -v pid=4194305 '$2 == pid' timed)" 'those with a time are of its thread'
is "$(awk -v last="$(tail -n 1 got)" '$2 == 4194305 && $1 != last' timed)" '' 'and the others come at the end'
by_perf report --stdio -t '|' --no-children -g none -F overhead,sym
shares >got
wanted self_ticks >want
near got want 0.1 'and shares are the same as without'

# Samples in libraries.
for_libraries
program=uses
profsup-export --format=perf -o perf.data uses uses.gmon 2>err
is "$? $(cat err)" '0 ' 'libraries: nothing is said of them'
profsup-export -q --format=json uses uses.gmon >json
# of_libraries KEY: "share<TAB>file function", as perf shows them; perf knows no [cut], and what the kernel has put into a process
# is no file.
of_libraries() {
	jq -r --arg key "$1" '.totals.ticks as $all | .functions[] | select(.[$key] > 0) | "\(100 * .[$key] / $all)\t\(.name)"' json |
		sed -E 's/	([^ ]*) \[(.*)\]$/	\2 \1/; s/	([^ ]*)$/	uses \1/' | grep -E '	(lib(one|two).so|uses) (burn_[a-z_]*|one|two|main)$' | sort
}
by_perf report --stdio -t '|' --no-children -g none -F overhead,dso,sym
# in_files: "share<TAB>file function" of what perf shows
in_files() {
	awk -F '|' '{ gsub(/[%[:space:]]/, "", $1); gsub(/ /, "", $(NF - 1)); gsub(/^ *\[.\] *| *$/, "", $NF); print $1 "\t" $(NF - 1) " " $NF }' words |
		grep -E '	(lib(one|two).so|uses) (burn_[a-z_]*|one|two|main)$' | sort
}
in_files >got
of_libraries self_ticks >want
near got want 0.1 "libraries: each function's own share is the profile's"
drawn uses.gmon.pb.gz
likely "$(awk '/libtwo.so burn_in_two/ { print $1 }' got)" 45 70 'libraries: which is as it should be' || diag_file got
by_perf report --stdio -t '|' --children -g none -F overhead_children,overhead,dso,sym
in_files >got
of_libraries total_ticks >want
near got want 0.1 'libraries: so is its share with what it called'
by_perf script -F ip,sym,dso
grep -A 3 ' burn_in_two (.*/libtwo.so)$' words | awk '{ printf "%s ", $2 }' | grep -q 'burn_in_two two one main '
ok $? 'libraries: callers are in their files' || diag "$(head words)"
for lib in one two; do
	by_perf annotate --stdio -s burn_in_$lib
	grep -q 'while (n-- > 0) sink' words && grep -qE '^ *[1-9][0-9]*\.[0-9]+ ' words
	ok $? "libraries: perf annotate finds code and source of lib$lib.so"
	perf buildid-list -i perf.data 2>&1 | grep -q "^$(readelf -n lib$lib.so | awk '/Build ID/ { print $3 }') $scratch/lib$lib.so$"
	ok $? "libraries: the build ID of lib$lib.so is there"
done
gcc -O0 -g -shared -fPIC -o libone.so one.c || bail 'no library'
perf report --stdio -g none -F overhead,dso,sym >perf.out 2>perf.err </dev/null
is "$(grep -cE ' burn_in_(one|two)$' perf.out)" 1 'libraries: one of another build gives no names' || diag_file perf.out
done_testing
