#!/usr/bin/perl
# Limits and times that pages promise are those of the code.  A limit that changes names here the sentences to be mended.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);

chdir dirname(abs_path($0)) . '/../..' or die "top: $!\n";
use constant { MS => 1e6, S => 1e9, KIB => 1 << 10, MIB => 1 << 20, GIB => 1 << 30 };

# A page's words, and the constants that they are of: file, name, value.
my @promises = (
	['SECURITY.md', 'a buffer is at most 2^40 bytes, its histogram 2^28',
		['proto/profsup_abi.h', PROFSUP_MAX_BUFLEN => 2**40], ['proto/profsup_abi.h', PROFSUP_MAX_SAMPLESIZE => 2**28]],
	['SECURITY.md', 'One arc takes at most 2^12 records', ['gmon/gmon.c', MOST_PIECES => 2**12]],
	['SECURITY.md', 'never more than 256 MiB', ['process/arctable.c', MOST_PLACES => 16 * MIB]],
	['SECURITY.md', 'take at most 96 MiB for all processes', ['gmon/arcs.c', POOL => 96 * MIB]],
	['SECURITY.md', 'a process has at most a million different arcs; beyond the 96 MiB each process still has 1 MiB',
		['gmon/arcset.c', MOST_LOG2 => 20], ['gmon/arcset.c', SURE => 1 * MIB]],
	['SECURITY.md', 'for 1 ms, or 20 us once such waits have taken a tenth of its time',
		['memory/memjob.c', MOMENT_NS => 1 * MS], ['memory/memjob.c', LITTLE_NS => 0.02 * MS], ['memory/memjob.c', SHARE => 10]],
	['SECURITY.md', '(10 ms, or 0.2 s), for the first process of `-p` (2 s) and the others (0.2 s each), at `zero` (0.2 s), and at the end of a profile (2 s)',
		['process/mem.c', WAIT_NS => 10 * MS], ['process/mem.c', WAIT_LONG_NS => 200 * MS], ['trace/attach_all.c', FIRST_NS => 2 * S],
		['trace/attach_all.c', NEXT_NS => 200 * MS], ['trace/window.c', ZERO_NS => 200 * MS], ['trace/window.c', FINISH_NS => 2 * S]],
	['SECURITY.md', 'an address space has 4 at the most', ['memory/memjob.c', MOST_OF_ONE => 4]],
	['SECURITY.md', 'and of 256 in all', ['memory/memjob.c', MOST_LEFT => 256]],
	['SECURITY.md', 'half a million bins', ['gmon/hist.c', MOST_BINS => 2**19]],
	['SECURITY.md', 'for at most 3 s (15 s in the last stop', ['process/tracee.c', HOLD_NS => 3 * S], ['process/tracee.c', LAST_NS => 15 * S]],
	['SECURITY.md', 'Events are taken 8 at a time', ['trace/loop.c', MAX_EVENTS => 8]],
	['SECURITY.md', 'a sixteenth of a CPU and 2 ms at once', ['os/own_cpu.c', SHARE => 16], ['os/own_cpu.c', BURST_NS => 2 * MS]],
	['ARCHITECTURE.md', 'more than 16,384 arcs or 1,024 different frames, of 8,192 bins',
		['output/output.c', MANY_ARCS => 2**14], ['output/output.c', MANY_FRAMES => 2**10],
		['output/output.c', MANY_BINS => 2**13]],
	['ARCHITECTURE.md', '256 files wait for one', ['output/output.c', MOST_WAITING => 256]],
	['SECURITY.md', '4 MiB of names of sections', ['../common/elfbytes.c', MOST_NAMES => 4 * MIB]],
	['SECURITY.md', 'of at most 1,024 files and four at a time', ['process/objects.c', MOST_OBJECTS => 1024], ['process/objects.c', MOST_READERS => 4]],
	['SECURITY.md', '4,096 sections, a million symbols, of whose names 1,000 bytes are kept',
		['../tools/code/symread.c', MOST_SECTIONS => 4096], ['../tools/code/symread.c', MOST_SYMBOLS => 2**20],
		['../tools/code/symread.c', MOST_SHOWN => 1000]],
	['SECURITY.md', 'demangled for 4 s', ['../tools/code/symread.c', PATIENCE_NS => 4 * S]],
	['SECURITY.md', 'Its table, of at most 48 MiB', ['../common/codetable.h', CODETABLE_BYTES => 48 * MIB]],
	['SECURITY.md', '192 MiB for tables of symbols and call frames', ['process/objects.c', MOST_KEPT => 192 * MIB]],
	['SECURITY.md', "Calls take at most a twentieth of the supervisor's time", ['trace/mailbox.c', CALLS_SHARE => 20]],
	['SECURITY.md', 'there are at most 4096 in a run', ['output/sums.c', MOST_SUMS => 4096]],
	['SECURITY.md', 'there are 8 versions at the most', ['process/objects.c', MOST_VERSIONS => 8]],
	['SECURITY.md', 'At most 4,096 pieces of code of a process are looked at, 64 files without room',
		['code/maps.c', MOST_CODE => 4096], ['process/mapped.c', MOST_REFUSED => 64]],
	['SECURITY.md', 'takes a fiftieth of our time', ['process/mapped.c', SHARE => 50]],
	['SECURITY.md', 'at most 64 helpers at work, and 256 that have been given up', ['os/files.h', HELPER_MOST => 64], ['os/files.h', HELPER_LEFT => 256]],
	['SECURITY.md', 'gets 1 GiB and 15 s of CPU time', ['../common/confine.h', CONFINE_MEMORY => 1 * GIB], ['../common/confine.h', CONFINE_SECONDS => 15]],
	['ARCHITECTURE.md', 'every 10 to 100 ms', ['process/profile.h', CALM_NS => 10 * MS], ['process/profile.h', REST_NS => 100 * MS]],
	['ARCHITECTURE.md', 'A job of more than 1 ms', ['memory/turn.c', SHORT_NS => 1 * MS]],
	['docs/stacks.md', '16 KiB at the most', ['memory/memory.h', RAW_STACK => 16 * KIB]],
	['docs/stacks.md', 'by a quarter of a second at the most', ['trace/finish.c', ROWS_NS => 250 * MS]],
	['docs/stacks.md', 'every ten milliseconds at the most', ['process/mapped.c', REST_SPACE_NS => 10 * MS]],
	['docs/summary.md', 'half a million different frames at the most', ['gmon/stacks.c', MOST_NODES => 2**19]],
	['SECURITY.md', 'the supervisor has waited for that for 5 s, a copy of it kills it', ['os/starved.c', STUCK => 100], ['os/starved.c', LOOK_NS => 50 * MS]],
	['docs/sampling.md', 'a sixteenth of a CPU', ['os/own_cpu.c', SHARE => 16]],
	['docs/tracing.md', 'up to half of that limit and 8,192 in all', ['sampler/cpu_time.c', MOST_KEPT => 8192]],
	['docs/waits.md', 'every 4 ms', ['sampler/wall_sum.c', OFTENEST_NS => 4 * MS]],
	['docs/waits.md', 'at most 250 times a second at all threads together (1,000',
		['sampler/wall_sum.c', LOOKS => 250], ['sampler/wall_sum.c', CHEAP_LOOKS => 1000]],
);

