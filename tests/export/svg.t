#!/bin/sh
# The picture: what dot makes of it is well-formed, and shows each function that counts with its share, and each arc
# with its calls.
# check-all: needs Graphviz
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

need dot graphviz
need xmllint libxml2-utils
inputs >sets || bail 'no programs'

# words FILE: of each node or edge the title, what is shown where the pointer is, and the lines of text, with tabs between
# them, one a line
words() {
	perl -0777 -ne '
		for (split /(?=<g id="(?:node|edge)\d+")/) {
			next unless /^<g id="(?:node|edge)/;
			my ($title) = m{<title>(.*?)</title>};
			my ($tip) = m{xlink:title="(.*?)"}s;
			my $line = join "\t", $title, $tip // "none", m{<text[^>]*>(.*?)</text>}g;
			$line =~ s/&#45;/-/g, $line =~ s/&#160;/ /g, $line =~ s/&lt;/</g, $line =~ s/&gt;/>/g, $line =~ s/&quot;/"/g, $line =~ s/&amp;/&/g;
			print "$line\n";
		}' "$1"
}

# above NUMBER, drawing: of "number<TAB>function" lines those above a number, and those of functions in `drawing`
above() {
	awk -F '\t' -v n="$1" '$1 > n'
}
drawing() {
	awk -F '\t' 'FNR == NR { there[$1]; next } $2 in there' drawing -
}

while read -r program files; do
	# shellcheck disable=SC2086 # a list
	set -- $program $files
	export_as svg --no-inlines "$@"
	[ ! -s err ]
	ok $? "$*: nothing is said, since all functions are drawn" || diag_file err
	xmllint --noout out 2>xmllint.err
	ok $? "$*: it is well-formed" || diag_file xmllint.err
	words out >lines
	perl -F'\t' -lane 'print "$F[2]" if $F[0] =~ /^n\d+$/' lines >drawing
	all=$(total_by_gprof "$@")
	below_by_gprof "$@" | awk -F '\t' -v all="$all" '{ print 100 * $1 / all "\t" $2 }' >below
	for name in $(above 0.6 <below | cut -f 2 | tr ' ' _); do
		tr ' ' _ <drawing | grep -qxF -e "$name" || echo "$name"
	done >missing
	is "$(cat missing)" '' "$*: functions with more than 0.5 % are drawn"
	is "$(drawing <below | awk -F '\t' '$1 < 0.4')" '' "$*: and no others"
	perl -F'\t' -lane 'print "$1\t$F[2]" if $F[0] =~ /^n\d+$/ && $F[3] =~ /^([\d.]+)%/' lines | ours >got
	drawing <below >want
	near got want 0.1 "$*: each function's share with what it called is gprof's"
	perl -F'\t' -lane '
		next unless $F[0] =~ /^n\d+$/ && $F[3] =~ /^([\d.]+)%(?: \((?:self ([\d.]+)%|(all) self)\))?$/;
		print defined $3 ? $1 : $2 // 0, "\t$F[2]"' lines | ours >got
	self_by_gprof "$@" | awk -F '\t' -v all="$all" '{ print 100 * $1 / all "\t" $2 }' | drawing >want
	near got want 0.06 "$*: and so is its own"
	# Arrows: each is named by its functions' numbers, and the words at the pointer have all.
	perl -F'\t' -lane '
		$name{$F[0]} = $F[2] if $F[0] =~ /^n\d+$/;
		push @arc, [$1, $2, $F[1]] if $F[0] =~ /^(n\d+)->(n\d+)$/;
		END {
			for (@arc) {
				my ($from, $to) = map { $name{$_} } @$_[0, 1];
				print "$1\t$from\t$to" if $_->[2] =~ /^\Q$from to $to\E: [\d.]+%, (\d+) calls?$/;
			}
		}' lines | ours >got
	arcs_by_name "$@" >arcs
	is "$(sort got | comm -23 - arcs)" '' "$*: each arrow has its exact number of calls" || diag_file lines
	[ "$(wc -l <got)" -ge 5 ] && [ "$(wc -l <got)" -eq "$(cut -f 1 lines | grep -c 'n.*->')" ]
	ok $? "$*: and there are arrows" || diag_file got
	# A label where a function has several callers, and only there.
	is "$(perl -F'\t' -lane 'print $F[2] if $F[0] =~ /^n\d+->/ && @F > 2 && $F[1] =~ /to shapes::(few|many)\(\)/' lines)" '' \
		"$*: the only arrow to a function has no label"
	[ "$(perl -F'\t' -lane 'print $F[2] if $F[0] =~ /^n\d+->/ && @F > 2 && $F[1] =~ /to shapes::leaf/' lines | grep -cE '^ *[0-9.]+%, [0-9]+ calls? *$')" -ge 2 ]
	ok $? "$*: one of several has" || diag_file lines
