#!/usr/bin/perl
# seeds.pl DIR: writes the inputs that fuzzing starts from, those of harness NAME into DIR/NAME.
use strict;
use warnings;

my $dir = shift or die "usage: seeds.pl DIR\n";

sub seed {
	my ($harness, $name, @bytes) = @_;
	mkdir "$dir/$harness";
	open my $f, '>:raw', "$dir/$harness/$name" or die "$dir/$harness/$name: $!\n";
	print $f @bytes;
	close $f or die "$dir/$harness/$name: $!\n";
}

# --- elfnote: a page with headers, and notes at 0x200.
sub note { # name, type, descriptor, alignment
	my ($name, $type, $desc, $align) = @_;
	my $pad = sub { $_[0] . "\0" x (-length($_[0]) % $align) };
	return $pad->($pad->(pack('V3', length($name) + 1, length($desc), $type) . "$name\0") . $desc);
}

sub elf { # e_machine, class, program headers, notes, changes to the header: offset => bytes
	my ($machine, $class, $segments, $notes, %change) = @_;
	my $ident = "\x7fELF" . pack('C3', $class, 1, 1) . "\0" x 9;
	my $header = $ident . ($class == 2
		? pack('v2VQ3Vv6', 2, $machine, 1, 0x401000, 64, 0, 0, 64, 56, @$segments / 8, 64, 0, 0)
		: pack('v2V5v6', 2, $machine, 1, 0x401000, 52, 0, 0, 52, 32, @$segments / 8, 40, 0, 0));
	substr($header, $_, length $change{$_}) = $change{$_} for keys %change;
	my $bytes = $header . pack($class == 2 ? '(V2Q6)*' : '(V8)*', @$segments);
	$bytes .= "\0" x (0x200 - length $bytes) if length $bytes < 0x200;
	return "$bytes$notes\0";
}

sub load { (1, 5, 0, 0x400000, 0x400000, $_[0], $_[0], 4096) }
sub notes { (4, 4, 0x200, 0x400200, 0x400200, $_[0], $_[0], $_[1]) }

my $runtime = note('profsup', 1, pack('V2', 1, 0x5000), 4);
my $caller = note('profsup', 2, pack('V', 1), 4);
my $gnu = note('GNU', 3, 'x' x 20, 4);
my $all = $gnu . $runtime . $caller;
my @good = (load(0x1000), notes(length $all, 4));
seed('elfnote', 'good', elf(62, 2, \@good, $all));
seed('elfnote', 'aligned', elf(62, 2, [load(0x1000), notes(40, 8)], note('profsup', 1, pack('V2', 1, 0x5000), 8)));
seed('elfnote', 'interpreter', elf(62, 2, [@good, 3, 4, 0x200, 0, 0, 4, 4, 1], $all));
seed('elfnote', 'aarch64', elf(183, 2, \@good, $all));
seed('elfnote', 'class32', elf(3, 1, [1, 0, 0x400000, 0x400000, 64, 64, 5, 4096], ''));
seed('elfnote', 'many-notes', elf(62, 2, [load(4096), (notes(0x10000, 4)) x 200], $all) . "\xfe");
# Section 0 tells how many sections there are, where the header can't.
seed('elfnote', 'many-sections', elf(62, 2, \@good, $all . pack('V2Q4V2Q2', 0, 0, 0, 0, 0, 1 << 24, 0, 0, 0, 0) . "\xf7",
	40 => pack('Q', 0x200 + length $all), 60 => pack('v', 0)));
seed('elfnote', 'many-segments', elf(62, 2, \@good, $all, 56 => pack('v', 0xffff)));

# --- arctable: what is behind, whose arcs, 8 times buflen and a divisor, arcs_off, length of text, its size; then memory.
sub area { # behind, thread, buflen, used, dropped, shared_used, places
	my ($behind, $thread, $buflen, $used, $dropped, $shared, $pool) = @_;
	return pack('C2', $behind, $thread) . substr(pack('V', $buflen * 8 & 0xffffff), 0, 3) . pack('Cv', 0, 0) . substr(pack('V', 0x10000), 0, 3) . pack('v', 0x1000)
		. pack('Q8', $used, $dropped, $shared, (0) x 5) . "\0" x (4096 * 16) . $pool;
}
my $arc = sub { pack('V2Q', @_) };
my $table = $arc->(0, 8, 0x7000) . join('', map { $arc->(0x400100 + $_ % 7, 0x400200 + $_, $_) } 1 .. 264);
my $length = 64 + 4096 * 16;
seed('arctable', 'empty', area(0, 0, $length + 16 * 64, 0, 0, 0, ''));
seed('arctable', 'shared', area(1, 0, $length + 16 * 1060, 0, 5, 1, join('', map { $arc->($_, 0x400100, 1) } 1 .. 20)));
seed('arctable', 'tables', area(1, 0, $length + 16 * 1060, 530, 0, 0, "\0" x (16 * 265) . $table . $table));
seed('arctable', 'thread', area(1, 1, $length + 16 * 1060, 530, 0, 0, "\0" x (16 * 265) . $table . $table));
seed('arctable', 'gaps', area(2, 1, 0x1fffff, ~0, 0, 0, $arc->(0, 0xffffffff, 0) x 8));
seed('arctable', 'counts', area(2, 0, 0x1fffff, ~0, ~0, 1, $arc->(0x400100, 0x400200, ~0) x 8));

