# What the tests of profsup-export share.  Source it after testlib.sh.
#
# The formats are compared with gprof's tables of the same files.  gprof prints hundredths of seconds: of copies of the
# files that claim one tick a second, it prints ticks, exactly.
#
# shellcheck shell=sh
# shellcheck disable=SC2034 # variables are for the tests
# shellcheck disable=SC2154 # testlib.sh sets them

. "$top/tests/lib/tools.sh"
tool=profsup-export

# need COMMAND PACKAGE
need() {
	command -v "$1" >/dev/null || skip_all "$1 is not installed (Debian: $2)"
}

# build NAME WORD...: the program, from C++, and two runs of it.
build() {
	build_name=$1
	shift
	PROFSUP_CC=g++ profsup-cc -O1 -g "$@" -o "$build_name" "$testdir/shapes.cc" >cc.out 2>&1 ||
		bail "$build_name: $(cat cc.out)"
	for build_run in 1 2; do
		rm -f gmon.*.out
		profsup -q -F 1000 "./$build_name" || bail "$build_name fails"
		mv "$(the_file "$build_name")" "$build_name.$build_run" || bail "$build_name: no profile"
	done
}

# for_perf HOW: the program of stacks.c that is linked so, and a run of it.  What reads a perf.data for us keeps what it has of
# programs at home, and would ask for debug information.
for_perf() {
	HOME=$scratch
	export HOME
	unset DEBUGINFOD_URLS
	profsup-cc -O1 -g "-$1" -o "$1" "$testdir/stacks.c" >cc.out 2>&1 || bail "$(cat cc.out)"
	profsup -q -g -F 1000 -o "$1.gmon" "./$1" || bail "$1 fails"
}

# for_libraries: a program "uses" whose time is in two libraries, one of which is linked for another address, and a run of it.
for_libraries() {
	cat >one.c <<-'EOS'
		volatile unsigned long sink;
		__attribute__((noinline)) void burn_in_one(unsigned long n) { while (n-- > 0) sink += n; }
		void one(unsigned long n, void (*then)(unsigned long)) { burn_in_one(n); then(n); sink++; }
	EOS
	cat >two.c <<-'EOS'
		static volatile unsigned long sink;
		__attribute__((noinline)) void burn_in_two(unsigned long n) { while (n-- > 0) sink -= n; }
		void two(unsigned long n) { burn_in_two(2 * n); sink++; }
	EOS
	cat >uses.c <<-'EOS'
		void one(unsigned long n, void (*then)(unsigned long));
		void two(unsigned long n);
		static volatile unsigned long sink;
		__attribute__((noinline)) static void burn_here(unsigned long n) { while (n-- > 0) sink ^= n; }
		int main(void) { for (int i = 0; i < 40; i++) { one(2000000, two); burn_here(1000000); } return 0; }
	EOS
	gcc -O1 -g -shared -fPIC -o libone.so one.c || bail 'no library'
	gcc -O1 -g -shared -fPIC -Wl,-Ttext-segment=0x7654000 -o libtwo.so two.c || bail 'no library'
	gcc -O1 -g -o uses uses.c -L. -lone -ltwo -Wl,-rpath,"$PWD" || bail 'no program'
	profsup -q -a --timeline -F 1000 -o uses.gmon ./uses || bail 'it fails'
}

# inputs: sets of files to export, all at 1,000 ticks a second, as lines PROGRAM FILE...: a program at fixed addresses
# and one that is loaded anywhere, two runs of each, and one with bins above 65,535.
inputs() {
	build fixed -static
	build moved -static-pie
	"$testdir/gmon-edit.pl" times 1000 fixed.1 >fixed.big
	printf '%s\n' 'fixed fixed.1 fixed.2' 'moved moved.1 moved.2' 'fixed fixed.big'
}

# by_gprof TABLE PROGRAM FILE...: gprof's table of them (-p or -q), with ticks for seconds.
by_gprof() {
	by_gprof_table=$1 by_gprof_program=$2
	shift 2
	rm -f gprof-in.*
	for by_gprof_file; do
		"$testdir/gmon-edit.pl" rate 1 "$by_gprof_file" >"gprof-in.$by_gprof_file"
	done
	gprof -b "$by_gprof_table" "$by_gprof_program" gprof-in.* 2>gprof.err
}

# Our own functions only: for those of libc gprof may choose another of several names.
ours() {
	grep -E '	([a-z]+ )?(shapes::.*|main)$' | sort
}

