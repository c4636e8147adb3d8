#!/usr/bin/perl
# pprof.pl self|self-lines|calls|ns|head|stacks|lines|inlines: what a profile says that `protoc --decode` has turned into text,
# read from standard input: "ticks<TAB>function", "ticks<TAB>function line", "calls<TAB>caller<TAB>callee", nanoseconds of
# all samples, what stands once, "outermost;...;innermost ticks", "function line"; or inlines: of each location that has an
# address, that, and "function file:line" of each of its lines.
use strict;
use warnings;

my $what = shift;

# message: fields of one level, each a list of numbers, strings or messages
sub message {
	my %m;
	while (<STDIN>) {
		if (/^\s*\}/) { last }
		elsif (/^\s*(\w+) \{/) { push @{ $m{$1} }, message() }
		elsif (/^\s*(\w+): "(.*)"$/) { my ($k, $s) = ($1, $2); $s =~ s/\\(["'\\])/$1/g; push @{ $m{$k} }, $s }
		elsif (/^\s*(\w+): (\S+)$/) { push @{ $m{$1} }, $2 }
		else { die "line $.: $_" }
	}
	return \%m;
}

my $p = message();
my @s = @{ $p->{string_table} };
die "the first string is not empty\n" if $s[0] ne '';
my %function = map { $_->{id}[0] => $s[$_->{name}[0]] } @{ $p->{function} };
my %location = map { $_->{id}[0] => $function{ $_->{line}[0]{function_id}[0] } } @{ $p->{location} };
my %line = map { $_->{id}[0] => $_->{line}[0]{line}[0] // 0 } @{ $p->{location} };
my (%self, %self_line, %calls, $ns, @stacks);
for my $sample (@{ $p->{sample} }) {
	my ($ticks, $nanoseconds, $calls) = @{ $sample->{value} };
	my @stack = map { $location{$_} // die "no location $_\n" } @{ $sample->{location_id} };
	$self{ $stack[0] } += $ticks if $ticks;
	$self_line{"$stack[0] $line{ $sample->{location_id}[0] }"} += $ticks if $ticks;
	push @stacks, join(';', reverse @stack) . " $ticks\n" if $ticks;
	$ns += $nanoseconds;
	$calls{"$stack[1]\t$stack[0]"} += $calls if $calls;
}
if ($what eq 'self-lines') { print map { "$self_line{$_}\t$_\n" } keys %self_line }
elsif ($what eq 'self') { print map { "$self{$_}\t$_\n" } keys %self }
elsif ($what eq 'calls') { print map { "$calls{$_}\t$_\n" } keys %calls }
elsif ($what eq 'ns') { print "$ns\n" }
elsif ($what eq 'stacks') { print @stacks }
elsif ($what eq 'lines') {
	print map { ($location{ $_->{id}[0] }, ' ', $_->{line}[0]{line}[0] // 0, "\n") } @{ $p->{location} };
} elsif ($what eq 'inlines') {
	my %file = map { $_->{id}[0] => $s[$_->{filename}[0] // 0] } @{ $p->{function} };
	for (sort { $a->{address}[0] <=> $b->{address}[0] } grep { $_->{address} } @{ $p->{location} }) {
		printf "0x%x", $_->{address}[0];
		printf "\t%s %s:%d", $function{ $_->{function_id}[0] }, $file{ $_->{function_id}[0] }, $_->{line}[0] // 0 for @{ $_->{line} };
		print "\n";
	}
} elsif ($what eq 'head') {
	print join(' ', map { "$s[$_->{type}[0]]/$s[$_->{unit}[0]]" } @{ $p->{sample_type} }, @{ $p->{period_type} }),
		" $p->{period}[0] $s[$p->{default_sample_type}[0]] $s[$p->{mapping}[0]{filename}[0]]",
		" $s[$p->{mapping}[0]{build_id}[0]]\n";
} else { die "what?\n" }
