#!/usr/bin/perl
# sink.pl PORT-FILE DIR STATUS...: a collector of profiles on 127.0.0.1, whose port it writes into a file.  It keeps the body
# of each POST that it takes as DIR/N, and what was asked as a line of DIR/log: "STATUS METHOD TARGET CONTENT-TYPE N".  Its
# answers are the STATUSes in turn, and then 200; a body that is not gzip's gets 400.
use strict;
use warnings;
use IO::Socket::INET;

my ($port, $dir, @statuses) = @ARGV;
my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 16, ReuseAddr => 1) or die "socket: $!\n";
open my $log, '>>', "$dir/log" or die "$dir/log: $!\n";
$log->autoflush;
open my $p, '>', "$port.new" or die "$port: $!\n";
print $p $listener->sockport, "\n";
close $p;
rename "$port.new", $port or die "$port: $!\n";
my $n = 0;
while (my $client = $listener->accept) {
	my ($method, $target) = split ' ', <$client> // next;
	my %header;
	while (defined(my $line = <$client>)) {
		last if $line =~ /^\r?\n$/;
		$header{ lc $1 } = $2 if $line =~ /^([^:]+):\s*(.*?)\r?\n$/;
	}
	print $client "HTTP/1.1 100 Continue\r\n\r\n" if lc($header{expect} // '') eq '100-continue';
	my $length = $header{'content-length'} // 0;
	read($client, my $body, $length) == $length or next;
	my $status = substr($body, 0, 2) eq "\x1f\x8b" ? shift @statuses // 200 : 400;
	if ($status == 200) {
		open my $f, '>:raw', $dir . '/' . ++$n or die "$dir: $!\n";
		print $f $body;
		close $f or die "$dir: $!\n";
	}
	printf $log "%s %s %s %s %s\n", $status, $method, $target, $header{'content-type'} // '-', $status == 200 ? $n : '-';
	print $client "HTTP/1.1 $status -\r\nContent-Length: 6\r\nConnection: close\r\n\r\nanswer";
	close $client;
}