# self_by_gprof PROGRAM FILE...: "ticks<TAB>function" of those that have any.
self_by_gprof() {
	by_gprof -p "$@" | perl -ne '
		print "$1\t$2\n" if /^ *[\d.]+ +[\d.]+ +([\d.]+) +(?:\d+ +[\d.]+ +[\d.]+ +)?(\S.*?) *$/ && $1 > 0' | ours
}

# total_by_gprof PROGRAM FILE...: the ticks of all functions
total_by_gprof() {
	by_gprof -p "$@" | perl -ne '
		$sum += $1 if /^ *[\d.]+ +[\d.]+ +([\d.]+) +\S/; END { printf "%.0f\n", $sum }'
}

# below_by_gprof PROGRAM FILE...: "ticks<TAB>function", those below it included, by the table of calls
below_by_gprof() {
	by_gprof -q "$@" | perl -ne '
		print $1 + $2, "\t$3\n" if /^\[\d+\] +[\d.]+ +([\d.]+) +([\d.]+) +(?:\d+(?:\+\d+)? +)?(\S.*?)(?: <cycle \d+>)? \[\d+\]$/' | ours
}

# arcs_by_name PROGRAM FILE...: "calls<TAB>caller<TAB>callee", exact, by nm's names
arcs_by_name() {
	"$top/tests/lib/arcs.pl" "$@" | sed 's/ /	/g' | c++filt |
		awk -F '\t' 'BEGIN { OFS = FS } { print $3, $1, $2 }' | ours
}

# export_as FORMAT PROGRAM FILE...: to `out`; nothing may be said but what the format can't hold.
export_as() {
	export_format=$1
	shift
	rm -f out
	profsup-export --format="$export_format" -o out "$@" 2>err
	ok $? "$export_format of $*: it is written" || diag_file err
	[ "$(grep -cv "^profsup-export: $export_format: " err)" -eq 0 ]
	ok $? "$export_format of $*: nothing else is said" || diag_file err
}

# usage COMMAND...: runs it, at most for a minute; its CPU time is in $cpu, ms, its memory in $rss, KiB.
usage() {
	# shellcheck disable=SC2016 # perl expands its own
	perl -e '
		require "syscall.ph";
		my $pid = fork // die;
		exec "timeout", "-s", "KILL", 60, @ARGV or die if $pid == 0;
		waitpid $pid, 0;
		my ($status, $usage) = ($?, pack "x144");
		syscall(&SYS_getrusage, -1, $usage);
		my ($s, $us, $ss, $sus, $kib) = unpack "q*", $usage;
		open my $f, ">", "used" or die;
		printf $f "%d %d\n", 1000 * ($s + $ss) + ($us + $sus) / 1000, $kib;
		exit($status & 127 ? 128 + ($status & 127) : $status >> 8)' "$@"
	usage_status=$?
	read -r cpu rss <used
	return $usage_status
}

# light SECONDS MB DESCRIPTION: what usage() has found is less.  The seconds are those of a machine on which perl goes
# round a loop 30,000 times in a millisecond: a slower one, or one that is slower just now, has more of them.
light() {
	light_most=${1}000
	[ "$cpu" -lt "$light_most" ] || light_most=$(($1 * $(perl -e '
		for (1 .. 10_000_000) { $x += $_ * $_ }
		my ($user, $system) = times;
		printf "%d", 1000 * ($user + $system) / 0.3')))
	[ "$cpu" -lt "$light_most" ] && [ "$rss" -lt "${2}000" ]
	ok $? "$3: in less than $1 s and $2 MB" || diag "$cpu ms, of $light_most here, and $rss KiB"
}

# same GOT WANT DESCRIPTION: two files of lines, not empty
same() {
	[ -s "$2" ] && cmp -s "$1" "$2"
	ok $? "$3" || diag "$(diff "$1" "$2" | head -n 20)"
}

# near GOT WANT BY DESCRIPTION: two files of "number<TAB>function" lines, WANT's not empty, whose numbers are no more
# than BY apart; a function that isn't there has 0.  A bin on the border of two functions is divided, so there are
# fractions, which some formats round.
near() {
	awk -F '\t' -v by="$3" '
		FNR == NR { want[$2] += $1; next }
		{ got[$2] += $1; want[$2] += 0 }
		END {
			for (f in want) {
				any = 1
				if (got[f] - want[f] > by || want[f] - got[f] > by) {
					print f ": got " got[f] + 0 ", want " want[f]
					bad = 1
				}
			}
			exit bad || !any
		}' "$2" "$1" >near.out
	ok $? "$4" || diag_file near.out
}
