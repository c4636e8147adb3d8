# What tests of pages share: Chromium, without a network, as browse.pl drives it.  Source it after testlib.sh.
#
# shellcheck shell=sh
# shellcheck disable=SC2154 # testlib.sh sets them

command -v chromium >/dev/null || skip_all 'chromium is not installed (Debian: chromium)'
if [ "$(id -u)" -eq 0 ]; then
	offline='unshare -n'
else
	need_userns
	offline='unshare -rn'
fi
mkdir home
HOME=$scratch/home
export HOME

# start_browser: one serves for all that a test has to look at, as its start costs more CPU time than its pages.
start_browser() {
	mkfifo orders answers
	# shellcheck disable=SC2086 # words
	timeout -k 5 300 $offline "$top/tests/lib/browse.pl" <orders >answers 2>browse.err &
	browser=$!
	exec 9>orders 8<answers
	trap 'exec 9>&-; wait "$browser"; cd /; rm -rf "$scratch"' EXIT
}

# browse: what the lines of stdin say (browse.pl); what it prints is in `got`.
browse() {
	{ cat && echo told; } >order
	cat order >&9 &
	sed '/^told$/q' <&8 >got
	grep -q '^told$' got ||
		ok 1 "the browser does what it is told" || diag "$(tail -n 3 browse.err) $(tail -n 3 browse.log)"
}

# printed NAME: what browse.pl has printed under this name, of `got`.
printed() {
	awk -F '\t' -v name="$1" '$1 == name { print substr($0, length(name) + 2) }' got
}
