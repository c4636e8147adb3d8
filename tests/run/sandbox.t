#!/bin/sh
# Programs that lock themselves in, each in a way of its own: they print and end as they do alone, and no call is lost.
. "$(dirname "$0")/../lib/sandbox.sh"

# locked NAME STATUS TIMES [WORD]: sandbox-NAME ends so; it has done so many times work().
locked() {
	who="${as:+as a plain user: }$1${4:+, $4}: "
	alike "sandbox-$1" "$2" ./prog ${4:+"$4"}
	whole here/prog "$(the_file_in here)" "$3"
}

check() {
	locked limits 'exit 0' 1 as
	is "$(head -n 1 here.out)" '60 MB: not refused' "${who}60 of 100 MB are the program's"
	locked limits 'exit 8' 1 closed
	locked limits 'exit 6' 1 fsize
	locked moncontrol 'exit 0' 4
	is "$(calls here/prog "$(the_file_in here)" unseen)" 0 "${who}no call between moncontrol(0) and moncontrol(1) is counted"
	locked limits 'exit 0' 1 nnp
	locked limits 'exit 0' 1 nofile
	locked seccomp 'exit 3' 1
	# Our number is unknown to its filter, and so is every other call that we could have made.
	locked seccomp 'signal 31' 1 violate
	is "$(tail -n 1 here.out)" worked "${who}it dies of the call that its filter does not know"
	locked strict 'exit 5' 1
	is "$(head -n 1 here.out)" strict "${who}strict mode can be entered"
	locked strict 'signal 9' 1 violate
	is "$(tail -n 1 here.out)" worked "${who}it is killed for a call that is not one of the four"
	locked threads 'exit 0' 4
}

check
for word in as closed fsize nnp nofile; do
	who="$word: "
	calls_alike sandbox-limits ./prog $word
done
for name in moncontrol seccomp strict threads; do
	who="$name: "
	calls_alike "sandbox-$name" ./prog
done
if [ "$(id -u)" -eq 0 ]; then
	as_nobody
	check
fi
done_testing
