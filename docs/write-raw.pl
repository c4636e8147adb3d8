#!/usr/bin/perl
# write-raw.pl FILE LABEL=VALUE...: the request WriteRaw of Parca for a file of call stacks, as gRPC sends it, on standard
# output.  See fleet.md.
use strict;
use warnings;

sub varint {
	my ($n) = @_;
	my $bytes = '';
	for (; $n > 127; $n >>= 7) { $bytes .= chr($n & 127 | 128) }
	return $bytes . chr $n;
}

sub field {
	my ($number, $data) = @_;
	return chr($number << 3 | 2) . varint(length $data) . $data;
}

my ($file, @labels) = @ARGV;
die "usage: write-raw.pl FILE __name__=process_cpu LABEL=VALUE...\n" unless @labels;
open my $f, '<:raw', $file or die "$file: $!\n";
my $profile = do { local $/; <$f> };

# Label: name, value.  LabelSet: labels.  RawSample: raw_profile.  RawProfileSeries: labels, samples.
my $set = join '', map { my ($name, $value) = split /=/, $_, 2; field(1, field(1, $name) . field(2, $value)) } @labels;
my $series = field(1, $set) . field(2, field(1, $profile));
# WriteRawRequest: series, and normalized: addresses are those in the files, wherever these were loaded.
my $request = field(2, $series) . "\x18\x01";
binmode STDOUT;
print pack('CN', 0, length $request), $request;
