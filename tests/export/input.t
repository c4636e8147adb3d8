#!/bin/sh
# What is wrong with the command line or the files is said in one line that names the file; nothing crashes it.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

two_functions code

# arc FROM SELF COUNT: a record
arc() {
	perl -e 'print pack "CQ<Q<V", 1, hex shift, hex shift, shift' "$@"
}
{ "$testdir/gmon-edit.pl" bins 100 "$callee" 1 2 3 && arc "$start" "$callee" 7; } >good

# refused WANT ARGUMENT...: a file is.
refused() {
	refused_want=$1
	shift
	told 1 "$refused_want" --format=folded "$@"
}

misused 'no --format' code good
misused '--format=gif: no such format' --format=gif code good
misused '--format needs an argument' --format
misused '-o needs an argument' --format=json -o
misused 'unknown option -x' -x
misused 'unknown option --formt: did you mean --format?' --formt
misused '--quiet takes no argument' --quiet=1
misused '-o: options come before the program and the files' code good -o out
misused '--format=json: options come before the program and the files' code good --format=json
cp good ./-good
profsup-export --format=json code good -good >out 2>err
is "$? $(cat err)" '0 ' 'a file may be called as an option is'
misused 'no gmon file' --format=json
misused 'no gmon file of code' --format=json code
for option in -V --version; do
	is "$(profsup-export $option | cut -d ' ' -f 1)" profsup-export "$option"
done
for option in -h --help; do
	profsup-export $option | grep -q '^usage: profsup-export'
	ok $? "$option"
done
mkfifo keys
perl "$top/tests/lib/pty.pl" keys screen profsup-export --format=pprof code good >/dev/null </dev/null
is "$(head -n 1 screen) $(tail -n 1 screen)" \
	"profsup-export: pprof is not for terminals: -o names a file (--help shows the options) command ended with $((2 << 8))" 'no binary for a terminal'

refused 'none: No such file or directory' code none
refused 'none: No such file or directory' none good
refused '.: not a regular file' code .
refused '.: a directory: name the files in it, as ./*' . good
odd=$(printf 'odd\033[2J\n\342\200\256')
: >"$odd"
refused 'odd?[2J??: no gmon file: too short' code "$odd"
mkfifo pipe
refused 'pipe: not a regular file' code pipe
: >empty
refused 'empty: no gmon file: too short' code empty
refused 'code: no gmon file of GNU'\''s format' code code
: >gmon.code.1.out
refused 'gmon.code.1.out: no gmon file of GNU'\''s format' gmon.code.1.out good
refused 'gmon.none.1.out: No such file or directory' gmon.none.1.out good
echo text >text
refused 'good: it does not say which build of its program it is of: name the program before the files' good good
refused 'text: no program: not an ELF file' text good
gzip -c good >stacks.prog.1.pb.gz
refused 'stacks.prog.1.pb.gz: no gmon file, but compressed: a file of stacks is found by itself beside its gmon file' code good stacks.prog.1.pb.gz
refused 'empty: no program: not an ELF file' empty good
strip -o stripped code
profsup-export --format=folded stripped good >out 2>err
is "$? $(cat out) $(head -n 1 err)" '0 [.text] 6 profsup-export: stripped: it has no symbols, and its functions no names: give the program as it was before strip(1), or install its debugging symbols' \
	'a program without symbols is taken, and that is said'
gcc -c -o code.o code.c
refused 'code.o: not linked: an object file or a core' code.o good
{ head -c 4 code && printf '\001' && tail -c +6 code; } >small
refused 'small: not a 64-bit little-endian program' small good

