#!/usr/bin/perl
# console.pl script FILE.md    the commands of its ```console blocks, as a shell script that says before each its number
# console.pl compare FILE.md OUTPUT    what the document shows and OUTPUT, the script's, has not
#
# In a block, "# " begins a command; the other lines are what it shows.  They have to come in that order, with anything
# between them.  What may differ: white space, numbers with a decimal point, gprof's "[N]" and "(N)", and "...", which
# stands for anything.  Whole numbers are counts and have to be right.  Each command has to succeed.
use strict;
use warnings;

my ($what, $file, $output) = @ARGV;
my (@commands, $in);

open my $fh, '<', $file or die "$file: $!\n";
while (<$fh>) {
	chomp;
	if (/^```(.*)/) {
		$in = !$in && $1 eq 'console';
	} elsif ($in && s/^# //) {
		push @commands, { line => $., command => $_, shown => [] };
	} elsif ($in && /\S/ && $_ ne '...') {
		push @{ $commands[-1]{shown} }, $_;
	}
}
die "$file: no commands\n" unless @commands;

if ($what eq 'script') {
	print "printf '\\n=== $_\\n'\n$commands[$_]{command}\n", "printf '\\n=== status %d\\n' \$?\n" for 0 .. $#commands;
	exit;
}

sub pattern {
	my $p = join '\s+', map { quotemeta } split ' ', shift;
	$p =~ s/\d+\\\.\d+/\\d+\\.\\d+/g;
	$p =~ s/\\([[(])\d+\\([])])/\\$1\\d+\\$2/g;
	$p =~ s/(?:\\s\+)?\\\.\\\.\\\.(?:\\s\+)?/.*/g;
	return qr/^\s*$p\s*$/;
}

my (@said, @status);
my $n = -1;
open $fh, '<', $output or die "$output: $!\n";
while (<$fh>) {
	chomp;
	if (/^=== status (\d+)$/) { $status[$n] = $1 }
	elsif (/^=== (\d+)$/) { $n = $1 }
	elsif ($n >= 0) { push @{ $said[$n] }, $_ }
}
for my $i (0 .. $#commands) {
	my ($c, @left) = ($commands[$i], @{ $said[$i] // [] });
	my $where = "$file:$c->{line}: # $c->{command}";

	print "$where: ", defined $status[$i] ? "status $status[$i]" : 'was not run', "\n" unless ($status[$i] // 1) == 0;
	for my $line (@{ $c->{shown} }) {
		my $p = pattern($line);

		shift @left while @left && $left[0] !~ $p;
		print "$where: does not say: $line\n" unless @left;
		shift @left;
	}
}
