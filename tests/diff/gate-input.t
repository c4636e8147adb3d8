#!/bin/sh
# What a gate can't compare is said in one line, with the line of the baseline, and the status is 2; nothing is lost.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/tools.sh"

cat >code.c <<'Y'
__attribute__((noipa, aligned(64))) void callee(void) { __asm__ volatile("nop"); }
__attribute__((noipa, aligned(64))) void other(void) { __asm__ volatile("nop"); }
__attribute__((noipa, aligned(64))) void _start(void) { callee(); other(); }
Y
gcc -O1 -g -nostdlib -static -o code code.c 2>cc.err || bail "$(cat cc.err)"
made() {
	made_file=$1
	shift
	"$testdir/made.pl" ./code "$made_file" 100 "$@"
}
made a callee=100 '_start->callee=10' 'callee->other=3'
made b callee=200 '_start->callee=20' 'callee->other=3'
profsup-export --format=calls -o base code a || bail 'no baseline'

tool=profsup-diff
for tolerance in '' f f= =1 f=x f=+ f=-% f=1%% f=++1 f=1e999 f=nan f=-+1; do
	misused "--allow=$tolerance: must be PATTERN=TOLERANCE, such as 'parse_*=+2%', 'main -> f=10' or 'f=any'" --gate base --allow "$tolerance" code a
done
misused '--update: there is no --gate' --update code a -- code b
misused '--cost: there is no --gate' --cost code a -- code b
misused '--allow: there is no --gate' --allow a=1 code a -- code b
misused '--format=html: it is not for --gate' --gate base --format=html code a
misused '--format=markdown: it is for --gate' --format=markdown code a -- code b
misused '--format=bmf: it is for --gate' --format=bmf code a -- code b
misused 'no gmon file' --gate base
misused '--gate needs an argument' --gate
profsup-export --one-run --format=json code a 2>err
is "$? $(cat err)" '2 profsup-export: --one-run: all files of json are added up (--help shows the options)' 'misused: --one-run of profsup-export'
profsup-export --one-run --format=rows code a 2>err
is "$? $(cat err)" '2 profsup-export: --one-run: rows has each file by itself (--help shows the options)' 'or of rows'

refused() {
	told 2 "$@"
}
refused 'none: there is no such baseline: --update makes it' --gate none code a
refused 'none: No such file or directory' --gate base code none
refused 'none: No such file or directory' --gate base none a
refused '.: not a regular file' --gate . code a
refused 'a:1: no baseline of this version: it does not begin with "profsup-calls 1"' --gate a code a
mkdir empty
refused 'empty: there is no gmon file in it' --gate base code empty
refused '/dev/full: No space left on device' --gate base -o /dev/full code a
made none-counted callee=100
refused 'code: no calls were counted: build the program with profsup-cc' --gate base code none-counted
profsup-export --format=calls code none-counted >out 2>err
is "$? $(cat out err)" '1 profsup-export: code: no calls were counted: build the program with profsup-cc' 'nor is that a baseline'
cp code other
refused 'base: it is of code, and the runs are of other' --gate base other a
profsup-diff --force --gate base other a >out 2>err
is "$? $(cat err)" '0 profsup-diff: base: it is of code, and the runs are of other' 'but with --force it is taken'

# Builds: both are called prog, and each has a run.
for n in 1 2; do
	mkdir $n
	printf '__attribute__((noipa)) int f(int x) { return x + %d; }\nint main(void) { return f(-%d); }\n' $n $n >prog.c
	profsup-cc -O1 -g -o $n/prog prog.c 2>cc.err || bail "$(cat cc.err)"
	profsup -q -o of$n $n/prog || bail 'the program fails'
done
profsup-export --format=calls -o prog.calls 1/prog of1
mixed=$(profsup-export --format=json 1/prog of2 2>&1 | sed 's/^[^:]*: //')
[ -n "$mixed" ]
ok $? 'runs of two builds differ in their build IDs'
refused "$mixed" --gate prog.calls 1/prog of1 of2
profsup-diff --gate prog.calls 2/prog of2 >out 2>err
is "$? $(cat err)" '0 ' 'a baseline is of all builds that make the same calls'

# A baseline that people have merged.  line NUMBER TEXT: `base` with that line
line() {
	awk -v n="$1" -v text="$2" 'NR == n { print text; next } { print }' base >bad
}
is "$(sed -n '3,$p' base)" "$(printf 'callee\t10\ncallee\tby [uncounted]\t10\nother\t3\nother\tby callee\t3')" 'it is what is edited here'
line 1 'profsup-calls 2'
refused 'bad:1: no baseline of this version: it does not begin with "profsup-calls 1"' --gate bad code a
line 1 'profsup-calls 1.5'
refused 'bad:1: no baseline of this version: it does not begin with "profsup-calls 1"' --gate bad code a
for text in '<<<<<<< HEAD' '' '	10' 'callee 10'; do
	line 3 "$text"
	refused 'bad:3: it is not a name, a tab and a number of calls' --gate bad code a