# at OFFSET TEMPLATE VALUE: `good` with other bytes there
at() {
	perl -0777 -e 'my ($at, $t, $v) = splice @ARGV, 0, 3; $_ = <>; $v = pack $t, $v; substr($_, $at, length $v) = $v; print' "$@" good
}
at 4 V 2 >bad
refused 'bad: a gmon file of version 2, not 1' code bad
at 41 V 0 >bad
refused 'bad: a rate of 0 ticks a second' code bad
at 41 V 99 >bad
refused 'bad: 99 ticks a second, but 100 before: they can'\''t be added up: give files of runs with one -F (profsup-report --last takes the newest run)' code good bad
at 37 V 4294967295 >bad
refused 'bad: the file ends in the middle of a record' code bad
at 29 'Q<' 1 >bad
refused "bad: a histogram that ends at 0x1, before its start 0x$(printf %x "0x$callee")" code bad
at 20 C 9 >bad
refused 'bad: unknown record 9 at byte 20' code bad
{ cat good && perl -e 'print pack "CV(Q<Q<)2", 2, 2, 1, 2, 3, 4' && arc "$start" "$callee" 1; } >blocks
is "$(profsup-export --format=json code blocks | jq .totals.calls)" 8 'counts of basic blocks are passed over'
perl -e 'print "gmon", pack "Vx12", 1; print pack "CQ<Q<VVa15av", 0, $_, $_ + 4, 1, 100, "", "s", 1 for 1 .. 257' >bad
refused 'bad: more than 256 ranges of addresses' code bad
arc 0 "$callee" 3 >extra
cat good extra >unknown
is "$(profsup-export --format=json code unknown | jq -c '[.arcs[] | select(.caller == 0) | .calls]')" '[3]' 'an unknown caller is function 0'
arc "$start" 10 5 >extra
cat good extra >other
profsup-export --format=json code other 2>err | jq .totals.calls >calls
is "$(cat calls err)" "7
profsup-export: code has no such functions: 5 calls are left out; is it the program that ran?" 'calls of what is no function are left out, and that is said'
perl -e 'print "gmon", pack "Vx12", 1' >nothing
profsup-export --format=folded -o out code nothing 2>/dev/null
is "$? $(wc -c <out)" '0 0' 'a file with no record is a profile of nothing'

# Cut off anywhere, it is refused, but between two records.
size=$(wc -c <good)
bad=
for n in $(seq 0 $((size - 1))); do
	head -c "$n" good >part
	profsup-export --format=json code part >/dev/null 2>err
	case $?,$n,$(wc -l <err) in
	1,*,1 | 0,20,0 | 0,67,0) ;;
	*) bad="$bad $n" ;;
	esac
done
is "$bad" '' "of $size lengths that a file may be cut off at, each is refused in one line"

echo old >kept
profsup-export --format=json -o kept code empty 2>/dev/null
is "$(cat kept)" old 'bad input leaves an old output as it was'
profsup-export --format=json -o none/out code good 2>err
is "$? $(cat err)" '1 profsup-export: none/out: No such file or directory' 'an output that can'\''t be made'
profsup-export --format=json -o /dev/full code good 2>err
is "$? $(cat err)" '1 profsup-export: /dev/full: No space left on device' 'an output that is full'
[ -c /dev/full ]
ok $? 'which is left where it is'
profsup-export --format=json code good >/dev/full 2>err
is "$? $(cat err)" '1 profsup-export: standard output: No space left on device' 'or standard output'

# No output takes the place of an input, whatever that is called, nor of a file of stacks, whether it is read or not.
cp good run
cp good gmon.code.9.out
echo stacks >run.pb.gz
echo stacks >stacks.code.9.pb.gz
ln -s run symlink
ln run.pb.gz hardlink
mkdir runs
cp good runs/a
before=$(cat run run.pb.gz code stacks.code.9.pb.gz runs/a | cksum)
# kept OUTPUT FORMAT ARGUMENT...
kept() {
	kept_output=$1 kept_format=$2
	shift 2
	profsup-export -q --no-stacks "--format=$kept_format" -o "$kept_output" "$@" 2>err
	is "$? $(cat err) $(cat run run.pb.gz code stacks.code.9.pb.gz runs/a | cksum)" "1 profsup-export: -o $kept_output: it is an input $before" \
		"$kept_format of $*: $kept_output is left as it is"
}
kept run pprof code run
kept run.pb.gz pprof code run
kept run.pb.gz bsd-gmon code run
kept symlink json code run
kept hardlink json code run
kept code json code run
kept ./code json code run
kept stacks.code.9.pb.gz pprof code gmon.code.9.out
kept runs/a calls code runs
kept run rows code good run
for _ in 1 2; do
	profsup-export -q --format=pprof -o code.pb.gz code good 2>err
	is "$? $(cat err)" '0 ' 'what was exported beside the program is no input, and is written anew'
