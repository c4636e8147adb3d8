# For tests of programs that attack.  Source it instead of testlib.sh:
#
#	. "$(dirname "$0")/../lib/hostile.sh"
#
# Everything that such a test starts is a program in its own directory, so what is left of it can be found, and is
# ended with the test.
#
# shellcheck shell=sh
# shellcheck disable=SC2034 # variables are for the tests

. "$(dirname "$0")/../lib/testlib.sh"

command -v setpriv >/dev/null || skip_all 'needs setpriv'

# A plain user can't always look into the checkout.
mkdir -p bin/bin bin/lib/profsup
cp "$stage/bin/profsup" "$stage/bin/profsup-report" bin/bin || bail 'no profsup'
cp "$stage/lib/profsup/read-code" bin/lib/profsup || bail 'no read-code'
PATH=$scratch/bin/bin:$PATH
trap 'kill_survivors; cd /; rm -rf "$scratch"' EXIT

# Whose programs attack; not the one of other tests, since its processes are counted.
nobody=65534
[ "$(id -u)" -ne 0 ] || nobody=$((300000 + $$ % 100000))

# survivors: "PID STATE TRACER" of each process whose program is in the test's directory.
survivors() {
	perl -e '
		for my $exe (glob "/proc/[0-9]*/exe") {
			my ($pid) = $exe =~ /(\d+)/;
			next if index(readlink $exe // "", "$ARGV[0]/") != 0;
			open my $f, "<", "/proc/$pid/status" or next;
			my $status = join "", <$f>;
			print "$pid ", $status =~ /^State:\s+(\S)/m, " ", $status =~ /^TracerPid:\s+(\d+)/m, "\n";
		}' "$scratch"
}

kill_survivors() {
	survivors | while read -r pid state tracer; do
		kill -KILL "$pid" 2>/dev/null
	done
}

# make_fuse: ./fuse, by which a program can mount a file system of its own on ./mnt.
make_fuse() {
	[ "$(id -u)" -ne 0 ] || mknod -m 666 fuse c 10 229 || bail mknod
	[ -e fuse ] || ln -s /dev/fuse fuse
	mkdir mnt
}

is_nobody_left() {
	[ -z "$(survivors)" ]
}

# nobody_left: a point: nothing is left, be it stopped, traced or running.
nobody_left() {
	wait_until 60 is_nobody_left
	ok $? "${who}no process is left, stopped or traced" || {
		diag "$(survivors)"
		kill_survivors
	}
}

# each_way FUNCTION: the supervisor is root's and the program is not, then both are the same plain user's.  For each
# $run are the words that start profsup, $who says which it is, and $uid is the program's; the current directory is
# that user's.
each_way() {
	if [ "$(id -u)" -eq 0 ]; then
		uid=$nobody
		in_fresh_dir "$1" "profsup -u $uid:$uid" 'root: '
		in_fresh_dir "$1" "setpriv --reuid $uid --regid $uid --clear-groups profsup" 'a plain user: '
	else
		uid=$(id -u)
		in_fresh_dir "$1" profsup 'a plain user: '
		skip 'root against a plain user needs root'
	fi
	who=
}

in_fresh_dir() {
	rm -rf "$scratch/dir"
	mkdir "$scratch/dir"
	cd "$scratch/dir" || bail dir
	[ "$(id -u)" -ne 0 ] || chown "$uid:$uid" .
	chmod 755 . "$scratch"
	cp "$(target hold)" victim
	run=$2
	who=$3
	"$1"
	cd "$scratch" || bail "$scratch"
}

# attack OPTIONS COMMAND...: under profsup, together with a victim that starts before it and ends after it.  Leaves
# out, err, and in $status "exit N", "signal N" or "hang"; in $rss the memory of the largest of all processes, KiB;
# in $own the supervisor's CPU time, ms, if it was not a plain user's in a place where it can't write.
attack() {
	rm -f "$scratch/stats" in ready
	: >"$scratch/stats"
	chmod 666 "$scratch/stats"
	# shellcheck disable=SC2016,SC2086 # perl and an inner shell expand their own; words
	set -- $run --stats="$scratch/stats" $1 sh -c '
		mkfifo in
		./victim 7 <in >ready &
		exec 3>in
		while [ ! -s ready ]; do sleep 0.02; done
		shift
		"$@" 3>&-
		status=$?
		echo go >&3
		exec 3>&-
		wait $! || [ $? -eq 7 ] || echo the victim has come to harm >&2
		exit $status' - "$@"
	# shellcheck disable=SC2016 # perl expands its own
	perl -e '
		require "syscall.ph";
		my ($results, $most) = splice @ARGV, 0, 2;
		my $pid = fork // die;
		exec @ARGV or die if $pid == 0;
		my ($usage, $how) = (pack("x144"), "hang");
		local $SIG{ALRM} = sub { die };
		alarm $most;
		eval {
			waitpid $pid, 0;
			$how = $? & 127 ? "signal " . ($? & 127) : "exit " . ($? >> 8);
		};
		syscall(&SYS_getrusage, -1, $usage);
		open my $f, ">", $results or die;
		print $f "$how\n", (unpack "q*", $usage)[4], "\n";' \
		"$scratch/results" "${attack_seconds:-240}" "$@" >"$scratch/out" 2>"$scratch/err"
	status=$(sed -n 1p "$scratch/results")
	rss=$(sed -n 2p "$scratch/results")
	own=$(statistic own_cpu_ns "$scratch/stats")
	own=$((${own:-0} / 1000000))
}

# unharmed [WHAT]: points: the attack ended as it should, the victim's profile is whole, nothing is left.
unharmed() {
	unharmed_what=${1:+$1: }
	is "$status" "${2:-exit 0}" "$who${unharmed_what}the program ends as it would alone" || diag_file "$scratch/err"
	is "$(calls victim "$(the_file victim)" work)" 12345 "$who${unharmed_what}the other program's profile is whole"
	is "$(find . -name '.gmon*' | wc -l)" 0 "$who${unharmed_what}there is no rest of a file"
	nobody_left
}

# said_but PATTERN: what profsup says beyond what matches.
said_but() {
	said "$scratch/err" | grep -vE "$1"
}

# all_calls_of PROGRAM NAME: in all of its files together, read without gprof, since they may be many.
all_calls_of() {
	# shellcheck disable=SC2046 # words
	perl "$top/tests/lib/gmon.pl" arcs gmon."$1".*.out | perl -ne '
		BEGIN { ($start, $size) = map hex, splice @ARGV, 0, 2 }
		my ($from, $self, $count) = split;
		$n += $count if hex $self >= $start && hex $self < $start + $size;
		END { print $n + 0, "\n" }' $(nm -S "$1" | sed -n "s/ [tT] $2\$//p")
}
