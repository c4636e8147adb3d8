#!/usr/bin/perl
# ci.pl FILE.md FIRST-LINE: of the YAML block that begins with this line, the options of its container, a line, and then its
# steps, each a line "[always] NAME" and a file step.N with its commands.
use strict;
use warnings;
use CPAN::Meta::YAML;

my ($file, $first) = @ARGV;
open my $fh, '<', $file or die "$file: $!\n";
my ($block) = do { local $/; <$fh> } =~ /^```yaml\n(\Q$first\E\n.*?)^```$/ms or die "$file: no $first\n";
my $yaml = CPAN::Meta::YAML->read_string($block) or die CPAN::Meta::YAML->errstr;
my ($job) = grep { ref } map { $_->{calls} // () } $yaml->[0]{jobs} // $yaml->[0];
my @steps = $job->{steps} ? grep { $_->{run} } @{ $job->{steps} } : { name => 'script', run => join "\n", @{ $job->{script} } };
print ref $job->{container} ? $job->{container}{options} : '', "\n";
for my $i (0 .. $#steps) {
	open my $out, '>', "step.$i" or die "step.$i: $!\n";
	print $out "$steps[$i]{run}\n";
	print +($steps[$i]{if} // '') eq 'always()' ? 'always ' : '', "$steps[$i]{name}\n";
}
