#!/bin/sh
# screenshot.sh, as root or where user namespaces are allowed: docs/flamegraph.png, the page of --format=html for a run of
# Debian's bzip2, as Chromium shows it.  Run by hand after changes to the page; needs what tests/setup.sh check-all installs.
set -eu
export LC_ALL=C

top=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

make -s -C "$top"
PATH=$top/build/bin:$PATH
cd "$work"
"$top/tests/fetch-source.sh" bzip2 source
(cd source && make -s CC='profsup-cc -fno-ipa-sra' -o libbz2.so libbz2.a bzip2 >../make.log 2>&1) || {
	tail -n 20 make.log >&2
	exit 1
}
cp source/bzip2 .
# Text, as far as a machine that can compile has any.
find /usr/include /usr/share/perl /usr/share/doc -type f \( -name '*.h' -o -name '*.p[lm]' -o -name copyright \) -print0 |
	sort -z | xargs -0 cat 2>/dev/null | head -c 40000000 >text
profsup -q -g -F 1000 ./bzip2 -c text >text.bz2
profsup-export --format=html -o page.html ./bzip2 gmon.bzip2.*.out
HOME=$work "$top/tests/lib/browse.pl" <<END
size 1100 760
open file://$work/page.html
point g.frame[name=mainGtU]
shot $top/docs/flamegraph.png
END
ls -l "$top/docs/flamegraph.png"
