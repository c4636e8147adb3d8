#!/bin/sh
# A program's functions may have any names: what would move, hide or reorder what a terminal shows does not come to it,
# nor into an exported file; names in other scripts do.
. "$(dirname "$0")/../lib/testlib.sh"

. "$top/tests/lib/terminal.sh"

cp "$(target odd-names)" prog
acute=$(printf '\314\201')
want=$(printf '%s\n' 'a????b?' "a$acute$acute$acute$acute??z" 'evil?txt.exe?' 'größe_имя_関数' 'two?lines??')

# unfit FILE: what is no UTF-8 in it, or not fit to be shown.
unfit() {
	perl -MEncode -0777 -ne '
		my $text = eval { decode("UTF-8", $_, Encode::FB_CROAK) } // (print("no UTF-8\n"), exit);
		printf "U+%04X\n", ord for $text =~ /[^\n\P{Cc}]|\p{Cf}|\p{Zl}|\p{Zp}|\p{Cn}/g' "$1"
}

# names PATTERN FILE: those of ours, which follow what matches.
names() {
	sed -n "s/$1\\(.*[?_].*\\)/\\1/p" "$2" | grep -vE '^_|^main$|[a-z]_[a-z]' | sort -u
}

profsup --report --top -F 1000 ./prog 3000 >out 2>err
is "$(unfit err)" '' 'nothing that --report and --top say is unfit for a terminal'
is "$(names '.*[0-9.]*% .* [0-9.a-z-]*  ' err)" "$want" '--report: the names' || diag_file err
is "$(names '.* calls: ' err)" "$want" '--top: the names' || diag_file err

# The width of the terminal ends within a character of a name.
cat >start.sh <<'EOS'
stty rows 30 cols 53
profsup -T -F 1000 ./prog 3000
EOS
TERM=xterm timeout 60 perl "$top/tests/lib/pty.pl" keys screen sh start.sh
perl -pe 's/\e7\e\[\d+;1H|\e\[K\e8|\e[78D]|\e\[[?\d;]*[A-Za-z]/\n/g' screen >drawn
is "$(unfit drawn)" '' '--top on a terminal: neither is what is drawn there'
is "$(names '.*[0-9.]*% .* [0-9]*  ' drawn | grep -c 'größe_$')" 1 'and a character that does not fit is left out whole' || diag_file drawn

# Names longer than a line: they are cut in what is printed, and nowhere else.
long=$(perl -e 'print "lang_" . "é" x 200')
cat >long.c <<EOC
#include <time.h>
volatile unsigned long sink;
void $long(void) { while (clock() < CLOCKS_PER_SEC / 10) for (int i = 0; i < 1000000; i++) sink++; }
int main(void) { $long(); return 0; }
EOC
"$stage/bin/profsup-cc" -O1 -fno-inline -o long long.c || bail 'profsup-cc long.c'
mkdir dir
profsup -d dir --report -F 1000 ./long >out 2>err
is "$(sed -n 's/.*[0-9][mnu]*s  \(lang_.*\)/\1/p' err | head -n 1)" "$(perl -e 'print "lang_" . "é" x 44 . "..." . "é" x 48')" \
	'--report: of a long name 100 characters are shown, three dots in the middle' || diag_file err
is "$(unfit err)" '' 'which are whole'
profsup-export -q --format=json -o out ./long dir/gmon.*
grep -q "$long" out
ok $? 'an exported file has all of it'
cat >start.sh <<'EOS'
stty rows 30 cols 90
profsup -d dir --report -F 1000 ./long
EOS
rm -f screen
TERM=xterm timeout 60 perl "$top/tests/lib/pty.pl" keys screen sh start.sh
is "$(sed -n 's/.*[0-9][mnu]*s  \(lang_.*\)/\1/p' screen | head -n 1)" "$(perl -e 'print "lang_" . "é" x 9 . "..." . "é" x 13')" \
	'on a terminal as much as it is wide' || diag_file screen

for format in callgrind folded json svg html; do
	[ $format != svg ] || command -v dot >/dev/null || {
		skip 'Graphviz is not installed'
		continue
	}
	profsup-export -q --format=$format -o written ./prog gmon.*.out
	status=$?
	tr -d '\t' <written >out # the page's scripts have tabs
	is "$status$(unfit out)" 0 "$format: what is written is fit for a terminal"
	case $format in
	callgrind) sed -n 's/^c*fn=([0-9]*) //p' out ;;
	folded) sed 's/ [0-9]*$//' out | tr ';' '\n' ;;
	json) grep -o '"name":"[^"]*"' out | cut -d '"' -f 4 ;;
	svg) sed -n 's/^<text.*>\(.*\)<\/text>$/\1/p' out ;;
	html) sed -n 's/^\["\([^"]*\)",[0-9].*/\1/p' out ;;
	esac | names '' /dev/stdin >got
	is "$(cat got)" "$want" "$format: the names"
done
profsup-export -q --format=pprof ./prog gmon.*.out | gzip -dc >out
is "$(printf '%s\n' "$want" | while read -r name; do grep -qaF "$name" out && echo "$name"; done)" "$want" 'pprof: the names'
is "$(grep -caE "evil[^?]|two[^?]|a[^ -~]*$acute$acute$acute$acute$acute" out)" 0 'pprof: and none as it stands in the program'
done_testing
