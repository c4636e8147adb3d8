#!/bin/sh
# daemons.t [FILES]: web servers that fork for each request, at 1,000 Hz: each file of 100 kB that they serve (400 if not
# given) is right, byte for byte.  mini_httpd writes a file in one call and does not look how much of it was taken;
# busybox's httpd uses sendfile.  (thttpd and darkhttpd are not in Debian.)
# check-all: builds daemons of Debian's sources
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/../real/lib.sh"
need_root
files=${1:-400}

mkdir -m 755 jail out each
for i in 0 1 2 3 4 5 6 7; do
	head -c $((100000 + i)) /dev/urandom >jail/$i
done
chmod 644 jail/*

# client PORT FILES: how many of the answers are wrong.  Given no port, it finds a free one.
# shellcheck disable=SC2016 # that is perl
client='
	use strict; use IO::Socket::INET;
	my ($port, $n) = @ARGV;
	if (!$port) {
		print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport, "\n";
		exit;
	}
	local $/;
	my @want = map { open my $f, "<", "jail/$_" or die; <$f> } 0 .. 7;
	my $bad = 0;
	for (1 .. $n) {
		my $file = $_ % 8;
		my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $port, Timeout => 20);
		print $s "GET /$file HTTP/1.0\r\n\r\n" if $s;
		my $answer = $s ? <$s> : "";
		$answer =~ s/^HTTP\/1\.\d 200 .*?\r\n\r\n//s;
		$bad++ if $answer ne $want[$file];
	}
	print "$bad\n"'

answers() {
	perl -MIO::Socket::INET -e 'exit !IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => shift)' "$1"
}

# serve NAME COMMAND...: PORT in the command is a free port.
serve() {
	name=$1
	shift
	port=$(perl -e "$client")
	n=$#
	while [ "$n" -gt 0 ]; do
		word=$1
		shift
		case $word in PORT) word=$port ;; *:PORT) word=${word%PORT}$port ;; esac
		set -- "$@" "$word"
		n=$((n - 1))
	done
	profsup -F 1000 --sum --stats=stats -d out "$@" >log 2>&1 &
	supervised=$!
	trap 'kill $supervised 2>/dev/null; cd /; rm -rf "$scratch"' EXIT
	wait_until 60 answers "$port" || bail "$name does not start: $(cat log)"
	began=$(date +%s)
	is "$(perl -e "$client" "$port" "$files")" 0 "$name: of $files files none is wrong"
	diag "$name: $(($(date +%s) - began)) s"
	kill -TERM "$supervised"
	wait "$supervised" 2>/dev/null
	trap 'cd /; rm -rf "$scratch"' EXIT
	is "$(statistic cut_calls stats)" 0 "$name: no call is said to have been cut"
	carried_on=$(statistic carried_on_calls stats)
	diag "$name: $carried_on calls were carried on"
}

source_of mini-httpd
# Debian's makefile would link with libssl.
build make.log make -C mini-httpd CC=profsup-cc LDFLAGS=-O2 CFLAGS=-O2 mini_httpd.o match.o tdate_parse.o
build link.log profsup-cc -o mini mini-httpd/mini_httpd.o mini-httpd/match.o mini-httpd/tdate_parse.o -lcrypt

# It goes into a chroot, drops to nobody and forks for every connection; each of its processes has a file, where it was started.
port=$(perl -e "$client")
(
	cd each || exit
	exec profsup -F 1000 ../mini -D -h 127.0.0.1 -p "$port" -r -d ../jail -u nobody -i ../pid
) >log 2>&1 &
supervised=$!
trap 'kill "$supervised" "$(cat pid)" 2>/dev/null; cd /; rm -rf "$scratch"' EXIT
wait_until 60 test -s pid || bail "it does not start: $(cat log)"
daemon=$(cat pid)

requests=40
is "$(perl -e "$client" "$port" $requests)" 0 'every request is answered'
is "$(readlink "/proc/$daemon/root")" "$scratch/jail" 'the daemon is in its chroot'
is "$(awk '/^Uid:/ { print $2, $3, $4, $5 }' "/proc/$daemon/status")" "$(id -u nobody | sed 's/.*/& & & &/')" \
	'the daemon is nobody'
kill -TERM "$daemon"
wait "$supervised"
status=$?
trap 'cd /; rm -rf "$scratch"' EXIT
is $status 1 'after SIGTERM it ends with the exit status it has without profsup'

