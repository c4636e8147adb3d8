#!/usr/bin/perl
# crowd.pl SAMPLER SECONDS ROUNDS SEED: profsup with a crowd (tests/targets/plain/crowd.c, here as ./crowd) for so many seconds.
# Between the rounds all of the crowd but its first process are gone; then what the supervisor holds is measured.  Files
# are read, by gprof too, and removed as they come; at the end each process that lived is looked for among them.
# Prints "NAME VALUE" lines for the test, and "# ..." for whoever reads it.
#
# CROWD_FLAGS: more options of profsup, such as -v, which stays in ./err.
#
# All of it runs in a PID namespace that ends with us: the crowd can kill nobody else, and nothing is left behind.
use strict;
use warnings;
use FindBin;
use File::Temp qw(tempfile);
use IO::Select;
use List::Util qw(max min sum0);
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep stat time);

my ($sampler, $seconds, $rounds, $seed) = @ARGV;
my ($most_procs, $most_threads) = (200, 200);
my $patience = 300;
my @function = qw(t_inner t_outer t_thread t_handler t_burn);
my ($RESERVED, $ALIVE, $EXECING, $REPLACED, $ENDED, $FAILED) = 0 .. 5; # enum crowd_state
my @word = qw(reserved alive execing replaced ended failed);
my ($slot_size, $slots_at, $most_slots) = (24 + 8 * @function, 32 + 4 * 256, 1 << 20);

my %files;    # pid => [calls of each function] for each file, in the order of their coming
my $nfiles = 0;
my $ticks = 0;
my %bad = map { $_ => 0 } qw(unreadable gprof strange);
my $diagnosed = 0;

sub diag {
	my ($line) = @_;
	print "# $line\n" if $diagnosed++ < 60;
}

sub slurp {
	my ($file) = @_;
	open my $f, '<:raw', $file or return '';
	local $/;
	return scalar(<$f>) // '';
}

# --- The files.

# The counted functions' addresses: [low, high).
my @range;
{
	my @at = map { /^([0-9a-f]+) [tTwW] (\S+)/ ? [hex $1, $2] : () } `nm -n crowd`;
	my %index = map { $function[$_] => $_ } 0 .. $#function;
	for my $i (0 .. $#at - 1) {
		my $n = $index{$at[$i][1]} // next;
		$range[$n] = [$at[$i][0], $at[$i + 1][0]];
	}
}

# The calls of each counted function, and all ticks; undef if it is no whole gmon file.
sub read_gmon {
	my ($file) = @_;
	my $data = slurp($file);
	my @calls = (0) x @function;
	my ($ticks, $at) = (0, 20);
	return unless length $data > 20 && substr($data, 0, 8) eq 'gmon' . pack('V', 1);
	while ($at < length $data) {
		my $tag = ord substr($data, $at++, 1);
		if ($tag == 0) {
			return if $at + 40 > length $data;
			my $bins = unpack 'V', substr($data, $at + 16, 4);
			$at += 40;
			return if $at + 2 * $bins > length $data;
			$ticks += unpack '%32v*', substr($data, $at, 2 * $bins);
			$at += 2 * $bins;
		} elsif ($tag == 1) {
			return if $at + 20 > length $data;
			my ($from, $self, $count) = unpack 'Q<Q<V', substr($data, $at, 20);
			for my $n (0 .. $#function) {
				$calls[$n] += $count if $self >= $range[$n][0] && $self < $range[$n][1];
			}
			$at += 20;
		} else {
			return;
		}
	}
	return ($ticks, \@calls);
}

