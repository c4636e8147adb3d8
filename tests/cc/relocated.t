#!/bin/sh
# profsup-cc finds its runtime from where it is itself, wherever that is.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/cclib.sh"

# copy PREFIX: an installation there.
copy() {
	mkdir -p "$1/bin" "$1/lib" && cp "$stage/bin/profsup-cc" "$1/bin" &&
		cp -R "$stage/lib/profsup" "$stage/lib/pkgconfig" "$1/lib" && cp -R "$stage/include" "$1"
}

# from PREFIX DESCRIPTION COMMAND: the command calls a profsup-cc that finds the runtime below the prefix.
from() {
	from_prefix=$1 from_description=$2
	shift 2
	PROFSUP_CC=$scratch/show "$@" x.c >words 2>err
	grep -qxF "<$from_prefix/lib/profsup/gcrt0.o>" words && grep -qxF "<-L$from_prefix/lib/profsup>" words &&
		grep -qxF "<$from_prefix/lib/profsup/include>" words
	ok $? "$from_description: the runtime of that place" || diag_file words
	rm -f p
	"$@" -o p main.c work.c
	profiled ./p "$from_description: the program is profiled"
}

from "$stage" 'called by its name' profsup-cc
copy "$scratch/one"
from "$scratch/one" 'copied to another directory' "$scratch/one/bin/profsup-cc"
copy "$scratch/two, words"
from "$scratch/two, words" 'in a directory with a space and a comma' "$scratch/two, words/bin/profsup-cc"
from "$scratch/one" 'called by a relative path' ./one/bin/../bin/profsup-cc
mkdir links
ln -s ../one/bin/profsup-cc links/my-cc
from "$scratch/one" 'through a link under another name' links/my-cc
ln -s "two, words" link
from "$scratch/two, words" 'through a link to the prefix' link/bin/profsup-cc
PATH=$scratch/links:$PATH from "$scratch/one" 'through a link found in PATH' my-cc
mv one three
from "$scratch/three" 'moved' three/bin/profsup-cc
rm -f p
env -i PATH="$PATH" profsup-cc -o p main.c work.c
profiled ./p 'with an empty environment but for PATH: the program is profiled'
rm -rf three/lib/profsup
! three/bin/profsup-cc -o nope main.c work.c 2>err && grep -q "cannot find $scratch/three/lib/profsup/gcrt0.o" err
ok $? 'a runtime that is missing is named by the linker'

if [ "$(id -u)" -eq 0 ] && unshare -m true 2>err; then
	rm -f p
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m sh -c 'mount -t tmpfs none /proc && [ ! -e /proc/self ] && exec "$@"' sh \
		'two, words/bin/profsup-cc' -o p main.c work.c
	profiled ./p 'without /proc it finds its runtime, too'
else
	skip 'needs root to hide /proc'
fi
done_testing
