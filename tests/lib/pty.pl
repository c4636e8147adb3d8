#!/usr/bin/perl
# pty.pl KEYS SCREEN COMMAND...: runs the command as the leader of a session with a terminal of its own.  What is written
# to the fifo KEYS is typed there; what the terminal shows is appended to SCREEN, without carriage returns.  The last line
# is "command ended with STATUS".  Needs nothing but perl's core.
use strict;
use warnings;
use Fcntl;
use POSIX ();

use constant { TIOCGPTN => 0x80045430, TIOCSPTLCK => 0x40045431, TIOCSCTTY => 0x540e };

my ($keys_path, $screen_path, @command) = @ARGV;
sysopen(my $master, '/dev/ptmx', O_RDWR | O_NOCTTY) or die "/dev/ptmx: $!\n";
my ($number, $unlocked) = (pack('i', 0)) x 2;
ioctl($master, TIOCSPTLCK, $unlocked) or die "unlockpt: $!\n";
ioctl($master, TIOCGPTN, $number) or die "ptsname: $!\n";
my $slave_path = '/dev/pts/' . unpack 'i', $number;
open(my $screen, '>>', $screen_path) or die "$screen_path: $!\n";
# Both ends, so that it has no end of file.
sysopen(my $keys, $keys_path, O_RDWR) or die "$keys_path: $!\n";

my $pid = fork() // die "fork: $!\n";
if ($pid == 0) {
	$SIG{$_} = "DEFAULT" for qw(INT QUIT); # a shell gives its background jobs these ignored
	POSIX::setsid();
	sysopen(my $slave, $slave_path, O_RDWR) or die "$slave_path: $!\n";
	ioctl($slave, TIOCSCTTY, 0);
	POSIX::dup2(fileno $slave, $_) for 0 .. 2;
	exec { $command[0] } @command or POSIX::_exit(127);
}

my $ended;
while (1) {
	my $ready = '';
	vec($ready, fileno $_, 1) = 1 for $master, $keys;
	my $n = select($ready, undef, undef, 0.1);
	if ($n > 0 && vec($ready, fileno $master, 1)) {
		# EIO: nobody has the terminal open any more.
		last unless sysread $master, my $data, 4096;
		$data =~ s/\r//g;
		syswrite $screen, $data;
	} elsif (defined $ended) {
		last;
	}
	if ($n > 0 && vec($ready, fileno $keys, 1)) {
		sysread $keys, my $data, 4096;
		syswrite $master, $data;
	}
	$ended = $? if !defined $ended && waitpid($pid, POSIX::WNOHANG()) == $pid;
}
if (!defined $ended) {
	waitpid $pid, 0;
	$ended = $?;
}
syswrite $screen, "\ncommand ended with $ended\n";