# --- profcall: flags, addresses of the state; then operations.
sub call { pack('CQ4VVVV', 0, $_[0], $_[1], $_[2], $_[3], $_[4], 0, $_[5], 0) }
# The first call also takes a directory's kind, a name, an identity, the header and the state.
my $header = "\0" . pack('V2Q7', 0x50555350, 2, 0x400000, 0x410000, 0x1000, (0) x 4);
my $state = "\0" . pack('C4V3Q13V2Q2', 1, 0, 1, 0, 0x50555350, 2, 32768, 0x10000, 0x100000, 0x800, 0, 0, 0x400000, 0x400000,
	0x410000, 0x400000, 0x401000, 0x400100, 0, 0, 0, 0, 0, 0);
my $first = call(0x10000, 0x100000, 0x800, 0x400000, 32768, 5) . "\2prog\0\0\0\0\0\0\0\0\0\0\0\0\0" . $header . $state;
my $sample = pack('CQv', 2, 0x400123, 3);
my $proc = pack('CQ2', 1, 0x5000, 0x5000);
seed('profcall', 'good', $proc, $first, $sample x 3);
seed('profcall', 'again', $proc, $first, $sample, call(0x10000, 0x100000, 0x400, 0x400100, 65536, 5), $sample);
seed('profcall', 'off', $proc, $first, call(0x10000, 0x100000, 0x800, 0x400000, 0, 5), $sample);
seed('profcall', 'range', $proc, $first, $sample, "\3\0", substr($state, 1, 3), "\7", substr($state, 5));
seed('profcall', 'huge', $proc, call(~0, ~0, ~0, ~0, 65537, 0xffffffff));
seed('profcall', 'refused', pack('CQ2', 2, 0, 0), $first);

# --- desk: the rate; then operations.  A look takes the desk, what the call reads, two writes and the desk again.
sub desk { # supervised, number, call, arguments
	my ($supervised, $posted, $call, @arg) = @_;
	return "\0" . pack('V4qV2Q5', 0x4b534544, 2, $supervised, 0, 0, $posted - 1, $posted, $call, @arg, (0) x (4 - @arg));
}
sub look { my ($read, @call) = @_; return "\0" . desk(1, @call) . $read . "\0\0" . desk(1, $call[0] + 1, 0) }
my $hit = pack('CQv', 3, 0x400010, 3) . "\0\7\0\0" x 5;
my $aix = "\0" . pack('Q3l2', 0x400000, 0x401000, 0x10000, 0x1000, -1) . "\0" . pack('Q3l2', (0) x 5);
my $sprofil = "\0" . pack('Q4', 0x10000, 0x1000, 0x400000, 65536) . "\0" . pack('Q4', 0x20000, 4, 0, 2);
seed('desk', 'bsd', "\0", look("\0", 1, 1, 0x10000, 0x1000, 0x400000, 65536), $hit, look('', 2, 1), $hit);
seed('desk', 'illumos', "\1", look('', 1, 2, 0x10000, 0x1000, 0x400000, 0x4000), $hit, "\6", $hit);
seed('desk', 'aix', "\0", look('', 1, 3, 0x10000, 0x1000, 0x400000, 0xffff), $hit, $hit);
seed('desk', 'aix-ranges', "\0", look($aix, 1, 3, 0x10000, 0xffffffff), $hit, $hit);
seed('desk', 'sprofil', "\0", look($sprofil, 1, 4, 0x10000, 2, 1), $hit, $hit);
seed('desk', 'pcsample', "\0", look("\0", 1, 5, 0x10000, 100), $hit, $hit, look('', 2, 5));
seed('desk', 'given-up', "\0", look("\0", 1, 1, 0x10000, 0x1000, 0x400000, 1), "\0" . desk(0, 2, 1), $hit);

