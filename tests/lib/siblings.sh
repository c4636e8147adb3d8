# What attackers do to the latency of an honest program under the same supervisor, against what they do to it where
# nobody is supervised.  Source it after hostile.sh.
#
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # variables of hostile.sh

# The supervisor may add so much to 99 of 100 forks, execs and exits.  So often it is measured, both ways, until it is less; unless
# it is far more.  Others on this machine may add to it, too: then it is not decided.
most_more_us=50000
far_more_us=500000
most_measurements=5

# siblings_prepare: the programs, in a fresh directory that is the attackers'.  It is in memory: for each
# new file ext4 looks at all inodes of a group that were freed in the last minutes, and how many those are depends on what ran
# before.
siblings_prepare() {
	need_root
	need_userns
	mkdir dir
	mount -t tmpfs -o size=2g,mode=755 none dir || bail "can't mount a tmpfs"
	chmod 755 . dir
	for siblings_name in sibling hostile-bomb hostile-mailbox hostile-huge hostile-mounts hostile-slow-fs hostile-slow-page \
		hostile-storm; do
		cp "$(target $siblings_name)" "dir/${siblings_name#hostile-}"
	done
	perl "$top/tests/lib/fat.pl" dir/bomb dir/fat 256 || bail fat.pl
	mkdir dir/mnt
	mknod -m 666 dir/fuse c 10 229 || bail mknod
	mkfifo dir/ready
	chown -R "$nobody:$nobody" dir
	cd dir || bail dir
	who=
	trap 'siblings_clean_up; cd /; umount -l "$scratch/dir"; rm -rf "$scratch"' EXIT
}

# Those that execute a file of a file system that is gone are known by what they belong to.
siblings_clean_up() {
	kill_survivors
	[ ! -s group ] || kill -KILL -"$(cat group)" 2>/dev/null
	kill_survivors
}

# run_beside OUTPUT RUN... -- ATTACKER...: the sibling runs for so long, once the attacker is at it, and is the last to be
# seen to.
run_beside() {
	beside_output=$1
	shift
	rm -f gmon.* group "$beside_output"
	# shellcheck disable=SC2016 # the other shell's
	timeout -k 1 "$beside_most" "$@" >"$beside_output" 2>"$beside_output.err"
	siblings_clean_up
}

# shellcheck disable=SC2016 # the other shell's
beside_script='
	seconds=$1
	shift
	setsid "$@" >ready &
	echo $! >group
	read -r word <ready
	echo "$word"
	./sibling "$seconds"
	kill -KILL -"$(cat group)"
	wait'

# beside SECONDS WHOSE WHAT ATTACKER...: points.  WHOSE: "root" has root supervise a plain user's programs, "same" a plain
# user his own, "roots" root his own.
beside() {
	beside_seconds=$1
	beside_whose=$2
	beside_what=$3
	shift 3
	beside_most=$((12 + 2 * ${beside_seconds%.*}))
	beside_as="setpriv --reuid $nobody --regid $nobody --clear-groups"
	case $beside_whose in
	root) beside_run="profsup -q -u $nobody:$nobody" ;;
	same) beside_run="$beside_as profsup -q" ;;
	roots)
		beside_as='env --'
		beside_run='profsup -q'
		;;
	esac
	beside_inexact=0
	others_begin
	for _ in $(seq $most_measurements); do
		measure_beside "$@"
		if grep -q '^no' alone; then
			skip "$beside_what: $(grep '^no' alone)"
			return
		fi
		[ "${beside_more:-$far_more_us}" -gt $most_more_us ] || break
		[ "${beside_more:-$far_more_us}" -lt $far_more_us ] || break
	done
	[ "$(awk '$1 == "ready" || $1 == "rounds" { printf "%s ", $1 }' here)" = 'ready rounds ' ]
	among_others $? "$beside_what: the sibling comes to its end in time" || diag_file here.err
	between_others "$beside_more" -1000000000 $most_more_us \
		"$beside_what: of 100 of its forks, execs and exits 99 take at most 50 ms longer than natively"
	is $beside_inexact 0 "$beside_what: each of its calls is in its files"
	nobody_left
}

# measure_beside ATTACKER...: leaves alone, here, and in $beside_more by how much the 99th of 100 is later, if it can be
# told; $beside_inexact goes up where calls are missing.
measure_beside() {
	# shellcheck disable=SC2086 # words
	run_beside alone $beside_as sh -c "$beside_script" - "$beside_seconds" "$@"
	! grep -q '^no' alone || return
	# shellcheck disable=SC2086 # words
	run_beside here $beside_run sh -c "$beside_script" - "$beside_seconds" "$@"
	beside_table
	beside_more=$(awk 'NR == FNR { alone[$1] = $3; next }
		$1 ~ /^(fork|exec|exit)$/ { more = $3 - alone[$1]; if (n++ == 0 || more > most) most = more }
		END { if (n == 3) print most }' alone here)
	beside_got=$(all_calls_of sibling work 2>/dev/null)
	beside_want=$(sed -n 's/^rounds .* calls //p' here)
	[ -n "$beside_want" ] && [ "$beside_got" != "$beside_want" ] || return 0
	beside_inexact=$((beside_inexact + 1))
	diag "$beside_what: $beside_got calls of $beside_want"
	diag "$(head -n 5 here.err)"
}

# Of both runs: the median, the 99th of 100 and the longest, in ms.
beside_table() {
	for beside_file in alone here; do
		diag "$(awk -v what="$beside_what" -v where=$beside_file '
			$1 ~ /^(fork|exec|exit)$/ { line = line sprintf("  %s %.1f %.1f %.1f", $1, $2 / 1e3, $3 / 1e3, $4 / 1e3) }
			$1 == "rounds" { n = $2 }
			END { printf "%-14s %-9s%s  of %d", what, where == "alone" ? "native" : "profsup", line, n }' $beside_file)"
	done
}

# all_siblings SECONDS MOUNTS: beside each attacker.
all_siblings() {
	diag 'median, 99th of 100 and longest in ms'
	beside "$1" root 'arcs' ./fat exits 10 272
	beside "$1" root 'mounts' ./mounts mnt "$2"
	beside "$1" same 'slow files' ./slow-fs mnt ./fuse 2500
	beside "$1" same 'slow mapping' ./slow-fs mnt ./fuse 850 ../slow-page 4 mem
	beside "$1" root 'mailboxes' ./mailbox floods 20
	beside "$1" root 'forks' sh -c 'echo ready; while :; do ./storm forks 60 600; done'
	beside "$1" root 'huge memory' ./huge 24 2
}
