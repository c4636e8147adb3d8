#!/usr/bin/perl
# Reads files of call stacks (pprof's format), several as if they were one, without pprof:
#	stacks.pl ticks FILE...		all ticks
#	stacks.pl folded FILE...	"outer;...;inner ticks" lines, sorted
#	stacks.pl reached FILE...	ticks whose stack reaches main, or where the program or a thread starts, and all
#	stacks.pl shares FILE...	"self N NAME" and "total N NAME" lines: ticks of functions, and of files as "[FILE]" where
#					an address has no name; and "all N"
#	stacks.pl drawn [--with=NAME] FILE...
#					"TICKS:SAMPLES" of a run with --timeline, how many stand for so many ticks each; of all, or of
#					those with this function in their stack
#	stacks.pl types FILE		the types of the values, the period and the file's program
#	stacks.pl time FILE		when its time has begun, since 1970, and how long it was, ns
#	stacks.pl check FILE		fails if pprof or Parca would refuse the file
#	stacks.pl values FILE...	the sum of each of the values, in one line
#	stacks.pl timed FILE...		"THREAD FUNCTION NS" lines with tabs: the sum of all values of what has a time, by thread and
#					innermost function
#	stacks.pl orphans PROGRAM GMON FILE
#		each edge between two frames whose callee counts its calls, but not one from there: there must be none
#	stacks.pl edges PROGRAM GMON FILE...
#		the same of each three, and at the end of each how many edges were compared
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Functions;
use Compress::Raw::Zlib; # and not IO::Uncompress, which takes longer to load than all else here

sub varint {
	my ($data, $at) = @_;
	my ($n, $shift) = (0, 0);
	while (1) {
		die "short number\n" if $$at >= length $$data;
		my $byte = ord substr $$data, $$at++, 1;
		$n |= ($byte & 127) << $shift;
		return $n if $byte < 128;
		$shift += 7;
	}
}

# Calls take(field, value) for each field.
sub fields {
	my ($data, $take) = @_;
	my $at = 0;
	while ($at < length $data) {
		my $tag = varint(\$data, \$at);
		my $value = varint(\$data, \$at);
		if (($tag & 7) == 2) {
			die "short field\n" if $at + $value > length $data;
			$at += $value;
			$value = substr $data, $at - $value, $value;
		} elsif (($tag & 7) != 0) {
			die "strange field $tag\n";
		}
		$take->($tag >> 3, $value);
	}
}

sub message {
	my %m;
	fields($_[0], sub { $m{ $_[0] } = $_[1] });
	return \%m;
}

sub numbers {
	my ($data) = @_;
	my ($at, @n) = (0);
	push @n, varint(\$data, \$at) while $at < length $data;
	return \@n;
}

sub gunzip {
	my ($file) = @_;
	open my $f, '<:raw', $file or die "$file: $!\n";
	my $packed = do { local $/; <$f> };
	my ($inflate) = Compress::Raw::Zlib::Inflate->new(-WindowBits => WANT_GZIP);
	my $status = $inflate->inflate($packed, my $data);
	die "$file: $status\n" unless $status == Z_STREAM_END;
	return $data;
}

