#!/usr/bin/perl
# stack-edit.pl: reads a file of stacks, inflated, from standard input, and writes a changed one to standard output:
#	flip N	with some bytes changed, in N ways: to the files flipped.1 and so on instead
#	make BUILDID PERIOD PC[/PC...] TICKS...	none is read: stacks, the outermost frame first; "cut", "room" and "other"
#		have names and no address
#	moments BUILDID PERIOD THREAD TIME PC TICKS BLOCKED RUNNABLE...	none is read: samples with times, of --wall; PC/read and
#		PC/cpu are waits
#	deep N PC PERIOD BUILDID	a stack of so many frames
#	empties N	none is read: so many samples with nothing in them
#	long N LOCATIONS BUILDID PERIOD PC	none is read: so many locations in a file whose name has N bytes, and five ticks at PC
#	many N PERIOD BUILDID	none is read: N different stacks of up to 40 of the functions of elf-made.pl, as a program has them: many begin alike
use strict;
use warnings;

my ($what, @args) = @ARGV;
binmode STDIN;
binmode STDOUT;

sub number { my $n = shift; my $s = ''; while ($n > 127) { $s .= chr($n & 127 | 128); $n >>= 7 } return $s . chr $n }
sub put { my ($field, $n) = @_; return number($field << 3) . number($n) }
sub bytes { my ($field, $s) = @_; return number($field << 3 | 2) . number(length $s) . $s }

# head BUILDID PERIOD
sub head {
	my ($id, $period) = @_;
	my @texts = ('', 'samples', 'count', 'cpu', 'nanoseconds', 'prog', $id, '[cut]', '[no room]', 'other');
	return bytes(1, put(1, 1) . put(2, 2)) . bytes(1, put(1, 3) . put(2, 4)) . join('', map { bytes(6, $_) } @texts) .
		put(12, $period) . bytes(3, put(1, 1) . put(6, 6)) . join('', map { bytes(5, put(1, $_) . put(2, 6 + $_)) } 1 .. 3);
}

# place ID PC: a location; pseudo frames are cut, room and other.
sub place {
	my ($id, $pc) = @_;
	my %pseudo = (cut => 1, room => 2, other => 3, none => 4);
	return bytes(4, put(1, $id) . (exists $pseudo{$pc} ? bytes(4, put(1, $pseudo{$pc})) : put(2, 1) . put(3, hex $pc)));
}

if ($what eq 'flip') {
	my $data = do { local $/; <STDIN> };
	for my $seed (1 .. $args[0]) {
		my $changed = $data;
		srand $seed;
		substr($changed, rand length $changed, 1) = chr rand 256 for 0 .. rand 4;
		open my $f, '>:raw', "flipped.$seed" or die "flipped.$seed: $!\n";
		print $f $changed;
	}
} elsif ($what eq 'make') {
	my ($id, $period, @stacks) = @args;
	print head($id, $period);
	my $n = 0;
	while (my ($pcs, $ticks) = splice @stacks, 0, 2) {
		my @ids;
		for (split m{/}, $pcs) {
			print place(++$n, $_);
			unshift @ids, number $n;
		}
		print bytes(2, bytes(1, join '', @ids) . bytes(2, number($ticks) . number($ticks)));
	}
} elsif ($what eq 'moments') {
	my ($id, $period, @moments) = @args;
	my %wait = (read => 4, cpu => 5);
	print head($id, $period), map({ bytes(1, put(1, $_) . put(2, 4)) } 10, 11),
		map({ bytes(6, $_) } qw(blocked runnable time thread [read]), '[waiting for a CPU]'), map { bytes(5, put(1, $_) . put(2, 10 + $_)) } 4, 5;
	my $n = 0;
	while (my ($thread, $time, $where, @values) = splice @moments, 0, 6) {
		my ($pc, $wait) = split m{/}, $where;
		my @ids = number ++$n;
		print place($n, $pc);
		if (defined $wait) {
			print bytes(4, put(1, ++$n) . bytes(4, put(1, $wait{$wait})));
			unshift @ids, number $n;
		}
		print bytes(2, bytes(1, join '', @ids) . bytes(2, join '', map { number $_ } $values[0], $values[0] * $period, @values[1, 2]) .
			bytes(3, put(1, 12) . put(3, $time)) . bytes(3, put(1, 13) . put(3, $thread)));
	}
} elsif ($what eq 'deep') {
	my ($n, $pc, $period, $id) = @args;
	print head($id, $period), place(1, $pc), bytes(2, bytes(1, "\1" x $n) . bytes(2, "\1\1"));
} elsif ($what eq 'empties') {
	print "\x12\0" x $args[0];
} elsif ($what eq 'long') {
	my ($len, $n, $id, $period, $pc) = @args;
	print head($id, $period), bytes(6, '/' . 'x' x $len), bytes(3, put(1, 2) . put(5, 10)), place(1, $pc),
		map({ bytes(4, put(1, $_) . put(2, 2) . put(3, $_)) } 2 .. $n), bytes(2, bytes(1, "\1") . bytes(2, "\5\5"));
} elsif ($what eq 'many') {
	my ($n, $period, $id) = @args;
	my @ids = (0);
	srand 1;
	print head($id, $period), map { place($_ + 1, sprintf "%x", 0x400004 + 16 * $_) } 0 .. 999;
	for my $i (1 .. $n) {
		@ids = @ids[0 .. int rand @ids];
		push @ids, int rand 1000 for 1 .. 1 + rand(40 - @ids);
		print bytes(2, bytes(1, join '', map { number($_ + 1) } reverse @ids) . bytes(2, "\1\1"));
	}
} else {
	die "what?\n";
}
