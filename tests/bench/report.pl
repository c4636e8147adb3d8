#!/usr/bin/perl
# report.pl BUILD DOCS: DOCS/performance.md and DOCS/performance.svg of BUILD/bench.json and BUILD/bench.txt.
#
# SPDX-License-Identifier: ISC
use strict;
use warnings;
use JSON::PP;

my ($build, $docs) = @ARGV;
defined $docs or die "usage: report.pl BUILD DOCS\n";

sub slurp {
	my ($file) = @_;

	open my $f, '<', $file or die "$file: $! (make bench)\n";
	local $/;
	return <$f>;
}

my $bench = JSON::PP->new->decode(slurp("$build/bench.json"));
my %row = map { $_->{id} => $_ } @{ $bench->{rows} };
my %text = (ptrace => '--sampler=ptrace', user => '--sampler=ptrace, plain user', perf => '--sampler=perf');
mkdir $docs;

## The plot ##

# Label => [[hz, percent, q1, q3], ...]
my %line;
for my $id (sort keys %row) {
	my ($how, $hz) = $id =~ /^busy\.(\w+)\.(\d+)$/ or next;
	my $r = $row{$id};

	push @{ $line{ $text{$how} } }, [ $hz, $r->{value} ];
	next unless $how eq 'ptrace';
	push @{ $line{$_} }, [ $hz, $r->{peers}{$_} ] for grep { $_ ne 'glibc' && defined $r->{peers}{$_} } keys %{ $r->{peers} };
}
%line or die "report: no rows 'busy' in $build/bench.json: run make bench without ONLY\n";
my (@plot, $data);
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

## The text ##

my $threads = "| busy threads | elapsed, ptrace | CPU time, ptrace | elapsed, perf | CPU time, perf |\n|---|---|---|---|---|\n";
for my $n (1, 10, 100, 1000) {
	$threads .= sprintf "| %d | %s | %s | %s | %s |\n", $n, map { defined $_ ? sprintf '%.3f x', $_->{value} : '-' }
	    @row{ map { ("threads.$_.$n", "threads.$_.$n.cpu") } 'ptrace', 'perf' };
}
my $m = $bench->{machine};
open my $md, '>', "$docs/performance.md" or die "$docs/performance.md: $!\n";
print $md <<"END";
# What profsup costs

One run of `make bench` on $m->{date}: $m->{version}, $m->{cpus} x $m->{cpu}, Linux $m->{kernel}, uid $m->{uid}.
Others used $m->{others} CPUs of the machine meanwhile. How each figure is made is in
[tests/bench/README](../tests/bench/README); this file and the plot are made by `make performance`.
What stops do to system calls is in [transfers.md](transfers.md), what crowds do to samples in [crowds.md](crowds.md).

![slow-down against rate](performance.svg)

Times as long, or as much, as without a profiler, at 100 Hz; the CPU time is that of the program and the
supervisor together:

$threads
## All of it

```
@{[ slurp("$build/bench.txt") =~ s/\n+\z//r ]}
```
END
close $md or die "$docs/performance.md: $!\n";
