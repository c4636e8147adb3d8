#!/bin/sh
# The picture: what dot makes of it is well-formed, and shows each function with its share and each arc with its calls.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

need dot graphviz
need xmllint libxml2-utils
inputs >sets || bail 'no programs'

# words FILE: the lines of text of each node or edge, joined by a space, one a line
words() {
	perl -0777 -ne '
		while (m{<g id="(?:node|edge)\d+"[^>]*>(.*?)</g>}sg) {
			my $part = $1;
			my @text = $part =~ m{<text[^>]*>(.*?)</text>}g;
			my ($title) = $part =~ m{<title>(.*?)</title>};
			my $line = join " ", $title, @text;
			$line =~ s/&#45;/-/g, $line =~ s/&lt;/</g, $line =~ s/&gt;/>/g, $line =~ s/&quot;/"/g, $line =~ s/&amp;/&/g;
			print "$line\n";
		}' "$1"
}

while read -r program files; do
	# shellcheck disable=SC2086 # a list
	set -- $program $files
	export_as svg "$@"
	[ ! -s err ]
	ok $? "$*: nothing is said, since all functions are drawn" || diag_file err
	xmllint --noout out 2>xmllint.err
	ok $? "$*: it is well-formed" || diag_file xmllint.err
	words out >lines
	# Nodes have numbers; the arcs are named by them.
	perl -ne '
		$name{$1} = $2 if /^(n\d+) (\S.*) [\d.]+% \(self [\d.]+%\) \d+ calls$/;
		push @arc, [$1, $2, $3] if /^(n\d+)->(n\d+) (\d+)/;
		END { print map { "$_->[2]\t$name{$_->[0]}\t$name{$_->[1]}\n" } @arc }' lines | ours >got
	arcs_by_name "$@" >want
	same got want "$*: each arc has its exact number of calls"
	all=$(total_by_gprof "$@")
	perl -ne 'print "$2\t$1\n" if /^n\d+ (\S.*) [\d.]+% \(self ([\d.]+)%\) \d+ calls$/' lines | ours >got
	self_by_gprof "$@" | awk -F '\t' -v all="$all" '{ print 100 * $1 / all "\t" $2 }' >want
	near got want 0.06 "$*: each function's own share is gprof's"
	perl -ne 'print "$2\t$1\n" if /^n\d+ (\S.*) ([\d.]+)% \(self [\d.]+%\) \d+ calls$/' lines | ours >got
	below_by_gprof "$@" | awk -F '\t' -v all="$all" '{ print 100 * $1 / all "\t" $2 }' >want
	near got want 0.1 "$*: each function's share with what it called is gprof's"
done <sets

# 100 functions, each with a tick; the name of one needs every kind of escape, that of another is too long.
i=0
while [ $i -lt 100 ]; do
	echo "__attribute__((aligned(16))) void f$i(void) {}"
	i=$((i + 1))
done >many.c
echo 'void _start(void) {}' >>many.c
gcc -O1 -nostdlib -static -o many many.c 2>cc.err || bail "$(cat cc.err)"
at=$(nm many | awk '$3 == "f0" { print $1 }')
# shellcheck disable=SC2046 # words
"$testdir/gmon-edit.pl" bins 100 "$at" $(i=0; while [ $i -lt 100 ]; do echo 1 0 0 0; i=$((i + 1)); done) >hundred
objcopy --redefine-sym 'f0=a"b\c<d>&amp;e\n\N' --redefine-sym "f1=$(printf 'ä%.0s' $(seq 100))" many
profsup-export --format=svg -o out many hundred 2>err
is "$(cat err)" 'profsup-export: svg: 100 functions are too many for a picture: the 80 with most time are drawn' 'what is too much for a picture is said'
xmllint --noout --encode UTF-8 out 2>xmllint.err
ok $? 'names with quotes, backslashes and entities do no harm' || diag_file xmllint.err
words out >lines
is "$(wc -l <lines | xargs)" 80 'as many functions are drawn'
grep -qF ' a"b\c<d>&amp;e\n\N ' lines
ok $? 'a name is shown as it is' || diag_file lines
half=$(printf 'ä%.0s' $(seq 15))
grep -qF " $half...$half " lines
ok $? 'of a long name the middle is left out'

mkdir bin
ln -s "$(command -v profsup-export)" bin
PATH=$scratch/bin profsup-export -q --format=svg -o none.svg many hundred 2>err
is "$? $(cat err)" '1 profsup-export: svg: dot, which draws it, is not installed: see graphviz.org' 'without Graphviz it says so'
[ ! -e none.svg ]
ok $? 'and leaves no file'
printf '#!/bin/sh\nexit 3\n' >bin/dot
chmod +x bin/dot
PATH=$scratch/bin:/bin profsup-export -q --format=svg -o none.svg many hundred 2>err
is "$? $(cat err)" '1 profsup-export: svg: dot failed with status 3' 'nor when dot fails'
# Each of 100 functions calls each.
"$testdir/elf-made.pl" plain prog
perl -e '
	print "gmon", pack("Vx12", 1), pack("CQ<Q<VVa15a", 0, 0x400000, 0x400000 + 1600, 100, 100, "seconds", "s"), "\1\0" x 100;
	for my $from (0 .. 99) {
		print pack "CQ<Q<V", 1, 0x400004 + 16 * $from, 0x400000 + 16 * $_, 1 + $_ for 0 .. 99;
	}' >all
usage profsup-export --format=svg -o out prog all 2>err
is "$? $(cat err)" '0 profsup-export: svg: 100 functions are too many for a picture: the 80 with most time are drawn
profsup-export: svg: 6400 arcs are too many for a picture: the 1000 with most time are drawn' 'too many arcs: some are drawn'
is "$(words out | grep -c '^n[0-9]*->')" 1000 'as many as it says'
[ "$cpu" -lt 20000 ]
ok $? 'in less than 20 s' || diag "$cpu ms"
done_testing