done
line 4 'callee	_start	10'
refused 'bad:4: what stands between a name and its calls is not "by CALLER"' --gate bad code a
line 4 'callee	by a	by b	10'
refused 'bad:4: what stands between a name and its calls is not "by CALLER"' --gate bad code a
for text in ten -1 ' 1' 1.5 1..2 '1..2 of 1 runs' '2..1 of 3 runs' '1..1 of 3 runs' '1..2 of 3 runs!' '1..2 of 4294967296 runs' 18446744073709551616; do
	line 5 "other	$text"
	refused 'bad:5: what stands behind the last tab is no number of calls: neither "100" nor "100..104 of 5 runs"' --gate bad code a
done
line 5 'callee	10'
refused 'bad:5: the same function, or arc, is on a line before it' --gate bad code a
head -n 1 base >bad
refused 'bad:2: the file ends before its second line, which names the program' --gate bad code a
: >bad
refused 'bad:1: the file ends before its second line, which names the program' --gate bad code a
{ cat base && printf 'z\0\t1\n'; } >bad
refused 'bad:7: there is a byte 0 in it' --gate bad code a
{ sed 1,2!d base && sed -n '3,$p' base | sort -r; } | perl -pe 'chomp if eof' >turned
profsup-diff --gate turned code a >out
is "$? $(head -n 1 out)" '0 code: calls are those of turned: 2 functions, 2 arcs' 'the order of lines, and the end of the last, may be any'
printf 'profsup-calls 1\ncode\nodd\033[2J\tby \342\200\256\t5\n' >odd
profsup-diff --gate odd code a >out
is "$(grep -c 'odd?\[2J' out) $(LC_ALL=C grep -c '[^[:print:]]' out)" '1 0' 'names in it that would move the cursor do not'
# What a claim of so many runs allows takes no time to tell: by the normal distribution, which 0.05/2 is beyond 2.241 of, up to
# 11 * (21 / 11)^((1 + 2.241) / 2) - 1 = 30.4.
sed 's/	10$/	10..20 of 4294967295 runs/' base >many
for calls in 30 31; do
	made many-$calls "_start->callee=$calls" 'callee->other=3'
	timeout 60 profsup-diff --gate many code many-$calls >out 2>err
	is "$? $(cat err)" "$((calls > 30)) " "a range of four billion runs is no endless work, and allows what it should: not 31 ($calls)"
done

# What two runs tell of the next is little, and that is said, for two lines of a range; of five runs it is not.
for runs in 2 5; do
	sed "s/	10\$/	10..12 of $runs runs/" base >few
	profsup-diff --gate few code a >out 2>err
	is "$? $(cat err)" "0 $([ $runs = 5 ] || echo profsup-diff: few: 2 functions and arcs may have half or twice the calls: their ranges are of fewer than 5 runs)" \
		"that a range lets nearly anything pass is told ($runs runs)"
done

# An update that can't be written leaves the old one, and one that can is whole.
mkdir dir
cp base dir
long=dir/$(printf '%0252d' 0)
cp base "$long"
profsup-diff --gate "$long" --update code b >out 2>err
is "$? $(cat out; sed 's/\(: .*\)0\..*: /\1: /; s/0*: File/: File/' err)" "2 profsup-diff: $PWD/dir/: File name too long" 'an update that can not be written is told'
cmp -s base "$long"
ok $? 'and the baseline is as it was'
rm "$long"
for name in base.new base.tmp base~; do
	echo "$name" >"dir/$name"
done
chmod 640 dir/base
ln -s dir/base link
profsup-diff --gate link --update code b >out 2>err
is "$? $(cat err) $(readlink link) $(sed -n 's/^callee	\([0-9]*\)$/\1/p' dir/base)" '0  dir/base 20' 'a link to the baseline stays one'
is "$(stat -c %a dir/base)" 640 'and the file has the rights that it had'
is "$(cd dir && cat base.new base.tmp base~ | tr '\n' ' ')" 'base.new base.tmp base~ ' 'and files beside it are as they were'
rm dir/base.new dir/base.tmp dir/base~
cp base dir
profsup-diff --gate dir/base --update code none >out 2>err
is "$? $(cat out err; cmp base dir/base)" '2 profsup-diff: none: No such file or directory' 'so it is if a run can not be read'
echo old >kept
profsup-diff --gate none -o kept code a 2>err
is "$? $(cat kept)" '2 old' 'bad input leaves an old output as it was'
is "$(ls dir)" base 'nothing else stays in its directory'
for output in b dir/base; do
	cp base dir
	refused "-o $output: it is an input" --gate dir/base --update -o $output code b
	is "$(cmp base dir/base)" '' 'and the baseline stays as it was'
done
refused '-o fresh: it is an input' --gate fresh --update -o fresh code a
is "$(cmp base fresh)" '' 'a baseline that was just made is not written over'
done_testing
