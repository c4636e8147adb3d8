# What chance may do to a number that is measured, and what a busy machine may.  testlib.sh sources it.
#
# A sample is a random draw that stands for w ticks.  Of all of them a part p is somewhere, and by Bernstein's inequality what is
# found there is off by more than
#	6 max(w) + sqrt(36 max(w)^2 + 36 p (1 - p) sum(w^2))		ticks
# with a probability of at most e^-18: about six standard errors, for any number of samples, however unequal they are.  With
# some hundred such points, and most of them far from their bounds, one run of all tests in ten million fails by chance.
#
# shellcheck shell=sh
# shellcheck disable=SC2154 # testlib.sh has the rest

# In awk: by_chance(p, "TICKS SQUARES LARGEST"), as a part of all ticks.
# shellcheck disable=SC2016 # awk's
by_chance='function by_chance(p, drawn,   w) {
	split(drawn, w)
	return w[1] > 0 ? (6 * w[3] + sqrt(36 * w[3] ^ 2 + 36 * p * (1 - p) * w[2])) / w[1] : 9
}'

# drawn FILE...: the ticks that the samples in files of stacks stand for, their squares and the most that one does, for `likely`.
# A run with --timeline tells each sample from the others, and is asked for that.
drawn() {
	drawn=$(perl "$top/tests/lib/stacks.pl" drawn "$@")
}

# likely GOT LOW HIGH DESCRIPTION: a share of LOW to HIGH per cent can be found as GOT in the samples of the last `drawn`.  Where
# even $likely_most points more or less could be chance, the samples decide nothing.
likely_most=25
likely() {
	likely_told=$(awk -v got="$1" -v low="$2" -v high="$3" -v most="$likely_most" -v drawn="$drawn" "$by_chance"'
		BEGIN {
			below = low > 0 ? 100 * by_chance(low / 100, drawn) : 0
			above = high < 100 ? 100 * by_chance(high / 100, drawn) : 0
			word = (below > most || above > most) ? "busy" : "good"
			if (got !~ /^[0-9]/ || got < low - below || got > high + above)
				word = "bad"
			split(drawn, w)
			printf "%s got %s, want %.4g to %.4g, and by chance %.3g less or %.3g more: ", word, got, low, high, below, above
			printf "%d ticks, of which a sample stands for %.3g, and one for %d\n", w[1], w[1] ? w[2] / w[1] : 0, w[3]
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
