#!/usr/bin/perl
# made.pl PROGRAM FILE RATE WORD...: writes a gmon file with the ticks and calls that the words say: NAME=TICKS and
# CALLER->NAME=CALLS.  NAME@2 is the second symbol of that name, by address.
use strict;
use warnings;

my ($program, $file, $rate, @words) = @ARGV;
my %at;
for (sort grep { /^[0-9a-f]+ [tT] / } `nm $program`) {
	my ($address, undef, $name) = split ' ', $_, 3;
	chomp $name;
	push @{$at{$name}}, hex $address;
}

sub address {
	my ($name, $number) = $_[0] =~ /^(.*?)(?:\@(\d+))?$/;
	return $at{$name}[($number // 1) - 1] // die "$program has no $_[0]\n";
}

my @all = sort { $a <=> $b } map { @$_ } values %at;
my ($low, $bins) = ($all[0], ($all[-1] - $all[0]) / 4 + 1);
my @ticks = (0) x $bins;
my $arcs = '';
for (@words) {
	my ($what, $n) = /^(.*)=(\d+)$/ or die "$_?\n";
	if ($what =~ /^(.+?)->(.+)$/) { $arcs .= pack 'CQ<Q<V', 1, address($1), address($2), $n }
	else { $ticks[(address($what) - $low) / 4] += $n }
}
open my $out, '>:raw', $file or die "$file: $!\n";
print $out 'gmon', pack('Vx12', 1), pack('CQ<Q<VVa15a', 0, $low, $low + 4 * $bins, $bins, $rate, 'seconds', 's'),
	pack('v*', @ticks), $arcs;
close $out or die "$file: $!\n";
