#!/bin/sh
# A program that Landlock has left no right to any file: it can't write its profile, nor anything else.
# Where the kernel has no Landlock, the test runs in a virtual machine whose kernel has.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/vm/guest.sh"

"$(target landlock)" 0 >/dev/null
[ $? -ne 77 ] || in_guest landlock || bail 'not in the guest'

# An emulated machine needs no more of them to use some CPU time.
count=40000000
[ -z "${PROFSUP_GUEST:-}" ] || count=1000000

# landlocked WHO COMMAND...: in a fresh directory that everybody may write.
landlocked() {
	who=$1
	shift
	mkdir "$scratch/$who"
	chmod 777 "$scratch/$who"
	cd "$scratch/$who" || bail "$scratch/$who"
	cp "$(target landlock)" prog
	echo text >there
	chmod 666 there
	for what in 'make a file' 'write a file' 'read a file' 'list the directory'; do
		echo "$what: Permission denied"
	done >want

	"$@" ./prog 1000 >alone
	is $? 0 "$who: alone, the program ends well"
	is "$(cat alone)" "$(cat want)" "$who: alone, it may make, write, read and list nothing"
	"$@" profsup ./prog $count >out 2>err
	is $? 0 "$who: profiled, it ends well"
	is "$(cat out)" "$(cat alone)" "$who: profiled, it says the same"
	is "$(said err)" '' "$who: and profsup says nothing"
	file=$(the_file prog)
	is "$(ls gmon.*)" "$file" "$who: its one file is in the starting directory"
	is "$(stat -c '%a %u' "$file")" "600 $("$@" id -u)" "$who: with its own owner and mode 0600"
	is "$(calls prog "$file" leaf)" $count "$who: gprof counts every call of leaf()"
	is "$(calls prog "$file" work)" 1 "$who: and the one call of work()"
	between "$(ticks "$file")" 1 100000 "$who: there are samples"
	[ ! -e made ]
	ok $? "$who: the file that it tried to make does not exist"
}

landlocked caller env
if [ "$(id -u)" -eq 0 ]; then
	# Root has no privilege against Landlock; somebody else has none at all.
	landlocked user setpriv --reuid 1000 --regid 1000 --clear-groups
fi
done_testing
