#!/usr/bin/perl
# SIGKILL to what profsup is made of.  Whoever is left has a program in DIR, where profsup itself has to be.
#
#	kills.pl DIR sweep COMMAND...: the front is killed before each of its system calls, from its first fork on: one
#		run for each.  Says "calls N" and what went wrong.
#	kills.pl DIR random N WHO MILLISECONDS COMMAND...: N runs; at a moment of the first MILLISECONDS, mostly early
#		ones, one of WHO (front,supervisor,both) is killed.  COMMAND prints "done" and ends with 7.  Says
#		"killed WHO N" and what went wrong; the seed is in KILLS_SEED, or said.
#
# What can go wrong: somebody is left, or the caller's stdout stays open, for 3 s; the status is not the program's.
use strict;
use warnings;
use IO::Select;
use POSIX ':sys_wait_h';
use Time::HiRes qw(sleep time);

use constant { PATIENCE => 3, MOST_FAILURES => 3 };

my ($dir, $how, @rest) = @ARGV;
my $failures = 0;
$| = 1;

# Whose program is in our directory: "PID COMMAND".
sub survivors {
	my @found;
	for my $exe (glob '/proc/[0-9]*/exe') {
		next if index(readlink $exe // '', "$dir/") != 0;
		my ($pid) = $exe =~ /(\d+)/;
		open my $f, '<', "/proc/$pid/cmdline" or next;
		(my $command = <$f> // '') =~ tr/\0/ /;
		push @found, "$pid $command";
	}
	return @found;
}

sub fail {
	my ($what) = @_;
	print "wrong: $what\n";
	print "wrong: and so on\n" if ++$failures == MOST_FAILURES;
}

# What is said to the end, or undef if there is no end of it.
sub rest_of {
	my ($pipe, $end) = @_;
	my ($all, $ready) = ('', IO::Select->new($pipe));
	while (time < $end) {
		next unless $ready->can_read($end - time);
		return $all if !sysread $pipe, $all, 4096, length $all;
	}
	return undef;
}

# A command with its stdout and stderr in pipes of ours.
sub start {
	my (@command) = @_;
	pipe my $out, my $its_out or die;
	pipe my $err, my $its_err or die;
	my $pid = fork // die;
	if ($pid == 0) {
		open STDOUT, '>&', $its_out or die;
		open STDERR, '>&', $its_err or die;
		exec @command or die;
	}
	return ($pid, $out, $err);
}

# After the front is gone: everybody else is, too, and lets go of what was the caller's.
sub all_over {
	my ($when, $out, $err) = @_;
	my $end = time + PATIENCE;
	my ($said, $told, @left) = (rest_of($out, $end), rest_of($err, $end));
	sleep 0.005 while (@left = survivors()) && time < $end;
	fail("$when: left: " . join '; ', @left) if @left;
	fail("$when: the caller's stdout stays open") if !defined $said && !@left;
	kill 'KILL', map { (split)[0] } @left;
	sleep 0.005 while survivors();
	return ($said // '', $told // '');
}

# The calls of a run that nobody disturbs, each with how often it was made by then.
sub calls_of {
	my (@command) = @_;
	my $log = "$dir/calls";
	system 'strace', '-qq', '-o', $log, @command;
	open my $f, '<', $log or die "$log: $!\n";
	my (%times, @calls, $forked);
	while (<$f>) {
		my ($name) = /^(\w+)\(/ or next;
		my $nth = ++$times{$name};
		push @calls, [$name, $nth] if $forked;
		$forked ||= $name =~ /^(clone|clone3|fork|vfork)$/;
	}
	unlink $log;
	return @calls;
}

sub sweep {
	my (@command) = @_;
	my @calls = calls_of(@command);
	for my $call (@calls) {
		last if $failures >= MOST_FAILURES;
		my ($name, $nth) = @$call;
		my ($pid, $out, $err) = start('strace', '-qq', '-o', '/dev/null',
			'-e', "trace=$name", '-e', "inject=$name:signal=KILL:when=$nth", @command);
		waitpid $pid, 0;
		all_over("the front is killed before its $name number $nth", $out, $err);
	}
	print 'calls ', scalar @calls, "\n";
}

# The front's children, as far as there are any by now: the supervisor and the program.
sub children_of {
	my ($front) = @_;
	open my $f, '<', "/proc/$front/task/$front/children" or return;
	return split ' ', <$f> // '';
}

sub moment {
	my ($most) = @_;
	my @of = (0.004, 0.02, $most / 1000, $most / 1000);
	return rand $of[rand @of];
}

# Killed was who had it coming and was there; `how` is the front's wait status.  A supervisor that has written its
# `file` may have been at its own end, where nothing is left to be said.
sub judge {
	my ($when, $killed, $how, $said, $told, $file) = @_;
	return if $killed =~ /front|both/ && $how == 9;
	if ($killed =~ /supervisor|both/) {
		# Before there was a program: ours.  After that it must not matter.
		return if $how >> 8 == 125 && $said eq '';
		fail("$when: nothing is said of it") if $told eq '' && !-e $file;
	}
	fail(sprintf '%s: status %#x, "%s", "%s"', $when, $how, $said, $told) if $how != 7 << 8 || $said ne "done\n";
}

sub random {
	my ($n, $who, $most, @command) = @_;
	my @who = split /,/, $who;
	my $seed = $ENV{KILLS_SEED} // time ^ $$;
	my %killed;
	print "seed $seed\n";
	srand $seed;
	for (1 .. $n) {
		last if $failures >= MOST_FAILURES;
		my ($kill, $moment) = ($who[rand @who], moment($most));
		my ($front, $out, $err) = start(@command);
		my $end = time + $moment;
		1 while time < $end;
		my ($supervisor, $program) = children_of($front);
		# One that is on its way out takes a signal, too, and has said what it had to.
		my ($no_supervisor, $no_front) = map { !defined || !defined readlink "/proc/$_/exe" || !kill 'KILL', $_ }
			$kill ne 'front' ? $supervisor : undef, $kill ne 'supervisor' ? $front : undef;
		my $killed = $no_supervisor ? $no_front ? 'nobody' : 'front' : $no_front ? 'supervisor' : 'both';
		my $when = sprintf '%s killed after %.2f ms', $killed, 1000 * $moment;
		# A front whose program ends is not to be waited for any longer than that takes.
		my $patience = time + PATIENCE + $most / 1000;
		my $gone;
		sleep 0.002 until ($gone = waitpid $front, WNOHANG) == $front || time > $patience;
		my $how = $?;
		if ($gone != $front) {
			fail("$when: it does not end");
			kill 'KILL', $front;
			waitpid $front, 0;
		}
		my ($said, $told) = all_over($when, $out, $err);
		judge($when, $killed, $how, $said, $told, 'gmon.prog.' . ($program // '') . '.out') if $gone == $front;
		$killed{$killed}++;
	}
	print "killed $_ $killed{$_}\n" for sort keys %killed;
}

if ($how eq 'sweep') { sweep(@rest) }
elsif ($how eq 'random') { random(@rest) }
else { die "how?\n" }
