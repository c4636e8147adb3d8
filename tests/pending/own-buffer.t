#!/bin/sh
# A target that registers a buffer of its own, as large as it likes, and a file that claims as much text: time and
# memory of the supervisor are bounded.
. "$(dirname "$0")/../tap/testlib.sh"

cp "$(target hostile-area)" prog
timeout -s KILL 60 profsup ./prog bins 300 >out 2>err
is $? 0 'the largest histogram is taken'
between "$(cat out)" 0 400 'twenty children that do nothing take less than 20 ms each with it'
rm -f gmon.*

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
}
perl -e '
	my $pid = fork;
	exec @ARGV if $pid == 0;
	waitpid $pid, 0;
	print $? >> 8, "\n", (times)[2] + (times)[3], "\n";' timeout -s KILL 60 profsup ./prog arcs 1024 >out 2>err
is "$(sed -n 1p out)" 0 'a buffer of 1 GB full of arcs, and a file that claims so much text, are taken'
between "$(sed -n 2p out)" 0 4 'they take less than 4 s of CPU'
done_testing