is "$(find each -type f | wc -l)" $((requests + 1)) 'there is a file of each child and one of the daemon'
is "$(find jail -type f | wc -l)" 8 'no file is in the chroot'
is "$(find each -type f -exec stat -c '%u %g %a' {} + | sort -u)" '0 0 600' 'all of them belong to who started it'
is "$(find each -name "gmon.mini.$daemon.out")" "each/gmon.mini.$daemon.out" 'the name of one has the pid of the daemon'
in_daemon=$(calls mini "each/gmon.mini.$daemon.out" handle_request)
is "$in_daemon" 0 'the daemon itself handles no request'
is "$(calls mini "each/gmon.mini.$daemon.out" handle_sigterm)" 1 'the daemon handles SIGTERM once'
children=$(find each -name 'gmon.*' ! -name "gmon.mini.$daemon.out")
for f in $children; do
	calls mini "$f" handle_request
done | sort | uniq -c >counted
is "$(awk '{ print $1, $2 }' counted)" "$requests 1" 'each child handled one request'
# shellcheck disable=SC2086 # a list of files
gprof -s mini "each/gmon.mini.$daemon.out" $children
is "$(calls mini gmon.sum handle_request)" $requests 'all files together, by gprof -s, have all requests'

# Which of its calls a stop cuts is chance.
for _ in 1 2 3 4 5; do
	serve mini_httpd ./mini -D -h 127.0.0.1 -p PORT -r -d "$scratch/jail" -u nobody
	[ "$carried_on" -eq 0 ] || break
done
[ "$carried_on" -gt 0 ]
ok $? 'mini_httpd: and there was reason for it: calls were carried on'

source_of busybox
build config.log make -C busybox allnoconfig
sed -i -e 's/^# CONFIG_STATIC is.*/CONFIG_STATIC=y/' -e 's/^# CONFIG_LFS is.*/CONFIG_LFS=y/' -e 's/^# CONFIG_HTTPD is.*/CONFIG_HTTPD=y/' \
	-e 's/^# \(CONFIG_FEATURE_USE_SENDFILE\) is.*/\1=y/' -e 's/^# CONFIG_LONG_OPTS is.*/CONFIG_LONG_OPTS=y/' \
	-e 's/^CONFIG_SH_IS_ASH=y/# CONFIG_SH_IS_ASH is not set/' -e 's/^# CONFIG_SH_IS_NONE is.*/CONFIG_SH_IS_NONE=y/' busybox/.config
# Of busybox's library only what this server calls: to compile all of it takes as long as all else here.  If another version
# calls more, it does not link, and has the whole library.
needed=' appletlib bb_strtonum common_bufsiz compare_string_array copyfd default_error_retval endofname full_write
	get_last_path_component getopt32 last_char_is llist messages parse_mode percent_decode perror_msg ptr_to_globals read
	read_printf safe_poll safe_strncpy safe_write signals sysconf time u_signal_names verror_msg vfork_daemon_rexec wfopen
	xatonum xconnect xfunc_die xfuncs xfuncs_printf xgetcwd '
for list in busybox/libbb/Kbuild.src busybox/libpwdgrp/Kbuild.src busybox/*/lib*/Kbuild.src; do
	cp "$list" "$list.all"
	awk -v needed="$(echo "$needed" | tr -s '\n\t' ' ')" '!/^lib-y \+= / || index(needed, " " substr($3, 1, length($3) - 2) " ")' \
		"$list.all" >"$list"
done
# shellcheck disable=SC2016 # sh's
build oldconfig.log sh -c 'yes "" | make -C busybox oldconfig && grep -q ^CONFIG_FEATURE_USE_SENDFILE=y busybox/.config'
make_busybox() {
	make -C busybox CC=profsup-cc SKIP_STRIP=y busybox_unstripped
}
make_busybox >busybox.log 2>&1 || {
	for list in busybox/*/Kbuild.src.all busybox/*/*/Kbuild.src.all; do
		mv "$list" "${list%.all}"
	done
	diag 'busybox: with its whole library'
	build busybox.log make_busybox
}
cp busybox/busybox_unstripped httpd
serve busybox ./httpd httpd -f -p 127.0.0.1:PORT -h "$scratch/jail"
done_testing
