#!/usr/bin/perl
# any-elf.pl [KIND FILE]: without words, prints all kinds; else makes a file with code in its second page (tests/targets/hostile/any-elf.c) and, behind that, what no linker
#	makes of symbols, names, or call frame information.
use strict;
use warnings;
no warnings 'portable'; # addresses

my ($kind, $file) = @ARGV;
my $MB = 1 << 20;
my ($PROGBITS, $SYMTAB, $STRTAB) = (1, 2, 3);

sub leb { my $n = shift; my $s = ''; do { my $b = $n & 127; $n >>= 7; $s .= chr($b | ($n ? 128 : 0)) } while $n; return $s }

sub symbol { my ($name, $low, $size) = @_; return pack 'L<CCS<Q<2', $name, 0x12, 0, 1, $low, $size }

# Call frame information: one CIE, and functions of [low, size, instructions]; $at is the section's address.
my $EH = 0x100000;
sub cie {
	my $body = pack('L<C', 0, 1) . "zR\0" . leb(1) . chr(0x78) . chr(16) . leb(1) . chr(0x1b) . ($_[0] // "\x0c\x07\x08\x90\x01");
	return pack('L<', length $body) . $body;
}
sub fde {
	my ($at, $low, $size, $code) = @_;
	my $body = pack('L<l<L<C', $at + 4, $low - ($EH + $at + 8), $size, 0) . $code;
	return pack('L<', length $body) . $body;
}
sub eh { my ($cie, @of) = @_; my $s = $cie; $s .= fde(length $s, @$_) for @of; return $s }

# elf NAMES, SECTIONS: each [name, type, flags, address, bytes, link, entsize, size it claims].
sub elf {
	my ($names, @sections) = @_;
	my ($strings, $at, $body, $table) = ($names . "\0", 0x2000, '', pack 'x64');
	for my $s (['.text', $PROGBITS, 6, 0x1000, undef], @sections, ['.shstrtab', $STRTAB, 0, 0, '']) {
		my ($name, $type, $flags, $address, $bytes, $link, $entsize, $size) = @$s;
		my $offset = defined $bytes ? $at : 0x1000;
		my $name_at = length $strings;
		$strings .= "$name\0";
		$bytes = $strings if $name eq '.shstrtab';
		$table .= pack 'L<2Q<4L<2Q<2', $name_at, $type, $flags, $address, $offset, $size // (defined $bytes ? length $bytes : 0x1000), $link // 0, 0, 8, $entsize // 0;
		$body .= $bytes if defined $bytes;
		$at += length($bytes // '');
	}
	my $n = @sections + 3;
	my $header = "\x7fELF\2\1\1" . "\0" x 9 . pack('S<2L<Q<3L<S<6', 3, 62, 1, 0x1000, 64, $at, 0, 64, 56, 1, 64, $n, $n - 1);
	$header .= pack 'L<2Q<6', 1, 5, 0x1000, 0x1000, 0x1000, 0x1000, 0x1000, 0x1000;
	return $header . "\0" x (0x2000 - length $header) . $body . $table;
}
sub frames { return elf('', ['.eh_frame', $PROGBITS, 2, $EH, $_[0]], turns(4)) }
# Symbols that name the code; their strings are that section.
sub turns { my $link = shift; return ['.symtab', $SYMTAB, 0, 0, pack('x24') . symbol(1, 0x1000, 0x1000), $link, 24], ['.strtab', $STRTAB, 0, 0, "\0turns\0"] }
sub symbols { my ($symbols, $strings) = @_; return elf('', ['.symtab', $SYMTAB, 0, 0, pack('x24') . $symbols, 3, 24], ['.strtab', $STRTAB, 0, 0, $strings]) }

my %make = (
	plain => sub { symbols(symbol(1, 0x1000, 0x1000), "\0turns\0") . '' },
	names => sub { symbols(symbol(1, 0x1000, 0x1000), "\0\e]0;x\a\e[31mred;\n\rnext line\x{9b}1m;;\0") },
	section_names => sub { elf('', ["\e[31m;\nred", $PROGBITS, 6, 0x1000, undef]) },
	far_names => sub { symbols(symbol(1, 0x1000, 0x1000) . symbol(7, 0x1000, 1) x 65535, "\0turns\0" . 'A' x (60 * $MB)) },
	million => sub { symbols(symbol(1, 0x1000, 0x1000) x (2 * $MB), "\0" . 'A' x (30 << 10) . "\0") },
	million_mangled => sub { symbols(join('', map { symbol(1, 0x1000 + $_ % 4096, 1) } 1 .. $MB / 2), "\0_Z" . 'NSt' x 2000 . "\0") },
	section_strings => sub { elf('A' x (200 * $MB), map { ['', $PROGBITS, 0, 0, ''] } 1 .. 65000) },
	strings_beyond => sub { elf('', ['.symtab', $SYMTAB, 0, 0, pack('x24') . symbol(1, 0x1000, 0x1000), 3, 24], ['.strtab', $STRTAB, 0, 0, "\0abc", 0, 0, 1 << 62]) },
	symbols_beyond => sub { elf('', ['.symtab', $SYMTAB, 0, 0, pack('x24') . symbol(1, 0x1000, 0x1000), 3, 24, (1 << 63) - 24], ['.strtab', $STRTAB, 0, 0, "\0abc"]) },
	entsize0 => sub { elf('', ['.symtab', $SYMTAB, 0, 0, pack('x24') . symbol(1, 0x1000, 0x1000), 3, 0], ['.strtab', $STRTAB, 0, 0, "\0abc\0"]) },
	compressed => sub { elf('', ['.symtab', $SYMTAB, 0x800, 0, pack('L<2Q<2', 1, 0, 1 << 40, 8) . 'x' x 100, 3, 24], ['.strtab', $STRTAB, 0x800, 0, pack('L<2Q<2', 1, 0, 1 << 40, 8) . 'x' x 100]) },
	eh_compressed => sub { elf('', ['.eh_frame', $PROGBITS, 0x802, $EH, pack('L<2Q<2', 1, 0, 1 << 40, 8) . 'x' x 100]) },
	eh_zeros => sub { frames("\0" x (60 * $MB)) },
	eh_ones => sub { frames("\xff" x (60 * $MB)) },
	eh_tiny => sub { frames(cie() . pack('L<2', 4, 0) x (7 * $MB)) },
	eh_self => sub { my $c = cie(); frames($c . join('', map { pack 'L<2', 16, 4 + $_ * 20 and pack 'L<2a12', 16, 4, '' } 1 .. 1000)) },
	eh_long => sub { frames(eh(cie(), [0x1000, 0x1000, "\x41" x (30 * $MB)])) },
	eh_states => sub { frames(eh(cie(), [0x1000, 0x1000, "\x0a" x (60 * $MB)])) },
	eh_states_cie => sub { frames(eh(cie("\x0c\x07\x08\x90\x01" . "\x0a" x (50 * $MB)), [0x1000, 0x1000, "\x41\x0e\x10" x 1000])) },
	eh_nops => sub { frames(eh(cie("\x0c\x07\x08\x90\x01" . "\0" x (50 * $MB)), [0x1000, 0x1000, "\x41\x0e\x10" x 1000])) },
	eh_rows => sub { frames(eh(cie(), [0x1000, 0x70000000, "\x04\x10\0\0\0\x0e\x10\x04\x10\0\0\0\x0e\x18" x (4 * $MB)])) },
	eh_many => sub { my $c = cie(); my $s = $c; $s .= fde(length $s, 0x1000, 0x1000, "\x0e\x10") for 1 .. $MB; frames($s) },
	eh_many_other => sub { my $c = cie(); my $s = $c; $s .= fde(length $s, 0x1000 + $_, 1, "\x0e\x10") for 1 .. $MB; frames($s) },
	eh_bigreg => sub { frames(eh(cie(), [0x1000, 0x100, "\x05" . leb(0xffffffff) . leb(1) . "\x41\x0e\x10"], [0x1100, 0x100, "\x05" . leb(0x7fffffff) . leb(1) . "\x41\x0e\x10"],
		[0x1200, 0x100, "\x05" . "\xff" x 9 . "\x01" . leb(1) . "\x41\x0e\x10"], [0x1300, 0x100, "\x05" . leb(0x10000000) . leb(1) . "\x41\x0e\x10"],
		[0x1400, 0x100, "\x05" . leb(0x0fffffffffffffff) . leb(1) . "\x41\x0e\x10"], [0x1500, 0x100, "\x05" . leb(0x3000000) . leb(1) . "\x41\x0e\x10"],
		map { [0x1600 + $_, 1, "\x05" . leb($_ << 28) . leb(1) . "\x41\x0e\x10"] } 0 .. 600)) },
	eh_reg_each => sub { frames(eh(cie("\x0c\x07\x08\x90\x01\x05" . leb(0x2000000) . leb(1)), [0x1000, 0x1000, "\x41\x0e\x10" x 4000])) },
	eh_expression => sub { my $e = 30 * $MB; frames(eh(cie(), [0x1000, 0x1000, "\x0f" . leb($e) . "\x96" x $e . "\x41\x0e\x10"])) },
	eh_jumps => sub { my $e = "\x2f\xfd\xff" x 10000; frames(eh(cie(), [0x1000, 0x1000, ("\x0f" . leb(length $e) . $e . "\x41") x 2000])) },
	eh_same => sub { my $e = "\x70" . leb(1); frames(eh(cie("\x0b" x 100), [0x1000, 0x1000, "\x0b" x 1000])) },
	eh_hdr => sub { elf('', ['.eh_frame', $PROGBITS, 2, $EH, eh(cie(), [0x1000, 0x1000, "\x41\x0e\x10"])], ['.eh_frame_hdr', $PROGBITS, 2, 0x90000, "\x01\x1b\x03\x3b" . pack('l<L<', 0x6fffc, 0xffffffff) . pack('l<2', -0x8f000, 0x70000) x 2]) },
	eh_hdr_far => sub { elf('', ['.eh_frame', $PROGBITS, 2, $EH, eh(cie(), [0x1000, 0x1000, "\x41\x0e\x10"])], ['.eh_frame_hdr', $PROGBITS, 2, 0x90000, "\x01\x1b\x03\x3b" . pack('l<L<', 0x6fffc, 2) . pack('l<2', -0x8f000, 0x7fffffff) . pack('l<2', -0x8f000, -0x80000000)]) },
	eh_augmentation => sub { my $body = pack('L<C', 0, 1) . 'z' . 'RPLSB' x 2000000 . "\0" . leb(1) . "\x78\x10" . "\xff" x 9 . "\x01"; frames(eh(pack('L<', length $body) . $body, [0x1000, 0x1000, "\x41"])) },
	plt => sub { elf('', map { ['.plt', $PROGBITS, 6, 0x1000, undef, 0, 0, 1 << 62] } 1 .. 60000) },
	big_endian => sub { my $s = frames(cie()); substr($s, 5, 1) = "\2"; $s },
	narrow => sub { my $s = frames(cie()); substr($s, 4, 1) = "\1"; $s },
	debuglink => sub { elf('', map { ['.gnu_debuglink', $PROGBITS, 0, 0, "$_\0\0\0\0\0\0\0\0"] } '../../../../dev/zero', '/dev/zero', '/etc/shadow') },
	debugdata => sub { elf('', ['.gnu_debugdata', $PROGBITS, 0, 0, "\xfd7zXZ\0" . "\0" x 1000]) },
	headers => sub { my $s = frames(eh(cie(), [0x1000, 0x1000, "\x41\x0e\x10"])); substr($s, 0x38, 2) = pack 'S<', 256; for my $i (0 .. 255) { substr($s, 64 + 56 * $i, 56) = pack 'L<2Q<6', ($i & 3) + 1, 5, -$i * 0x1000, ~0 - $i * 0x1000, 0, ~0 >> ($i & 31), ~0, $i & 1 } $s },
);
if (!defined $kind) { print join(' ', sort keys %make), "\n"; exit }
open my $f, '>:raw', $file or die "$file: $!\n";
my $bytes = $make{$kind}->();
print $f $bytes;
close $f or die;
chmod 0666, $file;
