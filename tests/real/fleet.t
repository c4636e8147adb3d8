#!/bin/sh
# docs/fleet.md: the loop there sends each interval of a run to a collector once, whole, and keeps what it can't send.
# check-all: needs curl and systemd; takes a minute
. "$(dirname "$0")/../lib/testlib.sh"
command -v curl >/dev/null || skip_all 'no curl'

cp "$(target work)" prog
page=$top/docs/fleet.md
loop=$scratch/push-profiles.sh
install -m 755 "$top/docs/push-profiles.sh" "$loop"
trap 'kill ${sink:-} ${pusher:-} 2>/dev/null; cd /; rm -rf "$scratch"' EXIT

# begin_sink STATUS...: its port in $port.
begin_sink() {
	rm -rf port got
	mkdir got
	"$top/tests/lib/sink.pl" port got "$@" &
	sink=$!
	wait_until 60 [ -f port ]
	port=$(cat port)
}
begin_pusher() {
	PUSH_PAUSE=0.05 "$loop" profiles "http://127.0.0.1:$port" server 2>>push.err &
	pusher=$!
}
has_sent_all() {
	[ -z "$(find profiles -maxdepth 1 -name 'stacks.*')" ]
}
stacks() {
	perl "$top/tests/lib/stacks.pl" "$@"
}

# The run is as the page has it, but shorter.
line=$(sed -n 's/^ExecStart=\(\/usr\/bin\/profsup .*\) \/usr\/local.*/\1/p' "$page" | sed 's/%%/%/g; s/^\/usr\/bin\///; s/ -d [^ ]*//; s/--every=[^ ]*/--every=0.1/')
is "$line" "profsup -q -g -o gmon.%n.%p.%t.out --every=0.1 --intervals" 'the page says how'

# The server is not there at first, then not well; a file is nothing that it could take.
mkdir profiles
echo rubbish >profiles/stacks.rubbish.1.2.pb.gz
begin_sink
kill "$sink"
wait "$sink" 2>/dev/null
begin_pusher
# shellcheck disable=SC2086 # words
$line -F 1000 -d profiles --stats=stats sh -c './prog cpu 150 & ./prog cpu 400; wait' >out 2>err
is "$?/$(cat err)" 0/ 'the program runs, and ends'
# shellcheck disable=SC2086 # words
$line -F 1000 -d profiles --stats=stats2 sh -c './prog cpu 150 & ./prog cpu 400; wait' >out 2>err
written=$(find profiles -maxdepth 1 -name 'stacks.prog.*' | wc -l)
between "$written" 6 10000 'there are files of several intervals and processes'
kept=$(stacks ticks profiles/stacks.prog.*)
is "$kept" $(($(statistic ticks stats) + $(statistic ticks stats2))) 'without a server all stay, and they are all of the runs'
kill "$pusher"
wait "$pusher" 2>/dev/null
begin_sink 503 429 500
begin_pusher
wait_until 60 has_sent_all
ok $? 'then all is sent' || diag "$(tail -n 5 push.err)"
# One that is ended and begun anew goes on.
# shellcheck disable=SC2086 # words
$line -F 1000 -d profiles --stats=stats3 sh -c './prog cpu 150 & ./prog cpu 400; wait' >out 2>err &
front=$!
wait_until 60 test -f "got/$((written + 2))"
ok $? 'intervals arrive while the program runs'
kill -KILL "$pusher"
wait "$pusher" 2>/dev/null
begin_pusher
wait "$front"
wait_until 60 has_sent_all
ok $? 'and the rest at its end'
kill "$pusher" "$sink"
wait "$pusher" "$sink" 2>/dev/null

sent=$(find got -name '[0-9]*' | wc -l)
all=$(($(statistic ticks stats) + $(statistic ticks stats2) + $(statistic ticks stats3)))
# An answer that is lost has a file sent again: of the one that was killed, at most one.
cksum got/[0-9]* | sort -u -k 1,2 | awk '{ print $3 }' >unlike
between "$sent" "$(wc -l <unlike)" "$(($(wc -l <unlike) + 1))" 'each is sent once'
# shellcheck disable=SC2046 # words
is "$(stacks ticks $(cat unlike))" "$all" 'all together have the ticks of the summaries'
bad=0
for file in got/[0-9]*; do
	gzip -t "$file" && perl "$top/tests/lib/stacks.pl" check "$file" || bad=$((bad + 1))
done
is "$bad" 0 'each is a whole profile, by the rules of Parca and of pprof'
is "$(awk '$1 == 200 { print $2, $4 }' got/log | sort -u)" 'POST application/octet-stream' 'as it stands, by POST'
is "$(awk '$1 == 200 { print $3 }' got/log | sort -u | perl -pe 's/%(..)/chr hex $1/ge')" \
	"/ingest?format=pprof&spyName=profsup&name=server{hostname=$(uname -n),program=prog}" 'to /ingest, with its labels'
is "$(awk '{ print $1 }' got/log | sort | uniq -c | awk '{ print $2 "*" ($2 == 200 ? 1 : $1) }' | tr '\n' ' ')" '200*1 400*1 429*1 500*1 503*1 ' \
	'an answer that may be another one later is asked for again'
is "$(find profiles -type f)" profiles/refused/stacks.rubbish.1.2.pb.gz \
	'what the server refuses is kept, and nothing else'

# Parca's request.
cat >message.proto <<'EOF'
syntax = "proto3";
message LabelSet { message Label { string name = 1; string value = 2; } repeated Label labels = 1; }
message RawSample { bytes raw_profile = 1; }
message RawProfileSeries { LabelSet labels = 1; repeated RawSample samples = 2; }
message WriteRawRequest { string tenant = 1; repeated RawProfileSeries series = 2; bool normalized = 3; }
EOF
if command -v protoc >/dev/null; then
	perl "$top/docs/write-raw.pl" got/1 __name__=process_cpu service_name=server >request
	tail -c +6 request | protoc --decode=WriteRawRequest message.proto >text
	is "$(grep -E 'name|value|normalized' text | tr -d '\n ')" 'name:"__name__"value:"process_cpu"name:"service_name"value:"server"normalized:true' \
		"Parca's request has the labels"
	is "$(head -c 5 request | od -An -tu1 | awk '{ print $1, (($2 * 256 + $3) * 256 + $4) * 256 + $5 }')" "0 $(($(wc -c <request) - 5))" \
		'in a frame of gRPC'
	size=$(wc -c <got/1)
	perl -e 'local $/; open F, "<", shift; open G, "<", shift; exit(index(<F>, <G>) < 0)' request got/1
	ok $? "and the file, $size bytes"
else
	skip 'no protoc'
fi

if command -v systemd-analyze >/dev/null; then
	mkdir -p units
	perl -ne 'if (/^```/) { $in = $_ eq "```ini\n"; close O } elsif ($in && m{^# /\S*/(\S+)$}) { open O, ">", "units/$1" } elsif ($in) { print O }' "$page"
	sed -i "s|^ExecStart=/usr/local/bin/push-profiles.sh|ExecStart=$loop|" units/push-profiles.service
	systemd-analyze verify --man=no ./units/push-profiles.service >complaints 2>&1
	is "$?/$(grep push-profiles complaints)" 0/ "systemd finds nothing wrong with the page's unit"
else
	skip 'no systemd here'
fi
done_testing
