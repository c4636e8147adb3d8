#!/bin/sh
# The page for browsers, as Chromium shows it without a network: frames, calls, costs, source lines and what is found are
# those of the other formats; names do no harm; keys, links, paper and darkness work; and many stacks open soon.
# check-all: needs a browser
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"
. "$top/tests/lib/browser.sh"

need jq jq
need pdftotext poppler-utils

# A loop may be twice as slow by its alignment alone, so dear() has to be far the dearest.
mkdir export
sed 's/work(1000000)/work(6000000)/' "$testdir/stacks.c" >export/stacks.c
profsup-cc -O1 -g -o prog export/stacks.c >cc.out 2>&1 || bail "$(cat cc.out)"
# On a crowded machine one sample may stand for a long time: what is told below is about a run in which work() has most.
for run in 1 2 3 4 5 6; do
	profsup -q -g -F 1000 -o one ./prog || bail 'the program fails'
	profsup-export -q --format=folded ./prog one >folded
	awk '/;dear;work / { n += $NF } { all += $NF } END { exit n < all / 2 }' folded && break
	diag "run $run was disturbed"
done
build fixed -static

# page NAME EXPORT-ARGUMENT...: NAME.html; NAME.json and NAME.folded of the same profile
page() {
	page_name=$1
	shift
	profsup-export --format=html -o "$page_name.html" "$@" 2>err
	is "$? $(cat err)" '0 ' "$page_name: it is written, and nothing is said"
	profsup-export -q --format=json -o "$page_name.json" "$@"
	profsup-export -q --format=folded -o "$page_name.folded" "$@"
}
page measured prog one
page shares --no-stacks prog one
page cycle fixed fixed.1 fixed.2
two_functions code
"$testdir/gmon-edit.pl" bins 100 "$callee" 1 2 3 >samples
page uncalled code samples

# All frames that are drawn: names from the outermost on, and ticks, by their width.
# shellcheck disable=SC2016 # JavaScript's
drawn='(() => {
	const frames = [...document.querySelectorAll("g.frame")].map((g) => ({ node: g.__data__, width: g.querySelector("rect").width.baseVal.value }));
	const all = frames.find((f) => f.node.depth === 0);
	return frames.filter((f) => f !== all).map((f) => f.node.ancestors().reverse().slice(1).map((n) => n.data.name).join(";") +
		" " + Math.round(f.width * all.node.value / all.width)).join("|"); })()'
drawn=$(echo "$drawn" | tr -d '\n\t')

