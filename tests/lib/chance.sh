# What chance may do to a number that is measured, and what a busy machine may.  testlib.sh sources it.
#
# A sample is a random draw that stands for w ticks.  Where a part p of all time is, the samples are expected to find p of all
# ticks, and by Chernoff's bound they find more than t of them with a probability below e^-18 for the t that is least of all s in
#	(18 + the sum of log(1 - p + p e^(sw)))/s
# so it is six standard errors, for any number of samples, however unequal they are.  Points that are as near as that to their
# bounds are some hundred, and the bound is some ten times what it bounds: one run of all tests in ten million fails by chance.
#
# shellcheck shell=sh
# shellcheck disable=SC2154 # testlib.sh has the rest

# In awk: by_chance(p, DRAWN), by how much more than p may be found, as a part of all ticks.
# shellcheck disable=SC2016 # awk's
by_chance='function by_chance(p, drawn,   n, pair, i, w, ticks, t, least, s) {
	n = split(drawn, pair)
	for (i = 1; i <= n; i++) {
		split(pair[i], w, ":")
		ticks += w[1] * w[2]
	}
	if (p <= 0 || p >= 1 || ticks == 0)
		return ticks ? 0 : 9
	least = ticks
	for (s = 18 / ticks; s < 18; s *= 1.1) {
		t = 18
		for (i = 1; i <= n; i++) {
			split(pair[i], w, ":")
			t += w[2] * (s * w[1] > 300 ? s * w[1] + log(p) : log(1 - p + p * exp(s * w[1])))
		}
		least = t / s < least ? t / s : least
	}
	return least / ticks - p
}'

# drawn FILE...: what the samples in files of stacks stand for, for `likely`: "TICKS:SAMPLES" of each number of ticks.  A run with
# --timeline tells each sample from the others, and is asked for that.
drawn() {
	drawn=$(perl "$top/tests/lib/stacks.pl" drawn "$@")
}

# likely GOT LOW HIGH DESCRIPTION: a share of LOW to HIGH per cent can be found as GOT in the samples of the last `drawn`.  Where
# even $likely_most points more or less could be chance, the samples decide nothing.
likely_most=25
likely() {
	likely_told=$(awk -v got="$1" -v low="$2" -v high="$3" -v most="$likely_most" -v drawn="$drawn" "$by_chance"'
		BEGIN {
			below = 100 * by_chance(1 - low / 100, drawn)
			above = 100 * by_chance(high / 100, drawn)
			word = (below > most || above > most) ? "busy" : "good"
			if (got !~ /^[0-9]/ || got < low - below - 1e-6 || got > high + above + 1e-6)
				word = "bad"
			printf "%s got %s, want %.4g to %.4g, and by chance %.3g less or %.3g more (ticks:samples %s)\n", word, got, low, high, below, above, drawn
		}')
	if [ "${likely_told%% *}" = busy ]; then
		undecided "$4" "${likely_told#* }"
	else
		is "${likely_told%% *}" good "$4" || { diag "${likely_told#* }"; return 1; }
	fi
}

# undecided DESCRIPTION FIGURES: a point that the machine was too busy to decide, in CI, too.
undecided() {
	tap_count=$((tap_count + 1))
	printf 'ok %d - %s # skip the machine is busy: %s\n' "$tap_count" "$1" "$2"
}

# others_begin: from now on it is watched how many CPUs others want, or the host has taken: who is runnable and neither the
# test's descendant, nor a program in its directory or in one of $ours, or one of these.
ours=
others_begin() {
	[ -z "${others_pid:-}" ] || kill "$others_pid"
	# No job of this shell, which may wait for all of its jobs, and no file in what the shell removes at its end.
	# shellcheck disable=SC2086 # words
	others_pid=$(
		perl -e '
			my ($file, $test, $n, $samples) = (shift, shift, 0, 0);
			sub stolen { open my $f, "<", "/proc/stat" or return 0; my @n = split " ", <$f>; return $n[8] / 100 }
			sub now { open my $f, "<", "/proc/uptime"; return (split " ", <$f>)[0] }
			my ($stolen, $began) = (stolen(), now());
			for (; -d $ARGV[0]; select undef, undef, undef, 0.2) {
				my (%parent, @running);
				for my $dir (glob "/proc/[0-9]*") {
					open my $f, "<", "$dir/stat" or next;
					(<$f> // "") =~ /^(\d+) .*\) (\S) (\d+)/s or next;
					$parent{$1} = $3;
					push @running, $1 if $2 eq "R";
				}
				for my $pid (@running) {
					my $exe = readlink "/proc/$pid/exe" or next;
					next if $pid == $$ || grep { $exe eq $_ || index($exe, "$_/") == 0 } @ARGV;
					my $from = $pid;
					$from = $parent{$from} while $from && $from != $test;
					$n++ unless $from;
				}
				$samples++;
				open my $f, ">", "$file.new" or last;
				printf $f "%.2f\n", $n / $samples + (now() > $began ? (stolen() - $stolen) / (now() - $began) : 0);
				close $f;
				rename "$file.new", $file;
			}
			unlink $file, "$file.new"' "$scratch.others" $$ "$scratch" $ours </dev/null >/dev/null 2>&1 &
		echo $!
	)
}

# among_others STATUS DESCRIPTION [FIGURES]: ok, but where others have wanted a fifth of a CPU, a failure decides nothing.
among_others() {
	others=$(cat "$scratch.others" 2>/dev/null)
	if [ "$1" -ne 0 ] && awk -v n="${others:-0}" 'BEGIN { exit n < 0.2 }'; then
		undecided "$2" "others wanted $others CPUs${3:+; $3}"
	else
		ok "$1" "$2" || { diag "${3:-}"; return 1; }
	fi
}

# between_others GOT LOW HIGH DESCRIPTION: between, for what others can change.  They make a figure smaller, but never
# nothing of it: that is a figure which was not found.
between_others() {
	if awk -v g="$1" -v l="$2" 'BEGIN { exit !(g == "" || (l > 0 && g + 0 == 0)) }'; then
		between "$1" "$2" "$3" "$4"
	else
		is_between "$1" "$2" "$3"
		among_others $? "$4" "got $1, want $2 to $3"
	fi
}

# is_between GOT LOW HIGH: between's condition.
is_between() {
	awk -v g="$1" -v l="$2" -v h="$3" 'BEGIN { exit !(g != "" && g + 0 >= l + 0 && g + 0 <= h + 0) }'
}
