#!/bin/sh
# A target that registers a buffer of its own, as large as it likes, and a file that claims as much text: time and
# memory of the supervisor are bounded.
# check-all: times, as measured
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target hostile-area)" prog
others_begin
for run in 1 2 3; do
	for how in few bins; do
		timeout -s KILL 60 profsup ./prog $how 300 >$how.$run 2>err || diag_file err
	done
	rm -f gmon.*
done
least() {
	cat "$1".? | sort -n | head -n 1
}
[ -s bins.1 ]
ok $? 'the largest histogram is taken'
between_others "$(least bins)" 0 $((10 * $(least few))) 'children that do nothing end with it about as fast as with a small one'

# PT_GNU_STACK becomes a segment of 64 GB of text, which the file has as a hole.
perl -e '
	my ($file, $size) = @ARGV;
	open my $f, "+<:raw", $file or die;
	read $f, my $head, 4096;
	my ($at, $n) = (unpack("x32 Q<", $head), unpack("x56 v", $head));
	for my $i (0 .. $n - 1) {
		my $o = $at + 56 * $i;
		next if unpack("V", substr $head, $o, 4) != 0x6474e551;
		seek $f, $o, 0;
		print $f pack "VVQ<6", 1, 5, 0, 1 << 44, 1 << 44, $size, $size, 4096;
	}
	truncate $f, $size or die;' prog $((64 << 30)) || {
	skip 'no sparse file of 64 GB here'
	done_testing
	exit
}
# cpu MEGABYTES ARCS: of a buffer full of so many different arcs, status and milliseconds to `cpu.MEGABYTES`
cpu() {
	perl -e '
		my $pid = fork // die;
		exec @ARGV or die if $pid == 0;
		waitpid $pid, 0;
		printf "%d %d\n", $? >> 8, 1000 * ((times)[2] + (times)[3]);' \
		timeout -s KILL 100 profsup ./prog arcs "$1" "$2" >"cpu.$1" 2>err || diag_file err
	rm -f gmon.*
}
cpu 64 $((1 << 30))
is "$(cut -d ' ' -f 1 cpu.64)" 0 'a buffer full of different arcs is taken'
# What all of them cost is the same, and mostly sorting, so for this they are few.
cpu 256 10000
cpu 2048 10000
is "$(cut -d ' ' -f 1 cpu.256 cpu.2048 | paste -s)" '0	0' 'a larger one is, and a still larger one'
between_others "$(cut -d ' ' -f 2 cpu.2048)" 0 $((5 * $(cut -d ' ' -f 2 cpu.256) / 2)) 'which costs no more'
done_testing