# frames FOLDED WIDTH: the same by folded stacks, of those that are more than two pixels wide
frames() {
	perl -ne '
		/^(.*) (\d+)$/ or next;
		my ($path, $ticks) = ($1, $2);
		$all += $ticks;
		while ($path ne "") { $sum{$path} += $ticks; $path =~ s/;?[^;]*$// }
		END { print map { "$_ $sum{$_}\n" } grep { $sum{$_} * '"$2"' / $all > 2 } keys %sum }' "$1" | sort
}

# found FOLDED TEXT: seconds at 1,000 Hz and per cent of the stacks that have a frame with the text in its name
found() {
	perl -sne '
		/^(.*) (\d+)$/ or next;
		$all += $2;
		$sum += $2 if index(lc $1, lc $text) >= 0;
		END { printf "%.3f s, %.1f %%", $sum / 1000, 100 * $sum / $all }' -- -text="$2" "$1"
}

start_browser
work='_start;__libc_start_main;__libc_start_call_main;main;dear;work'
{
	for name in measured shares cycle uncalled; do
		echo "open file://$PWD/$name.html"
		echo "print $name.frames $drawn"
		echo "print $name.width document.querySelector('#chart svg').getAttribute('width')"
		echo "print $name.facts document.getElementById('facts').innerText"
		echo "print $name.notice document.getElementById('notice').checkVisibility() && document.getElementById('notice').innerText"
	done
	cat <<-END
		open file://$PWD/measured.html#search=E
		print found document.getElementById('found').textContent
		print rows [...document.querySelectorAll('#functions tbody tr')].map((r) => r.cells[0].innerText).join('|')
		open file://$PWD/measured.html#sort=calls
		print calls [...document.querySelectorAll('#functions tbody tr')].map((r) => r.cells[5].innerText.replace(/,/g, '')).join('|')
		click #functions th[data-key=name] button
		print names [...document.querySelectorAll('#functions tbody tr')].map((r) => r.cells[0].innerText).join('|')
		open file://$PWD/measured.html#zoom=$work
		print zoomed document.getElementById('frame').innerText
		print widths [...new Set([...document.querySelectorAll('g.frame rect')].map((r) => Math.round(r.width.baseVal.value)))].length
		point g.frame[name=dear]
		print tip document.getElementById('tip').innerText
		click #functions tbody tr
		print chosen document.querySelector('#detail').innerText
		print hash location.hash
		open file://$PWD/measured.html
		key /
		key w
		key o
		key r
		print typed document.getElementById('found').textContent
		print hits [...document.querySelectorAll('g.frame')].filter((g) => /^hsl.285/.test(g.querySelector('rect').getAttribute('fill'))).map((g) => g.getAttribute('name')).join('|')
		key Enter
		key ArrowUp
		key ArrowUp
		key ArrowUp
		key ArrowUp
		key ArrowUp
		print outside document.activeElement.id + ' ' + document.getElementById('frame').innerText
		key ArrowRight
		print beside document.getElementById('frame').innerText.split(' ')[0].split('\\n')[0]
		key ArrowLeft
		key Enter
		await Math.round(document.querySelector('g.frame[name=dear] rect').width.baseVal.value) == document.querySelector('#chart svg').getAttribute('width')
		key Escape
		print cleared document.getElementById('search').value + '.'
		key Escape
		await Math.round(document.querySelector('g.frame[name=dear] rect').width.baseVal.value) < document.querySelector('#chart svg').getAttribute('width')
		print reset location.hash + '.'
		click #icicle
		print icicle [...document.querySelectorAll('g.frame')].every((g) => g.__data__.parent === null || g.getBoundingClientRect().y > document.querySelector('g.frame').getBoundingClientRect().y)
		print light document.documentElement.dataset.theme + getComputedStyle(document.body).backgroundColor
		prefer dark
		print dark document.documentElement.dataset.theme + getComputedStyle(document.body).backgroundColor
		click #theme
		print toggled document.documentElement.dataset.theme + location.hash
		pdf page.pdf
		size 400 800
		await document.querySelector('#chart svg').getAttribute('width') < 400
		print narrow document.documentElement.scrollWidth
		size 1400 1000
		prefer light
	END
} | browse

for name in measured shares cycle; do
	printed $name.frames | tr '|' '\n' | sort >"$name.drawn"
	frames $name.folded "$(printed $name.width)" >want
	same "$name.drawn" want "$name: the frames, and how wide they are, are those of the folded stacks"
	is "$(printed $name.facts | grep -o '^[0-9.]* s of CPU time' | cut -d ' ' -f 1)" "$(jq .totals.seconds $name.json | xargs printf '%.3f')" \
		"$name: the CPU time of all"
	is "$(printed $name.facts | tr -d , | grep -o '[0-9]* calls' | cut -d ' ' -f 1)" "$(jq .totals.calls $name.json)" "$name: the calls of all"
done
is "$(printed uncalled.facts | grep -o 'no calls.*counted')" 'no calls were counted' 'samples alone: that no calls were counted is said' ||
	diag "$(printed uncalled.facts)"
is "$(printed measured.facts | grep -c "build ID $(jq -r .build_id measured.json)$")" 1 'the build ID is shown' || diag "$(printed measured.facts)"
is "$(printed measured.notice)" false 'measured stacks: nothing is to be noted'
is "$(printed shares.notice | cut -c 1-44)" 'Shares worked out from calls, not measured: ' 'stacks that are not measured: the page says so'
grep -q '\[cycle 1\];' cycle.drawn
ok $? 'a cycle is a frame'

is "$(printed found | cut -d , -f 2-)" " $(found measured.folded e)" 'what is found has the time of the stacks that it is in, each once' || diag "$(printed found)"
jq -r '.functions[] | select((.self_ticks > 0 or .total_ticks > 0 or .calls > 0) and (.name | ascii_downcase | contains("e"))) | .name' measured.json | sort >want
printed rows | tr '|' '\n' | sort >rows.txt
same rows.txt want 'the table has the functions that are found'
printed calls | tr '|' '\n' >calls.txt
is "$(head -n 1 calls.txt)" 10000000 'sorted by calls, the function with most comes first'
tr -d - <calls.txt | grep . | sort -c -n -r
ok $? 'and the others follow' || diag_file calls.txt
printed names | tr '|' '\n' | sort -c
ok $? 'a click on a column sorts by it'

# 150 calls of work() by dear() and 300 by cheap() are in the source.
ticks_of() {
	awk -v end="$1\$" '{ n = $NF; sub(/ [0-9]*$/, "") } ";" $0 ~ end { sum += n } END { print sum + 0 }' measured.folded
}
cost() {
	awk -v ticks="$1" -v calls="$2" 'BEGIN {
		us = ticks * 1000 / calls
		cost = sprintf("%#.3g", us < 999.5 ? us : us / 1000)
		sub(/\.$/, "", cost)
		print cost, us < 999.5 ? "µs" : "ms"
	}'
}
dear=$(ticks_of ';dear;work')
all=$(ticks_of ';work')
is "$(printed zoomed)" "work time $(awk -v n="$dear" -v all="$(jq .totals.ticks measured.json)" 'BEGIN { s = sprintf("%.3f s, %.1f %%", n / 1000, 100 * n / all); print s " self " s }') calls from dear 150, $(cost "$dear" 150) each with all they called calls 450 self/call $(cost "$all" 450) total/call $(cost "$all" 450)" \
	"a link to a frame: its time, its caller's calls and their cost, and those of all calls"
