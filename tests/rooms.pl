#!/usr/bin/perl
# rooms.pl OBJECTS [--draw]: who calls whom in the supervisor, by the symbols of its objects.  A room is a folder of
# supervisor/; its files may call their own room and those below.  No files call each other in a circle, nor do those of
# tools/ and common/.  Prints what breaks these rules, and exits with 1; --draw: draws the rooms into ARCHITECTURE.md,
# which is to have just that.
use strict;
use warnings;
use List::Util qw(max);
use Text::Wrap qw(wrap);

use constant PICTURE => 90;

my @rooms = qw(start trace sampler output process memory code os gmon);    # from the top
# These neither call each other nor may.
my %apart = (sampler => 'output', output => 'sampler', os => 'gmon', gmon => 'os');
my %is_for = (
	start   => 'options, the three processes, rights',
	trace   => 'events and what they mean: one loop',
	sampler => 'whom a tick finds, and how much it counts',
	output  => 'files, reports, the summary',
	process => 'a process: its threads, its program, its profile',
	memory  => "copies of a target's memory, in bounded time",
	code    => 'ELF files, symbols, and the walk of a call stack',
	os      => 'the kernel: ptrace, /proc, clocks, CPUs, rights, perf',
	gmon    => 'bins, arcs and the file format; knows no system',
);

my ($objects, $draw) = @ARGV;
my (%room, %defines, %needs);
for my $object (glob "$objects/*/*.o") {
	my ($folder, $file) = $object =~ m{([^/]+)/([^/]+)\.o$};
	$room{$file} = $folder;
	open my $nm, '-|', 'nm', $object or die "nm: $!\n";
	while (<$nm>) {
		$defines{$1} = $file            if / [TDBRVC] (\S+)$/;
		push @{ $needs{$file} }, $1 if / U (\S+)$/;
	}
}
%room or die "rooms: no objects in $objects\n";

my %rank = map { $rooms[$_] => $_ } 0 .. $#rooms;
my (%calls, %between, $bad);

sub is_wrong {
	print "rooms: @_\n";
	$bad = 1;
}

for my $file (sort keys %needs) {
	defined $rank{ $room{$file} } or is_wrong("$room{$file}/$file.c is in no room that tests/rooms.pl knows");
	for my $name (sort @{ $needs{$file} }) {
		my $to = $defines{$name} // next;
		next if $to eq $file;
		$calls{$file}{$to} = 1;
		my ($above, $below) = ($room{$file}, $room{$to});
		next if $above eq $below;
		$between{$above}{$below} = 1;
		is_wrong("$above/$file.c calls $name() of $below/$to.c, which is not below it")
			if ($rank{$above} // -1) > ($rank{$below} // -1) || ($apart{$above} // '') eq $below;
	}
}

# The tools share tools/model/ and common/; what two of them call alike is not the same.
sub symbols_of {
	my ($object) = @_;
	my (@defined, @needed);
	open my $nm, '-|', 'nm', $object or die "nm: $!\n";
	while (<$nm>) {
		push @defined, $1 if / [TDBRVC] (\S+)$/;
		push @needed, $1  if / U (\S+)$/;
	}
	return (\@defined, \@needed);
}
for my $tool (map { m{([^/]+)$} } grep { -d } glob "$objects/../tools/*") {
	my (%has, %wants);
	for my $object (glob "$objects/../tools/{$tool,model}/*.o $objects/../common/*.o") {
		my ($id) = $object =~ m{\.\./(.*)\.o$};
		my ($defined, $needed) = symbols_of($object);
		$has{$_} = $id for @$defined;
		$wants{$id} = $needed;
	}
	for my $id (keys %wants) {
		$calls{$id}{$_} = 1 for grep { $_ ne $id } map { $has{$_} // () } @{ $wants{$id} };
	}
}

# Tarjan's strongly connected components.
my (%index, %low, %waits, @stack);

sub look {
	my ($file) = @_;
	$index{$file} = $low{$file} = keys %index;
	push @stack, $file;
	$waits{$file} = 1;
	for my $to (sort keys %{ $calls{$file} }) {
		look($to) if !defined $index{$to};
		$low{$file} = $low{$to} if $waits{$to} && $low{$to} < $low{$file};
	}
	return if $low{$file} != $index{$file};
	my @circle;
	do { push @circle, pop @stack; delete $waits{ $circle[-1] } } until $circle[-1] eq $file;
	is_wrong('a circle of ' . @circle . ' files: ' . join ' ', map { defined $room{$_} ? "$room{$_}/$_.c" : "$_.c" } sort @circle) if @circle > 1;
}
defined $index{$_} or look($_) for sort(keys %room), sort grep { !defined $room{$_} } keys %calls;

exit 1 if $bad;    # rooms that call each other in a circle have no layers

# A room is in a layer above all that it calls.
sub layer_of {
	my ($room) = @_;
	return max(0, map { 1 + layer_of($_) } keys %{ $between{$room} });
}

sub picture {
	my ($text, @layers) = ('');
	unshift @{ $layers[ layer_of($_) ] }, $_ for reverse @rooms;
	for my $layer (reverse grep { defined } @layers) {
		my $width = int(PICTURE / @$layer) - 3;
		local ($Text::Wrap::columns, $Text::Wrap::unexpand) = ($width + 1, 0);
		my @cells = map { [ split /\n/, wrap('', '', sprintf '%-9s%s', "$_/", $is_for{$_}) ] } @$layer;
		my $border = '    ' . ('+' . '-' x ($width + 2)) x @cells . "+\n";

		$text .= $border if $text eq '';
		for my $line (0 .. max(map { $#$_ } @cells)) {
			$text .= '    ' . join('', map { sprintf "| %-${width}s ", $_->[$line] // '' } @cells) . "|\n";
		}
		$text .= $border;
	}
	return $text;
}

open my $in, '<', 'ARCHITECTURE.md' or die "ARCHITECTURE.md: $!\n";
my $page = do { local $/; <$in> };
my $drawn = $page;
$drawn =~ s/^ {4}\+-.*\+\n(?: {4}[+|].*\n)*(?=\nEach folder)/picture()/me or is_wrong('ARCHITECTURE.md has no picture of them');
if ($draw) {
	open my $out, '>', 'ARCHITECTURE.md' or die "ARCHITECTURE.md: $!\n";
	print $out $drawn;
	close $out or die "ARCHITECTURE.md: $!\n";
} elsif ($drawn ne $page) {
	is_wrong('ARCHITECTURE.md does not show them as they are: make picture');
}
exit($bad // 0);
