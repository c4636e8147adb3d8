#!/usr/bin/perl
# report.pl BUILD DOCS: DOCS/performance.md and DOCS/performance.svg of BUILD/bench.txt and BUILD/bench.json.
# report.pl DOCS: DOCS/performance.md anew, from the table of the run that it holds; the plot stays as it is.
#
# SPDX-License-Identifier: ISC
use strict;
use warnings;
use JSON::PP;
use Text::Wrap;

my $docs = pop @ARGV;
my $build = pop @ARGV;
defined $docs && !@ARGV or die "usage: report.pl [BUILD] DOCS\n";

sub slurp {
	my ($file) = @_;

	open my $f, '<', $file or die "$file: $! (make bench)\n";
	local $/;
	return <$f>;
}

sub is_partial { die "report: no $_[0] in this run: run make bench without ONLY\n" }

## The plot ##

# Of the rows that bench.json has.
sub plot {
	my %text = (ptrace => '--sampler=ptrace', user => '--sampler=ptrace, plain user', perf => '--sampler=perf');
	my (%line, @plot, $data);    # label => [[hz, percent], ...]

	for my $r (@{ JSON::PP->new->decode(slurp("$build/bench.json"))->{rows} }) {
		my ($how, $hz) = $r->{id} =~ /^busy\.(\w+)\.(\d+)$/ or next;

		push @{ $line{ $text{$how} } }, [ $hz, $r->{value} ];
		next unless $how eq 'ptrace';
		push @{ $line{$_} }, [ $hz, $r->{peers}{$_} ]
		    for grep { $_ ne 'glibc' && defined $r->{peers}{$_} } keys %{ $r->{peers} };
	}
	%line or is_partial('busy program');
	for my $label (sort keys %line) {
		push @plot, sprintf q('-' using 1:2 with linespoints linewidth 2 title "%s"), $label;
		$data .= join('', map { "$_->[0] $_->[1]\n" } sort { $a->[0] <=> $b->[0] } @{ $line{$label} }) . "e\n";
	}
	open my $gnuplot, '|-', 'gnuplot' or die "gnuplot: $!\n";
	print $gnuplot <<"END";
set terminal svg size 800,480 font "sans-serif,13" background "#ffffff"
set output "$docs/performance.svg"
set title "Slow-down of a busy program against the sampling rate"
set xlabel "samples per second of CPU time"
set ylabel "added to the elapsed time, %"
set logscale x
set xtics (100, 300, "1,000" 1000, "3,000" 3000, "10,000" 10000)
set grid
set key top left
plot @{[ join ', ', @plot ]}
$data
END
	close $gnuplot or die "gnuplot failed\n";
}

## The table ##

my $table = slurp(defined $build ? "$build/bench.txt" : "$docs/performance.md");
if (!defined $build) {
	($table) = $table =~ /^```\n(.*?)^```$/ms or die "report: no table in $docs/performance.md\n";
}
$table =~ s/\n+\z//;
my ($date, $version, $machine, $uid, $noise) =
    $table =~ /^profsup's costs, ([^,]+), (.+)\n(.+), uid (\d+)\n(.*?)\n\n/s or die "report: that is no table of bench.pl\n";
$noise =~ s/[.;]?\n/; /g;
$noise =~ s/\.$//;

# Heading and name of a row => the figure of each column, '-' where there is none; half is the middle half.
my (%figures, @columns, $heading);
for (split /\n/, $table) {
	if (/^median/) {
		@columns = qw(ours half);
		push @columns, $1 while /(glibc|perf record|gperftools|bare ret|bare stop)/g;
	} elsif (/^\S/) {
		$heading = $_;
	} elsif (@columns && /^  (\S.*?) {2,}(-?[\d.]+(?: [a-zA-Z%]+)?)  .*?(-?[\d.]+\.\.-?[\d.]+)(.*)/) {
		my ($name, $ours, $half, $others) = ($1, $2, $3, $4);
		my @others = $others =~ / +(-?[\d.]+(?: [a-zA-Z%]+)?|-)(?= |$)/g;

		@{ $figures{"$heading / $name"} }{@columns} = ($ours, $half, @others);
	}
}

