#!/bin/sh
# A program whose file is not what a linker made: it runs as it does alone, or is refused as it is alone, and what is said
# of it is one line at the most.
. "$(dirname "$0")/../lib/hostile.sh"

# shellcheck disable=SC3045 # dash has it
ulimit -c 0
cp "$(target hostile-elf)" base
strip -g base
mkdir -m 755 elf
perl "$testdir/elf.pl" make base elf >err 2>&1 || bail "$(cat err)"
cp "$testdir/elf.pl" bin
perl bin/elf.pl run pids elf/* >alone 2>err </dev/null || bail "$(cat err)"
# shellcheck disable=SC2046 # words
set -- $(nm -S base | sed -n 's/ T work$//p')
work_low=$1 work_size=$2
files=$scratch/elf

# how_many PREFIX: copies.
how_many() {
	find "$files" -name "$1*" | wc -l
}

# calls_in FILE...: of work(), which are 1000 a process.
calls_in() {
	perl "$top/tests/lib/gmon.pl" arcs "$@" | perl -ne '
		BEGIN { ($low, $size) = map hex, splice @ARGV, 0, 2 }
		my (undef, $self, $count) = split;
		$n += $count if hex $self >= $low && hex $self < $low + $size;
		END { print $n + 0, "\n" }' "$work_low" "$work_size"
}

# lines_of: "NAME LINE" of all that profsup says of one process.
lines_of() {
	said "$scratch/err" | perl -e '
		open my $f, "<", shift or die;
		my %name = map { split } <$f>;
		while (<STDIN>) {
			s/^profsup: ([^:]*): // or next;
			print $name{$1} // $1, " $_";
		}' pids
}

# is_bounded WHAT [MB]: what is bounded whatever they claim.
is_bounded() {
	between "$rss" 1 "${2:-300}000" "$who$1: nobody needs more than ${2:-300} MB"
	between "$own" 0 10000 "$who$1: nor the supervisor much CPU time"
}

check() {
	rm -f pids
	attack '-F 1000' perl "$scratch/bin/elf.pl" run pids "$files"/*
	unharmed 'all of them'
	diff "$scratch/alone" "$scratch/out" >differs
	ok $? "${who}each prints and ends as it does alone, or is not run" || diag_file differs
	is "$(find . -name 'gmon.ok.*' | wc -l) $(calls_in gmon.ok.*)" "$(how_many ok.) $(how_many ok.)000" \
		"${who}where only notes of others are wrong, calls are exact"
	is "$(find . -name 'gmon.sy.*' | wc -l) $(calls_in gmon.sy.*)" "$(how_many sy.) $(how_many sy.)000" \
		"${who}and where sections and symbols are"
	is "$(find . -name 'gmon.st.*' -o -name 'gmon.v.*' -o -name 'gmon.no.*' | wc -l)" 0 "${who}no others have files"
	lines_of >lines
	is "$(sed 's/ .*//' lines | sort | uniq -d)" '' "${who}of none there is more than one line" || diag_file lines
	is "$(grep -c '^\(ok\|sy\|no\)\.' lines)" 0 "${who}of those that are profiled, or not run, there is none"
	is "$(sed -n 's/^st\.[^ ]* //p' lines | sort | uniq -c | sed 's/^ *//')" \
		"$(how_many st.) its runtime's state can't be reached" "${who}of a state that is nowhere, that is said"
	is "$(sed -n 's/^v\.[^ ]* //p' lines | sort | uniq -c | sed 's/^ *//')" \
		"$(how_many v.) linked by a profsup-cc of another version; relink" "${who}and of another version, that"
	is_bounded 'all of them'

	sampler=ptrace
	# shellcheck disable=SC2086 # words
	! $run -q --sampler=perf true 2>/dev/null || sampler=perf
	# Both look at symbols, whoever has started them.
	case $who in
	root*) looks=$(rounds "report" "report top") ;;
	*) looks=$(rounds "top" "report top") ;;
	esac
	for look in $looks; do
		"check_$look"
	done
}

check_report() {
	# A report shows ten programs.
	rm -f gmon.*
	for list in $(find "$files" -name 'sy.*' | sort | xargs -n 10 | tr ' ' ,); do
		# shellcheck disable=SC2046,SC2086 # words
		$run --report -F 1000 --sampler=$sampler perl "$scratch/bin/elf.pl" run pids $(echo "$list" | tr , ' ') >>reported
	done 2>report </dev/null
	is "$(sed -n 's/^\(profsup-report: \)*[^ ]*\/\(sy\.[^ :]*\): .*/\2/p' report | sort -u | wc -l)" \
		"$(how_many sy.)" "$who$sampler, --report: each has a table, or a line why not" || diag_file report
	is "$(awk '/; 1 file of/ { n++; rows = 0 } /^ +[0-9.]+%/ && !rows++ { n-- } END { print n + 0 }' report)" 0 \
		"$who$sampler, --report: and each table has rows" || diag_file report
	grep '^sy\.' "$scratch/alone" | diff - reported >differs
	ok $? "$who$sampler, --report: and ends as it does alone" || diag_file differs
	is "$(calls_in gmon.sy.*)" "$(how_many sy.)000" "$who$sampler, --report: and has its calls"
	is "$(LC_ALL=C tr -d '\n -~' <report | wc -c)" 0 "$who$sampler, --report: all that is said is printable"
}

check_top() {
	rm -f gmon.*
	attack "-F 1000 --top --sampler=$sampler" perl "$scratch/bin/elf.pl" wait "$scratch/err" 8 "$files"/sy.sy* "$files"/sy.tera* "$files"/sy.shoff*
	unharmed "$sampler, --top"
	is "$(sort -u "$scratch/out")" "'whole' exit 7" "$who$sampler, --top: each ends as it does alone, and eight were shown"
	# What reads their symbols for the view is no part of the supervisor, and makes a copy of their names.
	is_bounded "$sampler, --top" 600
}

each_way check

# With nobody else whose profile is good.
perl bin/elf.pl single said "$files"/no.* "$files"/x.* >singly 2>err </dev/null || diag_file err
grep '^\(no\|x\)\.' alone | diff - singly >differs
ok $? 'each by itself ends as it does alone' || diag_file differs
for file in said.*; do
	said "$file" | grep -v '^profsup: nothing was profiled: ' | sed "s/^/$file: /"
done >lines
is "$(cut -d : -f 1 lines | uniq -d)" '' 'beside that nothing was profiled, one line at the most says why' || diag_file lines
is "$(grep -c '^said\.no\..*\(Exec format error\|No such file\)' lines)" "$(how_many no.)" 'and what the kernel has against it is said' || diag_file lines
done_testing
