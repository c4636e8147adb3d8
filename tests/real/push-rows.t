#!/bin/sh
# docs/push-profiles.sh: what goes wrong between files and ClickHouse loses nothing, sends nothing twice and holds up no others.
# check-all: needs curl
. "$(dirname "$0")/../lib/testlib.sh"
command -v curl >/dev/null || skip_all 'no curl'

loop=$scratch/push-profiles.sh
install -m 755 "$top/docs/push-profiles.sh" "$loop"
trap 'kill ${server:-} ${pusher:-} ${second:-} 2>/dev/null; cd /; rm -rf "$scratch"' EXIT
cat >prog.c <<'Y'
__attribute__((noipa)) void work(void) { __asm__(""); }
int main(void) { for (int i = 0; i < 10; i++) work(); return 0; }
Y
profsup-cc -O1 -g -o prog prog.c 2>cc.err || bail "$(cat cc.err)"
profsup -q -o run ./prog || bail 'the program fails'
real=$(command -v profsup-export)
mkdir bin
PATH=$PWD/bin:$PATH
# tool LINE: what profsup-export is here
tool() {
	printf '#!/bin/sh\n%s\n' "$1" >bin/profsup-export
	chmod 755 bin/profsup-export
}
tool "exec $real \"\$@\""

# Its answers have the headers of the file `headers`; `asked` gets a line for each request.
cat >server.pl <<'Y'
use strict;
use warnings;
use IO::Socket::INET;
my $l = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 9) or die;
open my $p, '>', 'port.new' or die;
print $p $l->sockport;
close $p;
rename 'port.new', 'port';
while (my $c = $l->accept) {
	my $length = 0;
	while (defined(my $line = <$c>)) {
		$length = $1 if $line =~ /^content-length: (\d+)/i;
		last if $line =~ /^\r?\n$/;
	}
	my $body;
	read $c, $body, $length;
	open my $h, '<', 'headers' or die;
	open my $log, '>>', 'asked' or die;
	print $log "asked\n";
	close $log;
	print $c do { local $/; <$h> }, "Content-Length: 0\r\nConnection: close\r\n\r\n";
	close $c;
}
Y
perl server.pl &
server=$!
wait_until 20 [ -f port ]
url=http://127.0.0.1:$(cat port)

# files NAME...: profiles that are old enough to be sent without stacks
files() {
	rm -rf profiles asked
	mkdir profiles
	cp prog profiles
	for name; do
		cp run "profiles/gmon.prog.$name.out"
		touch -d '1 minute ago' "profiles/gmon.prog.$name.out"
	done
}
left() {
	(cd profiles && find . -type f -name 'gmon.*' | sort | tr '\n' ' ')
}
# push: in the background, as $pusher
push() {
	rm -f said
	PUSH_PAUSE=0.1 "$loop" profiles "$url" hello profile 2>said &
	pusher=$!
}
end() {
	kill "$pusher"
	wait "$pusher" 2>/dev/null
}
is_empty() {
	[ "$(left)" = "$1" ]
}

is_locked() {
	! flock -n profiles true
}

# Who takes rows without a word may not have them.
for headers in 'HTTP/1.1 200 OK' 'HTTP/1.1 204 No Content' 'HTTP/1.1 302 Found\r\nLocation: /' 'HTTP/1.1 500 No\r\nX-ClickHouse-Server-Display-Name: a'; do
	printf '%b\r\n' "$headers" >headers
	files 1
	push
	wait_until 20 grep -q '^1 files stay: ' said
	ok $? "the loop says that a file stays: $headers" || diag_file said
	end
	is "$(left)" './gmon.prog.1.out ' 'and they do'
done
printf 'HTTP/1.1 200 OK\r\nX-ClickHouse-Server-Display-Name: a b\r\n' >headers
files 1 2 3
push
wait_until 20 is_empty ''
ok $? 'ClickHouse has them'
end
is "$(cat said asked)" asked 'in one request'

# There is no room for rows.
tool "exec $real \"\$@\" >/dev/full"
files 1 2
push
wait_until 20 grep -q '^2 files stay: .*: No space left on device' said
ok $? 'that there is no room for rows is said' || diag_file said
end
is "$(left)" './gmon.prog.1.out ./gmon.prog.2.out ' 'and no file is given up'

# A file on which profsup-export dies holds up no other.
tool "case \"\$*\" in *prog.2.out*) kill -KILL \$\$ ;; esac; exec $real \"\$@\""
files 1 2 3
push
wait_until 20 is_empty './refused/gmon.prog.2.out '
ok $? 'what ends profsup-export is given up, and the others are sent'
end
is "$(cat said)" 'gmon.prog.2.out: given up: xargs: profsup-export: terminated by signal 9' 'which is said in one line'
tool "exec $real \"\$@\""

# Two loops.
files
push
wait_until 20 is_locked
ok $? 'a loop has its directory for itself'
first=$pusher
PUSH_PAUSE=0.1 "$loop" profiles "$url" hello profile 2>waits &
second=$!
wait_until 20 test -s waits
is "$(cat waits)" 'profiles: another loop sends these files: waiting for its end' 'a second one waits for it'
kill -KILL "$first"
wait "$first" 2>/dev/null
cp run profiles/gmon.prog.1.out
touch -d '1 minute ago' profiles/gmon.prog.1.out
wait_until 20 is_empty ''
ok $? 'and goes on in its place'
done_testing
