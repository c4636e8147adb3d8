#!/usr/bin/perl
# gmon-edit.pl: writes a changed gmon file to standard output:
#	rate N FILE	that claims N ticks a second
#	times N FILE	with N times the ticks, in as many records of the same range as it takes
#	bins RATE LOW TICKS...	none before: a histogram with bins of 4 bytes from the address LOW (hexadecimal) on
use strict;
use warnings;

my ($what, $n, $file) = @ARGV;
binmode STDOUT;

# hist HEAD TICKS...: as many records as it takes
sub hist {
	my ($head, @ticks) = @_;
	do {
		print $head, pack 'v*', map { $_ > 65535 ? 65535 : $_ } @ticks;
		@ticks = map { $_ > 65535 ? $_ - 65535 : 0 } @ticks;
	} while grep { $_ } @ticks;
}

if ($what eq 'bins') {
	my ($rate, $low, @ticks) = @ARGV[1 .. $#ARGV];
	print 'gmon', pack 'Vx12', 1;
	hist(pack('CQ<Q<VVa15a', 0, hex $low, 4 * @ticks + hex $low, scalar @ticks, $rate, 'seconds', 's'), @ticks);
	exit;
}
open my $f, '<:raw', $file or die "$file: $!\n";
local $/;
my $data = <$f>;
my $at = 20;
print substr $data, 0, $at;
while ($at < length $data) {
	my $tag = ord substr($data, $at, 1);
	if ($tag == 0) {
		my $bins = unpack 'V', substr($data, $at + 17, 4);
		my $head = substr $data, $at, 41;
		my @ticks = unpack 'v*', substr($data, $at + 41, 2 * $bins);
		$at += 41 + 2 * $bins;
		substr($head, 21, 4) = pack 'V', $n if $what eq 'rate';
		@ticks = map { $_ * $n } @ticks if $what eq 'times';
		hist($head, @ticks);
	} else {
		print substr $data, $at, 21;
		$at += 21;
	}
}
