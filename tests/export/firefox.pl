#!/usr/bin/perl
# firefox.pl: reads what --format=firefox has written, from standard input.  What is not of the format is a line of standard
# error and a failure.
#	firefox.pl threads	"PID TID NAME" lines; a * stands before the name of a process's own thread
#	firefox.pl sums		"TID FUNCTION NS" lines with tabs: the weights, by thread and innermost function
#	firefox.pl waits	"TID WAIT FUNCTION;FUNCTION..." lines with tabs: the markers, with their stacks from the outermost frame on
#	firefox.pl rows		"TID TIME FUNCTION NS" lines: the samples, with times in ms, and - where nothing is known
#	firefox.pl spans	"TID WAIT START END" lines: the markers
#	firefox.pl stacks	"FUNCTION LINE;..." lines: the stacks that nothing is called from, from the outermost frame on
#	firefox.pl calls	"FUNCTION CALLS" lines with tabs: of those whose resource tells them
#	firefox.pl lines	"FUNCTION FILE:LINE" lines with tabs
#	firefox.pl states	the categories in which there is time, in their order
use strict;
use warnings;
use JSON::PP;

my $text = do { local $/; <STDIN> };
my $p = JSON::PP->new->decode($text);
my ($meta, $shared) = @$p{qw(meta shared)};
my @strings = @{ $shared->{stringArray} };
my $bad = 0;

sub complain { print STDERR "$_[0]\n"; $bad = 1 }

# A number of a row of a table that has so many; undefined if it may be null.
sub check_rows {
	my ($what, $column, $rows, $may_be) = @_;
	for (@$column) {
		next if defined $may_be && (!defined $_ ? $may_be eq 'null' : $_ eq $may_be);
		complain("$what: no such row"), last if !defined $_ || $_ !~ /^\d+$/ || $_ >= $rows;
	}
}

sub check_table {
	my ($what, $table, @columns) = @_;
	for (@columns) {
		complain("$what: no column $_"), next unless ref $table->{$_} eq 'ARRAY';
		complain("$what: $_ has another length") if @{ $table->{$_} } != $table->{length};
	}
	complain("$what: has other columns") if keys %$table != @columns + 1 + (defined $table->{weightType});
}

my ($stacks, $frames, $functions, $resources, $sources) = @$shared{qw(stackTable frameTable funcTable resourceTable sources)};
my $categories = @{ $meta->{categories} };

