#!/usr/bin/perl
# browse.pl: has Chromium show pages, by the DevTools protocol over a pipe, and does what the lines of its standard input
# say:
#	size WIDTH HEIGHT	of the window, in pixels
#	prefer light|dark	what the user's system prefers
#	open URL		and wait until it is drawn
#	print NAME EXPRESSION	writes the name, a tab, and what the JavaScript expression is, on one line
#	key KEY			presses it: a character, or Enter, Escape, Tab, ArrowUp ...
#	point SELECTOR		moves the mouse to the middle of the first such element
#	click SELECTOR		clicks there
#	await EXPRESSION	waits until it is true
#	pdf FILE		prints the page
#	shot FILE.png		what is seen
#	told			writes lines "console", tab, message, for what pages or the browser have complained of, and
#				"request", tab, URL, for all that a page has asked for but files and data it holds itself,
#				since the last such; and "told"
# It needs no network.
use strict;
use warnings;
use JSON::PP;
use MIME::Base64 qw(decode_base64);
use POSIX qw(dup2);
use Time::HiRes qw(sleep time);

my $json = JSON::PP->new->utf8->allow_nonref->canonical;
my ($width, $height) = (1400, 1000);
my ($next, $buffer, $loads, $session) = (0, '', 0);
my (@console, @requests, %opened);
my $profile = "browse.$$"; # a directory, made here
my $limit = 60; # seconds for one thing

