# For tests of the output file: a target whose pid is known before its file is written.
#
#	hold_start DIR COMMAND...	runs COMMAND, which is to run prog (tests/targets/plain/hold.c), in DIR
#	hold_end			lets it go on to its end; sets $status
#
# Between the two $pid and $name, the file's name, are set.  stderr goes to $scratch/err.
#
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # variables are for and from the tests

hold_start() {
	hold_dir=$1
	shift
	rm -f "$scratch/in" "$scratch/out" "$scratch/err"
	mkfifo "$scratch/in"
	chmod 666 "$scratch/in"
	: >"$scratch/out"
	: >"$scratch/err"
	(cd "$hold_dir" && exec "$@") <"$scratch/in" >"$scratch/out" 2>"$scratch/err" &
	hold_job=$!
	exec 9>"$scratch/in"
	wait_until 60 test -s "$scratch/out" || {
		diag_file "$scratch/err"
		bail 'the target does not start'
	}
	pid=$(cat "$scratch/out")
	name=gmon.prog.$pid.out
}

hold_end() {
	echo go >&9
	exec 9>&-
	wait "$hold_job"
	status=$?
}

# temp_files DIR: how many files there are that a reader would not look for.
temp_files() {
	find "$1" -mindepth 1 -maxdepth 1 -name '.*' | wc -l
}