sub text_of {
	my ($file) = @_;

	open my $f, '<', $file or die "$file: $!\n";
	local $/;
	return scalar <$f>;
}

my $headers = join '', map { text_of($_) } glob 'supervisor/*/*.h proto/*.h common/*.h tools/code/*.h';

# The value of a constant, as a file defines it or a header that it includes.
sub value_of {
	my ($text, $name) = @_;
	my ($as) = "$text$headers" =~ /(?:#define $name\s+|\b$name = )([^,}\n\/]*(?:\/[^\/*,}\n]*)*)/ or die "$name: not defined\n";

	$as =~ s/\b(\d+)U?L{0,2}\b/$1/g;
	$as =~ s/\((?:u?int\d*_t|double)\)//g;
	$as =~ s/\b([A-Z][A-Z_0-9]+)\b/value_of($text, $1)/ge;
	$as =~ /^[\d\s()*\/+<.-]+$/ or die "$name: $as\n";
	return eval $as // die "$name: $@";
}

printf "1..%d\n", scalar @promises;
my $number = 0;
for my $promise (@promises) {
	my ($page, $words, @constants) = @$promise;
	my @wrong;

	(my $text = text_of($page)) =~ s/\s+/ /g;
	push @wrong, "$page does not say so" if index($text, $words) < 0;
	for my $constant (@constants) {
		my ($file, $name, $value) = @$constant;
		$file = "supervisor/$file" unless $file =~ m{^proto/};
		my $is = value_of(text_of($file), $name);
		push @wrong, "$file: $name is $is, not $value" if $is != $value;
	}
	printf "%sok %d - %s: %s\n", @wrong ? 'not ' : '', ++$number, $page, $words;
	print "# $_\n" for @wrong;
}
