#!/bin/sh
# -g on Debian's programs: of nearly all samples the stack is known as far as main, or as where its thread began, and of no fewer
# than perf knows it of, which copies as much of the stack and reads the same tables, in the same program.
# check-all: needs perf, and Debian's sources
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/lib.sh"

perf=$(command -v perf || find /usr/bin -name 'perf_[0-9]*' | head -n 1)
source_of bzip2
source_of zlib
source_of pigz
as_text 6000000 bzip2/*.[ch] bzip2/*.html bzip2/manual.* zlib/*.[ch] >input
mkdir less
head -c 2000000 input >less/input

# reaches LEAST WHAT FILE...: per cent of the ticks, but for chance
reaches() {
	reaches_least=$1
	reaches_what=$2
	shift 2
	read -r reached all <<-END
		$(perl "$top/tests/lib/stacks.pl" reached "$@")
	END
	percent=$(awk -v r="$reached" -v n="$all" 'BEGIN { print n ? 100 * r / n : "none" }')
	diag "$reaches_what: $percent % of $all"
	drawn "$@"
	likely "$percent" "$reaches_least" 100 "$reaches_what: $reaches_least % reach main, or a start" ||
		perl "$top/tests/lib/stacks.pl" folded "$@" | grep '^\[cut\]' | sed 's/^/# /'
}

# as_perf_does WHAT PROGRAM WORD...: $percent is no less than what perf's stacks have, or 99.5, but for chance.  They are as many, of
# a third of the time, which is no matter for what perf reads when all is over.
as_perf_does() {
	perf_what=$1
	shift
	(cd less && exec "$perf" record -q -e cpu-clock -F 3000 --call-graph dwarf,16384 -o ../perf.data "$@") >/dev/null 2>perf.err || bail "perf: $(cat perf.err)"
	"$perf" script --no-inline -F ip,sym -i perf.data 2>perf.err | awk "$by_chance"'
		!NF && frames { all++; reached += main; frames = main = 0 }
		NF { frames++; main = main || $2 ~ /^(main|_start|_start_c|clone|__clone|__clone3|start_thread|start)$/ }
		END { p = all ? reached / all : 0; least = 100 * (p - by_chance(1 - p, "1:" all))
		      print all ? 100 * p : "none", least < 99.5 ? (least > 0 ? least : 0) : 99.5, all }' >by_perf
	diag "$perf_what, perf: $(cut -d ' ' -f 1 by_perf) % of $(cut -d ' ' -f 3 by_perf)"
	likely "$percent" "$(cut -d ' ' -f 2 by_perf)" 100 "$perf_what: no fewer than with perf"
}

# Where perf is to find .eh_frame, there has to be a header.
# builds NAME COMPILER LEVEL: NAME.bzip2 and NAME.pigz.  What compresses is optimised, and takes long to compile; what stacks only
# lead through less so, and what decompresses does not run.
builds() {
	PROFSUP_CC=$2
	export PROFSUP_CC
	mkdir "$1"
	for f in bzip2/blocksort bzip2/huffman bzip2/crctable bzip2/randtable bzip2/compress bzip2/decompress bzip2/bzlib bzip2/bzip2 \
		zlib/adler32 zlib/crc32 zlib/deflate zlib/inffast zlib/inflate zlib/infback zlib/inftrees zlib/trees zlib/zutil \
		pigz/pigz pigz/yarn pigz/try; do
		case $f in
		*/decompress | */inf*) level=-O0 ;;
		pigz/*) level=-O1 ;;
		*) level=$3 ;;
		esac
		build "${f##*/}.log" profsup-cc "$level" -w -D_FILE_OFFSET_BITS=64 -DNOZOPFLI -Izlib -c -o "$1/${f%%/*}_${f##*/}.o" $f.c
	done
	build link.log profsup-cc -Wl,--eh-frame-hdr -o "$1.bzip2" "$1"/bzip2_*.o
	build link.log profsup-cc -Wl,--eh-frame-hdr -o "$1.pigz" "$1"/zlib_*.o "$1"/pigz_*.o -lm -lpthread
}

builds glibc gcc -O2
command -v musl-gcc >/dev/null && builds musl musl-gcc -O1
for sampler in $(samplers); do
	while read -r least name words; do
		[ -x "$name" ] || continue
		rm -rf out
		mkdir out
		# shellcheck disable=SC2086 # words
		profsup -q --timeline -d out -F 1000 --sampler="$sampler" "./$name" $words >packed
		reaches "$least" "$sampler: $name" out/stacks.*
		# shellcheck disable=SC2086
		[ "$sampler" = ptrace ] || [ -z "$perf" ] || as_perf_does "$name" "../$name" $words
	done <<-'END'
		99.5 glibc.bzip2 -c input
		99.5 glibc.pigz -p4 -c input input input
		99.5 musl.bzip2 -c input
		99.5 musl.pigz -p4 -c input input input
	END
done

# mini_httpd: each request's process is so short that many end without a sample that stands for a tick.  One of its functions has
# 60 KiB of buffers on the stack: that is more than any sample of perf's can have, ours or others'.
if [ "$(id -u)" -ne 0 ] || ! command -v curl >/dev/null; then
	skip 'mini_httpd needs root and curl'
	done_testing
fi
PROFSUP_CC=gcc
source_of mini-httpd
build make.log make -C mini-httpd CC=profsup-cc LDFLAGS=-O2 CFLAGS=-O2 mini_httpd.o match.o tdate_parse.o
build link.log profsup-cc -o mini mini-httpd/mini_httpd.o mini-httpd/match.o mini-httpd/tdate_parse.o -lcrypt
mkdir -m 755 jail httpd
echo 'Hello.' >jail/index.html
# shellcheck disable=SC2016 # crypt's
perl -e 'print "tour:", crypt("secret", q($6$rounds=20000$tour$)), "\n"' >jail/.htpasswd
chmod 644 jail/*.html jail/.htpasswd
port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
profsup -q --timeline --sum -d httpd -F 1000 ./mini -D -h 127.0.0.1 -p "$port" -r -d "$PWD/jail" -u nobody -i "$PWD/pid" >log 2>&1 &
supervised=$!
trap 'kill "$supervised" "$(cat pid)" 2>/dev/null; cd /; rm -rf "$scratch"' EXIT
wait_until 60 test -s pid || bail "it does not start: $(cat log)"
is "$(curl -s --retry 9 --retry-connrefused -u tour:secret -o /dev/null -w '%{http_code}\n' "http://127.0.0.1:$port/?[1-50]" | sort | uniq -c | tr -s ' ')" \
	' 50 200' 'mini_httpd answers every request'
kill -TERM "$(cat pid)"
wait "$supervised" 2>/dev/null
trap 'cd /; rm -rf "$scratch"' EXIT
reaches 99.5 'ptrace: mini_httpd' httpd/stacks.*
done_testing
