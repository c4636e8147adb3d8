#!/usr/bin/perl
# dear.pl PROGRAM DEAR SYMBOLS MEGABYTES: a copy that has so many symbols, each with the same long name, and a hole at
# its end that makes it so long.
use strict;
use warnings;

my ($program, $dear, $n, $size) = @ARGV;
open my $in, '<:raw', $program or die "$program: $!\n";
my $data = do { local $/; <$in> };
my ($sections, $count) = (unpack('x40 Q<', $data), unpack('x60 v', $data));
my @headers = map { $sections + 64 * $_ } 0 .. $count - 1;

sub field { my ($at, $template) = @_; return unpack $template, substr $data, $at, length pack $template, 0 }

# The table of symbols, its names, and the first section of code with room for all.
my ($symtab) = grep { field($_ + 4, 'V') == 2 } @headers;
my $strtab = $headers[field($symtab + 40, 'V')];
my ($text) = grep { field($_ + 8, 'Q<') & 4 && field($_ + 32, 'Q<') > 10000 } @headers;
my ($at, $low) = (length $data, field($text + 16, 'Q<'));
my $names = "\0" . 'A' x 1000 . "\0";
my $symbols = join '', map { pack 'V C2 v Q<2', 1, 0x12, 0, 1, $low + 16 * $_, 16 } 0 .. $n - 1;
substr($data, $text + 32, 8) = pack 'Q<', 16 * $n;
substr($data, $symtab + 24, 16) = pack 'Q<2', $at, length $symbols;
substr($data, $strtab + 24, 16) = pack 'Q<2', $at + length $symbols, length $names;
$data .= $symbols . $names;
open my $out, '>:raw', $dear or die "$dear: $!\n";
print $out $data;
$size <<= 20;
truncate $out, $size > length $data ? $size : length $data or die "$dear: $!\n";
close $out or die "$dear: $!\n";
chmod 0755, $dear;
