#!/bin/sh
# Inlined functions: each address is in those that addr2line says, in every format, and the functions around them keep their
# totals and their calls.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

need addr2line binutils
need jq jq
need protoc protobuf-compiler

cp "$testdir/inlines.c" "$testdir/inlines.h" .
profsup-cc -O2 -g -o prog inlines.c >cc.out 2>&1 || bail "$(cat cc.out)"
profsup -q -g -F 1000 -o run ./prog || bail 'the program fails'
profsup-cc -O2 -o bare inlines.c >cc.out 2>&1 || bail "$(cat cc.out)"
profsup -q -g -F 1000 -o bare.run ./bare || bail 'the program fails'

# decoded: `out`, of pprof's format, as text
decoded() {
	gzip -dc <out | protoc --decode=perftools.profiles.Profile -I "$top/tools/model" profile.proto
}

# by_addr2line PROGRAM: of addresses that come one a line, what pprof.pl prints.
by_addr2line() {
	addr2line -a -i -f -e "$1" | perl -ne '
		if (/^0x0*([0-9a-f]+)$/) { print "\n" if $. > 1; print "0x$1"; next }
		chomp(my $name = $_);
		my $line = <STDIN>;
		$line =~ s/ \(discriminator \d+\)//;
		$line =~ s/\n//;
		print "\t$name $line";
		END { print "\n" }'
}

# A tick at each byte of our functions, and no bin that is wider.
nm -S prog | perl -ne '
	push @f, [hex $1, hex $2] if /^(\S+) (\S+) [tT] (?:leaf|a|b|again|main)$/;
	END {
		print "gmon", pack "Vx12", 1;
		print pack("CQ<Q<VVa15a", 0, $$_[0], $$_[0] + $$_[1], $$_[1], 1000, "seconds", "s"), "\1\0" x $$_[1] for @f;
	}' >each
profsup-export -q --format=pprof -o out prog each || bail 'no pprof'
decoded | "$testdir/pprof.pl" inlines >all
profsup-export -q --format=json prog each >json || bail 'no json'
# Locations that stand for a function have its address, too.
grep -c '' all >count
[ "$(cat count)" -gt 300 ]
ok $? 'each byte is a location' || diag "$(cat count)"
cut -f 1 all | by_addr2line prog >want
sort -u all >got
sort -u want >want.sorted
same got want.sorted 'pprof: each address is in the functions, and at the lines, that addr2line says'
[ "$(awk -F '\t' 'NF == 4' all | wc -l)" -gt 10 ]
ok $? 'some are in two inlined functions' || diag_file all

# without_inlined: folded stacks, with the time of inlined frames in those around them
without_inlined() {
	sed 's/;[^;]* \[inlined\]//g' | awk '{ n = $NF; sub(/ [0-9]*$/, ""); sum[$0] += n } END { for (s in sum) print s, sum[s] }' | sort
}

