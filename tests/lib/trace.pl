#!/usr/bin/perl
# Reads what `strace -f -o FILE` wrote of a program that includes tests/targets/sandbox/sandbox.h:
#	trace.pl after FILE	the names of its system calls after main() began, sorted: those of the processes
#				that it made too, those of whoever started it not
#	trace.pl count FILE REGEXP	how many lines match
use strict;
use warnings;

my ($what, $file, $pattern) = @ARGV;
open my $f, '<', $file or die "$file: $!\n";
if ($what eq 'count') {
	print scalar(grep { /$pattern/ } <$f>), "\n";
	exit 0;
}
die "what?\n" unless $what eq 'after';
my ($begun, %theirs, @names) = (0);
while (<$f>) {
	my ($pid, $call) = /^(\d+)\s+(.*)/ or next;
	if ($call =~ /^write\(-1, "main"/) {
		$begun = 1;
		delete $theirs{$pid};
	} elsif (!$begun) {
		$theirs{$pid} = 1;
	} elsif (!$theirs{$pid} && $call =~ /^(\w+)\(/) {
		# Whether a futex must be waited for is a matter of chance.
		push @names, "$1\n" unless $1 eq 'futex';
	}
}
die "$file: main() never began\n" unless $begun;
print sort @names;
