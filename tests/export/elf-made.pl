#!/usr/bin/perl
# elf-made.pl KIND FILE: writes a program that no linker makes, of functions of 16 bytes from 0x400000 on.  KIND is
#	plain		1000 functions: f0, f1 ...
#	overlap		names that lie in each other, nearly all of them 2 MiB long
#	unended		a table of names without an end
#	same		functions at one address, with names that are alike for long
#	tables		2000 tables of symbols, all the same bytes
#	notes		60000 sections of notes, all the same 32 MiB
#	many		more symbols than are read
#	elsewhere	the number of sections is in a section, and says 2^30; all else is a hole
#	forever		a name that takes for ever to demangle
#	terabytes	100000 functions, with names that stand for terabytes
#	parts		parts of functions: 300000 with names that lie in each other, and 150000 of as many functions of one name
#	wide		a million functions
#	honest		a million functions of C++
#	LIST		a file with names, one a line
# With debugging information:
#	lines		one unit of 1000 lines
#	shared		20000 units, all with the same million lines
#	long		a unit with 30 million lines
#	abbreviations	50000 units, each with 200000 abbreviations
#	link		a unit that needs another file, which is the fifo `link` here
# With inlined functions:
#	inlines		g is inlined into f0, and h into that
#	deep		5000 calls, each in the other
#	blocks		a million blocks, each in the other, and a call in the last
#	crowd		two million calls of the same code
#	circle		a function that is an instance of itself
#	endless		a call whose code is at the end of the address space
#	parted		g is inlined into f0, and what is said of g is in the file
#	common		which is this one, /usr/lib/debug/.dwz/profsup/common.debug;
#	else		this has another build ID, and
#	astray		looks for it elsewhere
use strict;
use warnings;

my ($kind, $file) = @ARGV;
my $base = 0x400000;
# No constants: Perl would make what each kind of file needs of them, whichever is wanted.
my ($mib, $million) = (1 << 20, 1000000);

# symbols COUNT, OFFSETS, ADDRESSES: two functions that say where the name and the code of each are.
sub symbols {
	my ($n, $name, $at) = @_;
	return join '', "\0" x 24, map { pack 'VCCvQ<Q<', $name->($_), 0x12, 0, 1, $at ? $at->($_) : $base + 16 * $_, 16 } 0 .. $n - 1;
}

# named NAMES...: symbols and strings
sub named {
	my ($at, @at) = (1);
	for (@_) {
		push @at, $at;
		$at += 1 + length;
	}
	return (symbols(scalar @at, sub { $at[$_[0]] }), join "\0", '', @_, '');
}

# elf SYMBOLS STRINGS [NAME DATA]...: a file.  A reference in place of data is to the name of a section whose bytes it is.
sub elf {
	my ($symbols, $strings, @more) = @_;
	my @section = (['.text', '', 8, 6], ['.symtab', $symbols, 2, 0], ['.strtab', $strings, 3, 0]);
	while (@more) {
		my ($name, $data) = splice @more, 0, 2;
		push @section, [$name, $data, $name eq '.symtab' ? 2 : $name =~ /note/ ? 7 : 1, 0];
	}
	my $names = join "\0", '', (map { $_->[0] } @section), '.names', '';
	push @section, ['.names', $names, 3, 0];
	my ($at, $header, %place) = (64, "\0" x 64);
	open my $f, '>:raw', $file or die "$file: $!\n";
	for my $s (@section) {
		my ($name, $data, $type, $flags) = @$s;
		if (ref $data) {
			$place{$name} = $place{$$data};
		} else {
			$place{$name} = [$at, length $data];
			seek $f, $at, 0;
			print $f $data;
			$at += length($data) + 15 & ~15;
		}
		my ($offset, $size) = @{$place{$name}};
		$size = 1 << 36 if $type == 8;
		$header .= pack 'VVQ<4VVQ<Q<', index($names, "\0$name\0") + 1, $type, $flags, $flags ? $base : 0, $offset, $size,
			$type == 2 ? 3 : 0, 1, 1, $type == 2 ? 24 : 0;
	}
	seek $f, $at, 0;
	print $f $header;
	seek $f, 0, 0;
	print $f pack 'a4C3x9vvVQ<Q<Q<Vv6', "\x7fELF", 2, 1, 1, 2, 62, 1, $base, 0, $at, 0, 64, 56, 0, 64, 1 + @section, scalar @section;
	return $at;
}

