package Functions;
# The functions of a program, by nm.
#	my $functions = Functions->of($program);
#	my ($start, $name) = $functions->at($pc);	# nothing below the first
use strict;
use warnings;

sub of {
	my ($class, $program) = @_;
	my (@at, @name);
	open my $nm, '-|', 'nm', '-n', '--defined-only', $program or die "nm: $!\n";
	while (<$nm>) {
		my ($at, $type, $name) = split or next;
		next unless $type =~ /^[tTwWi]$/;
		$name =~ s/(\.(cold|part|constprop|isra|\d+))+$//;
		if (@at && $at[-1] == hex $at) {
			$name[-1] = $name if $name =~ /^t_|^main$/;
		} else {
			push @at, hex $at;
			push @name, $name;
		}
	}
	close $nm;
	return bless { at => \@at, name => \@name }, $class;
}

sub at {
	my ($self, $pc) = @_;
	my ($low, $high) = (0, scalar @{ $self->{at} });
	while ($low < $high) {
		my $middle = int(($low + $high) / 2);
		if ($self->{at}[$middle] <= $pc) { $low = $middle + 1 } else { $high = $middle }
	}
	return $low == 0 ? () : ($self->{at}[$low - 1], $self->{name}[$low - 1]);
}

1;