sub check_shared {
	check_table('stacks', $stacks, qw(frame prefix));
	check_table('frames', $frames, qw(address inlineDepth category subcategory func nativeSymbol innerWindowID line column));
	check_table('functions', $functions, qw(name isJS relevantForJS resource source lineNumber columnNumber));
	check_table('resources', $resources, qw(lib name host type));
	check_table('sources', $sources, qw(uuid filename));
	check_rows('frame of a stack', $stacks->{frame}, $frames->{length});
	check_rows('category of a frame', $frames->{category}, $categories);
	check_rows('function of a frame', $frames->{func}, $functions->{length});
	check_rows('name of a function', $functions->{name}, scalar @strings);
	check_rows('resource of a function', $functions->{resource}, $resources->{length}, -1);
	check_rows('source of a function', $functions->{source}, $sources->{length}, 'null');
	check_rows('name of a resource', $resources->{name}, scalar @strings);
	check_rows('name of a source', $sources->{filename}, scalar @strings);
	my %seen;
	for my $i (0 .. $stacks->{length} - 1) {
		my $prefix = $stacks->{prefix}[$i];
		complain("stack $i: its caller does not come before it") if defined $prefix && $prefix >= $i;
		complain("stack $i: it is there twice") if $seen{ ($prefix // '') . ' ' . $stacks->{frame}[$i] }++;
	}
	my %twice;
	$twice{$_}++ && complain("$_: a text is there twice") for @strings;
}

sub check_thread {
	my ($t) = @_;
	my ($samples, $markers, $last) = (@$t{qw(samples markers)}, 0);
	check_table("samples of $t->{tid}", $samples, qw(stack time weight));
	check_table("markers of $t->{tid}", $markers, qw(name startTime endTime phase category data));
	check_rows('stack of a sample', $samples->{stack}, $stacks->{length}, 'null');
	check_rows('name of a marker', $markers->{name}, scalar @strings);
	check_rows('category of a marker', $markers->{category}, $categories);
	for (@{ $samples->{time} }) { complain("$t->{tid}: its times go back from $last to $_"), last if $_ < $last; $last = $_ }
	complain("$t->{tid}: its last sample has a stack, and no end") if defined $samples->{stack}[-1];
	for my $i (0 .. $markers->{length} - 1) {
		complain("$t->{tid}: marker $i is of another kind") unless $markers->{phase}[$i] == 1 && $markers->{data}[$i]{type} eq 'wait';
		complain("$t->{tid}: marker $i ends before it starts") if $markers->{endTime}[$i] < $markers->{startTime}[$i];
		complain("$t->{tid}: marker $i starts before the last one ends") if $i > 0 && $markers->{startTime}[$i] < $markers->{endTime}[$i - 1];
	}
}

sub name_of { return $strings[ $functions->{name}[ $frames->{func}[ $stacks->{frame}[ $_[0] ] ] ] ] }

sub stack_of {
	my @names;
	for (my $i = $_[0]; defined $i; $i = $stacks->{prefix}[$i]) { unshift @names, name_of($i) }
	return join ';', @names;
}

# Perfetto knows the format by how it begins, and reads versions of stacks with prefixes that all threads share.
complain('it does not begin with meta') unless $text =~ /^\{"meta":/;
complain("its version is $meta->{preprocessedProfileVersion}") unless $meta->{preprocessedProfileVersion} == 60;
check_shared();
check_thread($_) for @{ $p->{threads} };

my %do = (
	threads => sub { map { "$_->{pid} $_->{tid} " . ($_->{isMainThread} ? '*' : '') . "$_->{name}\n" } @{ $p->{threads} } },
	sums => sub {
		my %sum;
		for my $t (@{ $p->{threads} }) {
			my $s = $t->{samples};
			for (0 .. $s->{length} - 1) {
				complain("$t->{tid}: time of nothing"), next if !defined $s->{stack}[$_] && $s->{weight}[$_] > 0;
				$sum{"$t->{tid}\t" . name_of($s->{stack}[$_])} += sprintf '%.0f', $s->{weight}[$_] * 1e6 if defined $s->{stack}[$_];
			}
		}
		sort map { "$_\t$sum{$_}\n" } keys %sum;
	},
	waits => sub {
		map { my $t = $_; my $m = $t->{markers};
			map { "$t->{tid}\t$strings[$m->{name}[$_]]\t" . stack_of($m->{data}[$_]{cause}{stack}) . "\n" } 0 .. $m->{length} - 1 } @{ $p->{threads} };
	},
	rows => sub {
		map { my $t = $_; my $s = $t->{samples};
			map { "$t->{tid} $s->{time}[$_] " . (defined $s->{stack}[$_] ? name_of($s->{stack}[$_]) : '-') . " $s->{weight}[$_]\n" } 0 .. $s->{length} - 1 }
			@{ $p->{threads} };
	},
	spans => sub {
		map { my $t = $_; my $m = $t->{markers};
			map { "$t->{tid} $strings[$m->{name}[$_]] $m->{startTime}[$_] $m->{endTime}[$_]\n" } 0 .. $m->{length} - 1 } @{ $p->{threads} };
	},
	stacks => sub {
		my %callers = map { $_ => 1 } grep { defined } @{ $stacks->{prefix} };
		map {
			my @frames;
			for (my $i = $_; defined $i; $i = $stacks->{prefix}[$i]) { unshift @frames, name_of($i) . ' ' . $frames->{line}[ $stacks->{frame}[$i] ] }
			join(';', @frames) . "\n";
		} grep { !$callers{$_} } 0 .. $stacks->{length} - 1;
	},
	calls => sub {
		sort map { $functions->{resource}[$_] >= 0 && $strings[ $resources->{name}[ $functions->{resource}[$_] ] ] =~ /, (\d+) calls?$/
			? "$strings[$functions->{name}[$_]]\t$1\n" : () } 0 .. $functions->{length} - 1;
	},
	lines => sub {
		sort map { defined $functions->{source}[$_]
			? "$strings[$functions->{name}[$_]]\t$strings[$sources->{filename}[$functions->{source}[$_]]]:$functions->{lineNumber}[$_]\n" : () }
			0 .. $functions->{length} - 1;
	},
	states => sub {
		my %there;
		for my $s (map { $_->{samples} } @{ $p->{threads} }) {
			$there{ $frames->{category}[ $stacks->{frame}[$_] ] } = 1 for grep { defined } @{ $s->{stack} };
		}
		map { "$meta->{categories}[$_]{name}\n" } sort { $a <=> $b } keys %there;
	},
);
print $do{ $ARGV[0] }->();
exit $bad;
