# Drives tests/targets/plain/steps.c, copied as ./steps.  Source it after testlib.sh.
#
# shellcheck shell=sh
# shellcheck disable=SC2034 # variables are for the tests

# begin OPTION...: ./steps under profsup -v; its pid in $pid, profsup's in $front.
begin() {
	rm -rf gmon.* steps.in out err
	mkfifo steps.in
	steps=0
	profsup -v -F 1000 "$@" ./steps <steps.in >out 2>err &
	front=$!
	exec 8>steps.in
	pid=$(ready_pid out)
}

steps_done() {
	[ "$(grep -c '^done' out)" -ge "$steps" ]
}

# step LINE...: each is done.
step() {
	for line; do
		steps=$((steps + 1))
		echo "$line" >&8
		wait_until 60 steps_done || { diag "'$line' is never done"; return 1; }
	done
}

# end [LINE]: the last one, without an answer; profsup's exit status in $status.
end() {
	[ -z "${1:-}" ] || echo "$1" >&8
	exec 8>&-
	wait_until 60 is_gone "$front" || { diag 'profsup does not end'; kill -9 "$front" "$pid"; }
	wait "$front" 2>/dev/null
	status=$?
}

# said_already TEXT, or will within ten seconds.
said_already() {
	grep -q "$1" err
}

will_say() {
	wait_until 60 grep -q "$1" err
}

child_pid() {
	sed -n 's/^child //p' out | tail -n 1
}
