#!/usr/bin/perl
# vt.pl [ROWS [COLUMNS]]: what a terminal shows (24 lines of 80) that was sent what is on stdin, without carriage returns,
# as pty.pl has it: all lines that have scrolled away, then those on the screen without empty ones at the end, then a line
# "state: " with "region" if not all lines scroll and "hidden" if the cursor can't be seen.  An escape that it does not know
# is an error.
use strict;
use warnings;

my ($rows, $columns) = (@ARGV, 24, 80)[@ARGV == 1 ? (0, 2) : (0, 1)];
local $/;
my $in = <STDIN>;
my (@line, @gone) = ('') x $rows;
my ($y, $x, $top, $bottom, $hidden, @saved) = (0, 0, 0, $rows - 1, 0, 0, 0);

sub down {
	return $y++ if $y != $bottom && $y < $rows - 1;
	return if $y != $bottom;
	push @gone, splice @line, $top, 1;
	splice @line, $bottom, 0, '';
}

sub number { defined $_[0] && $_[0] ne '' ? $_[0] : $_[1] }

while ($in =~ /\G(?:\e\[(\?)?([\d;]*)([A-Za-z])|\e(.)|(\n)|(\t)|([^\e]))/gs) {
	my ($private, $numbers, $what, $escape, $newline, $tab, $char) = ($1, $2, $3, $4, $5, $6, $7);
	if (defined $char) {
		($x = 0, down()) if $x >= $columns;
		$line[$y] .= ' ' x ($x - length $line[$y]) if length $line[$y] < $x;
		substr($line[$y], $x++, 1) = $char;
	} elsif (defined $newline) {
		$x = 0;
		down();
	} elsif (defined $tab) {
		$x = ($x | 7) + 1;
	} elsif (defined $escape) {
		if ($escape eq 'D') { down() }
		elsif ($escape eq '7') { @saved = ($y, $x) }
		elsif ($escape eq '8') { ($y, $x) = @saved }
		else { die "escape $escape\n" }
	} elsif ($private) {
		$hidden = $what eq 'l' if $numbers == 25; # others are of keys
	} else {
		my ($a, $b) = split /;/, $numbers;
		if ($what eq 'A') { $y -= number($a, 1); $y = 0 if $y < 0 }
		elsif ($what eq 'H') { ($y, $x) = (number($a, 1) - 1, number($b, 1) - 1) }
		elsif ($what eq 'r') { ($top, $bottom, $y, $x) = (number($a, 1) - 1, number($b, $rows) - 1, 0, 0) }
		elsif ($what eq 'K') { substr($line[$y], $x) = '' if length $line[$y] > $x }
		elsif ($what eq 'J') {
			substr($line[$y], $x) = '' if length $line[$y] > $x;
			$line[$_] = '' for $y + 1 .. $rows - 1;
		} else { die "escape [$numbers$what\n" }
	}
}
pop @line while @line && $line[-1] =~ /^ *$/;
print "$_\n" for @gone, @line;
print 'state:', $top != 0 || $bottom != $rows - 1 ? ' region' : '', $hidden ? ' hidden' : '', "\n";
