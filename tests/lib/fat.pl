#!/usr/bin/perl
# fat.pl PROGRAM FAT MEGABYTES: a copy that claims to have so much text more.  It is a hole in the file, and takes the
# place of the header that says what the stack may be.
use strict;
use warnings;

my ($program, $fat, $size) = @ARGV;
$size <<= 20;
open my $in, '<:raw', $program or die "$program: $!\n";
my $data = do { local $/; <$in> };
my ($headers, $n) = (unpack('x32 Q<', $data), unpack('x56 v', $data));
my ($where) = grep { unpack('V', substr $data, $_, 4) == 0x6474e551 } map { $headers + 56 * $_ } 0 .. $n - 1;
die "$program: no PT_GNU_STACK\n" unless defined $where;
my $at = (length($data) + 0xfffff) & ~0xfffff;
substr($data, $where, 56) = pack 'V2 Q<6', 1, 5, $at, 1 << 33, 1 << 33, $size, $size, 0x1000;
open my $out, '>:raw', $fat or die "$fat: $!\n";
print $out $data;
truncate $out, $at + $size or die "$fat: $!\n";
close $out or die "$fat: $!\n";
chmod 0755, $fat;
