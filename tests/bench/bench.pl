#!/usr/bin/perl
# bench.pl [--quick] [--only=REGEX] BUILD: what profsup costs, next to others.  See README.
#
# BUILD holds bench/ (the programs of this directory) and stage/ (an installation).  Prints the table,
# and leaves it in BUILD/bench.txt and BUILD/bench.json.
#
# SPDX-License-Identifier: ISC
use strict;
use warnings;
use File::Path qw(remove_tree);
use FindBin;
use IPC::Open2;
use POSIX qw(strftime);
require "$FindBin::Bin/figure.pl";

my ($quick, $only, $build) = (0, '.', undef);
for (@ARGV) {
	if    ($_ eq '--quick')    { $quick = 1 }
	elsif (/^--only=(.+)/)     { $only  = $1 }
	elsif (!defined $build)    { $build = $_ }
	else                       { die "usage: bench.pl [--quick] [--only=REGEX] BUILD\n" }
}
defined $build or die "usage: bench.pl [--quick] [--only=REGEX] BUILD\n";
$build = POSIX::getcwd() . "/$build" unless $build =~ m{^/};
my $bin     = "$build/bench";
my $profsup = "$build/stage/bin/profsup";

# A memory file system if there is one.  On ext4 a new file costs 2 to 300 us, by how many were
# deleted in its neighbourhood within the last seconds: nothing that we would want to compare.
my $tmp = $ENV{TMPDIR} // (-w '/dev/shm' ? '/dev/shm' : '/tmp');
my $scratch = "$tmp/profsup-bench.$$";
mkdir $scratch, 0755 or die "$scratch: $!\n";
chdir $scratch or die "$scratch: $!\n";
my $owner = $$;
END { if (defined $owner && $$ == $owner) { chdir '/'; remove_tree($scratch) } }
$SIG{INT} = $SIG{TERM} = sub { exit 130 };
$ENV{LC_ALL} = 'C';
$| = 1;

## Running ##

my $serial = 0;

# In a directory of its own, so that nobody finds files of the run before.
sub in_fresh_directory {
	my ($code) = @_;
	my $dir = "$scratch/" . $serial++;

	mkdir $dir, 0755 and chmod 0777, $dir and chdir $dir or die "$dir: $!\n";
	my $result = $code->();
	chdir $scratch;
	remove_tree($dir);
	return $result;
}

# All that a command and `run` say of it, as a hash; undef if it failed.  Of a program that tells its pace, its
# times are so many times what it would have taken without interruptions.
sub measure {
	my (@command) = @_;

	return in_fresh_directory(sub {
		my %said;
		my $pid = open(my $out, '-|') // die "fork: $!\n";

		if ($pid == 0) {
			open STDERR, '>', 'stderr';
			open STDIN, '<', '/dev/null';
			exec "$bin/run", @command or POSIX::_exit(127);
		}
		while (<$out>) {
			$said{$1} = $2 if /^([a-z.]+) (-?[0-9.]+)$/;
		}
		close $out;
		$said{$_} /= $said{pace} for grep { defined $said{pace} } 'wall', 'cpu';
		return $said{'run.status'} // 1 ? undef : \%said;
	});
}

# Alternates: each round runs every variant once, in an order that rotates.  Returns for each variant
# what measure() said, round by round.
sub alternate {
	my ($what, $rounds, @variants) = @_;
	my %result;

	for my $round (0 .. $rounds - 1) {
		progress($what, $round, $rounds);
		for my $i (0 .. $#variants) {
			my ($name, @command) = @{ $variants[ ($i + $round) % @variants ] };

			$result{$name}[$round] = measure(@command) // die "bench: $name (@command) failed\n";
		}
	}
	return \%result;
}

# A figure counts only if the runs of the program alone before and after it took the same time within $same, and
# the work of neither, nor of the run between them if it tells its pace, much more than the shortest ever: else
# somebody whom we don't see (on a virtual machine, a neighbour on its host) had a part of the CPU.
my $same    = 0.02;
my $slowest = 0.05;
my ($taken, $unsteady, $used, $doubted) = (0, 0, 0, 0);

