#!/bin/sh
# The worked example (make demo): Debian's bzip2, built with CC=profsup-cc, compresses text as uid 65534 in a chroot that
# holds nothing else, and its profile is found outside.
set -eu
export LC_ALL=C
# chroot(8) is there, which is in nobody's PATH but root's, and not in root's after a plain su(1).
PATH=$PATH:/usr/sbin:/sbin

top=$(cd "$(dirname "$0")/.." && pwd)
demo=$top/build/demo
megabytes=40

say() {
	printf '\n==> %s\n' "$*"
}

# typed COMMAND: as one would type it.
typed() {
	printf '    $ %s\n' "$*"
}

# listed FILE...
listed() {
	stat -c '    %A %U %s %n' "$@"
}

# quietly LOG COMMAND...: what it prints is of interest only if it fails.
quietly() {
	log=$1
	shift
	"$@" >"$log" 2>&1 || {
		tail -n 20 "$log" >&2
		echo "demo: failed: $*" >&2
		exit 1
	}
}

# Whatever text a Debian machine that can compile has: headers, manuals, modules of perl, licences.
real_text() {
	find "$demo/bzip2" /usr/include /usr/share/perl /usr/share/common-licenses /usr/share/doc /usr/lib/*/perl* \
		-type f \( -name '*.[ch]' -o -name '*.p[lm]' -o -name '*.pod' -o -name '*.html' -o -name '*.xml' \
		-o -name '*.txt' -o -name copyright -o -path '/usr/share/common-licenses/*' \) -print0 2>/dev/null |
		sort -z | xargs -0 cat
}

# Only root may chroot and take another uid; in a user namespace of their own, others may at least chroot.
if [ "$(id -u)" -eq 0 ]; then
	into_jail="chroot --userspec=65534:65534 jail"
	who='as uid 65534'
elif unshare -r true 2>/dev/null; then
	into_jail="unshare -r chroot jail"
	who='in a user namespace (make demo as root to see it change uid)'
else
	echo 'demo: needs root, for chroot (or user namespaces, which are switched off here)' >&2
	exit 1
fi

mkdir -p "$top/build"
rm -rf "$demo"
mkdir -m 755 "$demo" "$demo/jail" "$demo/profiles"
cd "$demo"

say 'Building profsup'
quietly make.log make -C "$top"
PATH=$top/build/bin:$PATH
echo "    $(command -v profsup), $(command -v profsup-cc)"

say 'Fetching the source of bzip2 from Debian and building it: only CC is different'
"$top/tests/fetch-source.sh" bzip2 bzip2
# -fno-ipa-sra: gcc would rename one function to handle_compress.isra.0, and gprof leaves out such names and gives
# what they did to their neighbours.  -o: the shared library is of no use to a static program.
set -- make CC='profsup-cc -fno-ipa-sra' -o libbz2.so libbz2.a bzip2
typed "make CC='profsup-cc -fno-ipa-sra' -o libbz2.so libbz2.a bzip2"
(cd bzip2 && quietly ../bzip2.log "$@")

say "Making a jail that holds nothing but bzip2 and $megabytes MB of text"
cp bzip2/bzip2 jail
real_text 2>/dev/null | head -c "${megabytes}000000" >jail/text
# Again, where there is not so much.
while [ "$(stat -c %s jail/text)" -lt "${megabytes}000000" ]; do
	cat jail/text jail/text | head -c "${megabytes}000000" >text.more
	mv text.more jail/text
done
chmod 644 jail/text
listed jail/*

say "Compressing it in the jail, $who, under profsup"
# shellcheck disable=SC2086 # a command and its options
set -- profsup -d profiles $into_jail /bzip2 -c /text
typed "$* >text.bz2"
"$@" >text.bz2
echo "    $(stat -c %s jail/text) bytes became $(stat -c %s text.bz2)"

set -- profiles/gmon.bzip2.*.out
if [ $# -ne 1 ] || [ ! -f "$1" ] || [ -n "$(find jail -name 'gmon*')" ]; then
	echo 'demo: there should be one profile, and that outside the jail' >&2
	exit 1
fi
gmon=$1
profsup-report -n 12 jail/bzip2 "$gmon" >flat.txt
gprof -b -q jail/bzip2 "$gmon" >graph.txt
grep -q 'mainSort' flat.txt && grep -q 'BZ2_blockSort' graph.txt

say 'The profile, outside the jail and yours:'
listed "$gmon"

say 'Where the time went:'
typed "profsup-report -n 12 jail/bzip2 $gmon"
cat flat.txt

say 'Who called whom, by stock gprof, which reads the file, too (the head of its call graph)'
typed "gprof -b -q jail/bzip2 $gmon"
head -n 40 graph.txt

say 'To look at all of it:'
cat <<-EOF
	    cd $demo
	    PATH=$top/build/bin:\$PATH
	    profsup-report -a --graph jail/bzip2 $gmon | less

	The file is $demo/$gmon
EOF
