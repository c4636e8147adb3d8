#!/bin/sh
# repeat.sh N [LOAD [SUITE]]: make SUITE (check, or check-all) N times, beside LOAD busy loops.  Prints each point that was not
# ok each time, how often it was not, and in a last line the totals.  Exits with 1 if there was any.  What the runs printed
# and all TAP are in build/repeat/.
set -u
cd "$(dirname "$0")/.." || exit 2
case ${1:-}/${2:-0} in
[1-9]*/[0-9]*) ;;
*) echo 'usage: repeat.sh N [LOAD [check | check-all]]' >&2 && exit 2 ;;
esac
n=$1 load=${2:-0} suite=${3:-check}
trap 'exit 130' INT TERM HUP

rm -rf build/repeat
mkdir -p build/repeat
i=0
while [ $i -lt "$load" ]; do
	# It ends with this script, however that ends.
	perl -e 'my $parent = getppid; while (getppid == $parent) { 1 for 1 .. 1e6 }' &
	i=$((i + 1))
done
i=0
while [ $i -lt "$n" ]; do
	i=$((i + 1))
	began=$(date +%s)
	PERL_TEST_HARNESS_DUMP_TAP=$PWD/build/repeat/$i make -s "$suite" >build/repeat/$i.out 2>&1
	echo "$i $? $(($(date +%s) - began))" | tee -a build/repeat/runs | sed 's/\(.*\) \(.*\) \(.*\)/# run \1: status \2, \3 s/'
done
perl -e '
	use List::Util qw(min max sum);
	my ($what, $n) = splice @ARGV, 0, 2;
	my ($points, %bad, @seconds);
	open my $runs_file, "<", "build/repeat/runs" or die;
	while (<$runs_file>) {
		my ($i, $status, $seconds) = split;
		push @seconds, $seconds;
		my %known;
		for my $tap (split /\n/, `find build/repeat/$i -type f 2>/dev/null`) {
			my ($file) = $tap =~ m{^build/repeat/\d+/(.*)};
			open my $f, "<", $tap or die;
			while (<$f>) {
				$points++ if /^(not )?ok\b/;
				next unless /^not ok (\d+)(?: - (.*))?/;
				$bad{"$file $1: " . ($2 // "")}++;
				$known{$file} = 1;
			}
		}
		# A file that failed otherwise: it ended early, or by a signal.
		open my $out, "<", "build/repeat/$i.out" or die;
		my $any = 0;
		while (<$out>) {
			next unless /^(\S+)\s+\(Wstat: (.*)/;
			$any = 1;
			$bad{"$1: (Wstat: $2"}++ unless $known{$1};
		}
		$bad{"make $what: status $status, see build/repeat/$i.out"}++ if $status != 0 && !$any && !%known;
	}
	print "$bad{$_} of $n: $_\n" for sort { $bad{$b} <=> $bad{$a} || $a cmp $b } keys %bad;
	printf "%d runs of make %s, %d points: %d not always ok; %d to %d s, on average %.0f\n",
		$n, $what, $points // 0, scalar(keys %bad), min(@seconds), max(@seconds), sum(@seconds) / @seconds;
	exit(%bad ? 1 : 0)' "$suite beside $load busy loops" "$n"
