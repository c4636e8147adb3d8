# watchdog.pl PID SECONDS DIRECTORY: a test file that has not ended by then is ended, with all that it has started, and says
# what it waited for.  It goes on beside the test, which does not know it as a child, and ends soon after it.
#
# What a test has started is below it, or was once: that has its directory, or names it in its environment.
# The machines of vm/ have no module but these, so glob is none that it can use.
use strict;
use warnings;

my ($test, $seconds, $directory) = @ARGV;
exit if fork // die "watchdog: $!";
setpgrp 0, 0;
chdir '/';
# Nobody who looks for the directory finds this.
$0 = 'watchdog';

# Fields of /proc/PID/stat after the name; none: it is gone.
sub stat_of {
	my ($pid) = @_;
	open my $file, '<', "/proc/$pid/stat" or return;
	my $line = <$file> // return;
	$line =~ s/.*\) //s;
	return split ' ', $line;
}

sub text_of {
	my ($pid, $name) = @_;
	open my $file, '<', "/proc/$pid/$name" or return '';
	local $/;
	return scalar(<$file>) // '';
}

sub names_in {
	my ($place) = @_;
	opendir my $dir, $place or return;
	return grep { !/^\.\.?$/ } readdir $dir;
}

my $born = (stat_of($test))[19] // exit;

# By its start, since numbers come again.
sub is_there {
	my @stat = stat_of($test);
	return @stat && $stat[0] ne 'Z' && $stat[19] eq $born;
}

sub started {
	my (%parent, %is);
	for my $pid (grep { /^\d+$/ } names_in('/proc')) {
		$parent{$pid} = (stat_of($pid))[1] // next;
		$is{$pid} = 1 if (readlink("/proc/$pid/cwd") // '') =~ m{^\Q$directory\E(/|$)} || index(text_of($pid, 'environ'), $directory) >= 0;
	}
	for my $pid (keys %parent) {
		my $up = $pid;
		$up = $parent{$up} while $up != $test && $parent{$up};
		$is{$pid} = 1 if $up == $test;
	}
	delete @is{$test, $$};
	return sort { $a <=> $b } keys %is;
}

open STDIN, '<', '/dev/null';
open STDOUT, '>', '/dev/null';
open STDERR, '>', '/dev/null';
my $inherited;
for (grep { $_ > 2 } names_in('/proc/self/fd')) {
	close $inherited if open $inherited, '<&=', $_;
}

my $end = time + $seconds;
while (time < $end) {
	select undef, undef, undef, $seconds < 60 ? 0.1 : 2;
	is_there() || exit;
}

my @words = sprintf 'not ok - the file ends within %d s', $seconds;
for my $pid ($test, started()) {
	my $command = text_of($pid, 'cmdline') || text_of($pid, 'comm');
	$command =~ tr/\0\n/  /;
	push @words, sprintf '# %d %s, in %s: %.200s', $pid, (stat_of($pid))[0] // 'gone', text_of($pid, 'wchan') || '-', $command;
}
if (open my $out, '>>', "/proc/$test/fd/1") {
	print $out map { "$_\n" } @words;
	close $out;
}
# A shell that a signal finds at opening a pipe ends without its trap.
my @pipes;
for (map { my $place = $_; map { "$place/$_" } names_in($place) } $directory, map { "$directory/$_" } names_in($directory)) {
	push @pipes, undef;
	open $pipes[-1], '+<', $_ if -p;
}
# What it waits for is killed at once, so that it can clean up, for which it may start others.
my @first = started();
kill TERM => $test if is_there();
kill KILL => @first;
for (1 .. 100) {
	last if !is_there();
	select undef, undef, undef, 0.1;
}
kill KILL => $test if is_there();
for (1 .. 100) {
	my @pids = started() or last;
	kill KILL => @pids;
	select undef, undef, undef, 0.1;
}
