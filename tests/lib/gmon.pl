#!/usr/bin/perl
# Reads gmon files without gprof, several as if they were one:
#	gmon.pl ticks FILE...	sum of all histogram bins
#	gmon.pl rate FILE	samples per second
#	gmon.pl arcs FILE	"from self count" lines, hexadecimal addresses, equal arcs added up
#	gmon.pl calls FILE	sum of all arc counts
#	gmon.pl records FILE	"hist low high bins rate" and "arc from self count" lines as they stand
use strict;
use warnings;

my ($what, @files) = @ARGV;
local $/;
my ($ticks, $rate, $calls, %arc, @order) = (0, 0, 0);
my @records;
for my $file (@files) {
	open my $f, '<:raw', $file or die "$file: $!\n";
	my $data = <$f>;
	die "$file: no gmon file\n" unless substr($data, 0, 8) eq "gmon" . pack('V', 1);
	my $at = 20;
	while ($at < length $data) {
		my $tag = ord substr($data, $at++, 1);
		if ($tag == 0) {
			my ($low, $high, $n, $hz) = unpack 'Q<Q<VV', substr($data, $at, 24);
			$rate = $hz;
			$at += 40;
			$ticks += unpack "%64v$n", substr($data, $at, 2 * $n);
			die "$file: short histogram\n" if $at + 2 * $n > length $data;
			$at += 2 * $n;
			push @records, sprintf 'hist %x %x %d %d', $low, $high, $n, $hz;
		} elsif ($tag == 1) {
			die "$file: short arc\n" if $at + 20 > length $data;
			my ($from, $self, $count) = unpack 'Q<Q<V', substr($data, $at, 20);
			$at += 20;
			$calls += $count;
			$arc{sprintf '%x %x', $from, $self} += $count;
			push @records, sprintf 'arc %x %x %d', $from, $self, $count;
		} else {
			die "$file: unknown record $tag at $at\n";
		}
	}
}
if ($what eq 'ticks') { print "$ticks\n" }
elsif ($what eq 'rate') { print "$rate\n" }
elsif ($what eq 'calls') { print "$calls\n" }
elsif ($what eq 'arcs') { print map { "$_ $arc{$_}\n" } sort keys %arc }
elsif ($what eq 'records') { print map { "$_\n" } @records }
else { die "what?\n" }
