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
my $id = note('GNU', 3, 'x' x 40, 4);
seed('elfnote', 'long-id', elf(62, 2, [load(0x1000), notes(length $id, 4)], $id));
seed('elfnote', 'interpreter', elf(62, 2, [@good, 3, 4, 0x200, 0, 0, 4, 4, 1], $all));
seed('elfnote', 'aarch64', elf(183, 2, \@good, $all));
seed('elfnote', 'class32', elf(3, 1, [1, 0, 0x400000, 0x400000, 64, 64, 5, 4096], ''));
seed('elfnote', 'many-notes', elf(62, 2, [load(4096), (notes(0x10000, 4)) x 200], $all) . "\xfe");
# Section 0 tells how many sections there are, where the header can't.
seed('elfnote', 'many-sections', elf(62, 2, \@good, $all . pack('V2Q4V2Q2', 0, 0, 0, 0, 0, 1 << 24, 0, 0, 0, 0) . "\xf7",
	40 => pack('Q', 0x200 + length $all), 60 => pack('v', 0)));
seed('elfnote', 'many-segments', elf(62, 2, \@good, $all, 56 => pack('v', 0xffff)));

# How jobs go, where it is up to the input: two bits each time (see memjobs.h).
sub jobs { my $bits = ''; vec($bits, $_, 2) = $_[$_] for 0 .. $#_; return pack 'a32', $bits }
my $well = jobs();
my $late = jobs((0, 0, 1) x 16);
my $slow = jobs((0, 2) x 30);
my $nobody = jobs((0, 0) x 6, (3, 1) x 6, 0, 1, 0, 1, 1, 1);

# --- arctable: how jobs go, what is behind, whether it is much, what others hold in MiB, steps; buflen, arcs_off, length of
# text, its size; then the head and the pool.
sub steps { my $n = 0; $n |= $_[$_] << 3 * $_ for 0 .. $#_; return substr pack('V', $n), 0, 3 }
my $all_steps = steps(0, 4, 3, 2, 3, 5, 7, 4);
sub area { # jobs, behind, others, steps, buflen, text, used, dropped, shared_used, places
	my ($jobs, $behind, $others, $steps, $buflen, $text, $used, $dropped, $shared, $pool) = @_;
	return $jobs . pack('C3', $behind, $buflen > 1 << 17 ? 255 : 0, $others) . $steps . pack('Q2', $buflen, 0)
		. substr(pack('V', 0x10000), 0, 3) . pack('V', $text) . pack('Q8', $used, $dropped, $shared, (0) x 5) . $pool;
}
my $arc = sub { pack('V2Q', @_) };
my $table = $arc->(0, 8, 0x7000) . join('', map { $arc->(0x400100 + $_ % 7, 0x400200 + $_, $_) } 1 .. 264);
my $length = 64 + 4096 * 16;
my @two = (530, 0, 0, "\0" x (16 * 265) . $table . $table);
my $fits = $length + 16 * 1060;
seed('arctable', 'empty', area($well, 0, 0, $all_steps, $length + 16 * 64, 0x1000, 0, 0, 0, ''));
seed('arctable', 'shared', area($well, 1, 0, $all_steps, $fits, 0x1000, 0, 5, 1, join('', map { $arc->($_, 0x400100, 1) } 1 .. 20)));
seed('arctable', 'tables', area($well, 1, 0, $all_steps, $fits, 0x1000, @two));
seed('arctable', 'late', area($late, 1, 0, steps(0, 0, 0, 0, 6, 0, 0, 2), $fits, 0x1000, @two));
seed('arctable', 'slow', area($slow, 1, 0, $all_steps, $fits, 0x1000, @two));
seed('arctable', 'nobody', area($nobody, 1, 0, steps((0) x 8), $fits, 0x1000, @two));
seed('arctable', 'fault', area($well, 0, 0, $all_steps, ~0, 0x1000, ~0, 0, 1, $table));
seed('arctable', 'gaps', area($well, 2, 0, $all_steps, 0x1ffff, 0x1000, ~0, 0, 0, $arc->(0, 0xffffffff, 0) x 8));
seed('arctable', 'counts', area($well, 2, 0, $all_steps, 0x1ffff, 0x1000, ~0, ~0, 1, $arc->(0x400100, 0x400200, ~0) x 8));
seed('arctable', 'unlike', area($well, 3, 0, $all_steps, 0x1ffff, 0x1000, ~0, 0, 1, ''));
# More than fits where others have most of the room, more than is kept, and more than is read.
seed('arctable', 'no-room', area($well, 3, 96, steps(0, 4, 4), 0x1fffff, 0x1000, ~0, 0, 1, ''));
seed('arctable', 'given-up', area($well, 3, 60, steps(0, 5, 3), 0x1fffff, 0x1000, ~0, 0, 1, ''));
seed('arctable', 'huge', area($well, 1, 0, steps(0, 3, 3), ~0, 0xfffffff, ~0, 0, 1, ''));

# --- profil_call: how jobs go, flags, addresses of the state; then operations.
sub call { pack('CQ4VVVV', 0, $_[0], $_[1], $_[2], $_[3], $_[4], 0, $_[5], 0) }
# The first call also takes a directory's kind, a name, an identity, a look at the header, the header, the state, and whether it
# is another program's by now.
my $header = "\0\0" . pack('V2Q7', 0x50555350, 2, 0x400000, 0x410000, 0x1000, (0) x 4);
my $state = "\0" . pack('C4V3Q13V2Q2', 1, 0, 1, 0, 0x50555350, 2, 32768, 0x10000, 0x100000, 0x800, 0, 0, 0x400000, 0x400000,
	0x410000, 0x400000, 0x401000, 0x400100, 0, 0, 0, 0, 0, 0);
my $first = call(0x10000, 0x100000, 0x800, 0x400000, 32768, 5) . "\2prog" . "\0" x 13 . $header . $state . "\0";
my $sample = pack('CQv', 2, 0x400123, 3);
my $proc = pack('CQ2', 1, 0x5000, 0x5000);
my $call = call(0x10000, 0x100000, 0x400, 0x400100, 65536, 5);
# Two bins are written, and the state is read.
my $range = "\3\0\0\0" . substr($state, 1, 3) . "\7" . substr($state, 5);
seed('profil_call', 'good', $well, $proc, $first, $sample x 3);
seed('profil_call', 'late', $late, $proc, ($first) x 4, $sample x 3, $range, $sample, $range);
seed('profil_call', 'nobody', $nobody, $proc, ($first) x 4, $sample x 3, $range, $sample, $range);
seed('profil_call', 'again', $well, $proc, $first, $sample, $call, $sample);
seed('profil_call', 'off', $well, $proc, $first, call(0x10000, 0x100000, 0x800, 0x400000, 0, 5), $sample);
seed('profil_call', 'range', $well, $proc, $first, $sample, pack('CQv', 2, 0x400423, 3), $range);
seed('profil_call', 'bins', $well, $proc, $first, map({ pack 'CQv', 2, 0x400000 + 4 * $_, 1 } 1 .. 200), "\7");
seed('profil_call', 'no-bin', $well, $proc, $first, $sample, "\3\xff\0", substr($state, 1), $sample);
seed('profil_call', 'older', $well, $proc, "\4", "\3", $first, $sample, "\3\0\0", substr($state, 1));
seed('profil_call', 'forked', $well, $proc, $first, $sample, "\7\xff", $sample, $range, $sample);
seed('profil_call', 'huge', $well, $proc, call(~0, ~0, ~0, ~0, 65537, 0xffffffff));
seed('profil_call', 'refused', $well, pack('CQ2', 2, 0, 0), $first);
seed('profil_call', 'no-descriptor', $well, $proc, call(0x10000, 0x100000, 0x800, 0x400000, 32768, 5), "\3");
seed('profil_call', 'let-go', $well, $proc, $first, "\5\xff", $call, "\6\xff", $call, "\3");

# --- mailbox: how jobs go, the rate; then operations.  A look takes the mailbox, what the call reads or has looked up, two writes and
# the mailbox again.
sub mailbox { # supervised, number, call, arguments
	my ($supervised, $posted, $call, @arg) = @_;
	return "\0" . pack('V4qV2Q5', 0x584f424d, 2, $supervised, 0, 0, $posted - 1, $posted, $call, @arg, (0) x (4 - @arg));
}
sub look { my ($read, @call) = @_; return "\0" . mailbox(1, @call) . $read . "\0\0" . mailbox(1, $call[0] + 1, 0) }
my $hit = pack('CQv', 3, 0x400010, 3) . "\0\7\0\0"; # the bin is read and written
my $counter = pack('CQv', 3, 0x400010, 3) . "\0";
my $aix = "\0" . pack('Q3l2', 0x400000, 0x401000, 0x10000, 0x1000, -1) . "\0" . pack('Q3l2', (0) x 5);
my $sprofil = "\0" . pack('Q4', 0x10000, 0x1000, 0x400000, 65536) . "\0" . pack('Q4', 0x20000, 4, 0, 2);
seed('mailbox', 'bsd', $well, "\0", look("\0", 1, 1, 0x10000, 0x1000, 0x400000, 65536), $hit, look('', 2, 1), $hit);
seed('mailbox', 'illumos', $well, "\1", look('', 1, 2, 0x10000, 0x1000, 0x400000, 0x4000), $hit, "\6", $hit);
seed('mailbox', 'aix', $well, "\0", look('', 1, 3, 0x10000, 0x1000, 0x400000, 0xffff), $hit, $hit);
seed('mailbox', 'aix-ranges', $well, "\0", look($aix, 1, 3, 0x10000, 0xffffffff), $hit, $hit);
seed('mailbox', 'sprofil', $well, "\0", look($sprofil, 1, 4, 0x10000, 2, 1), $hit, $hit);
seed('mailbox', 'pcsample', $well, "\0", look("\0", 1, 5, 0x10000, 100), $counter, $counter, look('', 2, 5));
seed('mailbox', $_->[0], $_->[1], "\0", look("\0", 1, 1, 0x10000, 0x1000, 0x400000, 65536) x 3, $hit, look($sprofil, 1, 4, 0x10000, 2, 1) x 3, $hit, "\x09")
	for ['late', $late], ['slow', $slow], ['nobody', $nobody];
seed('mailbox', 'forked', $well, "\0", look("\0", 1, 1, 0x10000, 0x1000, 0x400000, 65536), $hit, "\6", $hit);
seed('mailbox', 'full', $well, "\0", look('', 1, 2, 0x10000, 0x1000, 0x400000, 0x4000), pack('CQv', 3, 0x400010, 0xffff), "\0\0\0\0", $hit);
seed('mailbox', 'opened', $well, "\0", "\7", mailbox(0, 1, 0), "\0\x09\0", look("\0", 1, 1, 0x10000, 0x1000, 0x400000, 65536));
seed('mailbox', 'closed', $well, "\0", look("\0", 1, 1, 0x10000, 0x1000, 0x400000, 65536), "\x08\xff", $hit);
seed('mailbox', 'given-up', $well, "\0", look("\0", 1, 1, 0x10000, 0x1000, 0x400000, 1), "\0" . mailbox(0, 2, 1), $hit);

# --- attach: how jobs go, what was asked for; the threads, twice; state_off, length of text, whether its calls are watched.  A look at
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
my $begun = "\0\0" . $told; # no other program, and a mailbox
my $none = table(0, 0);
my $fresh = claims(0, 0, 0x800, 0, 0x600000, 0x100000) . "\0";
my $again = claims(0x600000, 0x100000, 0x800, 0x600040, 0x600000, 0x100000);
my $sampled = pack('CQv', 0, 0x400123, 3);
my $shared = table(0, 5, 1, 0, 0, 0, 0, 0) . table(0x400100 << 32 | 0x400200, 7, 0x400104 << 32 | 0x400300, 9) x 6;
my $tables = table(200, 0, 0, 0, 0, 0, 0, 0) . table(0, 7 << 8 | 8, 0x400100 << 32 | 0x400200, 7) x 2;
my $moved = "\6\0" . pack('C4', 1, 0, 1, 7) . substr($again, 5);
my $mark = table(0x73757021 | 0x70726f66 << 32, 0);
my $thread = "\7\5" . pack('QC', 0x7000, 0) . pack('QC', 0x7100, 0) . $mark; # the creator's pointer, its own, and its mark
my $twin = "\7\6" . pack('QC', 0x7000, 0) x 2 . "\0\xfe";
seed('attach', 'fresh', $well, found(0, "\0"), $text, $fresh, $none, $begun, $sampled x 3, "\6\xfe", $told, $shared);
seed('attach', 'again', $well, found(0, "\0"), $text, $again, $shared, $begun, $sampled, $moved, $sampled, "\5", $tables, $told, $shared);
seed('attach', 'since-start', $well, found(1, "\0"), $text, $again, $begun, $sampled, $told, $tables);
seed('attach', 'delay', $well, found(2, "\0"), $text, $fresh, $none, $begun, "\3", $told, "\2", $told, "\3", $told, $told, $none);
my $doubt = "\xfe\0\xfe";
my @tp = map { "\1" . pack('QC', $_, 0) . $mark } 0x7000, 0x7100, 0x7200;
seed('attach', 'threads', $well, found(0, "\0", "\1", "\2"), $text, $fresh, $none, $doubt, $begun, "\1", @tp, "\0", $told, $sampled, $told, $shared);
seed('attach', 'twins', $well, found(0, "\0", "\1"), $text, $fresh, $none, $doubt, $begun, "\1", @tp[0, 0], $sampled, $told, $shared);
seed('attach', 'thread-gone', $well, found(0, "\0", "\1"), $text, $fresh, $none, $doubt, $begun, "\1", $tp[0], "\0", $sampled, $told, $shared);
my $on = $again;
substr($on, 1, 1) = "\1"; # its mode
seed('attach', 'on', $well, found(0, "\0", "\1"), $text, $on, $none, $doubt, "\0\xfe", $begun, "\1", @tp[0, 1], "\0", $told, $told, $shared);
seed('attach', 'new-threads', $well, found(0, "\0"), $text, $fresh, $none, $begun, $thread, $sampled, $twin, $sampled, $told, $shared);
seed('attach', 'fork', $well, found(0, "\0"), $text, $fresh, $none, $begun, "\4\xfe\0", $shared, $told, $told, $shared, $told, $shared);
seed('attach', 'fork-again', $well, found(0, "\0"), $text, $again, $none, $begun, "\4\xfe", $tables, $told, $told, $shared, $told, $shared);
seed('attach', 'zero', $well, found(0, "\0"), $text, $again, $shared, $begun, $sampled, "\x09", $told, "\5", $tables, "\x0a", $told, $shared);
for (['late', $late], ['slow', $slow], ['nobody', $nobody]) {
	seed('attach', $_->[0], $_->[1], found(0, "\0"), $text, $again, $shared, $begun, $sampled, $moved, "\x08", $told, $thread, "\4\xfe", $tables, $told, $shared);
	seed('attach', "$_->[0]-window", $_->[1], found(2, "\0"), $text, $again, $shared, $begun, "\3", $told, "\2", $told, "\x08", $told, $shared);
}
seed('attach', 'refused', $well, found(0, "\0"), $text, claims(0x600000, ~0, ~0, ~0, ~0, ~0));

# --- symread: as for elfnote, and behind the notes names of sections, symbols, their names, and section headers.
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
seed('symread', 'good', with_symbols("\0", $names, [1, 0x401000, 16, 0x12], [6, 0x401010, 16, 0x22], [22, 0x401020, 0, 0x10]));
seed('symread', 'nested', with_symbols("\0", $names, [1, 0x401000, 64, 0x12], [6, 0x401010, 8, 0x02], [6, 0x401010, ~0, 0x12], [29, 0x401018, ~0, 0x0a]));
seed('symread', 'wild', with_symbols("\x5d", $names, [~0 & 0xffffffff, ~0, ~0, 0x12], [1, 0x40103f, ~0, 0x12], [2, 0x401000, 0, 0xff]));
seed('symread', 'many', with_symbols("\0", $names, map { [1 + $_ % 32, 0x401000 + $_ % 64, $_ % 99, $_ % 256] } 1 .. 300));
seed('symread', 'none', elf(62, 2, \@good, $all));
# Symbols without end, whose names are one in the other; the last byte says that it goes on so for 1 MiB, or
# with a hole.
sub without_end {
	my ($end) = @_;
	my $file = with_symbols('', "\0" . "_Z" . 'x' x 4000 . "\0", [1, 0x401000, 16, 0x12]);
	my $header = unpack('Q', substr $file, 40, 8) + 2 * 64;
	substr($file, $header + 24, 16) = pack 'Q2', length $file, 24 * 40_000;
	$file .= pack 'VC2vQ2', 1 + 23 * $_, 0x12, 0, 1, 0x401000 + $_ % 64, $_ for 1 .. 170;
	substr($file, -1) = $end;
	return $file;
}
seed('symread', 'repeated', without_end("\x52"));
seed('symread', 'hole', without_end("\x69"));
my $mangled = join '', map { "\0_Z1fI" . 'PK' x $_ . 'iEvT_' . 'S_' x $_ } 1 .. 60;
seed('symread', 'mangled', with_symbols("\0", "$mangled\0", map { [1 + $_ * 40, 0x401000 + $_, 1, 0x12] } 0 .. 60));

# --- symtab: what the table is longer by; then its head, spans and names.
sub named_spans { # spans, names, other numbers of these
	my ($spans, $names, @n) = @_;
	@n = (scalar @$spans, length $names) if !@n;
	return pack('V2Q4x192', 0x70c0de01, $n[0], 0, 0, 0, $n[1]) . join('', map { pack 'Q2V2', @$_, 0 } @$spans) . $names;
}
my @spans = ([0x400000, 0x400010, 10], [0x400010, 0x400020, 15], [0x400020, 0x400080, 10]);
my $shown = "[unknown]\0main\0mcount\0";
seed('symtab', 'good', "\0", named_spans(\@spans, $shown));
seed('symtab', 'unsorted', "\0", named_spans([reverse @spans], $shown));
seed('symtab', 'backwards', "\0", named_spans([[0x400010, 0x400000, 10], [~0, 0, 15], [0, ~0, 15]], $shown));
seed('symtab', 'outside', "\0", named_spans([[0x400000, 0x400010, 22], [0x400010, ~0, ~0 & 0xffffffff]], $shown));
seed('symtab', 'no-end', "\0", named_spans(\@spans, "[unknown]\0main"));
seed('symtab', 'none', "\0", named_spans([], "\0"));
seed('symtab', 'too-many', "\0", named_spans(\@spans, $shown, ~0 & 0xffffffff, ~0));
seed('symtab', 'empty', "\0");
seed('symtab', 'hole', chr 47, named_spans([], '', 1 << 12, (1 << 20) - (1 << 12) * 24)); # longer by 1 MiB

# --- memory: eight questions (how, address or page, length), whether the text is made; then mappings (page, length, access, name and
# how often that) or the text.
sub ask { join '', map { pack 'CQv', @$_ } @_ }
sub mappings { pack('C2', 0, scalar @_) . join '', map { pack('C5', @$_[0 .. 2], length $_->[3], $_->[4] // 0) . $_->[3] } @_ }
my $ask = ask([0, 0, 16], [4, 0, 0x300], [2, 0, 1], [2, 1, 1], [2, 2, 1], [2, 3, 1], [1, ~0, 16], [6, 2, 0x100]);
seed('memory', 'good', $ask, mappings([0, 0, 3, ''], [1, 1, 7, '/a'], [3, 0, 1, '[heap]']));
seed('memory', 'unsorted', $ask, mappings([2, 0, 3, ' 7f0000000000-7f0000009000 rw-p'], [0, 7, 1, ''], [0, 0, 3, ''], [1, 0, 3, '']));
seed('memory', 'long', $ask, mappings([0, 0, 3, 'x' x 200, 80], [1, 0, 3, 'y' x 255, 66], [2, 0, 3, '']));
my $line = "7f0000000000-7f0000003000 rw-p 00000000 00:00 0 \n";
seed('memory', 'text', $ask, "\1\0", $line x 3);
seed('memory', 'much', ask([1, 5, 1], ([2, 0, 1]) x 7), "\1\xff", "8-9 rw\n" x 600);
seed('memory', 'no-lines', $ask, "\1\3", 'f' x 16384);
# A line that is empty, and the number behind it ends where what is read ends.
seed('memory', 'end', ask(([0, 0, 1]) x 8), "\1\0", "\n0-" . 'f' x 16400);
seed('memory', 'odd', $ask, "\1\0", "\n\n-\n 7f0000000000-\n+0x7f0000000000--1 rw\n7f0000000000-7f0000003000", "\0rw\n");

# --- mounts: whether the line is made; then the kind of file system, numbers and names, or the line.
sub mounted { my ($kind, @name) = @_; pack('C2VvC3', 0, $kind, 36, 8, 1, 0, 0) . join '', map { pack 'C/a', $_ } @name }
seed('mounts', 'ext4', mounted(1 + 4 * 6, '/', 'mnt', '/dev/sda1'));
seed('mounts', 'shared', mounted(3 + 4 * 11, '/', 'mnt a', 'overlay'));
seed('mounts', 'fuse', mounted(0, '/', 'home/a - ext4 b', 'sshfs', 'x - ext4 y'));
seed('mounts', 'line', "\1" . "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue\n");

# --- unwind: three rows and a stack; cfiread: a program of one function, one whose stack is aligned anew, and one without
# information.
my @rows = ([0, 2, 8, 0, -8], [0x100, 4, 16, -16, -8], [0x200, 10, 0, 0, 0]);
my $rows = join '', map { pack('vC', $_->[0], $_->[1]) . pack('C', $_->[2]) . pack('s<2', $_->[3], $_->[4]) } @rows;
seed('unwind', 'three', pack('C', scalar @rows) . $rows . pack('C', 0) . pack('v4', 0x1008, 0x7010, 0x7040, 0) . "\1" .
	pack('Q<*', map { $_ * 5 } 1 .. 64));
my %source = (plain => 'void g(void); void _start(void) { for (;;) g(); } void g(void) { __asm__ volatile("" ::: "rbx"); }',
	bare => join('', map { "void g$_(void (*f)(void)) { f(); __asm__(\"\"); }" } 0 .. 19) . 'void _start(void) { g0(0); g1(0); for (;;); }',
	aligned => 'void g(char *); void _start(void) { _Alignas(64) char c[64]; g(c); for (;;); } void g(char *c) { *c = 1; }');
for my $name (sort keys %source) {
	my @without = $name eq 'bare' ? '-fno-asynchronous-unwind-tables' : ();
	open my $cc, '|-', 'cc', qw(-O1 -static -nostdlib -fno-pie -no-pie), @without, qw(-x c -o), "$dir/program", '-' or die "cc: $!\n";
	print $cc $source{$name};
	close $cc or die "cc: no seed\n";
	open my $f, '<:raw', "$dir/program" or die "$dir/program: $!\n";
	seed('cfiread', $name, do { local $/; <$f> });
	unlink "$dir/program";
}

# --- readers: what to do, how long the gmon file is, then it and the file of stacks, which is compressed by the harness.
sub number { my $n = shift; my $s = ''; while ($n > 127) { $s .= chr($n & 127 | 128); $n >>= 7 } return $s . chr $n }
sub field { my ($field, $n) = @_; return number($field << 3) . number($n) }
sub bytes { my ($field, $s) = @_; return number($field << 3 | 2) . number(length $s) . $s }
sub gmon { # low address, ticks of bins, arcs
	my ($at, $ticks, @arcs) = @_;
	return 'gmon' . pack('Vx12', 1) . pack('CQ<Q<VVa15av*', 0, $at, $at + 4 * @$ticks, scalar @$ticks, 100, 'seconds', 's', @$ticks)
		. join '', map { pack 'CQ<Q<V', 1, @$_ } @arcs;
}
sub stack_file { # build ID, period, then stacks: addresses, the outermost first, or pseudo functions, and ticks
	my ($id, $period, @stacks) = @_;
	my $file = bytes(1, field(1, 1) . field(2, 2)) . bytes(1, field(1, 3) . field(2, 4))
		. join('', map { bytes(6, $_) } '', 'samples', 'count', 'cpu', 'nanoseconds', 'prog', $id, '[cut]', '[no room]')
		. field(12, $period) . bytes(3, field(1, 1) . field(6, 6)) . join '', map { bytes(5, field(1, $_) . field(2, 6 + $_)) } 1, 2;
	my $n = 0;
	while (my ($frames, $ticks) = splice @stacks, 0, 2) {
		my @ids;
		for (@$frames) {
			$file .= bytes(4, field(1, ++$n) . ($_ < 3 ? bytes(4, field(1, $_)) : field(2, 1) . field(3, $_)));
			unshift @ids, number $n;
		}
		$file .= bytes(2, bytes(1, join '', @ids) . bytes(2, number($ticks) x 2));
	}
	return $file;
}
sub files { my ($how, $gmon, $stacks) = @_; return pack('Cv', $how, length $gmon) . $gmon . $stacks }
my $five = gmon(0x401000, [5, 0, 0, 0, 3], [0x401021, 0x401000, 7], [0x401030, 0x401010, 1]);
my @measured = ([0x401020, 0x401000], 5, [0x401020, 0x401010], 3);
my $plain = stack_file('aa00112233445566', 10000000, @measured);
seed('readers', 'plain', files(1, $five, $plain));
seed('readers', 'twice', files(3, $five, $plain));
seed('readers', 'pseudo', files(1, $five, stack_file('aa00112233445566', 10000000, @measured, [2], 4, [1, 0x401020, 0x7fff0000], 9)));
seed('readers', 'runtime', files(1, gmon(0x401020, [5]), stack_file('aa00112233445566', 10000000, [0x401010, 0x401020], 5)));
seed('readers', 'other', files(1, $five, stack_file('bb00112233445566', 10000000, @measured)));
seed('readers', 'fewer', files(1, $five, stack_file('aa00112233445566', 10000000, [0x401000], 5)));
seed('readers', 'uncompressed', files(0, $five, $plain));
{
	require IO::Compress::Gzip;
	IO::Compress::Gzip::gzip(\$plain => \my $gzip) or die "no gzip\n";
	seed('readers', 'compressed', files(0, $five, $gzip));
}

# --- inlines: ranges of calls that lie in each other, or what a process has left.
# Calls: where the code begins, the call around, the name, file and line, an entry of DWARF, file and line of the call.
sub left { my ($names, $calls, $spans) = @_; return pack('Cvv', 1, length $names, length $calls) . $names . $calls . $spans }
sub inlined { return pack 'Q<V4Q<VV', @_ }
seed('inlines', 'nested', pack('C*', 0, 2, 0, 1, 2, 10, 90, 1, 20, 50, 2, 30, 9, 3, 40, 5, 2));
seed('inlines', 'apart', pack('C*', 0, 1, 0, 0, 10, 90, 1, 20, 50, 2, 90, 30, 2));
seed('inlines', 'left', left("find\0a.c\0", inlined(0x1000, 0, 1, 2, 5, 0, 2, 9) . inlined(0x1004, 1, 1, 0, 0, 77, 2, 6),
	pack('Q<Q<Vx4Q<Q<Vx4', 0x1000, 0x1010, 1, 0x1008, 0x1020, 2)));