# Functions keep what they have: with and without, by shares, for which each byte has a tick, and by stacks.
for how in shares stacks; do
	files='run each'
	[ $how = stacks ] && files=run
	# shellcheck disable=SC2086 # words
	set -- prog $files
	profsup-export -q --format=json "$@" >with
	profsup-export -q --format=json --no-inlines "$@" >without
	for what in total_ticks body_ticks calls calls_by_itself; do
		key=$what
		[ $what = body_ticks ] && key=self_ticks
		jq -r ".functions[] | select(.inlined != true) | \"\(.$what * 1000 | round) \(.id)\"" with >got
		jq -r ".functions[] | \"\(.$key * 1000 | round) \(.id)\"" without >want
		same got want "$how: $what of functions around are as without inlined ones"
	done
	is "$(jq -c '[.totals.ticks, .totals.calls]' with)" "$(jq -c '[.totals.ticks, .totals.calls]' without)" "$how: so are the totals"
	between "$(jq '.totals.ticks - ([.functions[].self_ticks] | add)' with)" -0.001 0.001 "$how: the functions add up to them"
	is "$(jq '[.functions[] | select(.inlined) | .calls] | add' with)" 0 "$how: inlined ones have no calls"
	between "$(jq '(.functions | map(select(.inlined)) | map({key: .name, value: .self_ticks}) | from_entries) as $i |
		[.functions[] | select(.inlined != true) | .body_ticks - .self_ticks] | add - ($i | add)' with)" -0.001 0.001 \
		"$how: and the time that the functions around do not have themselves"
	jq -r '[.functions[] | .name] as $n | .arcs[] | select($n[.callee] == "leaf" or $n[.callee] == "again") |
		"\(.calls) \($n[.caller]) \($n[.callee])"' with | sort >got
	printf '%s\n' '1000 main again' '40000 b leaf' '50000 back [inlined] again' '60000 outer [inlined] leaf' | sort >want
	same got want "$how: calls have the inlined functions as callers that make them"
	profsup-export -q --format=folded "$@" >out
	! grep -qE '(main|leaf);outer' out
	ok $? "$how: folded: each is only where it is inlined" || diag_file out
	is "$(awk '{ n += $NF } END { print n }' out)" "$(jq '.totals.ticks | round' with)" "$how: folded: all ticks are there"
	profsup-export -q --format=pprof -o out "$@"
	decoded >text
	"$testdir/pprof.pl" self <text >got
	jq -r '.functions[] | select(.self_ticks > 0) | "\(.self_ticks)\t\(.name | sub(" \\[inlined\\]$"; ""))"' with >want
	near got want 1.01 "$how: pprof: own time is that of the innermost, by its plain name"
	"$testdir/pprof.pl" calls <text | sort >got
	printf '%s\t%s\t%s\n' 40000 b leaf 50000 back again 60000 outer leaf | sort >want
	grep -E '	(b|back|outer)	' got >got.some
	same got.some want "$how: pprof: calls are exact, by inlined callers"
done
profsup-export -q --format=folded prog run | without_inlined >got
profsup-export -q --format=folded --no-inlines prog run | sort >want
same got want 'stacks: folded: without the frames of inlined functions they are those of symbols'
profsup-export -q --format=folded prog run each >out
for path in 'main;spin' 'main;a;outer' 'main;a;outer [inlined];spin' 'main;b;outer [inlined];spin' 'main;again;back [inlined];spin'; do
	grep -qF ";$path [inlined] " out
	ok $? "shares: folded: $path" || diag_file out
done

# Lines of calls, and of what is called.
profsup-export -q --format=json prog run each >with
line=$(grep -n 'sink += outer(3000)' inlines.c | cut -d : -f 1)
jq -r '[.functions[].name] as $n | .arcs[] | select($n[.caller] == "a" and $n[.callee] == "outer [inlined]").sites[] | "\(.file) \(.line)"' with >got
is "$(sed 's,.*/,,' got)" "inlines.c $line" 'json: a call that is inlined has its line'
line=$(grep -n '^spin' inlines.h | cut -d : -f 1)
is "$(jq -r '.functions[] | select(.name == "spin [inlined]") | "\(.file) \(.line)"' with | sed 's,.*/,,')" "inlines.h $line" \
	'json: an inlined function has the place where it is declared'
profsup-export -q --format=callgrind -o out prog run each
perl -ne '
	$file{$1} = $2 if /^c?f[lie]=\((\d+)\) (.*)/;
	$name{$1} = $2 if /^c?fn=\((\d+)\) (.*)/;
	$in = $file{$1} if /^f[lie]=\((\d+)\)/;
	$fn = $name{$1} if /^fn=\((\d+)\)/;
	$skip = 1 if /^calls=/;
	if (/^(\d+) (\d+) /) { print "$in $fn\n" if !$skip && $2; $skip = 0 }' out | sed 's,.*/,,' | sort -u >got
grep -qx 'inlines.h spin \[inlined\]' got && grep -qx 'inlines.c outer \[inlined\]' got
ok $? 'callgrind: inlined functions have their own lines' || diag_file got
profsup-export -q --format=html -o page prog run each
is "$(grep -c '^,*\["spin \[inlined\]"' page)" 1 'html: they are in the page'

# Formats of addresses, and programs without debugging information, are as they were.
for format in perf bsd-gmon gprof-inclusive call-graph-order; do
	profsup-export -q --format=$format -o one prog run && profsup-export -q --format=$format --no-inlines -o two prog run && cmp one two
	ok $? "$format has none"
done
for format in callgrind pprof folded json; do
	profsup-export -q --format=$format -o one bare bare.run && profsup-export -q --format=$format --no-inlines -o two bare bare.run && cmp one two
	ok $? "$format of a program without -g has none"
done
done_testing
