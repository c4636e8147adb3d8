#!/bin/sh
# docs/fleet.md: a thousand files of ten hosts are in ClickHouse to the last call, with a server killed meanwhile, and the
# page's queries find what was made slower, where, and how often a request calls it.
# check-all: needs ClickHouse, and samples; takes a minute
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/clickhouse.sh"
if ! command -v clickhouse-server >/dev/null && ! grep -q '^VERSION_CODENAME=bookworm' /etc/os-release; then
	ok 0 'no ClickHouse: only Debian 12 has it # SKIP'
	done_testing
fi
command -v clickhouse-server >/dev/null || skip_all 'no clickhouse-server'
command -v curl >/dev/null || skip_all 'no curl'

page=$top/docs/fleet.md
loop=$scratch/push-profiles.sh
install -m 755 "$top/docs/push-profiles.sh" "$loop"
pushers=
trap 'clickhouse_end; kill ${sink:-} $pushers 2>/dev/null; cd /; rm -rf "$scratch"' EXIT
clickhouse_prepare 2
for i in 1 2; do
	clickhouse_begin $i
done

# The page's SQL: NAME.sql has the block behind the line that begins so.
perl -ne 'if (/^```sql/) { $n++; open O, ">", "$n.sql" } elsif (/^```/) { close O } elsif (fileno O) { print O }' "$page"
is "$(find . -maxdepth 1 -name '*.sql' | wc -l)" 12 'the page has two tables and ten queries'
for i in 1 2; do
	for table in 1 2; do
		is "$(sql $i "$(cat $table.sql)")" '' "server $i makes table $table"
	done
done

# Two builds of a program: the second one has a dearer parse(), and calls check(), too.
cat >handler.c <<'X'
#include <stdlib.h>
static volatile unsigned sink;
__attribute__((noipa)) static void spin(unsigned n) { for (unsigned i = 0; i < n; i++) sink += i; }
__attribute__((noipa)) void parse(void) { for (unsigned i = 0; i < PARSE; i++) sink += i; }
__attribute__((noipa)) void check(void) { sink++; }
__attribute__((noipa)) void answer(void) { spin(20000); }
__attribute__((noipa)) void request(int lines)
{
	for (int i = 0; i < lines; i++)
		parse();
	if (PARSE > 20000)
		check();
	answer();
}
int main(int argc, char **argv) { for (int i = 0; i < 5000; i++) request(argc > 1 ? atoi(argv[1]) : 3); }
X
profsup-cc -O1 -g -DPARSE=20000 -o handler handler.c 2>cc.err || bail "$(cat cc.err)"
profsup-cc -O1 -g -DPARSE=60000 -o handler.new handler.c 2>cc.err || bail "$(cat cc.err)"
mkdir made
profsup -q -g -F 1000 -d made -o gmon.old.out ./handler || bail 'handler fails'
profsup -q -g -F 1000 -d made -o gmon.new.out ./handler.new || bail 'handler.new fails'
profsup -q -g -F 1000 -d made -o gmon.seven.out ./handler 7 || bail 'handler fails'
old_id=$(profsup-export --format=json handler made/gmon.old.out | jq -r '.build_id[:8]')
new_id=$(profsup-export --format=json handler.new made/gmon.new.out | jq -r '.build_id[:8]')
touch -d '1 hour ago' made/gmon.old.out made/gmon.seven.out # the new build is the later one

# of_file FILE: its program, ticks and calls.
of_file() {
	case $1 in
	*.new.out) program=./handler.new ;;
	*) program=./handler ;;
	esac
	profsup-export --format=json $program "$1" | jq -r '"\(.totals.ticks) \(.totals.calls)"'
}
# fill HOST KIND FIRST LAST: files of so many processes.
fill() {
	for process in $(seq "$3" "$4"); do
		cp -p "made/gmon.$2.out" "$1/gmon.handler.$process.1795549141.out"
		cp -p "made/stacks.$2.pb.gz" "$1/stacks.handler.$process.1795549141.pb.gz"
	done
}
for host in $(seq 0 9); do
	mkdir "web$host"
	cp handler handler.new "web$host"
	case $host in
	7) fill "web$host" seven 1 50 ;;
	*) fill "web$host" old 1 50 ;;
	esac
	fill "web$host" new 51 100
done
# shellcheck disable=SC2046 # numbers
set -- $(of_file made/gmon.old.out) $(of_file made/gmon.new.out) $(of_file made/gmon.seven.out)
want_ticks=$((450 * $1 + 500 * $3 + 50 * $5)) want_calls=$((450 * $2 + 500 * $4 + 50 * $6))
files=$(find web? -name 'gmon.*' | wc -l)
is "$files" 1000 'a thousand files'

# push HOST SERVER: its loop, and that in $pusher.
push() {
	eval "push_port=\$http_$2"
	# shellcheck disable=SC2154 # from eval
	PUSH_HOST=$1 PUSH_PAUSE=0.2 PUSH_BATCH=10 "$loop" "$1" "http://127.0.0.1:$push_port" hello profile 2>>push.err &
	pusher=$!
	pushers="$pushers $pusher"
}
left() {
	find web? -maxdepth 1 -name 'gmon.*' | wc -l
}
is_sent() {
	[ "$(left)" -le "$1" ]
}
# Half of the hosts send to each server.
for host in $(seq 0 9); do
	push "web$host" $((host % 2 + 1))