sub leb {
	my $n = shift;
	return $n < 128 ? chr $n : chr($n & 127 | 128) . leb($n >> 7);
}

# debug UNITS ABBREVIATIONS LINES ...: where each unit is DWARF 4 with its lines and a directory
sub debug {
	my ($units, $before, $program, @more) = @_;
	my $head = pack('C6', 1, 1, 1, 251, 14, 13) . pack('C12', 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1) . "\0a.c\0\0\0\0\0";
	my $lines = pack('vV', 4, length $head) . $head . "\0\x09\x02" . pack('Q<', $base) . $program . "\0\1\1";
	my $form = @more ? leb(0x1f21) : "\x08";
	my $unit = pack('vVC', 4, 0, 8) . "\1" . pack('V', 0) . (@more ? pack 'V', 0 : "/d\0");
	my $all = pack('V', length $unit) . $unit;
	elf(named(map { "f$_" } 0 .. 999), '.debug_abbrev', "$before\1\x11\0\x10\x17\x1b$form\0\0\0", '.debug_info',
		$all x $units, '.debug_line', pack('V', length $lines) . $lines, @more);
}

# inlined DIES...: one unit of them, in f0; the abstract functions g and h stand before it, at 'ORIG' + 0 and 3.
sub inlined {
	my ($die, %more) = @_;
	my $name = join '', map { "\4$_\0" } 'g', 'h';
	my $abbrev = "\1\x11\1\x11\1\x12\7\0\0" . "\2\x2e\1\x11\1\x12\7\0\0" . "\3\x1d\1\x31\x13\x11\1\x12\7\x58\x0b\x59\x0b\0\0"
		. "\4\x2e\0\x03\x08\0\0" . "\5\x0b\1\0\0" . "\6\x2e\0\x31\x13\0\0" . "\0";
	my $unit = pack('vVC', 4, 0, 8) . "\1" . pack('Q<Q<', $base, 1 << 20) . $name . ($more{abstract} // '')
		. "\2" . pack('Q<Q<', $base, 16) . $die . "\0\0";
	elf(named(map { "f$_" } 0 .. 999), '.debug_abbrev', $abbrev, '.debug_info', pack('V', length $unit) . $unit);
}
# call ORIGIN AT LENGTH [INNER]: 28 is g, 31 is h
sub inline_call { my ($origin, $at, $length, $inner) = @_; return "\3" . pack('VQ<Q<CC', $origin, $at, $length, 1, 7) . ($inner // '') . "\0" }

# parted PATH: as inlined(), with the function in the file of that path; 0x1f20 is DW_FORM_GNU_ref_alt
my $common_id = 'what is in common   ';

sub parted {
	my $abbrev = "\1\x11\1\x11\1\x12\7\0\0" . "\2\x2e\1\x11\1\x12\7\0\0" . "\3\x1d\0\x31" . leb(0x1f20) . "\x11\1\x12\7\0\0" . "\0";
	my $unit = pack('vVC', 4, 0, 8) . "\1" . pack('Q<Q<', $base, 1 << 20) . "\2" . pack('Q<Q<', $base, 16)
		. "\3" . pack('VQ<Q<', 12, $base + 4, 8) . "\0\0";
	elf(named(map { "f$_" } 0 .. 999), '.debug_abbrev', $abbrev, '.debug_info', pack('V', length $unit) . $unit,
		'.gnu_debugaltlink', "$_[0]\0$common_id");
}

# common ID
sub common {
	my $unit = pack('vVC', 4, 0, 8) . "\1" . "\2g\0" . "\0";
	elf(named('none'), '.debug_abbrev', "\1\x3c\1\0\0\2\x2e\0\x03\x08\0\0\0", '.debug_info', pack('V', length $unit) . $unit,
		'.note', pack('V3a4a*', 4, length $_[0], 3, 'GNU', $_[0]));
}

# nested TAIL: a name whose last type has 2^40 others in it
sub nested {
	my @digits = (0 .. 9, 'A' .. 'Z');
	my @s = ('S_', map({ "S${_}_" } @digits), map { "S1${_}_" } @digits);
	return join '', '_Z1fI1AIiiE', map({ "S0_I$s[$_]$s[$_]E" } 2 .. 41), 'E', $_[0] =~ s/LAST/$s[42]/r;
}

my %make = (
	plain => sub { elf(named(map { "f$_" } 0 .. 999)) },
	overlap => sub { elf(symbols(100000, sub { 1 + $_[0] }), "\0" . 'a' x (2 * $mib) . "\0") },
	parts => sub {
		my @at = (1 + 2 * $mib + 6, 1 + 2 * $mib + 8); # b, b.cold
		elf(symbols(600000, sub { $_[0] % 2 ? 1 + $_[0] : $at[$_[0] / 2 % 2] }), "\0" . 'a' x (2 * $mib) . ".cold\0b\0b.cold\0");
	},
	unended => sub { elf(symbols(100000, sub { 1 }), "\0ab\0" . 'a' x (64 * $mib)) },
	same => sub { elf(symbols(500000, sub { 1 + $_[0] * 7919 % (3 << 20) }, sub { $base }), "\0" . 'a' x (4 * $mib) . "\0") },
	tables => sub { elf(symbols(100000, sub { 1 }), "\0f\0", map { ('.symtab', \'.symtab') } 1 .. 2000) },
	notes => sub { elf(named('f'), '.note', "\1" x (32 * $mib), map { ('.note', \'.note') } 1 .. 60000) },
	many => sub { elf(symbols((2 << 20) + 1000, sub { 1 }), "\0f\0") },
	elsewhere => sub {
		my $at = elf(named('f'));
		open my $f, '+<:raw', $file or die;
		seek $f, 60, 0;
		print $f pack 'v', 0;
		seek $f, $at + 32, 0;
		print $f pack 'Q<', 1 << 30;
		truncate $f, 1 << 37 or die;
	},
	forever => sub { elf(named('f0', nested('DpLASTv'), '_Z2f2v')) },
	terabytes => sub { elf(symbols(100000, sub { 1 }), "\0" . nested('vv') . "\0") },
	wide => sub { elf(symbols(1 << 20, sub { 1 + $_[0] % 1000 * 5 }), "\0" . join '', map { sprintf "f%03d\0", $_ } 0 .. 999) },
	honest => sub { elf(named(map { sprintf '_ZN8compiler4pass%dInstructionSelector%dE' . 'v', 19 + length($_ - 1), $_ - 1 } 1 .. $million)) },
	lines => sub { debug(1, '', "\x12" . "\x4a" x 1000) },
	shared => sub { debug(20000, '', "\x12" x $mib) },
	long => sub { debug(1, '', "\x12" x (30 * $million)) },
	abbreviations => sub { debug(50000, join('', map { leb($_) . "\x11\0\0\0" } 2 .. $million / 5 + 1), "\x12") },
	inlines => sub { inlined(inline_call(28, $base + 4, 8, inline_call(31, $base + 8, 4))) },
	deep => sub { inlined(("\3" . pack('VQ<Q<CC', 28, $base, 16, 1, 7)) x 5000 . "\0" x 5000) },
	blocks => sub { inlined("\5" x $million . inline_call(28, $base, 16) . "\0" x $million) },
	crowd => sub { inlined(inline_call(28, $base, 16) x (2 * $million)) },
	circle => sub { inlined(inline_call(34, $base, 16), abstract => "\6" . pack 'V', 34) },
	endless => sub { inlined(inline_call(28, ~0 - 4, 100) . inline_call(31, $base, 1 << 62)) },
	parted => sub { parted('/usr/lib/debug/.dwz/profsup/common.debug') },
	astray => sub { parted('/usr/lib/debug/.dwz/../.dwz/profsup/common.debug') },
	common => sub { common($common_id) },
	else => sub { common('another id!!') },
	link => sub { debug(1, '', "\x12", '.gnu_debugaltlink', "$ENV{PWD}/link\0" . 'x' x 20) },
);
if (exists $make{$kind}) {
	$make{$kind}->();
} else {
	open my $f, '<', $kind or die "$kind: $!\n";
	chomp(my @names = <$f>);
	elf(named(@names));
}
