#!/usr/bin/perl
# elf.pl make PROGRAM DIR: copies of PROGRAM (tests/targets/hostile/hostile-elf.c), each with one thing in its ELF file that no
#	linker makes.  The first word of its name says what comes of it: "ok." has a profile, and so has "sy.", whose
#	sections and symbols are odd; of "st." the note leads to a wrong state, of "v." it has another version; "no." is
#	refused by the kernel; what can be read of "x.", and how it ends, is libelf's and the kernel's business.
# elf.pl run PIDS FILE...: runs each for itself, appends "PID NAME" to PIDS, and says how it ended.
# elf.pl single ERR FILE...: runs each under a profsup of its own, whose lines are in ERR.NAME, and says the same.
# elf.pl wait ERR N FILE...: runs them all until --top has shown N of them in ERR.
use strict;
use warnings;
no warnings 'portable'; # addresses
use POSIX ();

require 'syscall.ph';

my $what = shift // '';
$what eq 'make' ? make(@ARGV) : $what eq 'run' ? run(@ARGV) : $what eq 'single' ? single(@ARGV) : $what eq 'wait' ? wait_for_top(@ARGV) : die "what?\n";

# --- Running.
# Perl's own exec gives a shell what the kernel refuses.  As in a shell: 127 for what is not there, else 126.
sub start {
	my ($out, @argv) = ($_[0], map { "$_" } @_[1 .. $#_]);
	my $pid = fork // die "fork: $!\n";
	return $pid if $pid != 0;
	POSIX::dup2(fileno $out, 1);
	syscall &SYS_execve, $argv[0], pack('p*', @argv, undef), pack('p', undef);
	POSIX::_exit($! == POSIX::ENOENT ? 127 : 126);
}

# What it prints, and how it ends, in one line.
sub outcome {
	my ($pid, $in, $out) = @_;
	local $/;
	close $out;
	my $text = <$in>;
	waitpid $pid, 0;
	$text =~ s/\n\z//;
	return "'$text' " . ($? & 127 ? 'signal ' . ($? & 127) : 'exit ' . ($? >> 8)) . "\n";
}

sub run {
	my ($pids, @files) = @_;
	open my $list, '>>', $pids or die "$pids: $!\n";
	for my $file (@files) {
		my ($name) = $file =~ m{([^/]*)$};
		pipe my $in, my $out or die "pipe: $!\n";
		my $pid = start($out, $file, $name =~ /\.box-/ ? 30 : 0);
		print "$name: ", outcome($pid, $in, $out);
		print $list "$pid $name\n";
	}
}

sub single {
	my ($err, @files) = @_;
	for my $file (@files) {
		my ($name) = $file =~ m{([^/]*)$};
		pipe my $in, my $out or die "pipe: $!\n";
		my $pid = fork // die "fork: $!\n";
		if ($pid == 0) {
			open STDERR, '>', "$err.$name" or die "$err.$name: $!\n";
			POSIX::dup2(fileno $out, 1);
			exec 'profsup', $file, 0 or POSIX::_exit(255);
		}
		print "$name: ", outcome($pid, $in, $out);
	}
}

sub shown {
	open my $f, '<', shift or return 0;
	my %seen;
	/ s: \S+ (\d+): .*% (?:now|of a CPU: its functions)/ and $seen{$1} = 1 while <$f>;
	return scalar keys %seen;
}

sub wait_for_top {
	my ($err, $n, @files) = @_;
	my $patience = 300 / 0.05;
	pipe my $stdin, my $go or die "pipe: $!\n";
	POSIX::dup2(fileno $stdin, 0); # the other end is closed by exec
	my @programs = map {
		pipe my $in, my $out or die "pipe: $!\n";
		[start($out, $_, 'wait'), $in, $out]
	} @files;
	select undef, undef, undef, 0.05 while shown($err) < $n && $patience-- > 0;
	close $go;
	print outcome(@$_) for @programs;
	print shown($err), " are shown\n" if $patience <= 0;
}

# --- Making.
my ($base, %symbol, $dir, $build_id, $copies);

sub get { my ($at, $template) = @_; return unpack $template, substr $base, $at, length pack $template, 0 }

sub program_headers { my ($at, $n) = (get(0x20, 'Q<'), get(0x38, 'S<')); return map { $at + 56 * $_ } 0 .. $n - 1 }
sub section_headers { my ($at, $n) = (get(0x28, 'Q<'), get(0x3c, 'S<')); return map { $at + 64 * $_ } 0 .. $n - 1 }

# An address in the writable segment, or what has its bytes in the file.
sub offset_of {
	my $address = shift;
	for (program_headers()) {
		my ($type, $flags, $offset, $vaddr, $paddr, $size) = unpack 'L<2Q<4', substr $base, $_, 56;
		return $address - $vaddr + $offset if $type == 1 && $address >= $vaddr && $address < $vaddr + $size;
	}
	die sprintf "nothing at %x\n", $address;
}

# copy NAME, OFFSET => BYTES...
sub copy {
	my ($name, @change) = @_;
	my $bytes = $base;
	while (my ($at, $new) = splice @change, 0, 2) {
		substr($bytes, $at, length $new) = $new;
	}
	write_file($name, $bytes);
}

sub write_file {
	my ($name, $bytes, $length) = @_;
	die "$name is too long\n" if length $name > 15;
	# What has a build id of its own is a program of its own in --report.
	substr($bytes, $build_id, 4) = pack 'L<', ++$copies if $name =~ /^sy/;
	open my $f, '>:raw', "$dir/$name" or die "$name: $!\n";
	print $f $bytes;
	close $f or die "$name: $!\n";
	# Not every file system has files of that size.
	!$length || truncate("$dir/$name", $length) || truncate("$dir/$name", 1 << 30) or die "$name: $!\n";
	chmod 0755, "$dir/$name" or die "$name: $!\n";
}

sub q8 { return pack 'Q<*', @_ }
sub l4 { return pack 'L<*', @_ }
sub s2 { return pack 'S<*', @_ }

# A note of ours that leads from its address to another one; what is too far away is led to by p_vaddr.
sub note {
	my ($type, $from, $to, $namesz, $descsz) = @_;
	return pack('L<3a8L<l<', $namesz // 8, $descsz // 8, $type, 'profsup', 2, defined $to ? $to - $from - 24 : 0);
}

use constant { MAX => ~0, TERA => 1 << 40, HALF => 1 << 63 };

sub make {
	my $program = shift;
	$dir = shift;
	{
		local $/;
		open my $f, '<:raw', $program or die "$program: $!\n";
		$base = <$f>;
	}
	/^(\S+) \S (elf_\w+|__profsup_state|work)$/ and $symbol{$2} = hex $1 for `nm $program`;
	$build_id = 8 + index $base, l4(3) . "GNU\0";
	make_notes();
	make_states();
	make_headers();
	make_sections();
	make_symbols();
	make_dear();
	make_lengths();
}

# The program header of our note, and where the note is.
sub our_note {
	my ($header) = grep { get($_, 'L<') == 4 && index(substr($base, get($_ + 8, 'Q<'), get($_ + 32, 'Q<')), "profsup\0") >= 0 } program_headers();
	my ($offset, $size) = (get($header + 8, 'Q<'), get($header + 32, 'Q<'));
	return ($header, $offset - 12 + index(substr($base, $offset, $size), "profsup\0"), $offset, $size);
}

# Another program header that nobody needs: of the other note, or of the stack.
sub spare_header { return (grep { get($_, 'L<') == 0x6474e551 } program_headers())[0] }

sub make_notes {
	my ($header, $note, $offset, $size) = our_note();
	my $spare = spare_header();
	my ($room, $room_at) = ($symbol{elf_room} + 8, offset_of($symbol{elf_room} + 8));
	my $state = $symbol{__profsup_state};

	copy('x.namesz', $note, l4(0xffffffff));
	# Two segments, one of them from the middle of the other's notes.
	my $segment = sub { l4(4, 4) . q8($_[0], $_[1], $_[1], $_[2], $_[2], $_[3] // 4) };
	copy('ok.overlap', $spare, $segment->($offset + 12, 0x400000 + $offset + 12, $size - 12));
	copy('ok.header', $spare, $segment->(0, 0x400000, 64));
	copy('ok.in-header', $spare, $segment->(16, 0x400000, 0x200));
	copy('x.far', $spare, $segment->(1 << 32, 0x400000, 64));
	copy('ok.filesz-max', $spare, $segment->(0, 0x400000, MAX));
	copy('ok.filesz-half', $spare, $segment->($offset, 0x400000, HALF));
	copy("ok.align-$_->[0]", $spare, $segment->($offset, 0x400000 + $offset, $size, $_->[1]))
		for ['0', 0], ['1', 1], ['3', 3], ['8', 8], ['2^63', HALF];
	# Nearly as many as may be read with the others'; the last one is right.
	my $many = note(1, 0, undef) x ((64 << 10) / 28 - 16);
	$many .= note(1, $room + length $many, $state);
	copy('ok.many', $room_at, $many, $header + 8, q8($room_at, $room, $room, length $many, length $many));
	my $empty = "\0" x (64 << 10);
	copy('x.empty', $room_at, $empty, $header + 8, q8($room_at, $room, $room, length $empty, length $empty));
	# Program headers without end, each of some of those notes, or of all: in all no more than 64 KiB may be read.
	for (['ok.segments', 255, 9 * 28], ['x.segments', 256, 9 * 28], ['x.segments-1000', 1000, 28], ['x.segs-large', 255, 64 << 10]) {
		my ($name, $n, $bytes) = @$_;
		my $old = substr $base, get(0x20, 'Q<'), 56 * get(0x38, 'S<');
		my $headers = $old . $segment->($room_at + 0xf000, $room + 0xf000, $bytes) x ($n - length($old) / 56);
		$headers .= $segment->($offset, 0x400000 + $offset, $size);
		copy($name, $room_at, $headers, $room_at + 0xf000, note(1, 0, undef) x ((64 << 10) / 28), 0x20, q8($room_at), 0x38, s2($n + 1));
	}
}

sub make_states {
	my ($header, $note) = our_note();
	my $address = 0x400000 + $note;
	my ($state, $fakes, $const) = @symbol{qw(__profsup_state elf_fakes elf_const_fakes)};
	# `before`, and then the state; the mailbox is behind that and `between`.
	my ($to_state, $to_mailbox) = (128, 128 + 144 + 128);
	my $lead = sub { # NAME, TYPE, ADDRESS, CHANGE...: by the address that the segment claims
		my ($name, $type, $to, @change) = @_;
		copy($name, $note, note($type, 0, 0), $header + 16, q8($to + 24 - 24 - ($note - get($header + 8, 'Q<'))), @change);
	};

	my %wild = ('null' => 0, text => $symbol{work}, hole => 0x10000, kernel => 0xffff888000000000, vsys => 0xffffffffff600000,
		odd => 0x800000000000, end => MAX - 7, wraps => MAX - 200, header => 0x400000, 'state+1' => $state + 1);
	$lead->("st.$_", 1, $wild{$_}) for sort keys %wild;
	copy('st.const', $note, note(1, $address, $const + $to_state));
	copy('st.far', $note + 24, l4(0x80000000));
	copy('x.fake', $note, note(1, $address, $fakes + $to_state));
	copy('v.0', $note + 20, l4(0));
	copy('v.max', $note + 20, l4(MAX & 0xffffffff));
	copy('x.caller', $note, note(2, $address, $state));
	copy('x.type', $note, note(77, $address, $state));

	# A mailbox, next to the runtime's own note: in the place of the one before it.
	my $spare = spare_header();
	my ($room, $room_at) = ($symbol{elf_room} + 8, offset_of($symbol{elf_room} + 8));
	my $mailbox = sub { # NAME, ADDRESS
		my ($name, $to) = @_;
		copy("ok.$name", $room_at, note(3, 0, 0), $spare, l4(4, 4) . q8($room_at, $to, $to, 28, 28, 4));
	};
	$mailbox->("box-$_", $wild{$_}) for sort keys %wild;
	$mailbox->('box-fake', $fakes + $to_mailbox);
	$mailbox->('box-const', $const + $to_mailbox);
	$mailbox->('box-state', $state);
}

sub make_headers {
	copy('x.class-0', 4, "\0");
	copy('x.class-32', 4, "\1");
	copy('x.class-9', 4, "\x9");
	copy('x.big-endian', 5, "\2");
	copy('x.data-0', 5, "\0");
	copy('x.version-0', 6, "\0", 20, l4(0));
	copy('ok.osabi', 7, "\xff\xff" . "\xff" x 7);
	copy('no.machine', 18, s2(183));
	copy('no.machine-386', 18, s2(3));
	copy('no.type-object', 16, s2(1));
	copy('no.type-core', 16, s2(4));
	copy('x.type-shared', 16, s2(3));
	copy('x.entry', 24, q8(0xffff888000000000));
	copy('no.phoff', 32, q8(HALF));
	copy('no.phentsize', 54, s2(55));
	copy('no.phnum-0', 56, s2(0));
	copy('no.phnum-max', 56, s2(0xffff));
	copy('ok.ehsize', 52, s2(0xffff));
	my $spare = spare_header();
	my $at = offset_of($symbol{elf_room} + 8);
	copy('no.interpreter', $at, "/no/such/thing\0", $spare, l4(3, 4) . q8($at, 0, 0, 15, 15, 1));
	copy('no.interp-size', $spare, l4(3, 4) . q8($at, 0, 0, MAX, MAX, 1));
	copy('x.own-interp', $at, "/proc/self/exe\0", $spare, l4(3, 4) . q8($at, 0, 0, 15, 15, 1));
	copy('ok.tls', $spare, l4(6, 6) . q8(MAX, MAX, MAX, MAX, MAX, MAX));
}

sub make_sections {
	my %shoff = (max => MAX, half => HALF, far => TERA, end => length($base) - 1, odd => 0x41, header => 8);
	copy("sy.shoff-$_", 40, q8($shoff{$_})) for sort keys %shoff;
	# Their number is elsewhere.
	my ($first) = section_headers();
	copy('x.shnum-0', 60, s2(0));
	copy('x.shnum-hole', 60, s2(0), $first + 32, q8(TERA / 64));
	copy('sy.shnum-max', 60, s2(0xffff));
	copy("sy.shentsz-$_", 58, s2($_)) for 0, 1, 999;
	copy('sy.shstrndx', 62, s2(0xfffe));
	copy('sy.shstrndx-x', 62, s2(0xffff), $first + 40, l4(0xffffffff));
	copy('sy.shstrndx-1', 62, s2(1));
	my ($n, $code) = (0, '');
	# All of them are code, anywhere.
	my @change = map { ($_ + 8, q8(6, $n++ % 2 ? 0x400000 + 99 * $n : MAX - 99 * $n)) } section_headers();
	copy('sy.all-code', @change);
	copy('sy.code-size', map { ($_ + 32, q8(MAX)) } grep { get($_ + 8, 'Q<') & 4 } section_headers());
	copy('sy.no-code', map { ($_ + 8, q8(0)) } section_headers());
	copy('sy.all-symbols', map { ($_ + 4, l4(2)) } section_headers());
}

sub make_symbols {
	my ($symtab) = grep { get($_ + 4, 'L<') == 2 } section_headers();
	my $strtab = (section_headers())[get($symtab + 40, 'L<')];
	my ($at, $size) = (get($symtab + 24, 'Q<'), get($symtab + 32, 'Q<'));
	my %field = (siz => 32, inf => 44, off => 24, ent => 56);
	my %of = (symtab => $symtab, strtab => $strtab);

	for my $table (sort keys %of) {
		for my $field (sort keys %field) {
			for ([0, 0], [1, 1], ['max', MAX], ['tera', TERA]) {
				my ($name, $value) = ('sy.' . substr($table, 0, 3) . "-$field-$_->[0]", $_->[1]);
				# Only what says most of each.
				next if $value <= 1 && ($table eq 'strtab' || $field eq 'off') && $field ne 'siz';
				copy($name, $of{$table} + $field{$field}, $field eq 'inf' ? l4($value & 0xffffffff) : q8($value));
			}
		}
		copy('sy.' . substr($table, 0, 3) . '-nobits', $of{$table} + 4, l4(8));
	}
	copy('sy.link-max', $symtab + 40, l4(0xffffffff));
	copy('sy.link-self', $symtab + 40, l4(get($strtab + 40, 'L<') || 36));
	copy('sy.no-nul', get($strtab + 24, 'Q<'), 'A' x get($strtab + 32, 'Q<'));

	# Each symbol: name, info, other, section, value, size.
	my $each = sub {
		my ($name, $make) = @_;
		copy($name, $at, join '', map { pack 'L<C2S<Q<2', $make->(unpack('L<C2S<Q<2', substr $base, $at + 24 * $_, 24), $_) } 0 .. $size / 24 - 1);
	};
	my $work = $symbol{work};
	$each->('sy.sym-wrap', sub { ($_[0], 2, 0, 1, MAX - 3, MAX) });
	$each->('sy.sym-same', sub { ($_[0], 0x12, 0, 1, $work, MAX) });
	$each->('sy.sym-nested', sub { ($_[0], 0x12, 0, 1, $work + $_[6] % 1000, MAX - $_[6]) });
	$each->('sy.sym-names', sub { (0xfffffff0 + $_[6] % 16, @_[1 .. 5]) });
	$each->('sy.sym-section', sub { (@_[0 .. 2], 0xff00 + $_[6] % 256, @_[4, 5]) });
	$each->('sy.sym-types', sub { ($_[0], $_[6] % 256, 0xff, @_[3 .. 5]) });
	$each->('sy.sym-sizes', sub { (@_[0 .. 4], 1 << $_[6] % 64) });
}

# Tables that are dear to whoever keeps or compares all their names.  Those of the linker are in their place no more.
sub make_dear {
	my ($symtab) = grep { get($_ + 4, 'L<') == 2 } section_headers();
	my $strtab = (section_headers())[get($symtab + 40, 'L<')];
	my ($text) = grep { get($_ + 8, 'Q<') & 4 && get($_ + 16, 'Q<') <= $symbol{work} && get($_ + 16, 'Q<') + get($_ + 32, 'Q<') > $symbol{work} } section_headers();
	for (
		# One name for all, of which a thousand bytes are shown; and names that do not end.
		['sy.sym-one-name', 150_000, "\0" . 'A' x 5000 . "\0", sub { (1, $symbol{work} + 16 * $_[0]) }],
		['sy.sym-no-end', 20_000, "\0" . 'A' x (8 << 20), sub { (1 + $_[0], $symbol{work} + 16 * $_[0]) }],
		['sy.sym-alike', 20_000, "\0" . 'A' x (8 << 20) . "\0", sub { (1 + $_[0], $symbol{work}) }],
	) {
		my ($name, $n, $names, $make) = @$_;
		my $symbols = join '', map { my ($at, $value) = $make->($_); pack 'L<C2S<Q<2', $at, 0x12, 0, 1, $value, 16 } 0 .. $n - 1;
		my $at = length $base;
		copy($name, $text + 32, q8(1 << 30), $symtab + 24, q8($at, length $symbols), $strtab + 24, q8($at + length $symbols, length $names),
			$at, $symbols, $at + length $symbols, $names);
	}
}

sub make_lengths {
	my ($end, $last) = (0, 0);
	for (program_headers()) {
		my ($type, undef, $offset, undef, undef, $size) = unpack 'L<2Q<4', substr $base, $_, 56;
		($end, $last) = ($offset + $size, $offset) if $type == 1 && $offset + $size > $end;
	}
	write_file('sy.cut', substr $base, 0, $end);
	write_file('x.cut-data', substr $base, 0, $last + 100);
	write_file('x.cut-text', substr $base, 0, 0x1800);
	write_file('no.cut-headers', substr $base, 0, 100);
	write_file('no.cut-ident', substr $base, 0, 40);
	write_file('sy.tera', $base, TERA);
	# Sections and symbols that are in the hole.
	my $bytes = $base;
	substr($bytes, 40, 8) = q8(TERA / 2);
	substr($bytes, 60, 2) = s2(0xfeff);
	write_file('sy.tera-sect', $bytes, TERA);
	$bytes = $base;
	my ($symtab) = grep { get($_ + 4, 'L<') == 2 } section_headers();
	substr($bytes, $symtab + 24, 16) = q8(1 << 24, 64 << 20);
	write_file('sy.tera-sym', $bytes, TERA);
	$bytes = $base;
	substr($bytes, 60, 2) = s2(0);
	substr($bytes, (section_headers())[0] + 32, 8) = q8(8 << 20); # as many as there may be, by libelf
	write_file('x.tera-shnum', $bytes, TERA);
}
