# A shell on a terminal of its own, for the tests that type.  Source it after testlib.sh.
#
# shellcheck shell=sh
# shellcheck disable=SC2154 # testlib.sh sets top

mkfifo keys

# terminal SHELL...: a new one, with an interactive shell that doesn't echo and has a short prompt.  Ctrl-C discards
# nothing that is on its way to the screen.
terminal() {
	: >screen
	PS1='' ENV='' perl "$top/tests/lib/pty.pl" keys screen "$@" &
	pty=$!
	exec 9>keys
	type_line 'stty -echo noflsh; PS1=; PS2=; echo shell is "read"y'
	shows 'shell is ready'
}

type_line() {
	printf '%s\n' "$*" >&9
}

press() {
	# shellcheck disable=SC2059 # an escape
	printf "$1" >&9
}

on_screen() {
	[ "$(grep -c -- "$1" screen)" -ge "${2:-1}" ]
}

# shows PATTERN [TIMES]
shows() {
	wait_until 60 on_screen "$@" || { diag "no '$1' on the screen:"; diag_file screen; return 1; }
}

leave() {
	type_line 'exit 0'
	exec 9>&-
	wait "$pty"
	rm -f gmon.*
}
