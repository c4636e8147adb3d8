# One test point for each way to build a program whose calls are known.  Source it after testlib.sh.
#
# shellcheck shell=sh
# shellcheck disable=SC2154 # testlib.sh sets the directories

unset PROFSUP_CC

# tallied PROGRAM FILE: "FUNCTION CALLS" by the flat profile; by the call graph "CALLER > FUNCTION CALLS" and, of a
# recursive one, "FUNCTION CALLS+ITS-OWN".
tallied() {
	gprof -b -p -q "$1" "$2" 2>gprof.err | perl -e '
		my (@callers, $flat, $seen);
		while (<>) {
			$flat = 0 if /call graph/i || /^granularity/;
			$flat = 1 if /^Flat profile/;
			if ($flat) {
				print "$2 $1\n" if /^\s*[\d.]+\s+[\d.]+\s+[\d.]+\s+(\d+)\s+[\d.]+\s+[\d.]+\s+(.*)$/;
			} elsif (/^-+$/) {
				(@callers, $seen) = ();
			} elsif (/^\[\d+\]\s+[\d.]+\s+[\d.]+\s+[\d.]+\s+(?:([\d+]+)\s+)?(.*?)(?: <cycle \d+>)? \[\d+\]$/) {
				my ($calls, $name) = ($1 // 0, $2);
				$seen = 1;
				print "$name $calls\n" if $calls =~ /\+/;
				print map { "$$_[0] > $name $$_[1]\n" } @callers;
			} elsif (!$seen && m{^\s+[\d.]+\s+[\d.]+\s+(\d+)/\d+\s+(.*?)(?: <cycle \d+>)? \[\d+\]$}) {
				push @callers, [$2, $1];
			}
		}'
}

# known NAME PROGRAM: the program, run under profsup, is profiled; every line of the expectation file ./expect is in
# its tally; NAME is the test point.  ./out has what the build said, ./map what was linked.
known() {
	known_bad=
	rm -f gmon.*.out
	[ -x "$2" ] || known_bad="$known_bad not built;"
	[ ! -s out ] || known_bad="$known_bad the build says something;"
	if [ -f map ]; then
		grep -q 'profsup/gcrt0\.o' map || known_bad="$known_bad our runtime is not in the link map;"
		! grep -Eq 'libc\.a[(:](gmon|mcount|_mcount|prof-freq|profil|sprofil)\.o\)?' map ||
			known_bad="$known_bad libc's own runtime is linked;"
	else
		known_bad="$known_bad no link map;"
	fi
	[ "$(readelf -nW "$2" 2>/dev/null | grep -Ec '^ *profsup +0x0*8\b')" = 1 ] || known_bad="$known_bad no note;"
	profsup "$2" >said 2>err || known_bad="$known_bad exit status $?;"
	[ -z "$(cat said; said err)" ] || known_bad="$known_bad a run says something;"
	known_file=$(the_file "$(basename "$2")")
	tallied "$2" "$known_file" | sort >tally
	# gprof of binutils 2.44 says that of the line numbers of clang 19, which it does not need.
	sed -i '/^BFD: DWARF error: mangled line number section/d' gprof.err
	[ ! -s gprof.err ] || known_bad="$known_bad gprof says something;"
	sort expect | comm -23 - tally >lacking
	[ ! -s lacking ] || known_bad="$known_bad counts differ;"
	[ -z "$known_bad" ]
	ok $? "$1" || {
		diag "$known_bad"
		for known_part in out said err gprof.err lacking; do
			[ ! -s $known_part ] || diag "$known_part: $(head -n 12 $known_part)"
		done
		[ ! -s lacking ] || diag "$(grep -F "$(sed 's/.*> //; s/ [0-9+]*$//' lacking)" tally)"
	}
}

# object LANGUAGE SOURCE COMPILER WORD...: its name in $object, compiled once for all that differ in the linker only.
object() {
	object_language=$1 object_source=$2 object_compiler=$3
	shift 3
	object=$(echo "$object_source $object_compiler $*" | sed 's/ -fuse-ld=[a-z]*//g; s/[^A-Za-z0-9]/_/g').o
	[ -f "$object" ] || PROFSUP_CC=$object_compiler profsup-cc -Wall -Wextra -Wno-unused-command-line-argument -g "$@" \
		-c -o "$object" -x "$object_language" "$testdir/$object_source"
}

# lacks_linker WORD...: the one that is named here is not installed, as gold in Debian 13: a skip says so.
lacks_linker() {
	case " $* " in
	*' -fuse-ld=gold '*) ! command -v ld.gold >linker.path || return 1 ;;
	*) return 1 ;;
	esac
	skip "$*: gold is not installed"
}

# cxx WORD...: known.cc with these words, by $PROFSUP_CC, and the C half by $PROFSUP_C or the same.
cxx() {
	! lacks_linker "$@" || return 0
	rm -f known map
	{
		object c other.c "${PROFSUP_C:-$PROFSUP_CC}" "$@" && cxx_other=$object && object c++ known.cc "$PROFSUP_CC" "$@" &&
			profsup-cc -Wall -Wextra -g -Wl,-Map,map "$@" -o known "$object" "$cxx_other"
	} >out 2>&1
	cp "$testdir/known.cc.expect" expect
	known "${PROFSUP_C:+$PROFSUP_C and }$PROFSUP_CC $*" ./known
}

# is_pie PROGRAM
is_pie() {
	readelf -hW "$1" | grep -q 'Type: *DYN'
}

# c WORD...: known.c with these words, by $PROFSUP_CC.
c() {
	! lacks_linker "$@" || return 0
	rm -f known map
	profsup-cc -Wall -Wextra -g -Wl,-Map,map "$@" -o known "$testdir/known.c" "$testdir/other.c" >out 2>&1
	cp "$testdir/known.c.expect" expect
	known "${PROFSUP_CC:-cc} $*" ./known
}

# levels: c at each level; with -static-pie and -mfentry at two each or, with PROFSUP_TEST_LONG=1, at every one.
levels() {
	for level in -O0 -O1 -O2 -O3 -Os; do
		case $level in
		-O[03]) ways=$(rounds -mfentry '-static-pie -mfentry') ;;
		-O2) ways=$(rounds '' '-static-pie -mfentry') ;;
		*) ways=$(rounds -static-pie '-static-pie -mfentry') ;;
		esac
		for way in $ways; do
			c $level "$way"
		done
		c $level
	done
}

# refused PATTERN WORD...: the tools themselves can't, and say so.
refused() {
	refused_pattern=$1
	shift
	! lacks_linker "$@" || return 0
	! profsup-cc "$@" -o known "$testdir/known.c" "$testdir/other.c" >out 2>&1 && grep -q -- "$refused_pattern" out
	ok $? "${PROFSUP_CC:-cc} $*: refused" || diag_file out
}
