#!/usr/bin/perl
# report.pl BUILD DOCS: DOCS/performance.md and DOCS/performance.svg of BUILD/bench.json and BUILD/bench.txt.
#
# SPDX-License-Identifier: ISC
use strict;
use warnings;
use FindBin;
use JSON::PP;
use Text::Wrap;
require "$FindBin::Bin/figure.pl";

my ($build, $docs) = @ARGV;
defined $docs or die "usage: report.pl BUILD DOCS\n";

sub slurp {
	my ($file) = @_;

	open my $f, '<', $file or die "$file: $! (make bench)\n";
	local $/;
	return <$f>;
}

sub is_partial { die "report: no $_[0] in this run: run make bench without ONLY\n" }

my $bench = JSON::PP->new->decode(slurp("$build/bench.json"));
my %row = map { $_->{id} => $_ } @{ $bench->{rows} };

## The plot ##

sub plot {
	my %text = (ptrace => '--sampler=ptrace', user => '--sampler=ptrace, plain user', perf => '--sampler=perf');
	my (%line, @plot, $data);    # label => [[hz, percent], ...]

	for my $r (@{ $bench->{rows} }) {
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

## The figures ##

# Of ours, or of a peer's; '-' where there is none.
sub of {
	my ($id, $peer) = @_;
	my $r = $row{$id};
	my $value = !defined $r ? undef : defined $peer ? $r->{peers}{$peer} : $r->{value};

	return defined $value ? figure($value, $r->{unit}) : '-';
}

# Of a row that every whole run has.
sub sure {
	my $figure = of(@_);

	return $figure eq '-' ? is_partial($_[0]) : $figure;
}

my $table = slurp("$build/bench.txt") =~ s/\n+\z//r;
# Its head: what was run, where, and the lines on what the machine was like meanwhile.
my (undef, undef, @noise) = split /\n/, ($table =~ /\A(.*?)\n\n/s)[0];
my $noise = join('; ', map { s/[.;]\z//r } @noise);

## The text ##

# Question => the row's id, with %s for ptrace, user and perf.
my @questions = (
	'A busy program, at 100 Hz (the default): time added'       => 'busy.%s.100',
	'the same, at 1,000 Hz'                                     => 'busy.%s.1000',
	'the same, at 10,000 Hz'                                    => 'busy.%s.10000',
	'CPU time of program and supervisor together, at 100 Hz'    => 'threads.%s.1.cpu',
	"CPU time of the supervisor, of the program's, at 100 Hz"   => 'tracer.%s.100',
	"CPU time of the supervisor, of the program's, at 1,000 Hz" => 'tracer.%s.1000',
	'159 busy threads, at 100 Hz: time taken'                   => 'crowd.%s',
	'1,000 busy threads, at 100 Hz: time taken'                 => 'threads.%s.1000',
	'1,000 sleeping threads, at 100 Hz: CPU time of the supervisor, of one CPU' => 'sleepers.%s',
	'A program that only forks and waits: time taken'           => 'fork.%s',
	'A program that only creates and joins threads: time taken' => 'thread.%s',
	'Start and end of a run: time added'                        => 'startup.%s',
);
my $m = $bench->{machine};
my $who = $m->{uid} == 0 ? ', as root' : '';
my $summary = "| | ptrace$who | ptrace, as a plain user | perf$who |\n|---|---|---|---|\n";
while (my ($question, $id) = splice @questions, 0, 2) {
	my @cells = map { of(sprintf $id, $_) } 'ptrace', 'user', 'perf';

	$summary .= "| $question | " . join(' | ', @cells) . " |\n" if grep { $_ ne '-' } @cells;
}

my $at_1000 = of('busy.perf.1000');
my $or_perf = $at_1000 eq '-' ? '' : ", or $at_1000 with `--sampler=perf`";
$Text::Wrap::columns = 120;
my $intro = wrap('', '', "With the default settings (ptrace, 100 Hz) a program that computes takes",
	sure('busy.ptrace.100'), 'longer; at 1,000 Hz it takes', sure('busy.ptrace.1000'), "longer$or_perf.",
	'In the table, "%" is what is added, or a share; "x" is how many times as long, or as much, as without a profiler:');
my $spread = middle_half($row{'busy.off'} // is_partial('busy.off')) =~ s/\.\./ to /r;
my $origin = wrap('', '', "The figures are medians of one run of `make bench` on $m->{date}: $m->{version}" . ($bench->{quick} ? ', quick' : '') .
	", $m->{cpus} x $m->{cpu}, Linux $m->{kernel}, uid $m->{uid}; $noise. The same build",
	"without a supervisor differed from the uninstrumented program by $spread % (middle half): less than that is noise.",
	'What stops do to system calls is in [transfers.md](transfers.md), what crowds do to samples in [crowds.md](crowds.md).');

plot();
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
  `-pg` takes @{[ sure('fork.ptrace', 'glibc') ]} for the forks and @{[ sure('thread.ptrace', 'glibc') ]} for the threads.
- Each counted call adds @{[ sure('calls.1.1') ]} of CPU time with one thread and @{[ sure('calls.1.4') ]} with four; with glibc's `-pg` it
  adds @{[ sure('calls.1.1', 'glibc') ]} and @{[ sure('calls.1.4', 'glibc') ]}.
- The supervisor's resident set is @{[ sure('tracer.ptrace.1000.rss') ]}, and @{[ sure('sleepers.ptrace.rss') ]} for each thread.

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
