# For tests of programs that sandbox themselves.  Source it instead of testlib.sh:
#
#	. "$(dirname "$0")/../lib/sandbox.sh"
#
# shellcheck shell=sh
# shellcheck disable=SC2034 # variables are for the tests

. "$(dirname "$0")/../lib/testlib.sh"

# As tests/targets/sandbox/sandbox.h has them.
hot_calls=25003
cool_calls=50006

for tool in gprof perl prlimit setpriv strace unshare; do
	command -v $tool >/dev/null || skip_all "needs $tool"
done

# Words that start a command as somebody else; empty: as ourselves.  `who` says it in descriptions.
as=
who=

likely_most=50

# A plain user can't always look into the checkout.
mkdir -p bin/bin bin/lib/profsup
cp "$stage/bin/profsup" "$stage/bin/profsup-report" bin/bin || bail 'no profsup'
cp "$stage/lib/profsup/read-code" bin/lib/profsup || bail 'no read-code'
PATH=$scratch/bin/bin:$PATH

# as_nobody: what follows is started by uid 65534.
as_nobody() {
	as='setpriv --reuid 65534 --regid 65534 --clear-groups'
	who='as a plain user: '
}

# fresh DIR PROGRAM: DIR is new and holds PROGRAM as ./prog; everybody may write to it.
fresh() {
	rm -rf "$1"
	mkdir -m 1777 "$1"
	cp "$2" "$1/prog" || bail "$1"
}

# run DIR COMMAND...: in DIR; leaves DIR.out, DIR.err and DIR.status ("exit N" or "signal N").
run() {
	run_dir=$1
	shift
	: >"$run_dir.status"
	(
		cd "$run_dir" || exit
		# shellcheck disable=SC2016 # Perl
		exec prlimit --core=0:0 perl -e '
			my $file = shift;
			my $ret = system { $ARGV[0] } @ARGV;
			open my $f, ">", $file or die "$file: $!\n";
			print $f $ret & 127 ? "signal " . ($ret & 127) : "exit " . ($ret >> 8), "\n";
		' "$scratch/$run_dir.status" "$@"
	) >"$run_dir.out" 2>"$run_dir.err"
}

# supervised DIR [-OPTION...] COMMAND...: the same under profsup.
supervised() {
	supervised_dir=$1
	shift
	# shellcheck disable=SC2086 # words
	run "$supervised_dir" $as profsup -F 1000 "$@"
}

# build_plain TARGET: ./TARGET.plain, without profiling.
build_plain() {
	plain_src=$(source_of_target "$1")
	# shellcheck disable=SC2046 # words
	cc -O2 -w -static -o "$1.plain" "$plain_src" $(sed -n 's|^// CFLAGS: ||p' "$plain_src") || bail "cc $1.c"
}

# alike TARGET STATUS COMMAND...: COMMAND, which runs ./prog, prints and ends the same with profsup (in
# here/) and alone (in alone/), where it shows no sign of us: STATUS is as run() has it.
alike() {
	alike_target=$1
	alike_status=$2
	shift 2
	fresh alone "$(target "$alike_target")"
	fresh here "$(target "$alike_target")"
	# shellcheck disable=SC2086 # words
	run alone $as "$@"
	is "$(cat alone.status)" "$alike_status" "${who}alone it ends by $alike_status"
	is "$(cat alone.err)" '' "${who}alone it prints nothing more"
	is "$(ls -A alone)" prog "${who}alone it leaves no file"
	supervised here "$@"
	is "$(cat here.status)" "$alike_status" "${who}under profsup it ends by $alike_status"
	is "$(cat here.out)" "$(cat alone.out)" "${who}under profsup it prints the same"
	is "$(said here.err)" '' "${who}profsup prints nothing"
}

# calls_alike TARGET COMMAND...: alone, after start-up, COMMAND makes the system calls of a build without
# profiling and no others, and at no time any that profiles.
calls_alike() {
	alike_target=$1
	shift
	[ -f "$alike_target.plain" ] || build_plain "$alike_target"
	fresh traced "$(target "$alike_target")"
	fresh plain "$alike_target.plain"
	for traced in traced plain; do
		# shellcheck disable=SC2086 # words
		run $traced $as strace -f -qq -o "$scratch/$traced.strace" "$@"
		perl "$top/tests/lib/trace.pl" after $traced.strace >$traced.calls 2>&1
	done
	is "$(cat traced.calls)" "$(cat plain.calls)" \
		"${who}alone its system calls after start-up are those of a build without profiling"
	for pattern in 'setitimer|timer_create' SIGPROF; do
		is "$(perl "$top/tests/lib/trace.pl" count traced.strace "$pattern")" \
			"$(perl "$top/tests/lib/trace.pl" count plain.strace "$pattern")" \
			"${who}alone it makes no call with $pattern of ours"
	done
	rm -f traced.strace plain.strace
}

# share PROG FILE: the part of its time that hot() had of hot() and cool().
share() {
	gprof -b -p -z "$1" "$2" 2>/dev/null | awk '
		$NF == "hot" { hot = $1 }
		$NF == "cool" { cool = $1 }
		END { if (hot + cool > 0) print hot / (hot + cool); else print "no-time" }'
}

# whole PROG FILE [TIMES]: FILE holds TIMES (1) times work(), every call of it.
whole() {
	ok "$([ -f "$2" ]; echo $?)" "${who}there is a file" || {
		diag "$2"
		return 1
	}
	is "$(stat -c %a "$2")" 600 "${who}the file's mode is 0600"
	is "$(calls "$1" "$2" hot)" $((${3:-1} * hot_calls)) "${who}it has every call of hot()"
	is "$(calls "$1" "$2" cool)" $((${3:-1} * cool_calls)) "${who}it has every call of cool()"
}

# has_its_time PROG FILE [TIMES]: and its time, in its ratio.
has_its_time() {
	time_ticks=$(ticks "$2")
	between $((time_ticks + $(not_seen "${run_dir:-}.err"))) $((${3:-1} * 20)) 1000000 "${who}it has samples"
	# Without --timeline it is not known what each sample stands for: crowds have as few as a quarter that are sure to be
	# independent.  What it finds are bins at the wrong place, with all of the time in one function or in none.
	drawn=$(sed -n 's/.* \([0-9.]*\) s of CPU time at 1000 Hz, \([0-9]*\) sample.*/\1 \2/p' "${run_dir:-}.err" |
		awk -v ticks="$time_ticks" '{ most = $2 ? 4000 * $1 / $2 : ticks; if (most < 4) most = 4; print most ":" ticks / most }')
	likely "$(share "$1" "$2" | awk '{ print /[0-9]/ ? 100 * $1 : $1 }')" 68 72 "${who}its samples are in hot() and cool() as the time is"
}

# one_line FILE PATTERN...: FILE is one line and has each of the patterns in it.
one_line() {
	one_line_file=$1
	shift
	is "$(said "$one_line_file" | wc -l)" 1 "${who}one line tells of it"
	for pattern; do
		grep -q -e "$pattern" "$one_line_file"
		ok $? "${who}the line says \"$pattern\"" || diag_file "$one_line_file"
	done
}

# the_file_in DIR [PID]: the one gmon file of ./prog there, or a word that tells how many there are.
the_file_in() {
	if [ $# -eq 2 ]; then
		set -- "$1/gmon.prog.$2.out"
	else
		set -- "$1"/gmon.prog.*.out
	fi
	if [ $# -eq 1 ] && [ -f "$1" ]; then
		printf '%s\n' "$1"
	elif [ -f "$1" ]; then
		printf '%d-files\n' $#
	else
		printf 'no-file\n'
	fi
}