is "$(printed widths)" 1 'it fills the graph, as do those that it was called by'
is "$(printed tip | sed 's/^dear time .* calls from main \(1\), .* calls \(1\) self.*/\1 \2/')" '1 1' 'the tooltip says the same of another frame' || diag "$(printed tip)"
printed chosen >chosen.txt
line=$(grep -n 'sink += i' "$testdir/stacks.c" | head -n 1 | cut -d : -f 1)
grep -q "^work .*Lines with most self time.*export/stacks.c:${line}[[:space:]]" chosen.txt
ok $? 'a click on a function shows its source lines' || diag_file chosen.txt
is "$(tr '\t' ' ' <chosen.txt | grep -oE '(dear|cheap) [0-9]+' | sort | xargs)" 'cheap 300 dear 150' 'and its callers with their exact calls' || diag_file chosen.txt
is "$(printed hash)" "#function=work&zoom=$work" 'and is in the link'

is "$(printed typed | cut -d : -f 1)" '1 function' '/ begins a search' || diag "$(printed typed)"
is "$(printed hits | tr '|' '\n' | sort -u | xargs)" work 'and frames that are found have their own colour'
is "$(printed outside | cut -d ' ' -f 1,2)" 'chart dear' 'Enter leads to the graph, and arrows lead from frame to frame' || diag "$(printed outside)"
[ "$(printed beside)" != dear ] && grep -q ";main;$(printed beside) " measured.drawn
ok $? 'sideways, too' || diag "$(printed beside)"
is "$(printed cleared)$(printed reset)" '..' 'Escape ends the search first, then the zoom'
is "$(printed icicle)" true 'as an icicle, the outermost frame is at the top'
is "$(printed light) $(printed dark) $(printed toggled)" 'lightrgb(255, 255, 255) darkrgb(22, 24, 28) light#view=icicle&theme=light' \
	'it is dark where the user prefers it, or as the button says'
pdftotext -layout page.pdf page.txt
is "$(grep -c 'Reset zoom' page.txt)$(grep -oE '^ *work +[0-9.]+ s' page.txt | wc -l)" 01 'on paper there are the tables, and no buttons' || diag_file page.txt
[ "$(printed narrow)" -le 400 ]
ok $? 'on a narrow screen nothing sticks out' || diag "$(printed narrow)"
is "$(grep -E '^(console|request)	' got)" '' 'pages ask for nothing, and the browser has no complaint'