# --- attach: what was asked for; the threads, twice; state_off, length of text, whether its calls are watched.  A look at
# the state is 0 and the state, or 0xfe; a table 0, a number of 16 bytes, and these; a write is 0.
sub found {
	my ($flags, @thread) = @_;
	my $list = pack('C', scalar @thread) . join '', @thread;
	return pack('C2', $flags, 0) . $list . "\0" x @thread . $list;
}
sub claims { # buf, its length, of the histogram, arcs, spare, its length
	return "\0" . pack('C4V3Q13V2Q2', 0, 0, 2, 0, 0x50555350, 2, 32768, @_[0 .. 3], 100, 0x400000, 0x400000, 0x410000, 0x400000, 0x401000,
		0x400100, 0x400180, 0x40, 0, 0, @_[4, 5]);
}
sub table { "\0" . pack('C', @_ / 2) . pack 'Q*', @_ }
my $text = pack('QvC', 0x5000, 0xffff, 0);
my $told = "\0\xfe\0\xfe";
my $none = table(0, 0);
my $fresh = claims(0, 0, 0x800, 0, 0x600000, 0x100000) . "\0";
my $again = claims(0x600000, 0x100000, 0x800, 0x600040, 0x600000, 0x100000);
my $sampled = pack('CQv', 0, 0x400123, 3);
my $shared = table(0, 5, 1, 0, 0, 0, 0, 0) . table(0x400100 << 32 | 0x400200, 7, 0x400104 << 32 | 0x400300, 9) x 6;
my $tables = table(200, 0, 0, 0, 0, 0, 0, 0) . table(0, 7 << 8 | 8, 0x400100 << 32 | 0x400200, 7) x 2;
my $moved = "\6\0" . pack('C4', 1, 0, 1, 7) . substr($again, 5);
seed('attach', 'fresh', found(0, "\0"), $text, $fresh, $none, $told, $sampled x 3, "\6\xfe", $told, $shared);
seed('attach', 'again', found(0, "\0"), $text, $again, $shared, $told, $sampled, $moved, $sampled, "\5", $tables, $told, $shared);
seed('attach', 'since-start', found(1, "\0"), $text, $again, $told, $sampled, $told, $tables);
seed('attach', 'delay', found(2, "\0"), $text, $fresh, $none, $told, "\3", $told, "\2", $told, "\3", $told, $told, $none);
seed('attach', 'threads', found(0, "\0", "\1", "\2"), $text, $fresh, $none, "\xfe\0\xfe\0\xfe\0\xfe\0\xfe", $told,
	"\1", ("\1" . pack('Q', 0x7000) . "\0" . table(0x73757021 | 0x70726f66 << 32, 0)) x 3, "\0", $told, $told, $shared);
seed('attach', 'fork', found(0, "\0"), $text, $fresh, $none, $told, "\4\xfe\0", $shared, $told, $told, $shared, $told, $shared);
seed('attach', 'fork-again', found(0, "\0"), $text, $again, $none, $told, "\4\xfe", $tables, $told, $told, $shared, $told, $shared);
seed('attach', 'refused', found(0, "\0"), $text, claims(0x600000, ~0, ~0, ~0, ~0, ~0));

# --- symtab: as for elfnote, and behind the notes names of sections, symbols, their names, and section headers.
sub with_symbols { # end of the file, st_name => [value, size, info]...
	my ($end, $names, @symbols) = @_;
	my $file = elf(62, 2, \@good, $all);
	my $sections = "\0.text\0.symtab\0.strtab\0";
	my $table = join '', "\0" x 24, map { pack 'VC2vQ2', @{$_}[0, 3], 0, 1, @{$_}[1, 2] } @symbols;
	my $at = 0x300;
	my @header = ([(0) x 10]);
	my $put = sub { my ($name, $type, $flags, $addr, $bytes, $link) = @_;
		push @header, [$name, $type, $flags, $addr, $at, length $bytes, $link, 0, 8, $type == 2 ? 24 : 0];
		$file .= "\0" x ($at - length $file) . $bytes;
		$at = (length($file) + 7) & ~7 };
	$put->(1, 1, 6, 0x401000, 'x' x 64, 0);
	$put->(7, 2, 0, 0, $table, 3);
	$put->(15, 3, 0, 0, $names, 0);
	$put->(15, 3, 0, 0, $sections, 0);
	$file .= "\0" x ($at - length $file) . join '', map { pack 'V2Q4V2Q2', @$_ } @header;
	substr($file, 40, 8) = pack 'Q', $at;
	substr($file, 58, 6) = pack 'v3', 64, 5, 4;
	return $file . $end;
}
my $names = "\0main\0_ZN1a1bI1cEEvT_\0_start\0\e[m\0";
seed('symtab', 'good', with_symbols("\0", $names, [1, 0x401000, 16, 0x12], [6, 0x401010, 16, 0x22], [22, 0x401020, 0, 0x10]));
seed('symtab', 'nested', with_symbols("\0", $names, [1, 0x401000, 64, 0x12], [6, 0x401010, 8, 0x02], [6, 0x401010, ~0, 0x12], [29, 0x401018, ~0, 0x0a]));
seed('symtab', 'wild', with_symbols("\x37", $names, [~0 & 0xffffffff, ~0, ~0, 0x12], [1, 0x40103f, ~0, 0x12], [2, 0x401000, 0, 0xff]));
seed('symtab', 'many', with_symbols("\0", $names, map { [1 + $_ % 32, 0x401000 + $_ % 64, $_ % 99, $_ % 256] } 1 .. 300));
seed('symtab', 'none', elf(62, 2, \@good, $all));