# Seconds that the work of a run took.
sub work_of { return $_[0]{pace} // $_[0]{wall} }

# How doubtful a figure is: below 1 it counts.
sub doubt {
	my ($shortest, $seen, $before, $after) = @_;
	my ($less, $more) = sort { $a <=> $b } map { $_->{wall} } $before, $after;
	my $longest = quantile(1, $seen->{pace} // 0, map { work_of($_) } $before, $after);

	return quantile(1, ($more / $less - 1) / $same, ($longest / $shortest - 1) / $slowest);
}

# How many count of figures that have their doubt in front.
sub counting { return scalar grep { $_->[0] < 1 } @_ }

# `variants`: [name, rounds, code].  Returns for each name a list of what its code returned, and of what measure()
# said of the runs of `alone` before and after it.  For those that do not count there are up to three times as many
# rounds; after that the least doubtful have to do.
sub between_runs_of {
	my ($alone, $what, @variants) = @_;
	my $most = 3 * quantile(1, map { $_->[1] } @variants);
	my %figures = map { $_->[0] => [] } @variants;
	my $run = sub { return measure(@$alone) // die "bench: @$alone failed\n" };
	my $shortest = quantile(0, map { work_of($run->()) } 1 .. 3);

	for my $round (0 .. $most - 1) {
		my @left = grep { $round < 3 * $_->[1] && counting(@{ $figures{ $_->[0] } }) < $_->[1] } @variants
		    or last;
		my $before = $run->();

		progress($what, $round, $most);
		for my $i (0 .. $#left) {
			my ($name, undef, $code) = @{ $left[ ($i + $round) % @left ] };
			my $seen  = $code->() // die "bench: $what, $name: failed\n";
			my $after = $run->();

			$shortest = work_of($after) if work_of($after) < $shortest;
			push @{ $figures{$name} }, [ doubt($shortest, $seen, $before, $after), $seen, $before, $after ];
			$before = $after;
		}
	}
	for my $v (@variants) {
		my ($name, $rounds) = @$v;
		my @all  = sort { $a->[0] <=> $b->[0] } @{ $figures{$name} };
		my @best = @all[ 0 .. $rounds - 1 ];

		$taken    += @all;
		$unsteady += @all - counting(@all);
		$used     += @best;
		$doubted  += @best - counting(@best);
		$figures{$name} = [ map { [ @$_[ 1 .. 3 ] ] } @best ];
	}
	return %figures;
}

sub progress {
	my ($what, $round, $rounds) = @_;

	print STDERR $round < 0 ? "\r\e[K" : sprintf("\r\e[K%s: %d of %d", $what, $round + 1, $rounds)
	    if -t STDERR;
}

sub slurp {
	my ($file) = @_;

	open my $f, '<', $file or return '';
	local $/;
	return <$f> // '';
}

sub children {
	my ($pid) = @_;

	return split ' ', slurp("/proc/$pid/task/$pid/children");
}

# CPU time of all threads of a process, ns.
sub cpu_of {
	my ($pid) = @_;
	my $sum = 0;

	for my $file (glob "/proc/$pid/task/*/schedstat") {
		$sum += $1 if slurp($file) =~ /^([0-9]+)/;
	}
	return $sum;
}

# Looks at a profiler while it runs: a command that has started a program with standard input and output
# of its own.  Its tracer is a child of the command named as itself, or the command itself.  Returns the
# CPU time it used in `seconds`, that of the program, and its resident set.
sub watch {
	my ($seconds, $wait_ready, @command) = @_;

	return in_fresh_directory(sub {
		open(my $keep, '>&', \*STDERR);
		open(STDERR, '>', 'stderr');
		my $pid = open2(my $out, my $in, @command);
		open(STDERR, '>&', $keep);
		my ($tracer, $target, %seen) = ($pid, undef);
		my $patience = 1000;

		<$out> if $wait_ready;
		while (!defined $target && $patience-- > 0) {
			my @children = children($pid);

			($target) = grep { slurp("/proc/$_/comm") =~ /^load-/ } @children;
			($tracer) = grep { slurp("/proc/$_/comm") eq slurp("/proc/$pid/comm") } @children;
			$tracer //= $pid;
			select undef, undef, undef, 0.01;
		}
		if (defined $target) {
			select undef, undef, undef, 0.3;
			my $start = now();
			my ($of_tracer, $of_target) = (cpu_of($tracer), cpu_of($target));
			select undef, undef, undef, $seconds;
			$seen{tracer}  = (cpu_of($tracer) - $of_tracer) / 1e9;
			$seen{target}  = (cpu_of($target) - $of_target) / 1e9;
			$seen{seconds} = now() - $start;
			$seen{rss} = $1 if slurp("/proc/$tracer/status") =~ /^VmHWM:\s+([0-9]+)/m;
			kill 'TERM', $target;
		}
		close $in;
		close $out;
		waitpid $pid, 0;
		return defined $seen{rss} ? \%seen : undef;
	});
}

sub now {
	return (split ' ', slurp('/proc/uptime'))[0];
}

## Numbers ##

sub quantile {
	my ($q, @v) = @_;

	@v = sort { $a <=> $b } @v;
	my $at = $q * $#v;
	my $low = int $at;
	return $v[$low] + ($at - $low) * (($v[ $low + 1 ] // $v[$low]) - $v[$low]);
}

# Of the median, with noise that is about normal.
sub standard_error {
	return 0.93 * (quantile(0.75, @_) - quantile(0.25, @_)) / sqrt @_;
}

# One number for each round.
sub by_round {
	my ($result, $code) = @_;
	my ($any) = values %$result;

	return map {
		my $round = $_;
		my %of = map { $_ => $result->{$_}[$round] } keys %$result;

		$code->(\%of)
	} 0 .. $#$any;
}

## The table ##

my @rows;

# row ID, WHAT, UNIT, BAR or undef, [OURS round by round], PEER => [...], ...
sub row {
	my ($id, $what, $unit, $bar, $ours, @peers) = @_;
	my %row = (id => $id, what => $what, unit => $unit, bar => $bar, n => scalar @$ours, peers => {});

	$row{value} = quantile(0.5,  @$ours);
	$row{q1}    = quantile(0.25, @$ours);
	$row{q3}    = quantile(0.75, @$ours);
	if (defined $bar) {
		$row{met}  = $row{value} <= $bar;
		$row{open} = abs($row{value} - $bar) < 2 * standard_error(@$ours);
	}
	while (my ($peer, $values) = splice @peers, 0, 2) {
		$row{peers}{$peer} = quantile(0.5, @$values) if defined $values;
	}
	push @rows, \%row;
}

sub wanted {
	my ($id) = @_;

	return $id =~ /$only/;
}

sub heading {
	push @rows, { heading => $_[0] };
}

my @peers = ('glibc', 'perf record', 'gperftools', 'bare ret', 'bare stop');

sub table {
	my $text = sprintf "%-66s %10s %10s  %-7s %-16s", 'median of alternating runs', 'ours', 'bar', '',
	    'middle half';

	$text .= sprintf " %12s", $_ for @peers;
	$text .= "\n";
	for my $r (@rows) {
		if (defined $r->{heading}) {
			$text .= "\n$r->{heading}\n";
			next;
		}
		$text .= sprintf "  %-64s %10s %10s  %-7s %-16s", $r->{what}, figure($r->{value}, $r->{unit}),
		    defined $r->{bar} ? figure($r->{bar}, $r->{unit}) : '',
		    defined $r->{bar} ? ($r->{met} ? 'met' : 'MISSED') . ($r->{open} ? '?' : '') : '',
		    middle_half($r);
		$text .= sprintf " %12s", defined $r->{peers}{$_} ? figure($r->{peers}{$_}, $r->{unit}) : '-'
		    for @peers;
		$text .= "\n";
	}
	return $text =~ s/ +$//mgr;
}

sub json {
	my ($v) = @_;

	return 'null' unless defined $v;
	return '[' . join(', ', map { json($_) } @$v) . ']' if ref $v eq 'ARRAY';
	return '{' . join(', ', map { json_string($_) . ': ' . json($v->{$_}) } sort keys %$v) . '}'
	    if ref $v eq 'HASH';
	return $$v ? 'true' : 'false' if ref $v eq 'SCALAR';
	return $v =~ /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?$/ ? $v : json_string($v);
}

sub json_string {
	my ($s) = @_;

	$s =~ s/(["\\])/\\$1/g;
	$s =~ s/([\x00-\x1f])/sprintf '\\u%04x', ord $1/ge;
	return "\"$s\"";
}

## The machine and who else is there ##

sub cpu_model {
	return slurp('/proc/cpuinfo') =~ /^model name\s*:\s*(.*\S)/m ? $1 : (POSIX::uname())[4];
}

# CPU seconds since boot: of everybody, and taken from this machine by others on its host.
sub cpu_seconds {
	my (undef, $user, $nice, $system, undef, undef, $irq, $softirq, $steal) = split ' ', slurp('/proc/stat');
	my $hz = POSIX::sysconf(&POSIX::_SC_CLK_TCK);

	return (($user + $nice + $system + $irq + $softirq) / $hz, $steal / $hz);
}

# What others used of this machine since we started, in CPUs.
my @cpu_then = cpu_seconds();
my $then     = now();

sub others {
	my ($all, $stolen) = cpu_seconds();
	my $ours = 0;

	$ours += $_ for times;
	return map { $_ < 0 ? 0 : $_ / (now() - $then) } $all - $cpu_then[0] - $ours, $stolen - $cpu_then[1];
}

sub load { return (split ' ', slurp('/proc/loadavg'))[0] }

my %machine = (
	date    => strftime('%Y-%m-%d %H:%M', localtime),
	kernel  => (POSIX::uname())[2],
	cpu     => cpu_model(),
	cpus    => scalar(() = slurp('/proc/cpuinfo') =~ /^processor\s/mg),
	uid     => $> + 0,
	load    => load(),
	version => `$profsup -V` =~ s/\s+$//r,
);

my @user = ('setpriv', '--reuid', 65534, '--regid', 65534, '--clear-groups');
my $plain = "$bin/load-plain";
my $ours  = "$bin/load-ours";

sub works { return defined measure(@_) }

my $has_perf_sampler = works($profsup, '-q', '--sampler=perf', $ours, 'nothing');
my $has_user         = !$quick && $> == 0 && works(@user, $profsup, '-q', $ours, 'nothing');
my $has_perf         = works('perf', 'record', '-q', '-e', 'cpu-clock', '-o', 'data', $plain, 'nothing');
my ($gperf)          = `ldconfig -p 2>/dev/null || /sbin/ldconfig -p` =~ m{(/\S*/libprofiler\.so\S*)};
works($profsup, '-q', $ours, 'nothing') or die "bench: profsup can't run $ours here\n";
# Where there is no tracer allowed but root, nothing below would mean anything.
print STDERR "bench: no 'perf record' here: apt-get install linux-perf\n" unless $has_perf;
print STDERR "bench: no gperftools here: apt-get install libgoogle-perftools-dev\n" unless defined $gperf;

# The ways to run a program, as lists to put before it.  `@` in them is the rate.
sub ours_under {
	my ($hz) = @_;
	my @under = ([ 'ptrace', $profsup, '-q', '-F', $hz, $ours ]);

	push @under, [ 'user', @user, $profsup, '-q', '-F', $hz, $ours ] if $has_user;
	push @under, [ 'perf', $profsup, '-q', '--sampler=perf', '-F', $hz, $ours ] if $has_perf_sampler;
	return @under;
}

sub peers_under {
	my ($hz) = @_;
	my @under;

	push @under, [ 'glibc', "$bin/load-glibc" ] if $hz == 100; # its only rate
	push @under, [ 'perf record', 'perf', 'record', '-q', '-e', 'cpu-clock', '-F', $hz, '-o', 'data', $plain ]
	    if $has_perf && (!$quick || $hz == 1000); # a second to start
	push @under, [ 'gperftools', "LD_PRELOAD=$gperf", 'CPUPROFILE=cpu.out', "CPUPROFILE_FREQUENCY=$hz",
		"$bin/load-dynamic" ] if defined $gperf;
	return @under;
}

my %name_of = (ptrace => 'ptrace', user => 'ptrace, plain user', perf => 'perf');

# Every variant with the program's arguments behind it.
sub with {
	my ($args, @variants) = @_;

	return map { [ @$_, @$args ] } @variants;
}

sub rounds { my ($full, $short) = @_; return $quick ? $short : $full }

## Calls ##

sub calls {
	my ($id, $text, $rounds, $bars, @cases) = @_;
	my @how = ('ours', 'ours-fentry', 'glibc', 'glibc-fentry', 'floor', 'floor-fentry');
	my %n = (plain => 4, ours => 4, 'ours-fentry' => 4, floor => 4, 'floor-fentry' => 4, glibc => 1, 'glibc-fentry' => 1);
	my @variants;

	for my $case (@cases) {
		my ($callees, $threads, $calls) = @$case;

		for my $how ('plain', @how) {
			push @variants, [ "$how $callees $threads", $how =~ /ours/ ? ($profsup, '-q', '-F', 1) : (),
				"$bin/calls-$how", $callees, $threads, $calls * $n{$how} ];
		}
	}
	my $result = alternate($text, $rounds, @variants);
	for my $case (@cases) {
		my ($callees, $threads) = @$case;
		my $key = "$callees $threads";
		my $title = $callees == 1 ? "a leaf, $threads thread" . ($threads > 1 ? 's' : '')
		    : "$callees callees from one call site";
		my $bar = $bars->{$key};

		for my $entry ('', '-fentry') {
			my $flag = $entry ? ', -mfentry' : '';
			my @ours = by_round($result, sub { $_[0]{"ours$entry $key"}{ns} - $_[0]{"plain $key"}{ns} });
			my @glibc = by_round($result, sub { $_[0]{"glibc$entry $key"}{ns} - $_[0]{"plain $key"}{ns} });

			my @floor = by_round($result, sub { $_[0]{"floor$entry $key"}{ns} - $_[0]{"plain $key"}{ns} });

			row("calls.$callees.$threads$entry", "$title$flag: added to a call", 'ns', undef, \@ours,
				glibc => \@glibc, 'bare ret' => \@floor);
			row("calls.$callees.$threads$entry.ratio", "$title$flag: of what glibc adds", '', $bar,
				[ map { $ours[$_] / $glibc[$_] } 0 .. $#ours ],
				'bare ret' => [ map { $floor[$_] / $glibc[$_] } 0 .. $#ours ]) if defined $bar;
		}
	}
	return $result;
}

if (wanted('calls')) {
	my $rounds = rounds(15, 3);
	my $size   = rounds(4_000_000, 1_500_000);
	my %bars   = ('1 1' => 0.2, '1 4' => 0.12, '64 1' => 0.05, '1000 1' => 0.005);

	heading('Runtime: CPU time added to a call of an uninstrumented program (gcc -O2 -static)');
	my $result = calls('leaf', 'calls of a leaf', $rounds, \%bars,
		[ 1, 1, $size ], [ 1, 2, $size ], [ 1, 4, $size ]);
	my $growth = sub {
		my ($how) = @_;

		return [ by_round($result, sub {
			my ($r) = @_;

			($r->{"$how 1 4"}{ns} / $r->{"$how 1 1"}{ns}) / ($r->{'plain 1 4'}{ns} / $r->{'plain 1 1'}{ns})
		}) ];
	};
	row('calls.growth', "a call, 4 threads to 1 thread, over a plain call's", '', 1.3, $growth->('ours'),
		glibc => $growth->('glibc'));
	row('calls.growth-fentry', "the same, -mfentry", '', 1.3, $growth->('ours-fentry'),
		glibc => $growth->('glibc-fentry'));
	calls('many', 'calls of many', $rounds, \%bars, [ 64, 1, $size / 10 ], [ 1000, 1, $size / 40 ]);
}

## Start-up ##

if (wanted('startup')) {
	my $added = sub {
		my ($result, $how) = @_;

		# Somebody else's run starts with becoming him.
		my $alone = $how eq 'user' ? 'plain user' : 'plain';

		return [ by_round($result, sub { ($_[0]{$how}{'run.all'} - $_[0]{$alone}{'run.all'}) * 1e3 }) ];
	};
	my @ours = ours_under(100);
	my @others = (peers_under(1000), peers_under(100));
	my $few = alternate('start-up of peers', rounds(7, 1), with(['nothing'], ['plain', $plain], @others));
	my $many = alternate('start-up', rounds(51, 21),
		with(['nothing'], ['plain', $plain], $has_user ? ['plain user', @user, $plain] : (), @ours));

	heading('Start-up and exit');
	for my $how (map { $_->[0] } @ours) {
		row("startup.$how", "a program that does nothing: added ($name_of{$how})", 'ms', 5,
			$added->($many, $how), map { $_->[0] => $added->($few, $_->[0]) } @others);
	}
}

## A busy program ##

# Chunks of work for so many seconds on one idle CPU.
my $chunks_per_second = do {
	my @speed = map { 5000 / measure($plain, 'busy', 1, 5000)->{wall} } 1 .. 5;
	quantile(1, @speed);
};

# How many times as long ("wall"), or as much ("cpu"; with a supervisor, "run.cpu"), the program takes with each of
# `variants`: [name, rounds, command without the program's arguments...].  Returns a function of name and unit, whose
# value is undef for a peer that is not here.  gperftools is a shared library.
sub against_alone {
	my ($what, $args, @variants) = @_;
	my %result;

	for my $base ('plain', 'dynamic') {
		my @its = map {
			my ($name, $rounds, @command) = @$_;

			[ $name, $rounds, sub { return measure(@command, @$args) } ]
		} grep { ($_->[0] =~ /^gperf/ ? 'dynamic' : 'plain') eq $base } @variants;

		%result = (%result, between_runs_of([ "$bin/load-$base", @$args ], $what, @its)) if @its;
	}
	return sub {
		my ($name, $unit) = @_;

		return $result{$name} && [ map {
			my ($seen, $before, $after) = @$_;

			2 * $seen->{$unit} / ($before->{$unit} + $after->{$unit})
		} @{ $result{$name} } ];
	};
}

sub in_rounds {
	my ($rounds, @variants) = @_;

	return map { my ($name, @command) = @$_; [ $name, $rounds, @command ] } @variants;
}

if (wanted('busy')) {
	my @rates = (100, 300, 1000, 3000, 10000);
	my %has_bar = (100 => 1, 1000 => 1);
	my @variants = [ 'off', rounds(21, 3), $ours ];

	for my $hz (@rates) {
		push @variants, map { $_->[0] .= " $hz"; $_ }
		    in_rounds($has_bar{$hz} ? rounds(21, 3) : rounds(7, 2), ours_under($hz), peers_under($hz),
			[ 'bare stop', "$bin/stops", $hz, $plain ]);
	}
	my $times = against_alone('a busy program', [ 'pace', int($chunks_per_second * rounds(0.4, 0.3)) ], @variants);
	my $of = sub {
		my $times = $times->(@_);

		return defined $times ? [ map { ($_ - 1) * 100 } @$times ] : undef;
	};

	heading('Sampler: slow-down of a busy program');
	row('busy.off', 'our -pg build without profsup: the noise of this measurement', '%', undef, $of->('off', 'wall'));
	for my $hz (@rates) {
		for my $how (map { $_->[0] } ours_under($hz)) {
			# By what the same ways cost others in the same run.
			my $peer = $has_bar{$hz} ? $of->(($how eq 'perf' ? 'perf record' : 'bare stop') . " $hz", 'wall') : undef;
			my $bar = $how eq 'ptrace' && $hz == 100 ? 1 : undef;

			$bar //= quantile(0.5, @$peer) + ($how eq 'perf' ? 0.1 : 1.5) if defined $peer && $how ne 'user';
			row("busy.$how.$hz", "$hz Hz, $name_of{$how}: elapsed time", '%', $bar, $of->("$how $hz", 'wall'),
				map { $_ => $of->("$_ $hz", 'wall') } @peers);
			row("busy.$how.$hz.cpu", "$hz Hz, $name_of{$how}: the program's own CPU time", '%', undef,
				$of->("$how $hz", 'cpu'), map { $_ => $of->("$_ $hz", 'cpu') } @peers);
		}
	}
}

if (wanted('tracer')) {
	my ($rounds, $seconds) = (rounds(5, 3), rounds(10, 0.4));

	for my $hz (100, 1000) {
		my @variants = grep { $_->[0] =~ /^(?:ptrace|user|perf|perf record)$/ } ours_under($hz), peers_under($hz);
		my %result = between_runs_of([ $plain, 'busy', 1, int($chunks_per_second * 0.5) ], "the tracer, $hz Hz", map {
			my ($how, @command) = @$_;

			[ $how, $rounds, sub { return watch($seconds, 0, @command, 'busy', 1, int($chunks_per_second * 3600)) } ]
		} @variants);
		my (%share, %rss);

		for my $how (keys %result) {
			$share{$how} = [ map { $_->[0]{tracer} / $_->[0]{target} * 100 } @{ $result{$how} } ];
			$rss{$how}   = [ map { $_->[0]{rss} / 1024 } @{ $result{$how} } ];
		}
		heading("Supervisor: one busy thread at $hz Hz");
		for my $how (map { $_->[0] } ours_under($hz)) {
			row("tracer.$how.$hz", "its CPU time, of the program's ($name_of{$how})", '%',
				$how eq 'perf' ? 0.3 : $hz == 100 ? 1 : 3, $share{$how}, 'perf record' => $share{'perf record'});
			row("tracer.$how.$hz.rss", "its resident set ($name_of{$how})", 'MB', 10, $rss{$how},
				'perf record' => $rss{'perf record'}) if $hz == 1000;
		}
	}
}

## Threads ##

if (wanted('crowd')) {
	my @ours = ours_under(100);
	my $times = against_alone('159 busy threads', [ 'busy', 159, int($chunks_per_second * rounds(2, 1)) ],
		in_rounds(rounds(9, 3), @ours, peers_under(100)));
	my $of = sub { $times->($_[0], 'wall') };

	heading('Threads');
	row("crowd.$_->[0]", "159 busy threads at 100 Hz ($name_of{$_->[0]})", 'x', 1.05, $of->($_->[0]),
		map { $_ => $of->($_) } @peers) for @ours;
}

if (wanted('threads')) {
	my $rounds = rounds(7, 2);

	heading('Busy threads, at 100 Hz');
	for my $n (1, 10, 100, 1000) {
		my $times = against_alone("$n busy threads", [ 'busy', $n, int($chunks_per_second * rounds(1.5, 0.5)) ],
			in_rounds($rounds, ours_under(100)));

		for my $how (map { $_->[0] } ours_under(100)) {
			row("threads.$how.$n", "$n: elapsed time ($name_of{$how})", 'x', undef,
				$times->($how, 'wall'));
			row("threads.$how.$n.cpu", "$n: CPU time, supervisor included ($name_of{$how})", 'x', undef,
				$times->($how, 'run.cpu'));
		}
	}
}

if (wanted('sleepers')) {
	my ($rounds, $seconds) = (rounds(7, 3), rounds(1.5, 0.6));
	my (%share, %per_thread);

	for my $round (0 .. $rounds - 1) {
		progress('1000 sleeping threads', $round, $rounds);
		for my $v (ours_under(100)) {
			my ($how, @command) = @$v;
			my $many = watch($seconds, 1, @command, 'sleep', 1000) // die "bench: $how failed\n";
			my $one  = watch(0.1, 1, @command, 'sleep', 1) // die "bench: $how failed\n";

			push @{ $share{$how} }, $many->{tracer} / $many->{seconds} * 100;
			push @{ $per_thread{$how} }, ($many->{rss} - $one->{rss}) / 1000;
		}
	}
	for my $how (map { $_->[0] } ours_under(100)) {
		row("sleepers.$how", "1,000 sleeping threads at 100 Hz, of one CPU ($name_of{$how})", '%', 1, $share{$how});
		row("sleepers.$how.rss", "supervisor's memory for each thread ($name_of{$how})", 'KB', 20, $per_thread{$how});
	}
}

## Loops of system calls ##

sub loop {
	my ($id, $title, $bar, @args) = @_;
	my @ours = ours_under(100);
	my $of = against_alone($title, \@args, in_rounds(rounds(11, 3), @ours, peers_under(100)));

	for my $how (map { $_->[0] } @ours) {
		row("$id.$how", "$title: elapsed time ($name_of{$how})", 'x', $bar, $of->($how, 'wall'),
			map { $_ => $of->($_, 'wall') } @peers);
		# perf record takes a second of CPU time to start: nothing to compare here.
		row("$id.$how.cpu", "$title: CPU time, supervisor included ($name_of{$how})", 'x', undef,
			$of->($how, 'run.cpu'), map { $_ => $of->($_, 'run.cpu') } 'glibc', 'gperftools');
	}
}

if (wanted('loops')) {
	heading('Loops, at 100 Hz');
	loop('open', 'open, read, close', 1.05, 'open', rounds(100_000, 30_000), "$bin/calls-plain");
	loop('fork', 'fork, exit, wait', 4, 'fork', rounds(1500, 200));
	loop('thread', 'create a thread, join it', 4, 'thread', rounds(3000, 1000));
}

## Said ##

progress('', -1);
# Elapsed time, and who comes first on a crowded CPU, say little while others compute: a supervisor at
# real-time priority does not wait, and its program's rivals do.
my @others_now = others();
my $crowded = $others_now[0] + $others_now[1] > 0.25 || $doubted > $used / 4;
$_->{open} = 1 for grep { $crowded && defined $_->{bar} && $_->{id} =~ /^(?:startup|busy|crowd|open|fork|thread)\.|^tracer\.[a-z]+\.[0-9]+$/ } @rows;
($machine{others}, $machine{stolen}) = map { sprintf '%.2f', $_ } @others_now;
my $repeated = "$unsteady of $taken figures were taken while the machine was slower or unsteady, $doubted of them used";
my $noise = "others used $machine{others} CPUs" . ($machine{stolen} > 0 ? ", the host $machine{stolen}" : '')
    . " meanwhile, load at the start $machine{load};\n$repeated"
    . ($crowded ? "\nToo much for elapsed times: none of their bars is settled by this run, and CPU times are the ones to read." : '');
my $text = "profsup's costs, $machine{date}, $machine{version}" . ($quick ? ', quick' : '') . "\n"
    . "$machine{cpus} x $machine{cpu}, Linux $machine{kernel}, uid $machine{uid}\n$noise\n\n" . table();

print $text;
open my $txt, '>', "$build/bench.txt" or die "$build/bench.txt: $!\n";
print $txt $text;
close $txt;
for my $r (@rows) {
	$r->{$_} = \(my $truth = $r->{$_}) for grep { exists $r->{$_} } 'met', 'open';
}
open my $js, '>', "$build/bench.json" or die "$build/bench.json: $!\n";
print $js '{"machine": ', json(\%machine), ', "quick": ', ($quick ? 'true' : 'false'), ', "rows": [', "\n",
    join(",\n", map { '  ' . json($_) } grep { !defined $_->{heading} } @rows), "\n]}\n";
close $js;
