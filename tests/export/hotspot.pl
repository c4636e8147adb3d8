#!/usr/bin/perl
# Reads what hotspot-perfparser has made of a perf.data file, as hotspot does: "KIND NANOSECONDS FUNCTION" lines, KIND self
# or total, of all functions that have a name, "all NANOSECONDS" and "errors N".
use strict;
use warnings;

local $/;
my $data = <STDIN>;
$data =~ s/^QPERFSTREAM\0.{4}//s or die "no stream of perfparser's\n";
my (%string, %symbol, %parent, %sum, $errors);
my $all = 0;

# Qt's numbers have their first byte first.
sub name_of {
	my ($location) = @_;
	# The symbol of code that was inlined is its own location's, all other code's that of its function's start.
	$location = $parent{$location} // -1 if !exists $symbol{$location};
	return exists $symbol{$location} ? $string{ $symbol{$location} } : undef;
}

sub take_sample {
	my ($m) = @_;
	my ($n) = unpack 'x20 N', $m; # behind pid, tid, time and CPU
	my @frames = map { unpack 'l>', pack 'L>', $_ } unpack "x24 N$n", $m;
	my (undef, $ncosts, undef, $cost) = unpack 'C N N Q>', substr $m, 24 + 4 * $n;
	die "$ncosts costs\n" if $ncosts != 1;
	$all += $cost;
	my (%seen, @names);
	for my $frame (@frames) {
		for (my $at = $frame; $at >= 0; $at = exists $symbol{$at} ? $parent{$at} // -1 : -1) {
			my $name = name_of($at);
			push @names, $name if defined $name;
			last if !exists $symbol{$at};
		}
	}
	$sum{self}{ $names[0] } += $cost if @names;
	$sum{total}{$_} += $cost for grep { !$seen{$_}++ } @names;
}

my %take = (
	3 => sub { my ($id, undef, undef, undef, undef, undef, $parent) = unpack 'l> Q> l> L> l> l> l>', $_[0]; $parent{$id} = $parent },
	4 => sub { my ($id, $name) = unpack 'l> l>', $_[0]; $symbol{$id} = $name },
	5 => sub { my ($id, $text) = unpack 'l> N/a', $_[0]; $string{$id} = $text },
	6 => sub { $errors++ }, # lost samples
	8 => sub { $errors++ },
	13 => \&take_sample,
);
while (length $data) {
	my $message = unpack 'V/a', $data;
	substr($data, 0, 4 + length $message) = '';
	my $take = $take{ ord $message };
	$take->(substr $message, 1) if $take;
}
print "all $all\nerrors ", $errors // 0, "\n";
for my $kind (sort keys %sum) {
	print "$kind $sum{$kind}{$_} $_\n" for sort keys %{ $sum{$kind} };
}