# That these would be seen, and that the policy holds.
sed 's|^<h1.*|&<script>document.title = "run"</script><img src="http://127.0.0.1:9/x"><img src="other.png">|' measured.html >changed.html
sed '/Content-Security-Policy/d' changed.html >lax.html
[ "$(stat -c %s measured.html)" -lt 400000 ]
ok $? 'a page of few functions has less than 400 kB'
browse <<END
open file://$PWD/changed.html
print title document.title
END
is "$(printed title) $(grep -cE '^console	.*Content Security Policy' got)" 'prog: profile 3' \
	'what somebody puts into the page is not run, nor asked for' || diag_file got
browse <<END
open file://$PWD/lax.html
END
is "$(grep -cE '^request	(http:|file:).*(/x|other\.png)$' got)" 2 'and without the policy it would be seen' || diag_file got

# Names that would be markup, code, or what objects of JavaScript have.
cat >names <<'END'
</script><script>document.title="pwned"</script>
</SCRIPT ><script>document.title="pwned"</script>
<!--<script>
]]>--!><img src=x onerror=document.title="pwned">
</title></style></textarea><svg onload=document.title="pwned">
"],"functions":[],"x":["
\u003c/script>\
x${document.title="pwned"}`+'
&lt;b&gt;&amp;
__proto__
constructor
toString
END
perl -e 'print "two\xe2\x80\xa8lines\xe2\x80\xa9\n", "evil\xe2\x80\xaetxt.exe\n", "no \xff\xfe UTF-8\n", "gr\xc3\xb6\xc3\x9fe_\xe9\x96\xa2\xe6\x95\xb0\n", "long" x 2000, "\n"' >>names
mkdir '<'
odd='</script><img src=x onerror=document.title="pwned">'
"$testdir/elf-made.pl" names "$odd"
n=$(wc -l <names)
# shellcheck disable=SC2046 # words
"$testdir/gmon-edit.pl" bins 100 400000 $(i=0; while [ $i -lt "$n" ]; do echo 5 0 0 0; i=$((i + 1)); done) >"<script>x"
profsup-export -q --format=json -o odd.json "$odd" '<script>x'
profsup-export -q --format=html -o odd.html "$odd" '<script>x'
cat >lines.c <<'END'
__attribute__((aligned(16), noinline)) void callee(void) { __asm__ volatile(""); }
#line 7 "</script><img src=x onerror=document.title='pwned'>.c"
__attribute__((aligned(16))) void _start(void) { callee(); for (;;) ; }
END
gcc -O0 -g -nostdlib -static -o lines lines.c 2>cc.err || bail "$(cat cc.err)"
"$testdir/gmon-edit.pl" bins 100 "$(nm lines | awk '$3 == "_start" { print $1 }')" 5 >g
profsup-export -q --format=html -o lines.html lines g
hostile="%3Cimg%20src%3Dx%20onerror%3Ddocument.title%3D%22pwned%22%3E"
browse <<END
open file://$PWD/odd.html
print names JSON.stringify([...document.querySelectorAll('#functions .link')].map((b) => b.textContent).sort())
print labels JSON.stringify([...document.querySelectorAll('.d3-flame-graph-label')].map((b) => b.textContent).slice(1).sort())
print state [document.title, document.getElementById('program').textContent, document.querySelectorAll('script').length, document.querySelectorAll('img, title:not(head > title), svg:not(#chart svg)').length, document.getElementById('files').textContent].join(' ')
open file://$PWD/odd.html#search=$hostile&function=__proto__&zoom=$hostile
print linked document.querySelector('#detail h2').textContent + ' ' + document.getElementById('search').value
open file://$PWD/odd.html#search=%&view=x&theme=$hostile&sort=$hostile&zoom=%E0%A4%A;a&&=&x
print nonsense document.getElementById('search').value + document.querySelectorAll('#functions tbody tr').length
open file://$PWD/lines.html
print line document.querySelector('#detail td').title
END
# Shown are 300 characters.
jq -c '[.functions[] | select(.self_ticks > 0) | .name | if length > 300 then .[:240] + "…" + .[-59:] else . end]' odd.json >want
for what in names labels; do
	printed $what | jq -c sort >$what.json
	jq -c sort want >sorted
	same $what.json sorted "odd names: the $what are text, as json has them"
done
is "$(jq length want)" "$n" 'all of them'
is "$(printed state)" "script><img src=x onerror=document.title=\"pwned\">: profile $odd 2 0 The file<script>x" \
	'they are no elements, nor is the name of program or file'
is "$(printed linked)" '__proto__ <img src=x onerror=document.title="pwned">' 'in a link they are text'
is "$(printed nonsense)" '%0' 'a link that makes no sense does no harm'
is "$(printed line)" "$PWD/</script><img src=x onerror=document.title='pwned'>.c:7" 'so are the names of source files'
is "$(grep -E '^(console|request)	' got)" '' 'pages ask for nothing, and the browser has no complaint'

# Names as C++ has them leave room for the numbers.
long=$(printf 'long_%0200d' 0)
printf '__attribute__((aligned(16), noinline)) void %s(void) { __asm__ volatile(""); }\n' "${long}1" "${long}2" >wide.c
echo '__attribute__((aligned(16))) void _start(void) { for (;;) ; }' >>wide.c
gcc -O0 -g -nostdlib -static -o wide wide.c 2>cc.err || bail "$(cat cc.err)"
"$testdir/gmon-edit.pl" bins 100 "$(nm wide | awk -v name="${long}1" '$3 == name { print $1 }')" 5 0 0 0 5 >g
profsup-export -q --format=html -o wide.html wide g
browse <<END
open file://$PWD/wide.html
print wide [...document.querySelectorAll('.wide')].map((e) => e.scrollWidth <= e.clientWidth).join(' ')
click #functions tbody tr
print chosen [...document.querySelectorAll('.wide')].every((e) => e.scrollWidth <= e.clientWidth)
END
is "$(printed wide), $(printed chosen)" 'true true, true' 'no table is wider than its place, however long the names are'

# Time that is no CPU time has no ticks that anyone would count.
printf '#include <unistd.h>\nint main(void) { return usleep(50000); }\n' >sleeper.c
profsup-cc -o sleeper sleeper.c || bail 'no program'
profsup -q --wall -o slept ./sleeper || bail 'the program fails'
profsup-export -q --format=html --type=wall -o slept.html sleeper slept || bail 'no page'
browse <<END
open file://$PWD/slept.html
print facts document.getElementById('facts').innerText
END
is "$(printed facts | grep -c 's of wall time') $(printed facts | grep -c Hz)" '1 0' 'wall time has no rate' || diag "$(printed facts)"

# Only calls; nothing at all.
"$testdir/gmon-edit.pl" bins 100 "$(nm lines | awk '$3 == "_start" { print $1 }')" 0 >g
profsup-export -q --format=html -o none.html lines g
# 10,000 stacks.  What a page costs that says nothing is what the machine can do at the moment.
"$testdir/elf-made.pl" plain plain
# shellcheck disable=SC2046 # words
"$testdir/gmon-edit.pl" bins 100 400000 10000 $(yes 0 | head -n 3999) >many
"$testdir/stack-edit.pl" many 10000 10000000 '' | gzip -c >many.pb.gz
profsup-export --format=html -o many.html plain many 2>err
is "$? $(cat err)" '0 ' '10,000 stacks'
echo '<!DOCTYPE html><title>x</title><p>x' >trivial.html
since='Math.round(performance.now() - performance.getEntriesByType("navigation")[0].startTime)'
browse <<END
open file://$PWD/none.html
print none document.getElementById('chart').innerText
open file://$PWD/trivial.html
print trivial $since
open file://$PWD/many.html
print many $since
print frames document.querySelectorAll('g.frame').length
open file://$PWD/many.html#search=f9
print found document.getElementById('found').textContent
END
is "$(printed none)" 'No time was sampled: there are only calls.' 'without ticks there is no graph'
is "$(grep -E '^(console|request)	' got)" '' 'nor is anything complained of'
[ "$(printed frames)" -gt 500 ]
ok $? 'with 10,000 stacks the wider frames are drawn' || diag "$(printed frames)"
is "$(printed found | sed 's/.*frames, //')" "$(profsup-export -q --format=folded plain many | perl -ne '
	/^(.*) (\d+)$/ and $sum += index($1, "f9") >= 0 ? $2 : 0; END { printf "%.3f s, %.1f %%", $sum / 100, $sum / 100 }')" 'and all are searched'
[ "$(printed many)" -lt $((100 * $(printed trivial))) ]
ok $? 'it opens soon' || diag "$(printed many) ms; a page that says nothing: $(printed trivial) ms"
done_testing