done

# A disk that is full: 16 KiB, and the page is larger.
mkdir small-disk
cat >full.sh <<'X'
mount -t tmpfs -o size=16k none small-disk && cd small-disk || exit 9
echo old >page
ln -s page link
profsup-export -q --format=html -o page ../code ../good
echo $? $(head -c 99 page) $(ls)
profsup-export -q --format=html -o new ../code ../good
echo $? $(ls)
profsup-export -q --format=folded -o page ../code ../good
echo $? $(grep -c callee page) $(stat -c %a page) $(ls)
chmod 600 page
profsup-export -q --format=folded -o link ../code ../good
echo $? $(readlink link) $(stat -c %a page) $(ls)
X
if unshare -Urm true 2>/dev/null; then
	unshare -Urm sh full.sh >out 2>err
	is "$(cat out; cut -d : -f 2- err)" '1 old link page
1 link page
0 1 644 link page
0 page 600 link page
 page: No space left on device
 new: No space left on device' 'a full disk: the older file stays, and nothing is there in part'
else
	skip 'needs unprivileged user namespaces'
fi

# A file by two names, or twice by one, is one run.
cp good again
ln -s again link-again
ln again hard-again
# once WANT FILE...
once() {
	once_want=$1
	shift
	profsup-export --format=json code "$@" 2>err | jq -c '[.totals.calls, (.files | length)]' >counts
	is "$(cat counts err)" "$once_want" "$*: a file that is named twice counts once"
}
once '[14,2]' good again
once '[7,1]
profsup-export: good is left out: it is the same file as good' good good
once '[14,2]
profsup-export: link-again is left out: it is the same file as again' again good link-again
once '[7,1]
profsup-export: 2 files, such as ./again, are left out: they are the same as others' hard-again ./again link-again

# closed DESCRIPTOR COMMAND...: is started without it
closed() {
	perl -MPOSIX -e 'POSIX::close(shift); exec @ARGV or die' "$@"
}
for line in 'profsup-report code good' 'profsup-export --format=json code good' 'profsup-export --format=bsd-gmon code good' \
	'profsup-diff code good -- code good' 'profsup-report -V' 'profsup-export --help'; do
	# shellcheck disable=SC2086 # words
	closed 1 $line 2>err
	is "$? $(cat err)" "1 ${line%% *}: standard output: Bad file descriptor" "$line: without a standard output, nothing is lost unsaid"
done
for fd in 0 2; do
	profsup-export -q --format=json code good >want
	closed $fd profsup-export -q --format=json code good >out
	is "$? $(cmp out want 2>&1)" '0 ' "the descriptor $fd is not needed"
done
closed 1 profsup-export -q --format=json -o out code good
is "$? $(cmp out want 2>&1)" '0 ' 'nor is standard output, with -o'

# Damaged programs and files: whatever comes out, it ends by itself.
perl -e '
	my @file = map { local ($/, @ARGV) = (undef, $_); <> } "code", "good";
	srand 1;
	my @format = qw(callgrind pprof folded json bsd-gmon perf call-graph-order html);
	for my $i (1 .. 200) {
		my @damaged = @file;
		my $f = $i % 3 == 0;
		for (1 .. 1 + rand 16) {
			substr($damaged[$f], rand length $damaged[$f], 1) = chr(rand() < .5 ? 255 * int rand 2 : rand 256);
		}
		$damaged[$f] = substr $damaged[$f], 0, rand length $damaged[$f] if $i % 7 == 0;
		for (0, 1) {
			open my $out, ">:raw", ("damaged", "damaged.gmon")[$_] or die;
			print $out $damaged[$_];
		}
		my $status = system "timeout 60 profsup-export --format=$format[$i % @format] -o out damaged damaged.gmon 2>err";
		next if $status == 0 || $status == 1 << 8;
		print "$i: status $status\n";
		system "cat err";
	}' >damage
is "$(cat damage)" '' 'none of 200 damaged pairs of files ends it by a signal'
done_testing
