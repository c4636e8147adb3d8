#!/usr/bin/perl
# faults.pl INJECT PROFSUP PROGRAM [--few] [--only=REGEXP]: lets the supervisor's system calls fail, one site after the other,
# and checks each time what must hold whatever fails:
#	the program runs to its end, with its output and its exit status, or is not started at all;
#	a file that is there is whole, and one that isn't, or is not true, has a line on stderr;
#	no process is left, no temporary file.
# --few: a dozen calls, in seconds.  --only=REGEXP: those sites, as they are called in the output.  Prints TAP.
use strict;
use warnings;
use FindBin;
use Errno qw(ENOMEM EMFILE ENOSPC EIO EINTR ESRCH);
use POSIX qw(WNOHANG setpgid);
use Time::HiRes qw(sleep time);

my ($inject, $profsup, $program) = splice @ARGV, 0, 3;
my %option = map { /^(--\w+)(?:=(.*))?/ ? ($1 => $2 // 1) : () } @ARGV;
my $only = $option{'--only'} // '';
my %number = (ENOMEM => ENOMEM, EMFILE => EMFILE, ENOSPC => ENOSPC, EIO => EIO, EINTR => EINTR, ESRCH => ESRCH);
my @errors = sort keys %number;
my %call = map { /^#define __NR_(\w+)\s+(\d+)/ ? ($2 => $1) : () } qx(printf "#include <sys/syscall.h>" | cc -E -dM -);
my %nr = reverse %call;
my $usual = join '|', map { s/\n//r } do { open my $f, '<', "$FindBin::Bin/../lib/usual" or die "usual: $!\n"; <$f> };
my $points = 0;
my $failures = 0;
my $another = 64999;

# Each way of running it takes other paths.
my @ways = (
	['by stops', [qw(--sampler=ptrace)], []],
	['by perf', [qw(--sampler=perf)], []],
	['as another user', [qw(--sampler=ptrace)], [qw(setpriv --clear-groups), "--reuid=$another", "--regid=$another"]],
	['-d', [qw(--sampler=ptrace -d .)], []],
);
@ways = grep { $> == 0 || !@{$_->[2]} } @ways;
@ways = grep { $_->[0] ne 'by perf' || system("$profsup -q --sampler=perf true 2>/dev/null") == 0 } @ways;

sub point {
	my ($good, $what, @why) = @_;
	$points++;
	$failures++ unless $good;
	print $good ? '' : 'not ', "ok $points - $what\n";
	print map { "# $_\n" } @why;
}

sub slurp {
	my ($file) = @_;
	open my $f, '<:raw', $file or return '';
	local $/;
	return scalar(<$f>) // '';
}

# --- where functions are: of profsup, to name sites; of the program, to name arcs.
sub symbols {
	my @at;
	for (`nm -n $_[0]`) {
		push @at, [hex $1, $2] if /^([0-9a-f]+) [tTwW] (\w[\w.]*)/;
	}
	return \@at;
}
sub function_at {
	my ($symbols, $address) = @_;
	my ($low, $high) = (0, $#$symbols);
	while ($low < $high) {
		my $middle = int(($low + $high + 1) / 2);
		if ($symbols->[$middle][0] <= $address) { $low = $middle } else { $high = $middle - 1 }
	}
	return $symbols->[$low][1];
}
my ($ours, $theirs) = (symbols($profsup), symbols($program));

sub label {
	my ($nr, @address) = split m{/}, $_[0];
	# More of them are mostly what earlier calls have left on the stack.
	my @functions = map { function_at($ours, hex($_) - 1) } grep { defined } @address[0 .. 2];
	return join ' < ', $call{$nr} // $nr, @functions;
}

# --- one run
sub processes {
	return grep { (readlink("/proc/$_/exe") // '') =~ m{^\Q$program\E( |$)} } map { m{/proc/(\d+)$} } glob '/proc/[0-9]*';
}

# Calls of each function in a file, and its ticks; undef: it isn't whole.
sub calls {
	my $data = slurp($_[0]);
	my ($at, %calls) = (20);
	return undef unless length $data >= 20 && substr($data, 0, 8) eq 'gmon' . pack('V', 1);
	while ($at < length $data) {
		my $tag = ord substr $data, $at++, 1;
		return undef if $tag > 1;
		if ($tag == 0) {
			return undef if $at + 40 > length $data;
			my $bins = unpack 'V', substr $data, $at + 16, 4;
			return undef if $at + 40 + 2 * $bins > length $data;
			$calls{ticks} += unpack "%64v$bins", substr $data, $at + 40, 2 * $bins;
			$at += 40 + 2 * $bins;
		} else {
			return undef if $at + 20 > length $data;
			my ($from, $self, $count) = unpack 'Q<Q<V', substr $data, $at, 20;
			$calls{function_at($theirs, $self)} += $count;
			$at += 20;
		}
	}
	return $at == length $data ? \%calls : undef;
}

# Runs it; returns the names of the sites, how often each failed, and what is wrong.
sub run {
	my ($way, $site, $which, $error) = @_;
	my @wrong;
	unlink glob('gmon.* .gmon.*'), qw(out err report);
	my $pid = fork // die "fork: $!\n";
	if ($pid == 0) {
		setpgid(0, 0);
		open STDIN, '<', '/dev/null';
		open STDOUT, '>', 'out';
		open STDERR, '>', 'err';
		exec $inject, $site, $which, $number{$error} // 0, 'report', $profsup, '-F', 1000, @{$way->[1]}, @{$way->[2]}, $program;
		exit 99;
	}
	my $deadline = time + 8;
	while (waitpid($pid, WNOHANG) == 0) {
		if (time > $deadline) {
			push @wrong, 'it hangs: ' . join ', ', map { slurp("/proc/$_/stat") =~ /^(\d+ \(.*\) .)/ ? $1 : () } processes();
			kill KILL => -$pid, processes();
			waitpid $pid, 0;
		}
		sleep 0.005;
	}
	my $status = $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
	my ($out, $err) = (slurp('out'), slurp('err'));
	my $had_no_cpu = $err =~ /^profsup: profsup got no CPU for /m;
	$err =~ s/(?:$usual).*\n//mg;
	my %report = map { /^(\S+) (\d+) (\d+)/ ? ($1 => [$2, $3]) : () } split /\n/, slurp('report');
	push @wrong, verdict($status, $out, $err, $had_no_cpu) unless @wrong;
	for my $file (glob 'gmon.*') {
		my $owner = @{$way->[2]} ? $another : $>;
		push @wrong, "$file is not of uid $owner" if (stat $file)[4] != $owner;
	}
	push @wrong, map { "stderr: $_" } split /\n/, $err if @wrong;
	return (\%report, @wrong);
}

sub verdict {
	my ($status, $out, $err, $had_no_cpu) = @_;
	my (@wrong, %file, $first);
	my @left = processes();
	push @wrong, "processes are left: @left" if @left;
	kill KILL => @left;
	push @wrong, 'temporary files are left' if glob '.gmon.*';
	push @wrong, 'a line that is not ours' if grep { !/^profsup: / } split /\n/, $err;
	return (@wrong, $err eq '' ? 'not started, and not a word' : ()) if $status eq '125' && $out eq '';
	push @wrong, "exit status $status" unless $status eq '7';
	while ($out =~ /^file (\d+) (\w+) (\d+)$/mg) {
		my ($pid, $function, $want) = ($1, $2, $3);
		my ($file) = glob "gmon.*.$pid.out";
		$first //= $pid; # the others are its children
		my $said = $err =~ /\b$pid\b/ || $err =~ /\b$first\b.*(not profiled|neither its time nor its calls|no memory)/ || $err =~ m{no profiles from here on|nothing was profiled|^profsup: (/.*/)?(prog|exe): }m;
		if (!defined $file) {
			push @wrong, "$pid has no file, and not a word" unless $said;
		} else {
			my $calls = calls($file);
			my $got = $calls ? $calls->{$function} // 0 : 'unreadable';
			push @wrong, "$file: " . ($calls->{ticks} // 0) . " ticks"
				if $function eq 'parent_work' && ($calls->{ticks} // 0) < 40 && !$said && !$had_no_cpu;
			push @wrong, "$file: $function: $got calls, not $want" . ($said ? ' (it says so)' : '')
				unless $got eq $want || ($calls && $err =~ /\b$pid\b.*calls/);
		}
		$file{$pid} = 1;
	}
	push @wrong, "output: $out" unless keys %file == 3 && $out =~ /^end\n\z/m;
	for my $file (glob 'gmon.*') {
		push @wrong, "$file is not whole" unless calls($file);
	}
	return @wrong;
}

# --- what fails
sub try_site {
	my ($way, $what, $which, $error, @site) = @_;
	for my $site ((@site) x 2) {
		my ($report, @wrong) = run($way, $site, $which, $error);
		my $failed = grep { $_->[1] } values %$report;
		next if !$failed && !@wrong;
		return @wrong ? ("$error, " . ($which || 'all') . ": $_[1]", map { "    $_" } @wrong) : ();
	}
	return;
}

# Errors that every further call would meet as well.
my %lasting = (
	ENOMEM => [qw(mmap brk pread64 pwrite64 openat read)],
	EMFILE => [qw(openat)],
	ENOSPC => [qw(openat pwrite64 write ftruncate linkat renameat2)],
	EIO => [qw(openat read pread64 pwrite64 linkat renameat2 unlinkat close)],
	ESRCH => [qw(pread64 pwrite64 kcmp)],
);

# What the call could meet.  ptrace(2) says ESRCH only of a tracee that is no longer in its stop, and goes by it.
sub errors_of {
	my ($label) = @_;
	return grep { $_ ne 'ESRCH' || $label !~ /^ptrace\b/ } @errors;
}

sub all_sites {
	my %done;
	for my $way (@ways) {
		my (%site, %calls);
		for (1 .. 3) {
			my ($report, @wrong) = run($way, '-', 0, 'none');
			point(0, "$way->[0]: without a fault", @wrong) if @wrong;
			for (keys %$report) {
				push @{$site{label($_)}}, $_;
				$calls{$_} = $report->{$_}[0];
			}
		}
		for my $label (sort keys %site) {
			my @sites = sort keys %{{map { $_ => 1 } @{$site{$label}}}};
			# The C library makes these for a new thread and takes them for granted, or ends the process.
			next if $label =~ /^rseq\b|^rt_sigprocmask\b.*\bthread_start\b/;
			next if $done{$label}++ || "$way->[0]: $label" !~ /$only/;
			my @often = grep { $calls{$_} > 1 } @sites;
			my @wrong = map { try_site($way, $label, 1, $_, @sites), try_site($way, $label, 2, $_, @often) } errors_of($label);
			point(!@wrong, "$way->[0]: $label", @wrong);
		}
		for my $error (sort keys %lasting) {
			for my $call (grep { defined $nr{$_} } @{$lasting{$error}}) {
				next if "$way->[0]: $error from every $call" !~ /$only/;
				my ($report, @wrong) = run($way, $nr{$call}, 0, $error);
				point(!@wrong, "$way->[0]: $error from every $call", @wrong);
			}
		}
	}
}

# Call, which of them, error; the last ones for a program of another user.
my @few = (
	[qw(openat 0 EMFILE)], [qw(openat 3 EINTR)], [qw(openat 5 EIO)], [qw(openat 7 EIO)],
	[qw(newfstatat 2 EIO)], [qw(pread64 1 EIO)], [qw(read 8 EIO)], [qw(read 11 EIO)], [qw(mmap 0 ENOMEM)],
	[qw(pwrite64 1 ENOSPC)], [qw(pwrite64 1 EINTR)], [qw(ftruncate 0 EIO)], [qw(linkat 1 ENOSPC)],
	[qw(pread64 0 ENOMEM)], [qw(pread64 3 ENOMEM)], [qw(pwrite64 1 ESRCH)], [qw(ioctl 1 EFAULT)], [qw(rt_sigtimedwait 5 EINTR)], [qw(wait4 2 EINTR)],
	[qw(wait4 2 EIO)],
	map { ['ptrace', $_, 'EIO'] } 2, 4, 6, 8, 10, 16,
);
my @few_as_another = ([qw(setgroups 1 ENOMEM)], [qw(setgroups 2 ENOMEM)], [qw(setfsuid 4 EIO)], [qw(capset 7 ENOMEM)]);

sub few_sites {
	my ($another) = grep { $_->[0] eq 'as another user' } @ways;
	for my $one ((map { [$ways[0], @$_] } @few), $another ? map { [$another, @$_] } @few_as_another : ()) {
		my ($way, $call, $which, $error) = @$one;
		my ($report, @wrong) = run($way, $nr{$call}, $which, $error);
		push @wrong, 'it was not reached' unless grep { $_->[1] } values %$report;
		point(!@wrong, "$way->[0]: $error from " . ($which ? "call $which of" : 'every') . " $call", @wrong);
	}
}

$option{'--few'} ? few_sites() : all_sites();
print "1..$points\n";
exit($failures != 0);
