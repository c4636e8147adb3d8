#!/bin/sh
# The page of --growth in a real browser: it draws what grows faster than the input, with a line to ten times that, loads
# nothing and runs no script but its own, and names stay text.
# check-all: needs a browser
. "$(dirname "$0")/../lib/testlib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

for i in 1 2 3; do
	echo "__attribute__((noipa, aligned(64))) void f$i(void) { __asm__ volatile(\"nop\"); }"
done >code.c
echo 'void _start(void) { }' >>code.c
gcc -O1 -nostdlib -static -o plain code.c 2>cc.err || bail "$(cat cc.err)"
objcopy --redefine-sym f1='</script><script>document.title="broken"</script>' --redefine-sym f2='<img src=x onerror=document.title="broken">' \
	plain code || bail 'objcopy fails'
for n in 1 2 4; do
	# Addresses are those of the plain program.
	"$testdir/made.pl" plain r.$n 1000 f1=$((3000 * n)) f3=$((1000 * n * n)) "_start->f1=$((100 * n * n))" "_start->f2=$((100 * n))" "f2->f3=7" "_start->f3=$((5 * n * n * n))"
done
set -- --growth code n=1000 r.1 n=2000 r.2 n=4000 r.4
profsup-diff --format=html -o page.html "$@" 2>err
is "$? $(cat err)" '0 ' 'it is written'
is "$(grep -o '<script[^>]*>' page.html | tr '\n' ' ')" '<script type="application/json" id="data"> <script> ' 'there are two scripts, whatever the names'
grep -qE "^<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-[A-Za-z0-9+/]{43}='; style-src 'sha256-[A-Za-z0-9+/]{43}='; " page.html
ok $? 'a policy lets nothing be loaded, and nothing else run' || diag "$(head -c 1000 page.html)"
perl -ne '$on = 1, next if /id="data"/; $on = 0 if m|^</script>|; print if $on' page.html >data
profsup-diff --format=json "$@" | jq -cS . >want
is "$(jq -cS . data)" "$(cat want)" 'the data in it is that of --format=json'

. "$top/tests/lib/browser.sh"
start_browser
# value NAME EXPRESSION: a line that prints it
value() {
	printf 'print %s %s\n' "$1" "$2"
}
{
	printf 'open file://%s/page.html\n' "$PWD"
	value title 'document.title'
	value tables '[...document.querySelectorAll("table")].map(t => [...t.querySelectorAll("tbody tr")].map(r => [...r.cells].map(c => c.textContent.trim())))'
	value lines '[...document.querySelectorAll("svg.plot")].map(s => [s.querySelectorAll("polyline").length, s.querySelectorAll("circle").length])'
	value ends '[...document.querySelectorAll("svg.plot")[0].querySelectorAll("polyline")].map(l => l.getAttribute("points").split(" ").pop().split(",")[0])'
	value slopes '[...document.querySelectorAll("svg.plot")[0].querySelectorAll("polyline")].map(l => { const p = l.getAttribute("points").split(" ").map(q => q.split(",")[1]); return p[0] - p.at(-1); })'
	value colors '[...document.querySelectorAll("svg.plot circle")].map(c => getComputedStyle(c).fill).filter((c, i, all) => all.indexOf(c) === i).length'
	printf 'click body > label input\n'
	value all 'document.querySelector("table tbody").rows.length'
	printf 'click tbody tr input\n'
	value fewer 'document.querySelectorAll("svg.plot")[0].querySelectorAll("polyline").length'
} | browse
is "$(printed title)" profsup-diff 'no name was run'
is "$(printed tables | jq -c '.[0]')" '[["[uncounted] → f3","5","40","320","n^3.00 ± 0.00","320,000","320,000","320,000"],["f3","12","47","327","n^2.80 ± 0.83","205,639","30,491","1,386,875"],["</script><script>document.title=\"broken\"</script>","100","400","1,600","n^2.00 ± 0.00","160,000","160,000","160,000"]]' \
	'a table of calls has what grows faster than n, and of arcs those that do not have all calls of their function'
is "$(printed tables | jq -c '.[1] | map(.[0])')" '["f3"]' 'and one of time'
is "$(printed lines)" '[[3,9],[1,3]]' 'each has its line in the plot, and three points'
is "$(printed ends)" '["900.0","900.0","900.0"]' 'the lines go on to ten times the largest n'
is "$(printed slopes | jq -c '.[0] / .[2] * 100 | round')" 150 'n^3 is one and a half times as steep as n^2'
is "$(printed colors)" 3 'in colors of their own'
is "$(printed all) $(printed fewer)" '7 2' 'the rest is shown on demand, and a row can be left out'
is "$(printed console)$(printed request)" '' 'nothing is asked for, and nothing complained of' || diag_file got
done_testing