done
wait_until 120 is_sent 900
# shellcheck disable=SC2154 # from clickhouse_begin
kill -KILL "$server_2"
wait "$server_2" 2>/dev/null
kill -KILL "$pusher"
wait "$pusher" 2>/dev/null
before=$(left)
between "$before" 1 900 'a server is killed, and a loop, while files are on their way'
wait_until 60 grep -q 'files stay: .*: 5[0-9][0-9] Code: ' push.err
ok $? 'the other one does not take files for it, and says so' || diag_file push.err
wait_until 60 grep -q 'files stay: .*Connection refused\|files stay: .*connect to server 000' push.err
ok $? 'and itself has no answer'
clickhouse_begin 2
push web9 2
wait_until 300 is_sent 0
ok $? 'when it is back, all go in' || diag "$(tail -n 5 push.err)"
is "$(find web? -type f | wc -l)" 20 'and nothing is left but the programs'
total="SELECT uniqExact(host, file), sumIf(ticks, caller = ''), sumIf(calls, caller = ''), sumIf(calls, caller != '') FROM profile FINAL"
sums="1000	$want_ticks	$want_calls	$want_calls"
is "$(sql 1 "$total")" "$sums" 'there are all files, ticks and calls, to the last one'
is "$(sql 2 "$total")" "$sums" 'and the other server says the same'
diag "sent again: $(sql 1 'SELECT count() FROM profile') rows, of which different $(sql 1 'SELECT count() FROM profile FINAL')"
for i in 1 2; do
	between "$(sql $i 'SELECT uniqExact(host, file) FROM profile_local')" 300 700 "server $i has about half of the files"
done
fill web3 old 1 50
wait_until 60 is_sent 0
between "$(sql 1 'SELECT count() FROM profile WHERE host = '"'web3'")" \
	"$(($(sql 1 'SELECT count() FROM profile FINAL WHERE host = '"'web3'") + 50))" 1000000 'files of which the answer was lost come again'
is "$(sql 1 "$total")" "$sums" 'and count once'

# The queries, in the page's order.
# query N: what it says.
query() {
	sql 1 "$(cat $(($1 + 2)).sql)"
}
is "$(query 1 | head -n 2 | cut -f 2 | sort | tr '\n' ' ')" 'parse spin ' 'the time goes to what spins'
is "$(query 2 | cut -f 2,4 | sort -u)" 'handler	10' 'hour by hour, on ten hosts'
is "$(query 3 | head -n 1 | cut -f 1,3,4)" "parse	$old_id	$new_id" 'parse is what the new build has made dearer'
is "$(query 4 | cut -f 1 | sort | tr '\n' ' ')" 'parse spin ' 'what calls cost is compared by host'
is "$(query 5 | grep '^parse')" "parse	3.2" 'calls per request are exact'
is "$(query 6 | grep -E '	(parse|check)	')" "$new_id	check	1
$(printf '%s\n' "$old_id	parse	3.4" "$new_id	parse	3" | sort)" 'and those of each build'
is "$(query 7 | head -n 2)" 'web7	parse	5
web0	parse	3' 'one host has other requests' || diag "$(query 7)"
is "$(query 8 | cut -f 1,2)" "request	$((5000 * 3 * 950 + 5000 * 7 * 50))" 'callers have their calls'
is "$(query 9 | cut -f 1-4)" "$new_id	request	check	2500000" 'a call that only one build makes is found'
is "$(query 10 | wc -l)/$(query 10 | cut -f 4 | sort -u)" 10/parse 'the processes with most time are there'
# shellcheck disable=SC2086 # processes
{
	kill $pushers
	wait $pushers
} 2>/dev/null

# What is no profile is kept, and so are the files when the table is not there, or the server is none.
mkdir -p bad
cp handler bad
cp -p made/gmon.old.out bad/gmon.handler.1.out
head -c 1000 made/gmon.old.out >bad/gmon.handler.0.out
touch -d '1 minute ago' bad/*.out
# says LINE URL TABLE OTHER-LINES: runs the loop until it says so.
says() {
	PUSH_HOST=bad PUSH_PAUSE=0.1 "$loop" bad "$2" hello "$3" 2>said &
	pushers=$!
	wait_until 60 grep -q "$1" said
	ok $? "the loop says: $1" || diag_file said
	kill $pushers
	wait $pushers 2>/dev/null
	is "$(grep -cv "$1" said)" "${4:-0}" 'in one line' || diag_file said
}
# shellcheck disable=SC2154 # from clickhouse_prepare
says "^1 files stay: .*: 404 Code: 60.* Table default.nowhere doesn't exist" "http://127.0.0.1:$http_1" nowhere 1
is "$(find bad -type f | sort | tr '\n' ' ')" 'bad/gmon.handler.1.out bad/handler bad/refused/gmon.handler.0.out ' 'a file that is none is refused, and kept'
is "$(grep -v stay said)" 'gmon.handler.0.out: given up: profsup-export: ./gmon.handler.0.out: the file ends in the middle of a record' \
	'with the reason'
mkdir got
"$top/tests/lib/sink.pl" port got &
sink=$!
wait_until 60 [ -f port ]
says '^1 files stay: http://127.0.0.1:[0-9]*: 200 of a server that is no ClickHouse: answer$' "http://127.0.0.1:$(cat port)" profile
kill "$sink"
# One that never ends.
perl -MIO::Socket::INET -e '
	my $l = IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 9) or die;
	open my $p, ">", "port2.new" or die; print $p $l->sockport; close $p; rename "port2.new", "port2";
	$SIG{PIPE} = "IGNORE";
	while (my $c = $l->accept) { print $c "HTTP/1.1 200 OK\r\n\r\n"; 1 while print $c "\0\e[31mno\n" x 1000; close $c }' &
sink=$!
wait_until 60 [ -f port2 ]
says '^1 files stay: http://127.0.0.1:[0-9]*: .* \[31mno ' "http://127.0.0.1:$(cat port2)" profile
is "$(find bad -maxdepth 1 -name 'gmon.*')" bad/gmon.handler.1.out 'and nothing is lost'
done_testing
