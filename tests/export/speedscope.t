#!/bin/sh
# Files of stacks as speedscope opens them, as they are: its own export has the frames and the times that are in the file.
# check-all: needs a browser and speedscope
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"
. "$top/tests/lib/browser.sh"

need jq jq
page=$("$top/tests/setup.sh" --speedscope)
[ -f "$page" ] || skip_all 'speedscope is not there: tests/setup.sh readers'

profsup-cc -O1 -g -o prog "$testdir/stacks.c" >cc.out 2>&1 || bail "$(cat cc.out)"
{ profsup -q -g -F 1000 -o cpu ./prog && profsup -q --wall -F 1000 -o wall ./prog; } || bail 'the program fails'
profsup-export -q --format=pprof -o exported ./prog cpu

# What speedscope exports would be a download.
steps() {
	for name in cpu.pb.gz wall.pb.gz exported; do
		printf "speedscope.loadFileFromBase64('%s', '%s')" "$name" "$(base64 -w 0 "$name")" >"$name.js"
		cat <<-END
			open file://$page#localProfilePath=$PWD/$name.js
			await document.body.innerText.includes('Export')
			print hooked (URL.createObjectURL = (blob) => { window.saved = blob; return 'data:,' }) && (HTMLAnchorElement.prototype.click = () => {}) && 1
			print clicked [...document.querySelectorAll('div')].filter((d) => d.textContent.endsWith('Export')).pop().click()
			print $name window.saved.text()
			open about:blank
		END
	done
}
start_browser
steps | browse

# folded NAME: what it has exported, as folded stacks
folded() {
	printed "$1" | jq -r '
		.shared.frames as $frames | .profiles[0] | if .type == "evented" then
			reduce .events[] as $e ({ stack: [], at: 0, out: [] };
				(if $e.at > .at and (.stack | length) > 0 then .out += ["\(.stack | join(";")) \($e.at - .at)"] else . end) | .at = $e.at |
				if $e.type == "O" then .stack += [$frames[$e.frame].name] else .stack |= .[:-1] end) | .out[]
		else
			[.samples, .weights] | transpose[] | "\([.[0][] | $frames[.].name] | join(";")) \(.[1])"
		end' |
		awk '{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n } END { for (s in sum) if (sum[s] > 0) printf "%s %d\n", s, sum[s] }' | sort
}
in_ns() {
	awk -v CONVFMT=%d '$NF > 0 { $NF *= 1000000; print }' | sort
}
for name in cpu wall; do
	folded $name.pb.gz >shown
	perl "$top/tests/lib/stacks.pl" folded $name.pb.gz | in_ns >want
	same shown want "speedscope opens what profsup has written, $name: each stack has its CPU time"
	is "$(printed $name.pb.gz | jq -r '.profiles[0].unit')" nanoseconds 'in nanoseconds'
done
folded exported >shown
profsup-export -q --format=folded ./prog cpu | in_ns >want
same shown want 'and what profsup-export has written'
is "$(grep '^request	' got | grep -vc '	file:')" 0 'the network is not asked for anything'
done_testing
