#!/usr/bin/perl
# Each message of the supervisor is explained in a page: its longest part without a value is there.
use strict;
use warnings;
use FindBin '$Bin';

chdir "$Bin/../.." or die;

sub text_of {
	my ($file) = @_;

	open my $f, '<', $file or die "$file: $!\n";
	local $/;
	return scalar <$f>;
}

my $pages = join ' ', map { text_of($_) } 'man/profsup.1', glob 'docs/*.md';
$pages =~ s/^\.[A-Z][a-z] ?//mg;
$pages =~ s/["`]//g;
$pages =~ s/\s+/ /g;

my ($n, @unknown) = (0);
for my $file (glob 'supervisor/*/*.c') {
	my $text = text_of($file);
	while ($text =~ /\blog_(?:error|notice|fatal)\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)/g) {
		my $message = join '', $1 =~ /"((?:[^"\\]|\\.)*)"/g;
		my ($part) = sort { length $b <=> length $a } map { s/^\s+|\s+$//gr } split /%[.*0-9]*[lz]*[a-z%]|:|;/, $message;
		next if length($part // '') < 8;
		$n++;
		push @unknown, "$file: $message" if index($pages, $part) < 0;
	}
}
print "1..2\n";
print $n > 80 ? '' : 'not ', "ok 1 - the supervisor's messages are found\n";
print @unknown == 0 ? '' : 'not ', "ok 2 - each is in profsup(1) or in a page of docs/\n";
print "# $_\n" for $n, @unknown;
exit !($n > 80 && @unknown == 0);