# { texts, locations: id => [address, function], functions: id => name's text, samples: [[locations], [values], [labels]], head }
sub profile {
	my ($file) = @_;
	my %p = (texts => [], locations => {}, functions => {}, samples => [], types => []);
	fields(gunzip($file), sub {
		my ($field, $value) = @_;
		if ($field == 1) { push @{ $p{types} }, message($value) }
		elsif ($field == 2) {
			my (%m, @labels);
			fields($value, sub { if ($_[0] == 3) { push @labels, message($_[1]) } else { $m{ $_[0] } = $_[1] } });
			push @{ $p{samples} }, [ numbers($m{1}), numbers($m{2}), \@labels ];
		}
		elsif ($field == 3) { $p{mapping} = message($value); $p{mappings}{ $p{mapping}{1} } = $p{mapping} }
		elsif ($field == 4) {
			my $m = message($value);
			$p{locations}{ $m->{1} } = [ $m->{3} // 0, defined $m->{4} ? message($m->{4})->{1} : 0, $m->{2} // 0 ];
		}
		elsif ($field == 5) { my $m = message($value); $p{functions}{ $m->{1} } = $m->{2} }
		elsif ($field == 6) { push @{ $p{texts} }, $value }
		elsif ($field == 9 || $field == 10) { push @{ $p{time} }, $value }
		elsif ($field == 12) { $p{period} = $value }
	});
	return \%p;
}

sub name_of {
	my ($p, $location) = @_;
	my $function = $p->{functions}{ $location->[1] };
	return defined $function ? $p->{texts}[$function] : sprintf '%#x', $location->[0];
}

# The same, but what has none is the file's.
sub name_or_file {
	my ($p, $location) = @_;
	my $name = name_of($p, $location);
	return $name unless $name =~ /^(0x|\[\.)/ && $p->{mappings}{ $location->[2] };
	return '[' . $p->{texts}[ $p->{mappings}{ $location->[2] }{5} ] =~ s/.*\///r . ']';
}

# Where each function starts.  A program is known by its file's name; most of what it takes to read it is nm's.
my %starts;
sub starts_of {
	my ($program) = @_;
	return $starts{ $program =~ s/.*\///r } //= do {
		my $functions = Functions->of($program);
		my %known;
		sub { $known{ $_[0] } //= ($functions->at($_[0]))[0] // 0 };
	};
}

sub edges {
	my ($program, $gmon, $file) = @_;
	my $start = starts_of($program);
	my (%arc, %counts);
	open my $arcs, '-|', 'perl', "$FindBin::Bin/gmon.pl", 'arcs', $gmon or die "gmon.pl: $!\n";
	while (<$arcs>) {
		my ($from, $self) = map { hex } (split)[ 0, 1 ];
		$arc{ $from . ' ' . $start->($self) } = $counts{ $start->($self) } = 1;
	}
	my $p = profile($file);
	my (%said, %seen);
	for my $sample (@{ $p->{samples} }) {
		my @frame = map { $p->{locations}{$_} } @{ $sample->[0] };
		for my $i (0 .. $#frame - 1) {
			my ($callee, $caller) = ($start->($frame[$i][0]), $frame[ $i + 1 ][0]);
			next if $caller == 0 || !$counts{$callee};
			$seen{"$caller $callee"} = 1;
			next if $arc{"$caller $callee"};
			# A signal handler is called by nobody, and its entry counts a caller that is none.
			next if name_of($p, $frame[ $i + 1 ]) eq '__restore_rt';
			printf "%s at %#x, under %s at %#x\n", name_of($p, $frame[$i]), $frame[$i][0],
				name_of($p, $frame[ $i + 1 ]), $caller
				unless $said{"$caller $callee"}++;
		}
	}
	return scalar keys %seen;
}

my $what = shift // '';
if ($what eq 'orphans') {
	edges(@ARGV);
} elsif ($what eq 'edges') {
	print edges(splice @ARGV, 0, 3), "\n" while @ARGV;
} elsif ($what eq 'shares') {
	my ($all, %self, %total) = (0);
	for my $file (@ARGV) {
		my $p = profile($file);
		for my $sample (@{ $p->{samples} }) {
			my @names = map { name_or_file($p, $p->{locations}{$_}) } @{ $sample->[0] };
			my %seen = map { $_ => 1 } @names;
			$all += $sample->[1][0];
			$self{ $names[0] } += $sample->[1][0];
			$total{$_} += $sample->[1][0] for keys %seen;
		}
	}
	print "all $all\n", (map { "self $self{$_} $_\n" } sort keys %self), map { "total $total{$_} $_\n" } sort keys %total;
} elsif ($what eq 'drawn') {
	my %samples;
	my $with = $ARGV[0] =~ s/^--with=// ? shift : undef;
	for my $file (@ARGV) {
		my $p = profile($file);
		for my $sample (@{ $p->{samples} }) {
			next if defined $with && !grep { name_of($p, $p->{locations}{$_}) eq $with } @{ $sample->[0] };
			$samples{ $sample->[1][0] }++;
		}
	}
	delete $samples{0};
	print join(" ", map { "$_:$samples{$_}" } sort { $a <=> $b } keys %samples), "\n";
} elsif ($what eq 'time') {
	print "@{ profile($ARGV[0])->{time} }\n";
} elsif ($what eq 'check') {
	my $p = profile($ARGV[0]);
	my ($texts, $types) = (scalar @{ $p->{texts} }, scalar @{ $p->{types} });
	die "the first text is not empty\n" if $p->{texts}[0] ne '';
	die "no times\n" unless @{ $p->{time} } == 2 && $p->{time}[1] > 0;
	for my $all (@$p{qw(mappings locations functions)}) {
		die "numbers have gaps\n" if grep { !defined $all->{$_} } 1 .. keys %{ $all // {} };
	}
	die "a text is missing\n" if grep { $_ >= $texts } values %{ $p->{functions} };
	for my $sample (@{ $p->{samples} }) {
		die "a sample has other values\n" if @{ $sample->[1] } != $types;
		die "a sample has no stack\n" unless @{ $sample->[0] };
		die "a location is missing\n" if grep { !$p->{locations}{$_} } @{ $sample->[0] };
	}
	for my $location (values %{ $p->{locations} }) {
		die "a function is missing\n" if $location->[1] && !$p->{functions}{ $location->[1] };
		die "a mapping is missing\n" if $location->[2] && !$p->{mappings}{ $location->[2] };
	}
} elsif ($what eq 'values') {
	my @sum;
	for my $sample (map { @{ profile($_)->{samples} } } @ARGV) {
		$sum[$_] += $sample->[1][$_] for 0 .. $#{ $sample->[1] };
	}
	print "@sum\n";
} elsif ($what eq 'timed') {
	my %sum;
	for my $file (@ARGV) {
		my $p = profile($file);
		for my $sample (@{ $p->{samples} }) {
			my ($ticks, undef, @waits) = @{ $sample->[1] };
			my %label = map { $p->{texts}[ $_->{1} ] => $_->{3} } @{ $sample->[2] };
			my $ns = $ticks * $p->{period};
			$ns += $_ for @waits;
			$sum{"$label{thread}\t" . name_of($p, $p->{locations}{ $sample->[0][0] })} += $ns if $label{time};
		}
	}
	print map { "$_\t$sum{$_}\n" } sort grep { $sum{$_} > 0 } keys %sum;
} elsif ($what eq 'types') {
	my $p = profile($ARGV[0]);
	print join(' ', map { "$p->{texts}[$_->{1}]/$p->{texts}[$_->{2}]" } @{ $p->{types} }),
		" $p->{period} $p->{texts}[$p->{mapping}{5}]\n";
} else {
	# As the two libcs call them.
	my %start = map { $_ => 1 } qw(_start _start_c clone __clone __clone3 start_thread start);
	my ($ticks, $reached, %folded) = (0, 0);
	for my $file (@ARGV) {
		my $p = profile($file);
		for my $sample (@{ $p->{samples} }) {
			my @names = map { name_of($p, $p->{locations}{$_}) } reverse @{ $sample->[0] };
			$ticks += $sample->[1][0];
			$reached += $sample->[1][0] if $start{ $names[0] } || grep { $_ eq 'main' } @names;
			$folded{ join ';', @names } += $sample->[1][0];
		}
	}
	if ($what eq 'ticks') { print "$ticks\n" }
	elsif ($what eq 'reached') { print "$reached $ticks\n" }
	elsif ($what eq 'folded') { print map { "$_ $folded{$_}\n" } sort keys %folded }
	else { die "what?\n" }
}