# Of the row whose name and heading match.
sub figure {
	my ($row, $column) = @_;
	my @found = grep { /$row/ } sort keys %figures;

	@found <= 1 or die "report: $row: several rows: @found\n";
	return @found ? $figures{ $found[0] }{ $column // 'ours' } // '-' : '-';
}

# Of a row that every whole run has.
sub sure {
	my $figure = figure(@_);

	return $figure eq '-' ? is_partial($_[0]) : $figure;
}

## The text ##

# Question => how a row's name begins or, with (%s), where it says which sampler.
my @questions = (
	'A busy program, at 100 Hz (the default): time added'        => '/ 100 Hz, %s: elapsed',
	'the same, at 1,000 Hz'                                      => '/ 1000 Hz, %s: elapsed',
	'the same, at 10,000 Hz'                                     => '/ 10000 Hz, %s: elapsed',
	'CPU time of program and supervisor together, at 100 Hz'     => '/ 1: CPU time.*\(%s\)',
	"CPU time of the supervisor, of the program's, at 100 Hz"    => 'at 100 Hz / its CPU time.*\(%s\)',
	"CPU time of the supervisor, of the program's, at 1,000 Hz"  => 'at 1,?000 Hz / its CPU time.*\(%s\)',
	'159 busy threads, at 100 Hz: time taken'                    => '/ 159 busy threads.*\(%s\)',
	'1,000 busy threads, at 100 Hz: time taken'                  => '/ 1000: elapsed.*\(%s\)',
	'1,000 sleeping threads, at 100 Hz: CPU time of the supervisor, of one CPU' => '/ 1,000 sleeping.*\(%s\)',
	'A program that only forks and waits: time taken'            => '/ fork, exit, wait: elapsed.*\(%s\)',
	'A program that only creates and joins threads: time taken'  => '/ create a thread.*: elapsed.*\(%s\)',
	'Start and end of a run: time added'                         => '/ a program that does nothing.*\(%s\)',
);
my $who = $uid == 0 ? ', as root' : '';
my $summary = "| | ptrace$who | ptrace, as a plain user | perf$who |\n|---|---|---|---|\n";
while (my ($question, $row) = splice @questions, 0, 2) {
	my @cells = map { figure(sprintf $row, $_) } 'ptrace', 'ptrace, plain user', 'perf';

	$summary .= "| $question | " . join(' | ', @cells) . " |\n" if grep { $_ ne '-' } @cells;
}

my ($one, $four) = map { "/ a leaf, $_: added" } '1 thread', '4 threads';
my ($forks, $creates) = map { "/ $_.*: elapsed.*\\(ptrace\\)" } 'fork, exit, wait', 'create a thread';
my $at_1000 = figure('/ 1000 Hz, perf: elapsed');
my $or_perf = $at_1000 eq '-' ? '' : ", or $at_1000 with `--sampler=perf`";
$Text::Wrap::columns = 120;
my $intro = wrap('', '', "With the default settings (ptrace, 100 Hz) a program that computes takes",
	sure('/ 100 Hz, ptrace: elapsed'), 'longer; at 1,000 Hz it takes', sure('/ 1000 Hz, ptrace: elapsed'), "longer$or_perf.",
	'In the table, "%" is what is added, or a share; "x" is how many times as long, or as much, as without a profiler:');
my $spread = sure('without profsup: the noise', 'half') =~ s/\.\./ to /r;
my $origin = wrap('', '', "The figures are medians of one run of `make bench` on $date: $version, $machine, uid $uid; $noise. The same build",
	"without a supervisor differed from the uninstrumented program by $spread % (middle half): less than that is noise.",
	'What stops do to system calls is in [transfers.md](transfers.md), what crowds do to samples in [crowds.md](crowds.md).');

plot() if defined $build;
open my $md, '>', "$docs/performance.md" or die "$docs/performance.md: $!\n";
print $md <<"END";
# What profsup costs

$intro

$summary
- `--sampler=ptrace`, the default, works wherever a program can be traced. Above 100 Hz it is cheaper as root, or with
  `CAP_SYS_NICE`: the supervisor then has real-time priority.
- `--sampler=perf` takes samples without stopping the program. Choose it above 100 Hz, if `kernel.perf_event_paranoid`
  is at most 1 or you have `CAP_PERFMON`. `--sampler=auto` is perf where it is available, else ptrace.
- A program pays for each process and thread that it creates, whichever sampler is used: the supervisor stops it to
  follow the new one, and writes a file for each process. The two rows are of programs that do nothing else; glibc's
  `-pg` takes @{[ sure($forks, 'glibc') ]} for the forks and @{[ sure($creates, 'glibc') ]} for the threads.
- Each counted call adds @{[ sure($one) ]} of CPU time with one thread and @{[ sure($four) ]} with four; with glibc's `-pg` it
  adds @{[ sure($one, 'glibc') ]} and @{[ sure($four, 'glibc') ]}.
- The supervisor's resident set is @{[ sure('at 1,?000 Hz / its resident set \(ptrace\)') ]}, and @{[ sure("supervisor's memory for each thread \\(ptrace\\)") ]} for each thread.

$origin

## By sampling rate

![slow-down against rate](performance.svg)

## All of it

How each figure is made is in [tests/bench/README](../tests/bench/README); `make performance` makes this file and the plot.

```
$table
```
END
close $md or die "$docs/performance.md: $!\n";