# Chromium reads from descriptor 3 and writes to 4.
pipe my $its_in, my $to or die "pipe: $!\n";
pipe my $from, my $its_out or die "pipe: $!\n";
my $pid = fork // die "fork: $!\n";
if ($pid == 0) {
	my ($in, $out) = map { fcntl($_, 0, 10) // die "dup: $!\n" } $its_in, $its_out; # F_DUPFD
	dup2($in, 3) && dup2($out, 4) or die "dup2: $!\n";
	open STDIN, '<', '/dev/null';
	open STDOUT, '>', '/dev/null';
	open STDERR, '>', 'browse.log';
	exec 'chromium', '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--hide-scrollbars',
		'--disable-background-networking', '--disable-component-update', "--user-data-dir=$ENV{PWD}/$profile",
		'--remote-debugging-pipe', 'about:blank';
	die "chromium: $!\n";
}
close $its_in;
close $its_out;

END {
	local $?;
	if ($pid) {
		kill 'TERM', $pid;
		waitpid $pid, 0;
		system 'rm', '-rf', $profile if defined $profile;
	}
}

sub note_event {
	my ($m) = @_;
	my ($what, $p) = @$m{qw(method params)};
	if ($what eq 'Page.loadEventFired') { $loads++ }
	elsif ($what eq 'Runtime.consoleAPICalled') { push @console, join ' ', map { $_->{value} // $_->{description} // '' } @{ $p->{args} } }
	elsif ($what eq 'Runtime.exceptionThrown') { push @console, $p->{exceptionDetails}{exception}{description} // $p->{exceptionDetails}{text} }
	elsif ($what eq 'Log.entryAdded') { push @console, $p->{entry}{text} }
	elsif ($what eq 'Network.requestWillBeSent') { push @requests, $p->{request}{url} }
}

# The next message; none in time: the end.
sub message {
	my $until = time + $limit;
	while (index($buffer, "\0") < 0) {
		my $ready = '';
		vec($ready, fileno $from, 1) = 1;
		select($ready, undef, undef, $until - time) or die "chromium does not answer\n";
		sysread $from, $buffer, 1 << 20, length $buffer or die "chromium has ended: see browse.log\n";
	}
	my $end = index $buffer, "\0";
	my $text = substr $buffer, 0, $end + 1, "";
	chop $text;
	return $json->decode($text);
}

sub call {
	my ($method, $params) = @_;
	my $id = ++$next;
	my $text = $json->encode({ id => $id, method => $method, params => $params // {}, $session ? (sessionId => $session) : () }) . "\0";
	for (my $at = 0; $at < length $text;) { $at += syswrite $to, $text, length($text) - $at, $at or die "write: $!\n" }
	while (1) {
		my $m = message();
		if (!defined $m->{id}) { note_event($m); next }
		next if $m->{id} != $id;
		die "$method: $m->{error}{message}\n" if $m->{error};
		return $m->{result};
	}
}

sub evaluate {
	my ($expression) = @_;
	my $r = call('Runtime.evaluate', { expression => $expression, awaitPromise => JSON::PP::true, returnByValue => JSON::PP::true });
	die "$expression: " . ($r->{exceptionDetails}{exception}{description} // 'exception') . "\n" if $r->{exceptionDetails};
	return $r->{result}{value};
}

sub drawn { evaluate('new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))') }

sub size {
	call('Emulation.setDeviceMetricsOverride', { width => $width + 0, height => $height + 0, deviceScaleFactor => 1, mobile => JSON::PP::false });
}

sub navigate {
	my ($url) = @_;
	$opened{$url =~ s/#.*//r} = 1;
	my $before = $loads;
	my $r = call('Page.navigate', { url => $url });
	die "$url: $r->{errorText}\n" if $r->{errorText};
	if ($r->{loaderId}) { note_event(message()) while $loads == $before }
	drawn();
}

sub told {
	drawn();
	for (@console) { my $s = $_; utf8::encode($s); $s =~ s/\n/ /g; print "console\t$s\n" }
	print "request\t$_\n" for grep { !/^(?:data|about):/ && !$opened{s/#.*//r} } @requests;
	print "told\n";
	@console = @requests = ();
}

my %code = (Enter => 13, Escape => 27, Tab => 9, Home => 36, ArrowLeft => 37, ArrowUp => 38, ArrowRight => 39, ArrowDown => 40);

sub press {
	my ($key) = @_;
	my $text = length $key == 1 ? $key : $key eq 'Enter' ? "\r" : undef;
	my %common = (key => $key, windowsVirtualKeyCode => $code{$key} // ord uc $key);
	call('Input.dispatchKeyEvent', { type => defined $text ? 'keyDown' : 'rawKeyDown', %common, defined $text ? (text => $text) : () });
	call('Input.dispatchKeyEvent', { type => 'keyUp', %common });
	drawn();
}

sub mouse {
	my ($selector, @types) = @_;
	my $at = evaluate('(() => { const e = document.querySelector(' . $json->encode($selector) . '); e.scrollIntoView({ block: "nearest" });' .
		' const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()');
	call('Input.dispatchMouseEvent', { type => $_, x => $at->[0], y => $at->[1], $_ eq 'mouseMoved' ? () : (button => 'left', clickCount => 1) }) for @types;
	drawn();
}

sub save {
	my ($file, $data) = @_;
	open my $f, '>:raw', $file or die "$file: $!\n";
	print $f decode_base64($data);
	close $f or die "$file: $!\n";
}

my %do = (
	size => sub { ($width, $height) = split ' ', $_[0]; size(); drawn() },
	prefer => sub { call('Emulation.setEmulatedMedia', { features => [{ name => 'prefers-color-scheme', value => $_[0] }] }); drawn() },
	open => \&navigate,
	print => sub {
		my ($name, $expression) = split ' ', $_[0], 2;
		my $value = evaluate($expression);
		$value = $json->encode($value) if ref $value;
		utf8::encode($value) if defined $value && utf8::is_utf8($value);
		$value //= 'undefined';
		$value =~ s/\n/ /g;
		print "$name\t$value\n";
	},
	key => \&press,
	point => sub { mouse($_[0], 'mouseMoved') },
	click => sub { mouse($_[0], 'mouseMoved', 'mousePressed', 'mouseReleased') },
	await => sub {
		my $until = time + $limit;
		# What it is about may not be there yet.
		until (evaluate("(() => { try { return ($_[0]); } catch { return false; } })()")) { die "in vain: $_[0]\n" if time > $until; sleep 0.02 }
	},
	pdf => sub { save($_[0], call('Page.printToPDF', { printBackground => JSON::PP::true })->{data}) },
	shot => sub { save($_[0], call('Page.captureScreenshot', {})->{data}) },
	told => \&told,
);

$| = 1;
my $target = call('Target.createTarget', { url => 'about:blank' })->{targetId};
$session = call('Target.attachToTarget', { targetId => $target, flatten => JSON::PP::true })->{sessionId};
call("$_.enable") for qw(Page Runtime Log Network);
size();
while (my $line = <STDIN>) {
	next if $line !~ /^\s*(\w+)\s*(.*?)\s*$/;
	($do{$1} // die "browse.pl: $1?\n")->($2);
}
