#!/usr/bin/perl
# shares.pl OURS PERF: compares "stacks.pl shares" with the text of "perf script -F ip,sym,dso" of another run of the same
# work.  A line for each function, or file as "[FILE]", that has a part of 1 % or more by one of the two; with a "!" where
# they differ by more than 2 % of all and four standard deviations.  memcpy and memmove are the same code.
use strict;
use warnings;

my ($ours, $perf) = @ARGV;
my (%n, %ours, %perf);
open my $in, '<', $ours or die "$ours: $!\n";
while (<$in>) {
	if (/^all (\d+)$/) { $n{ours} = $1 }
	elsif (/^(self|total) (\d+) (.*)$/) { $ours{ "$1 " . one_name($3) } += $2 }
}

sub one_name { return $_[0] =~ s/^__memcpy_/__memmove_/r }

# The kernel's frames are of the system call under them.
my @frames;
my $take = sub {
	return unless @frames;
	my %seen = map { $_ => 1 } @frames;
	$n{perf}++;
	$perf{"self $frames[0]"}++;
	$perf{"total $_"}++ for keys %seen;
	@frames = ();
};
open $in, '<', $perf or die "$perf: $!\n";
while (<$in>) {
	if (/^\s*[0-9a-f]+ (.*) \((.*)\)$/) {
		my ($name, $file) = ($1, $2);
		next if $file =~ /^\[(kernel|guest)/;
		$file =~ s/.*\///;
		$name = one_name($name =~ s/@.*//r);
		push @frames, $name eq '[unknown]' ? $file =~ /^\[/ ? $file : "[$file]" : $name;
	} elsif (!/\S/) {
		$take->();
	}
}
$take->();

print "ours $n{ours}, perf $n{perf} samples\n";
my %all = (%ours, %perf);
for my $what (sort { ($perf{$b} // 0) <=> ($perf{$a} // 0) || $a cmp $b } keys %all) {
	my ($p, $q) = (($ours{$what} // 0) / $n{ours}, ($perf{$what} // 0) / $n{perf});
	next if $p < 0.01 && $q < 0.01;
	my $mean = ($ours{$what} // 0) + ($perf{$what} // 0);
	$mean /= $n{ours} + $n{perf};
	my $by = 0.02 + 4 * sqrt($mean * (1 - $mean) * (1 / $n{ours} + 1 / $n{perf}));
	printf "%s: %.1f and %.1f %%%s\n", $what, 100 * $p, 100 * $q, abs($p - $q) > $by ? ' !' : '';
}