# gprof reads all of them, and adds up what we do.
sub ask_gprof {
	my ($files, $want) = @_;
	my %got;
	open my $gprof, '-|', 'gprof', '-b', '-p', 'crowd', @$files or die "gprof: $!\n";
	while (<$gprof>) {
		my @word = split;
		$got{$word[6]} = $word[3] if @word == 7;
	}
	my $read = close $gprof;
	my @wrong = grep { ($got{$function[$_]} // 0) != $want->[$_] } 0 .. $#function;
	return if $read && !@wrong;
	$bad{gprof}++;
	diag("gprof, status $?: $function[$_] " . ($got{$function[$_]} // 0) . " calls, not $want->[$_]") for @wrong;
}

# Take the files that are there.  A namesake is whoever is later: numbers that we have removed are given again.
sub take_files {
	my (@there, @good);
	my @sum = (0) x @function;
	opendir my $dir, 'files' or die "files: $!\n";
	for (readdir $dir) {
		if (/^gmon\.crowd\.(\d+)(?:\.\d+)?\.out$/) {
			push @there, [$1, (stat "files/$_")[9], "files/$_"];
		} elsif (!/^\./) {
			$bad{strange}++;
			diag("a file named $_");
			unlink "files/$_";
		}
	}
	for (sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } @there) {
		my ($pid, undef, $file) = @$_;
		my ($ticks_here, $calls) = read_gmon($file);
		$nfiles++;
		if (!$calls) {
			$bad{unreadable}++;
			diag("$file can't be read");
			$calls = [];
		} else {
			push @good, $file;
			$ticks += $ticks_here;
			$sum[$_] += $calls->[$_] for 0 .. $#function;
		}
		push @{$files{$pid}}, $calls;
	}
	ask_gprof(\@good, \@sum) if @good;
	unlink map { $_->[2] } @there;
}

# --- The run.

my ($table, $table_name) = tempfile('profsup-crowd.XXXXXX', DIR => -w '/dev/shm' ? '/dev/shm' : '.', UNLINK => 1);
truncate $table, $slots_at + $most_slots * $slot_size or die "$table_name: $!\n";
mkdir "files" or die "files: $!\n";

$ENV{CROWD_FLAGS} //= "";
my $run = <<'END';
profsup $CROWD_FLAGS -d files -F 200 --sampler="$1" --stats=stats ./crowd "$2" "$3" "$4" "$5" "$6" 2>err
echo $? >status
for d in /proc/[0-9]*; do
	[ "$d" = /proc/1 ] || sed -n 's/^\(Name\|State\|TracerPid\):/&/p' "$d/status"
done 2>/dev/null >left
END
my @namespace = (qw(unshare --pid --fork --kill-child --mount-proc), $> == 0 ? () : '-Ur');
pipe my($their_in), my($in) or die "pipe: $!\n";
pipe my($out), my($their_out) or die "pipe: $!\n";
my $child = fork // die "fork: $!\n";
if ($child == 0) {
	open STDIN, '<&', $their_in;
	open STDOUT, '>&', $their_out;
	close $_ for $in, $out, $their_in, $their_out;
	my $length = max(1, int($seconds / $rounds + 0.5));
	exec @namespace, 'sh', '-c', $run, 'sh', $sampler, $table_name, $seed, $length, $most_procs, $most_threads;
	die "unshare: $!\n";
}
close $_ for $their_in, $their_out;
$in->autoflush(1);
$SIG{PIPE} = 'IGNORE';
$SIG{$_} = sub { exit 255 } for qw(INT TERM HUP);

END {
	my $status = $?;
	if ($child) {
		kill 'KILL', $child; # and with it all in the namespace
		waitpid $child, 0;
	}
	$? = $status;
}

sub children {
	my ($pid) = @_;
	return map { s/\s//r } `pgrep -P $pid`;
}

# What stands where when nothing goes on.
sub tell_who_is_there {
	my ($pid, $indent) = @_;
	my $status = slurp("/proc/$pid/status");
	my @facts = map { $status =~ /^$_:\s*(.*)$/m ? "$_ $1" : () } qw(Name State NSpid TracerPid SigBlk ShdPnd);
	diag('  ' x $indent . join(', ', @facts, slurp("/proc/$pid/wchan")));
	tell_who_is_there($_, $indent + 1) for children($pid);
}

my $supervisor;
my $out_select = IO::Select->new($out);

# A live thread's account is opened when it is first asked for.
sub is_an_account {
	my $path = readlink $_[0];
	return defined $path && $path =~ m{^(/proc/\d+/task/\d+)/(?:stat|sched|schedstat)$} && -d "/proc/$supervisor/root$1";
}

sub measure {
	my $status = slurp("/proc/$supervisor/status");
	my @fds = grep { !is_an_account($_) } glob "/proc/$supervisor/fd/*";
	my ($memory) = $status =~ /^RssAnon:\s*(\d+)/m;
	my ($peak) = $status =~ /^VmHWM:\s*(\d+)/m;
	return { fds => scalar @fds, memory => $memory // 0, peak => $peak // 0 };
}

my (@quiet, @busy);

# The crowd comes and goes; false if it does not.
sub wait_for_quiet {
	my ($limit) = @_;
	my $until = time + $limit;
	my $most = { fds => 0, memory => 0, peak => 0 };
	until ($out_select->can_read(0.5)) {
		if (time > $until) {
			diag("nothing since $limit s:");
			tell_who_is_there($child, 0);
			return 0;
		}
		if ($supervisor) {
			my $now = measure();
			$most->{$_} = max($most->{$_}, $now->{$_}) for keys %$now;
		}
		take_files();
	}
	push @busy, $most;
	my $line = "";
	sysread $out, $line, 6;
	return $line eq "quiet\n";
}

my $ended = 0;
if (wait_for_quiet($patience)) {
	# unshare - sh - front - supervisor
	my ($front) = map { children($_) } children($child);
	($supervisor) = grep { slurp("/proc/$_/comm") eq "profsup\n" } children($front);
	die "there is no supervisor\n" unless $supervisor;
	push @quiet, measure();
	for my $round (1 .. $rounds) {
		print $in "\n";
		wait_for_quiet($seconds / $rounds + $patience) or last;
		# The last one's end is being dealt with.
		my $now;
		for (1 .. 100) {
			$now = measure();
			last if $now->{fds} <= $quiet[0]{fds};
			sleep 0.05;
		}
		push @quiet, $now;
	}
	close $in;
	for (1 .. $patience * 10) {
		last if $ended = waitpid($child, WNOHANG) == $child;
		sleep 0.1;
	}
	tell_who_is_there($child, 0) unless $ended;
	$child = 0 if $ended;
}
take_files();

# --- The account.

# A slot: pid, state, prev, next, before, after.
my @slots;
{
	open my $f, '<:raw', $table_name or die "$table_name: $!\n";
	read $f, my($head), $slots_at;
	my ($used) = unpack 'V', $head;
	for (1 .. $used) {
		read $f, my($data), $slot_size;
		my @word = unpack 'V*', $data;
		push @slots, {
			slot => scalar @slots,
			pid => $word[0], state => $word[1], prev => $word[2], next => $word[3],
			before => [@word[6 .. 5 + @function]], after => [@word[6 + @function .. 5 + 2 * @function]],
		};
	}
}

# A life has the images of which one's calls may be in its file; the last of them may be undef: no file, since it was
# killed between two images.
my %lives;
my %n = map { $_ => 0 } qw(lives killed vague failed images_low images_high);
my $inexact = 0;
my $handled = 0;
for my $slot (@slots) {
	if ($slot->{state} == $FAILED) {
		$n{failed}++;
		diag("process $slot->{pid}: something failed, error $slot->{next}");
	}
	if ($slot->{state} == $ENDED && "@{$slot->{before}}" ne "@{$slot->{after}}") {
		$inexact++;
		diag("process $slot->{pid} ended in a call: @{$slot->{before}}, @{$slot->{after}}");
	}
	next if $slot->{prev} || !$slot->{pid};
	my ($last, $images) = ($slot, 1);
	while ($last->{state} == $REPLACED) {
		$last = $slots[$last->{next}];
		$images++;
	}
	my @may = ($last);
	push @may, $slots[$last->{next}], undef if $last->{state} == $EXECING;
	push @{$lives{$slot->{pid}}}, \@may;
	$n{lives}++;
	$handled += $last->{after}[3];
	$n{killed}++ if $last->{state} != $ENDED;
	$n{vague}++ if @may > 1;
	$n{images_low} += $images;
	$n{images_high} += $images + (@may > 1);
}

# One that was killed half through its exec has no memory to be read any more: what was read before is in the file.
sub fits {
	my ($slot, $calls) = @_;
	return @$calls && !grep { $calls->[$_] > $slot->{before}[$_] } 0 .. $#function if $slot->{state} == $EXECING;
	return @$calls && !grep { $calls->[$_] < $slot->{after}[$_] || $calls->[$_] > $slot->{before}[$_] } 0 .. $#function;
}

# Whether the lives of a number, in their order, have left its files.
sub match {
	my ($lives, $files) = @_;
	return !@$files unless @$lives;
	my ($life, @lives) = @$lives;
	my ($calls, @files) = @$files;
	for my $slot (@$life) {
		if (!$slot) {
			return 1 if match(\@lives, $files);
		} elsif ($calls && fits($slot, $calls)) {
			return 1 if match(\@lives, \@files);
		}
	}
	return 0;
}

my %wrong = map { $_ => 0 } qw(missing extra wrong);
my $namesakes = 0;
for my $pid (sort { $a <=> $b } keys %{{ %lives, %files }}) {
	my @lives = @{$lives{$pid} // []};
	my @files = @{$files{$pid} // []};
	my $least = grep { @$_ == 1 } @lives;
	$namesakes += max(0, @lives - 1);
	next if match(\@lives, \@files);
	$wrong{@files < $least ? 'missing' : @files > @lives ? 'extra' : 'wrong'}++;
	diag("process $pid, of " . join(', ', map { $_->{slot} } grep { $_ } map { @$_ } @lives) . ':');
	for my $life (@lives) {
		diag('  lived: ' . join ' or ', map {
			$_ ? "$word[$_->{state}] with @{$_->{after}} to @{$_->{before}} calls" : 'no file' } @$life);
	}
	diag("  file: @$_ calls") for @files;
}

my %stats = map { /"(\w+)": (\d+)/ ? ($1 => $2) : () } split /\n/, slurp('stats');
my @temporary = grep { /^files\/\.gmon/ } glob 'files/.*';
my $left = slurp('left');
my ($status) = slurp('status') =~ /(\d+)/;
my $usual = join '|', map { s/\n//r } do { open my $f, '<', "$FindBin::Bin/../lib/usual" or die "usual: $!\n"; <$f> };
my @said = grep { !/$usual/ } split /\n/, slurp('err');
my $excused = $n{vague};
@said = grep { !/: its calls can't be read: Bad address: / || $excused-- <= 0 } @said;
# SIGKILL takes a process out of its exit stop, and its memory with it; whether the calls in its file are right is judged above.
@said = grep { !/: its calls can't be read: No such process: / } @said;
diag($_) for @said, split /\n/, $left;
diag(sprintf 'between rounds: fds %s; KB of memory %s', join(' ', map { $_->{fds} } @quiet),
	join ' ', map { $_->{memory} } @quiet);
diag(sprintf 'in rounds, most: fds %s; KB of memory %s', join(' ', map { $_->{fds} } @busy[1 .. $#busy]),
	join ' ', map { $_->{peak} } @busy[1 .. $#busy]);
diag($_) for split /\n/, slurp('err') =~ s/^(?!profsup: (\d+ process|own)).*\n//mgr;

my %say = (%n, %bad, %wrong,
	status => $status // 'none', ended => $ended ? 'all' : 'not', rounds => max(0, @quiet - 1), files => $nfiles, inexact => $inexact,
	namesakes => $namesakes, handled => $handled, temporary => scalar @temporary, left => length $left ? 'some' : 'none', said => scalar @said,
	processes => $stats{processes} // 'none', files_told => $stats{files} // 'none', ticks => $ticks, ticks_told => $stats{ticks} // 'none',
	dropped => $stats{dropped_calls} // 'none',
	fds_first => $quiet[1]{fds} // 'none', fds_last => $quiet[-1]{fds} // 'none',
	memory_first => $quiet[1]{memory} // 'none', memory_last => $quiet[-1]{memory} // 'none');
print "$_ $say{$_}\n" for sort keys %say;
