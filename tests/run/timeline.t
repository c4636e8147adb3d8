#!/bin/sh
# --timeline: each sample has its time and its thread, beside what -g has.
# check-all: numbers of samples
. "$(dirname "$0")/../lib/testlib.sh"
others_begin

cp "$(target stacks)" prog

# labelled: of each sample with labels its time, the unit of that, and its thread, a line.
labelled() {
	gzip -dc stacks.prog.* | protoc --decode_raw | perl -0777 -ne '
		my @text = /^6: "(.*)"$/mg;
		while (/^2 \{\n(.*?)^\}$/msg) {
			my $sample = $1;
			my %label;
			while ($sample =~ /^  3 \{\n    1: (\d+)\n    3: (\d+)\n(?:    4: (\d+)\n)?  \}$/mg) {
				$label{ $text[$1] } = defined $3 ? "$2 $text[$3]" : $2;
			}
			print "$label{time} $label{thread}\n" if %label;
		}'
}

for sampler in $(samplers); do
	rm -f gmon.* stacks.*
	before=$(date +%s)
	profsup --timeline --sampler="$sampler" -F 1000 --stats=stats ./prog thread >out 2>err
	is "$? $(said err)" '0 ' "$sampler: it runs"
	after=$(date +%s)
	labelled >samples
	is "$(awk 'NF != 3 || $2 != "nanoseconds"' samples)" '' "$sampler: a sample has its time in nanoseconds, and its thread" || diag_file samples
	between_others "$(wc -l <samples)" "$(($(statistic samples stats) / 2))" "$(($(statistic samples stats) + 1))" "$sampler: nearly each has"
	is "$(awk -v from="$before" -v to="$after" '$1 / 1e9 < from || $1 / 1e9 > to + 1' samples | wc -l)" 0 "$sampler: the times are those of the run" ||
		diag_file samples
	pid=$(echo gmon.prog.*.out | tr -dc 0-9)
	between "$(awk '{ print $3 }' samples | sort -u | wc -l)" 1 2 "$sampler: and there are two threads at the most"
	between_others "$(awk -v pid="$pid" '$3 == pid' samples | wc -l)" 0 "$(($(wc -l <samples) / 10 + 5))" "$sampler: the first of which does next to nothing"
	is "$(perl "$top/tests/lib/stacks.pl" ticks stacks.*)" "$(statistic ticks stats)" "$sampler: the file has all ticks, with a time or without"
	profsup-export -q --format=folded ./prog gmon.prog.* >folded
	drawn stacks.*
	likely "$(awk '/;thread;burn/ { n += $NF } { all += $NF } END { print 100 * n / all }' folded)" 95 100 "$sampler: and is read as any other"
done

# Added up.
rm -f gmon.* stacks.*
profsup --timeline --sum -F 1000 --stats=stats ./prog fork >out 2>err
labelled >samples
between "$(awk '{ print $3 }' samples | sort -u | wc -l)" 1 2 '--sum: of all processes'
between_others "$(wc -l <samples)" "$(($(statistic samples stats) / 2))" "$(($(statistic samples stats) + 1))" '--sum: nearly all samples'
rm -f gmon.* stacks.*
profsup -g -F 1000 ./prog dear >out 2>err
is "$(labelled)" '' 'without it no sample has labels'
done_testing
