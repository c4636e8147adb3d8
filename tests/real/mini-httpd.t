#!/bin/sh
# mini-httpd, the smaller sister of thttpd (neither that nor darkhttpd is in Debian 12): a daemon started by root that
# goes into a chroot, drops to nobody and forks for every connection.
# check-all: builds a program of Debian's sources
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/lib.sh"
need_root

source_of mini-httpd
# Debian's makefile would link with libssl.
build make.log make -C mini-httpd CC=profsup-cc LDFLAGS=-O2 CFLAGS=-O2 mini_httpd.o match.o tdate_parse.o
build link.log profsup-cc -o prog mini-httpd/mini_httpd.o mini-httpd/match.o mini-httpd/tdate_parse.o -lcrypt

mkdir -m 755 jail out
head -c 5000 /dev/zero | tr '\0' x >jail/page.txt
chmod 644 jail/page.txt

# client FIRST LAST: that many requests, one at a time; says how many got the page.  Given no port, it finds a free one.
# shellcheck disable=SC2016 # that is perl
client='
	use strict; use IO::Socket::INET;
	my ($port, $n) = @ARGV;
	if (!$port) {
		print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport, "\n";
		exit;
	}
	my $got = 0;
	for (1 .. $n) {
		my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $port, Timeout => 10) or last;
		print $s "GET /page.txt HTTP/1.0\r\n\r\n";
		local $/; my $answer = <$s>;
		$got++ if $answer =~ /^HTTP\/1\.\d 200 .*x{5000}$/s;
	}
	print "$got\n"'

port=$(perl -e "$client")
(
	cd out || exit
	exec profsup -F 1000 ../prog -D -h 127.0.0.1 -p "$port" -r -d ../jail -u nobody -i ../pid
) >out.log 2>&1 &
supervised=$!
trap 'kill "$supervised" "$(cat pid)" 2>/dev/null; cd /; rm -rf "$scratch"' EXIT
wait_until 60 test -s pid || bail "it does not start: $(cat out.log)"
daemon=$(cat pid)

requests=40
is "$(perl -e "$client" "$port" $requests)" $requests 'every request is answered'
is "$(readlink "/proc/$daemon/root")" "$scratch/jail" 'the daemon is in its chroot'
is "$(awk '/^Uid:/ { print $2, $3, $4, $5 }' "/proc/$daemon/status")" "$(id -u nobody | sed 's/.*/& & & &/')" \
	'the daemon is nobody'
kill -TERM "$daemon"
wait "$supervised"
status=$?
trap 'cd /; rm -rf "$scratch"' EXIT
is $status 1 'after SIGTERM it ends with the exit status it has without profsup'

is "$(find out -type f | wc -l)" $((requests + 1)) 'there is a file of each child and one of the daemon'
is "$(find jail -type f)" jail/page.txt 'no file is in the chroot'
is "$(find out -type f -exec stat -c '%u %g %a' {} + | sort -u)" '0 0 600' 'all of them belong to who started it'
is "$(find out -name "gmon.prog.$daemon.out")" "out/gmon.prog.$daemon.out" 'the name of one has the pid of the daemon'
in_daemon=$(calls prog "out/gmon.prog.$daemon.out" handle_request)
is "$in_daemon" 0 'the daemon itself handles no request'
is "$(calls prog "out/gmon.prog.$daemon.out" handle_sigterm)" 1 'the daemon handles SIGTERM once'
children=$(find out -name 'gmon.*' ! -name "gmon.prog.$daemon.out")
for f in $children; do
	calls prog "$f" handle_request
done | sort | uniq -c >each
is "$(awk '{ print $1, $2 }' each)" "$requests 1" 'each child handled one request'
# shellcheck disable=SC2086 # a list of files
gprof -s prog "out/gmon.prog.$daemon.out" $children
is "$(calls prog gmon.sum handle_request)" $requests 'all files together, by gprof -s, have all requests'
done_testing
