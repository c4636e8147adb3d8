#!/usr/bin/perl
# memory.pl LIMIT AFTER MOST PROFSUP ARGUMENT...: runs it, with a stdin that is closed AFTER seconds after the program has
# said "ready", and looks at the supervisor's memory until the end, but for no more than MOST seconds.  Beyond LIMIT (MB)
# the supervisor is killed.  Says "peak MB" and "end STATUS", or "end killed", or "end late".
#
# Memory is what VmHWM says, and what files without a name (memfd) hold.
use strict;
use warnings;
use POSIX ':sys_wait_h';
use Time::HiRes qw(sleep time);

my ($limit, $after, $most, @command) = @ARGV;
my ($peak, $ready, $end) = (0, 0, time + $most);

pipe my $stdin, my $open or die;
pipe my $in, my $stdout or die;
my $front = fork // die;
if ($front == 0) {
	open STDIN, '<&', $stdin or die;
	open STDOUT, '>&', $stdout or die;
	exec @command or die;
}
close $stdin;
close $stdout;
$in->blocking(0);

# Of what may be gone.
sub first_line {
	my ($file) = @_;
	open my $f, '<', $file or return '';
	return <$f> // '';
}

sub megabytes_of {
	my ($pid) = @_;
	open my $f, '<', "/proc/$pid/status" or return 0;
	my ($kb) = map { /^VmHWM:\s+(\d+)/ } <$f>;
	my %blocks;
	for (glob "/proc/$pid/fd/*") {
		next unless (readlink // '') =~ m{^/memfd:};
		my ($inode, $blocks) = (stat)[1, 12];
		$blocks{$inode} = $blocks if defined $inode;
	}
	$kb += $_ / 2 for values %blocks;
	return ($kb // 0) / 1024;
}

my ($supervisor, $how, $said) = (undef, 'late', '');
while (time < $end) {
	($supervisor) = split ' ', first_line("/proc/$front/task/$front/children") unless defined $supervisor;
	my $now = defined $supervisor ? megabytes_of($supervisor) : 0;
	$peak = $now if $now > $peak;
	if ($peak > $limit) {
		$how = 'killed';
		kill 'KILL', $supervisor, $front;
		last;
	}
	sysread $in, $said, 4096, length $said;
	$ready = time if !$ready && $said =~ /^ready/m;
	if ($ready && defined $open && time > $ready + $after) {
		close $open;
		undef $open;
	}
	if (waitpid($front, WNOHANG) == $front) {
		$how = $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
		last;
	}
	sleep 0.005;
}
printf "peak %.1f\nend %s\n", $peak, $how;
