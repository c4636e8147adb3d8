#!/usr/bin/perl
# arcs.pl PROGRAM FILE...: the arcs of the gmon files by name, "caller callee count" lines, sorted; equal names added
# up.  Names are nm's, so this is what gprof would show, for programs that are too large for gprof and without its
# rounding.  A caller that is no function of the program is "?".  With -f first, the files are kept apart and each
# line begins with its file's name.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Functions;

my $apart = $ARGV[0] eq '-f' && shift;
my ($program, @files) = @ARGV;
my $functions = Functions->of($program);
my %sum;

sub name_of {
	my ($pc) = @_;
	return $pc == 0 ? '?' : ($functions->at($pc))[1] // '?';
}

for my $file (@files) {
	open my $f, '<:raw', $file or die "$file: $!\n";
	local $/;
	my $data = <$f>;
	die "$file: no gmon file\n" unless substr($data, 0, 8) eq 'gmon' . pack('V', 1);
	my $at = 20;
	while ($at < length $data) {
		my $tag = ord substr($data, $at++, 1);
		if ($tag == 0) {
			$at += 40 + 2 * unpack 'x16V', substr($data, $at, 20);
		} elsif ($tag == 1) {
			my ($from, $self, $count) = unpack 'Q<Q<V', substr($data, $at, 20);
			$at += 20;
			$sum{($apart ? "$file " : '') . name_of($from) . ' ' . name_of($self)} += $count;
		} else {
			die "$file: unknown record $tag at $at\n";
		}
	}
	die "$file: short\n" if $at != length $data;
}
print map { "$_ $sum{$_}\n" } sort keys %sum;
