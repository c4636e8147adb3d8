# For tests with real programs, after testlib.sh: their sources, and who else counts their calls.
#
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # variables are for the tests; top and testdir are testlib.sh's

# Debian's programs, built so that no call is inlined and every function keeps a name that gprof takes (it
# leaves out the likes of "handle_compress.isra.0"): then two counts can be compared function by function.  -O1 compiles in
# half the time of -O2.
REAL_CFLAGS='-O1 -w -fno-inline -fno-ipa-sra'

# source_of PACKAGE: unpacks its source in ./PACKAGE.
source_of() {
	if "$top/tests/fetch-source.sh" "$1" "$1" 2>fetch.err; then
		diag "$1 $(dpkg-parsechangelog -l "$1/debian/changelog" -S Version)"
	else
		diag_file fetch.err
		skip_all "no source: $(cat fetch.err)"
	fi
}

# build LOG COMMAND...: one that fails ends the test.
build() {
	build_log=$1
	shift
	"$@" >"$build_log" 2>&1 || {
		diag_file "$build_log"
		bail "can't build: $*"
	}
}

# gprof_calls PROGRAM FILE: "function calls", sorted, without names that several functions have.
gprof_calls() {
	gprof -b -p -z "$1" "$2" | awk 'NF == 7 && $4 + 0 > 0 { print $7, $4 }' | sort | one_of_a_name
}

# callgrind_calls COMMAND...: the same, as counted by valgrind, which knows nothing of -pg and runs every
# instruction itself.  The output of the command goes to ./callgrind.stdout.
callgrind_calls() {
	valgrind -q --tool=callgrind --callgrind-out-file=callgrind.out --compress-strings=no --compress-pos=no \
		"$@" >callgrind.stdout 2>callgrind.stderr || {
		diag_file callgrind.stderr >&2
		return 1
	}
	awk '
		/^cfn=/ { callee = substr($0, 5) }
		/^calls=/ { split($0, word, /[= ]/); n[callee] += word[2] }
		END { for (f in n) print f, n[f] }' callgrind.out | grep -v ' .* ' | sort | one_of_a_name
}

one_of_a_name() {
	awk '{ n[$1]++; line[$1] = $0 } END { for (f in n) if (n[f] == 1) print line[f] }' | sort
}

# differences A B: what two of these lists say differently of functions that both of them have.
differences() {
	join "$1" "$2" | awk '$2 != $3 { print $1 ": " $2 " and " $3 }'
}

# in_both A B: of how many functions that is.
in_both() {
	join "$1" "$2" | wc -l
}

# share PROGRAM FILE FUNCTION: the part of all time that gprof gives it, 0 to 1.
share() {
	gprof -b -p -z "$1" "$2" | awk -v name="$3" '$NF == name && $1 + 0 == $1 { print $1 / 100; exit }'
}

# perl -e "$with_cpu" FILE COMMAND...: runs it, its output to /dev/null; FILE gets the CPU time in ms that it used.
# To be run by profsup, so that the supervisor's own time is not in it.
# shellcheck disable=SC2016 # that is perl
with_cpu='
	open my $to, ">", shift or die; open STDOUT, ">", "/dev/null"; system(@ARGV) == 0 or exit 1;
	my @t = times; print $to 1000 * ($t[2] + $t[3])'

# tick_each_ms CPU FILE DESCRIPTION: at 1000 Hz, as many ticks as ms of CPU time, with those that are told as not seen.
tick_each_ms() {
	tick_n=$(($(ticks "$2") + $(statistic unseen_ticks "${2%/*}/stats")))
	diag "$tick_n ticks, $1 ms of CPU time"
	between "$tick_n" "$(awk -v n="$1" 'BEGIN { print n - 4 * sqrt(n) }')" \
		"$(awk -v n="$1" 'BEGIN { print n + 4 * sqrt(n) }')" "$3"
}

# as_text BYTES FILE...: the files, over and over, until there is so much.
as_text() {
	as_text_size=$1
	shift
	while cat "$@"; do :; done 2>/dev/null | head -c "$as_text_size"
}
