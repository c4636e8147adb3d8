#!/bin/sh
# What is wrong with a file of stacks is said in one line that names it; nothing crashes the exporter, or fills memory.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

two_functions code.bb bb00112233445566
id=aa00112233445566
two_functions prog $id
"$testdir/gmon-edit.pl" bins 100 "$callee" 5 >g

# make WORD...: the file of stacks beside g
make() {
	"$testdir/stack-edit.pl" "$@" </dev/null | gzip -c >g.pb.gz
}

# refused WANT [PROGRAM]: status 1 and that one line
refused() {
	told 1 "$1" --format=folded "${2:-prog}" g
}

make make $id 10000000 "$callee" 5
profsup-export -q --format=folded prog g >out 2>err
is "$? $(cat err)$(cat out)" '0 callee 5' 'a file of stacks that is well'
cp g.pb.gz good.pb.gz

refused 'g.pb.gz: it is of a program with the build ID aa00112233445566, not of code.bb' code.bb
head -c 60 good.pb.gz >g.pb.gz
refused 'g.pb.gz: the compressed data ends early'
: >g.pb.gz
refused 'g.pb.gz: the compressed data ends early'
head -c 1000 /dev/urandom | tr '\037' x >g.pb.gz
refused 'g.pb.gz: it is not compressed by gzip, or damaged'
{ cat good.pb.gz && echo more; } >g.pb.gz
refused 'g.pb.gz: there is something behind the compressed data'
echo garbage | gzip -c >g.pb.gz
refused 'g.pb.gz: no file of stacks: not of pprof'\''s format'
printf '' | gzip -c >g.pb.gz
refused 'g.pb.gz: no file of stacks: its samples are not counted in ticks'
rm g.pb.gz
mkdir g.pb.gz
refused 'g.pb.gz: not a regular file'
rmdir g.pb.gz
mkfifo g.pb.gz
refused 'g.pb.gz: not a regular file'
rm g.pb.gz
make make "$(printf 'a\033b')" 10000000 "$callee" 5
refused 'g.pb.gz: it is of a program with the build ID a?b, not of prog'
make make $id 1000000 "$callee" 5
refused 'g.pb.gz: a tick of 1000000 ns, but of 10000000 ns in the gmon file'
make make $id 10000000 other 5
refused 'g.pb.gz: no file of stacks: a frame without an address'
make make $id 10000000 none 5
refused 'g.pb.gz: no file of stacks: a function that is not there'
make make $id 10000000 cut 5
refused 'g.pb.gz: no file of stacks: a stack without an innermost frame'
make make $id 10000000 "$callee" 18446744073709551615
refused 'g.pb.gz: no file of stacks: a sample with wrong values'
make make $id 10000000 "$callee" 9223372036854775807 "$callee" 9223372036854775807
refused 'g.pb.gz: no file of stacks: it has too many ticks'
make deep 513 "$callee" 10000000 $id
refused 'g.pb.gz: no file of stacks: a stack of no frames, or of too many'
make empties 20000000
usage profsup-export --format=folded prog g >out 2>err
is "$? $(cat err)" '1 profsup-export: g.pb.gz: no file of stacks: it takes too much memory' 'refused: what would fill memory'
light 10 500 'and does not fill it'
make long 20000000 3000 $id 10000000 "$callee"
usage profsup-export -q --format=folded prog g >out 2>err
is "$? $(cat err)$(cat out)" '0 callee 5' 'a name of 20 MB that 3,000 locations have'
light 10 500 'and is not read each time'
head -c 300000000 /dev/zero | gzip -c1 >g.pb.gz
usage profsup-export --format=folded prog g >out 2>err
is "$? $(cat err)" '1 profsup-export: g.pb.gz: it has more than 256 MiB when inflated' 'refused: what is too long when inflated'
light 60 600 'and does not fill memory'

# Of other runs: nothing is wrong, but they are of no use.
make make $id 10000000 "$callee" 6
profsup-export --format=folded prog g >out 2>err
is "$?$(cat out) $(head -n 1 err)" \
	'0callee 5 profsup-export: prog: the stacks have 6 ticks, the gmon files 5: they are of different runs; stacks are worked out from the shares of calls' \
	'stacks of another run are not used'
is "$(profsup-export -q --format=json prog g | jq -c '[.stacks, (.functions[] | .name)]')" '[null,"[unknown]","callee","_start"]' 'and leave nothing behind'

# left_over TIME: the same number of ticks, but the profile ends then, in two bytes; the run of the gmon file begins after
# 2,000 ns.
left_over() {
	{
		"$testdir/stack-edit.pl" make $id 10000000 "$callee" 5
		# shellcheck disable=SC2059 # octal
		printf "\\110\\144\\120$1"
	} </dev/null | gzip -c >late.pb.gz
	profsup-export --format=folded prog late >out 2>err
	is "$?$(cat out) $(grep older err)" "$2" "$3"
}
perl -pe 'BEGIN { undef $/ } substr($_, 53, 1) = "\2"' g >late
left_over '\334\013' '0callee 5 profsup-export: late: its stacks are of an older run; stacks are worked out from the shares of calls' \
	'nor are those of an older one that has as many ticks'
left_over '\270\027' '0callee 5 ' 'but those of this one are'

# Frames that are not of the program.
make make $id 10000000 "$callee" 1 room 2 "$start/7fff0000" 4 "cut/$callee" 2
profsup-export -q --format=folded prog g >out 2>err
is "$?$(sort out | xargs) $(cat err)" '0[cut];callee 2 [no room] 2 _start;[unknown] 4 callee 1 ' \
	'time outside of the program, of stacks that are cut and of those without room'
profsup-export -q --format=callgrind prog g >out 2>err
is "$(grep -A 3 -E '^fn=.* \[(cut|no room)\]' out | sed 's/(.*)//' | xargs)" \
	'fn= [cut] cfi= cfn= calls=1 1 -- fn= [no room] 0 2 20000000 totals: 9 90000000' 'in callgrind as well'
profsup-export --no-stacks -q --format=folded prog g >out
is "$(cat out)" 'callee 5' 'without stacks there is only what the gmon file has'
profsup-export -q --format=bsd-gmon -o flat prog g
is "$?" 0 'bsd-gmon has no place for stacks'
echo garbage >g.pb.gz
profsup-export -q --format=bsd-gmon -o flat2 prog g
cmp -s flat flat2
ok $? 'and does not look for them'

# Anything.
gzip -dc <good.pb.gz >whole
bad=
"$testdir/stack-edit.pl" flip 300 <whole
for seed in $(seq 1 300); do
	gzip -c1 "flipped.$seed" >g.pb.gz
	timeout -s KILL 20 profsup-export -q --format=json -o out prog g 2>err
	status=$?
	if ! { [ $status -eq 0 ] && [ ! -s err ]; } && ! { [ $status -eq 1 ] && [ "$(wc -l <err)" -eq 1 ]; }; then
		bad="$bad $seed"
	fi
done
is "$bad" '' 'of 300 files with changed bytes, each is read or refused in a line'
done_testing