done <sets

# With stacks an arc may have calls and no time; it is drawn only where functions call each other.
two_functions code aa00112233445566
"$testdir/gmon-edit.pl" bins 100 "$callee" 5 >g
profsup-export -q --format=svg --no-stacks -o out code g
is "$(grep -o 'code: .* counted' out)" 'code: 0.05 s of CPU time, no calls were counted' 'samples alone: the title says that no calls were counted' ||
	diag "$(grep 'code:' out)"
"$testdir/stack-edit.pl" make aa00112233445566 10000000 "$callee" 5 "$start/7fff0000" 5 </dev/null | gzip -c >g.pb.gz
# arc FROM SELF: a record
arc() {
	perl -e 'print pack "CQ<Q<V", 1, hex shift, hex shift, 3' "$@" >>g
}
arrows() {
	profsup-export -q --format=svg -o out code g || bail 'no picture'
	words out | cut -f 2 | grep -E '^(_start|callee) to ' | sed 's/:.*//' | sort | xargs
}
arc "$start" "$callee"
is "$(arrows)" '_start to [unknown]' 'stacks: an arc without time is not drawn'
arc "$callee" "$start"
is "$(arrows)" '_start to [unknown] _start to callee callee to _start' 'but in a cycle it is'

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
grep -qF '	a"b\c<d>&amp;e\n\N	' lines
ok $? 'a name is shown as it is' || diag_file lines
half=$(printf 'ä%.0s' $(seq 15))
grep -qF "	$half...$half	" lines
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
# Nothing has time: all is drawn.
"$testdir/gmon-edit.pl" bins 100 "$at" 0 >calls
perl -e 'my $at = hex shift; print pack "CQ<Q<V", 1, $at + 4, $at + 16, 3; print pack "CQ<Q<V", 1, $at + 20, $at + 32, 1' "$at" >>calls
profsup-export --format=svg -o out many calls 2>err
is "$(words out | grep -c '^n') $(cat err)" '5 ' 'a program that only called has a picture, too'

# Each of 100 functions calls each; recursion is no arrow.
"$testdir/elf-made.pl" plain prog
perl -e '
	print "gmon", pack("Vx12", 1), pack("CQ<Q<VVa15a", 0, 0x400000, 0x400000 + 1600, 100, 100, "seconds", "s"), "\1\0" x 100;
	for my $from (0 .. 99) {
		print pack "CQ<Q<V", 1, 0x400004 + 16 * $from, 0x400000 + 16 * $_, 1 + $_ for 0 .. 99;
	}' >all
usage profsup-export --format=svg -o out prog all 2>err
is "$? $(cat err)" '0 profsup-export: svg: 100 functions are too many for a picture: the 80 with most time are drawn
profsup-export: svg: 6320 arcs are too many for a picture: the 1000 with most time are drawn' 'too many arcs: some are drawn'
is "$(words out | grep -c '^n[0-9]*->')" 1000 'as many as it says'
light 20 1000 'many arcs'
done_testing
