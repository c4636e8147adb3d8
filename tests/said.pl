#!/usr/bin/perl
# said.pl: finds names that come to a terminal past the functions that make them fit for it.  In supervisor/ those are
# log.c's, so nothing else may write to stderr.  In tools/ a message is note()'s or command_refuse()'s,
# which clean all of it, or err(3)'s, whose words must be cleaned: by text_clean(), or when the struct was made that has
# them.  Prints what breaks these rules, and exits with 1.
use strict;
use warnings;

my $bad = 0;

sub complain {
	my ($file, $text, $at, $why) = @_;
	my $line = 1 + (substr($text, 0, $at) =~ tr/\n//);
	print "$file:$line: $why\n";
	$bad = 1;
}

sub text_of {
	my ($file) = @_;
	open my $f, '<', $file or die "$file: $!\n";
	local $/;
	my $text = <$f>;
	$text =~ s{("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')|(/\*.*?\*/)}{$1 // $2 =~ s/[^\n]/ /gr}ges;    # comments
	return $text;
}

# The words of a call that begins at its parenthesis.
sub words_of {
	my ($text, $at) = @_;
	my ($depth, @words) = (0, '');
	pos($text) = $at;
	while ($text =~ /\G("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|.)/gs) {
		my $piece = $1;
		$depth-- if $piece =~ /^[)\]}]$/;
		last     if $depth == 0 && $piece eq ')';
		if    ($depth == 1 && $piece eq ',') { push @words, '' }
		elsif ($depth > 0)                   { $words[-1] .= $piece }
		$depth++ if $piece =~ /^[(\[{]$/;
	}
	return map { s/\s+/ /g; s/^ | $//g; $_ } @words;
}

# Whether a word is our own, or has been cleaned.
sub is_clean {
	my ($word) = @_;
	return is_clean($2) && is_clean($3) if $word =~ /^(.*) \? (.*) : (.*)$/;
	return $word =~ /^("|text_clean\()/             # ours, or made so here
		|| $word =~ /->(name|program|build_id(_file)?)$/    # of struct reader, file, elf, symbols and format
		|| $word =~ /^(clean|name|why|wrong|z\.msg|s->dirs\[0\]|\*s->build_id|what->only|what->by|stacks_type\(.*\))$/;
}

for my $file (glob 'supervisor/*/*.c') {
	my $text = text_of($file);
	next if $file =~ m{/os/log\.c$};
	while ($text =~ /\b(v?f?w?printf|v?dprintf|puts|fputs|putchar|perror|v?errx?|v?warnx?|psignal|write\(STDERR_FILENO)\b(?=\s*\()/g) {
		my ($call, $at) = ($1, $-[0]);
		next if $call eq 'printf' && $file =~ m{/start/options\.c$};          # -h and -V
		complain($file, $text, $at, "$call: a message is for log.c");
	}
}
my $top = text_of('tools/report/top.c');
my ($put) = $top =~ /^put\(struct shown.*?^\}/ms ? $& : '';
complain('tools/report/top.c', $top, 0, 'put() does not clean a line') if $put !~ /\bsymname_clean\(text\)/;
my $log = text_of('supervisor/os/log.c');
for my $body (grep /\bvsnprintf\(/, $log =~ /^\{.*?^\}/msg) {
	complain('supervisor/os/log.c', $log, index($log, $body), 'a line is printed without symname_clean()') if $body !~ /\bsymname_clean\(/;
}

for my $file (glob 'tools/{model,report,diff,export}/*.c') {
	my $text = text_of($file);
	while ($text =~ /\b(v?errx?|v?warnx?|perror)(?=\()/g) {
		my ($call, $at, $end) = ($1, $-[0], $+[0]);
		my ($status, $format, @words) = words_of($text, $end);
		($format, @words) = ($status, $format // (), @words) if $call =~ /warn/;
		next if !defined $format;
		my @kinds = $format =~ /%[-+ #0]*\d*(?:\.(?:\d+|\*))?([a-z]+)/g;
		for my $i (0 .. $#kinds) {
			next if $kinds[$i] ne 's' || is_clean($words[$i] // '');
			complain($file, $text, $at, "$call: " . ($words[$i] // '?') . ' may hold anything: text_clean()');
		}
	}
	complain($file, $text, $-[0], 'stderr: a message is for note(), command_refuse() or err(3)')
		while $text =~ /\bstderr\b/g;
}
exit $bad;
