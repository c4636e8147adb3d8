# How a figure is written, in the table and in docs/performance.md.  For bench.pl and report.pl to require.
#
# SPDX-License-Identifier: ISC
use strict;
use warnings;

sub figure {
	my ($value, $unit) = @_;
	my $digits = abs($value) >= 100 ? 0 : abs($value) >= 10 ? 1 : $unit ne '' || abs($value) >= 0.1 ? 2 : 4;
	my $text   = sprintf "%.${digits}f", $value;

	return $text . ($unit eq '%' ? ' %' : $unit eq '' ? '' : " $unit");
}

# From the first quartile of a row to the third.
sub middle_half {
	my ($row) = @_;

	return join '..', map { figure($_, $row->{unit}) =~ s/ .*//r } $row->{q1}, $row->{q3};
}

1;
