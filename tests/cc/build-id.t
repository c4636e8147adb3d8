#!/bin/sh
# A program has a build id, by which its profiles know it, whatever the compiler does by itself; unless the user says
# otherwise.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/cclib.sh"

# build_id FILE: in hexadecimal
build_id() {
	readelf -n "$1" 2>/dev/null | sed -n 's/^ *Build ID: //p'
}

# with COMPILER WORD...: the program has one, the same in its profile.
with() {
	with_cc=$1
	shift
	rm -f p gmon.*
	PROFSUP_CC=$with_cc profsup-cc "$@" -o p main.c work.c && profsup -q ./p
	with_id=$(build_id p)
	with_found=$(perl -e 'read STDIN, $_, 20; print unpack "x8H24", $_' <"$(the_file p)")
	[ -n "$with_id" ]
	ok $? "$with_cc $*: there is a build id"
	is "$with_found" "$(printf '%-24.24s' "$with_id" | tr ' ' 0)" "$with_cc $*: its first bytes are in the file"
}

with gcc -O2
with gcc -O2 -Wl,--build-id=md5
with gcc -static-pie -Wl,--build-id=0x12345678
is "$(build_id p)" 12345678 'it is the one that was asked for'
for compiler in clang musl-gcc; do
	if command -v "$compiler" >/dev/null; then
		with "$compiler" -O2
	else
		skip "no $compiler here"
	fi
done
if command -v ld.lld >/dev/null && command -v clang >/dev/null; then
	with clang -fuse-ld=lld -O2
else
	skip 'no clang and lld here'
fi

for words in -Wl,--build-id=none '-Xlinker --build-id=none' -Wl,-O1,--build-id=none; do
	rm -f p gmon.*
	# shellcheck disable=SC2086 # words
	profsup-cc $words -o p main.c work.c && profsup -q ./p
	is "$(build_id p)" '' "$words: there is none"
	is "$(perl -e 'read STDIN, $_, 20; print unpack "x8H24", $_' <"$(the_file p)")" 000000000000000000000000 'and zeros are in the file'
done
echo '-Wl,--build-id=0xabcdef01' >words
PROFSUP_CC=gcc profsup-cc @words -o p main.c work.c
is "$(build_id p)" abcdef01 'also if a response file says so'
done_testing
