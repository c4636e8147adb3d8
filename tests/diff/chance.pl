#!/usr/bin/perl
# chance.pl SEED PAIRS BEFORE AFTER HOW...: makes PAIRS pairs of profiles by chance, of the program ./many, of BEFORE and
# AFTER runs, and has profsup-diff compare them.  Prints a line for each pair: the functions that it says have changed, the
# greatest change first, each as NAME:CALLS:COST, the parts of its change.  HOW:
#	weight=N	a sample stands for 1 or for 2 N - 1 ticks, so that the squares are N times the sum
#	common=X each=X	deviation of a run's time, of all functions alike and of each by itself
#	calls=F,X cost=F,X	on the second side, function F is called X times as often, or its calls cost X times as much
#	option=WORD	for profsup-diff
use strict;
use warnings;
use JSON::PP;
use POSIX qw(floor lgamma);

my ($seed, $pairs, @runs) = splice @ARGV, 0, 4;
my %how = (weight => 1, common => 0, each => 0);
my (%factor, @options);
for (@ARGV) {
	my ($key, $value) = split /=/, $_, 2;
	if ($key eq 'option') { push @options, $value }
	elsif ($value =~ /^(\w+),(.+)/) { $factor{$key}{$1} = $2 }
	else { $how{$key} = $value }
}
srand $seed;

my (%address, @functions);
for (grep { !/^ / } `nm ./many`) {
	my ($address, undef, $name) = split;
	$address{$name} = hex $address;
}
@functions = sort { $address{$a} <=> $address{$b} } grep { /^f\d+$/ } keys %address;
my $low = $address{$functions[0]};
my $bins = ($address{$functions[-1]} - $low) / 4 + 1;

sub normal {
	return sqrt(-2 * log(1 - rand)) * cos(6.283185307 * rand);
}

# The number of events before a clock of that many runs out.  Many are not counted one by one: Hoermann's transformed
# rejection (1993) draws their number from the same distribution.
sub poisson {
	my ($mean) = @_;
	my ($n, $time) = (0, 0);
	return many_events($mean) if $mean >= 30;
	while (($time -= log(1 - rand)) < $mean) { $n++ }
	return $n;
}

sub many_events {
	my ($mean) = @_;
	my $b = 0.931 + 2.53 * sqrt $mean;
	my $a = -0.059 + 0.02483 * $b;
	while (1) {
		my ($u, $v) = (rand() - 0.5, 1 - rand);
		my $us = 0.5 - abs $u;
		my $k = floor((2 * $a / $us + $b) * $u + $mean + 0.43);
		return $k if $us >= 0.07 && $v <= 0.9277 - 3.6224 / ($b - 2);
		next if $k < 0 || ($us < 0.013 && $v > $us);
		return $k if log($v * (1.1239 + 1.1328 / ($b - 3.4)) / ($a / $us**2 + $b)) <=
			$k * log($mean) - $mean - lgamma($k + 1);
	}
}

# Ticks: of samples of one, and of some that stand for so many that the squares are WEIGHT times the sum.
sub ticks_of {
	my ($mean) = @_;
	my $most = 2 * $how{weight} - 1;
	return poisson($mean) if $most == 1;
	return poisson($mean / 2) + $most * poisson($mean / 2 / $most);
}

sub make_run {
	my ($file, $side) = @_;
	my (@ticks, $arcs);
	@ticks = (0) x $bins;
	my $run = 1 + $how{common} * normal();
	for my $i (0 .. $#functions) {
		my $f = $functions[$i];
		my $mean = 1.5**($i + 1);
		my $calls = 100 * ($i + 1);
		if ($side) {
			$mean *= $factor{cost}{$f} // 1;
			$mean *= $factor{calls}{$f} // 1;
			$calls *= $factor{calls}{$f} // 1;
		}
		$mean *= $run * (1 + $how{each} * normal());
		$ticks[($address{$f} - $low) / 4] = ticks_of($mean > 0 ? $mean : 0);
		$arcs .= pack 'CQ<Q<V', 1, $address{main}, $address{$f}, $calls;
	}
	open my $out, '>:raw', $file or die "$file: $!\n";
	print $out 'gmon', pack('Vx12', 1), pack('CQ<Q<VVa15a', 0, $low, $low + 4 * $bins, $bins, 1000, 'seconds', 's'),
		pack('v*', @ticks), $arcs;
	close $out or die;
}

for (1 .. $pairs) {
	for my $side (0, 1) {
		make_run("run.$side.$_", $side) for 1 .. $runs[$side];
	}
	my @words = map { my $side = $_; './many', map { "run.$side.$_" } 1 .. $runs[$side] } 0, 1;
	splice @words, 1 + $runs[0], 0, '--';
	my @lines = `profsup-diff --format=json @options @words`;
	die "profsup-diff: status $?\n" if $? != 0;
	# A function is a line; to read those that have not changed would take longer than all else here.
	my @changed = sort { abs $b->{self}{change} <=> abs $a->{self}{change} }
		map { decode_json $_ } map { /^(\{"id":.*"self":\{[^}]*"significant":true.*\}\})/ ? $1 : () } @lines;
	die "profsup-diff: no functions\n" unless grep { /^\{"id":.*"significant":/ } @lines;
	print join(' ', map { sprintf '%s:%.3f:%.3f', $_->{name}, $_->{self}{by_calls}, $_->{self}{by_cost} } @changed), "\n";
}
