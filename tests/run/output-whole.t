#!/bin/sh
# Nobody sees half a file, and its mode is what it should be under any umask.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/hold.sh"

cp "$(target hold)" prog
mkdir dir
mkfifo stop
"$(target watch-dir)" dir <stop >events &
watcher=$!
exec 8>stop
wait_until 60 grep -q ready events || bail 'watch-dir does not start'

hold_start dir profsup "$scratch/prog" 7
hold_end
is "$status $(said err)" '7 ' 'a file is written'
wait_until 60 grep -q "^create $name" events
ok $? 'it comes to its name when it is written'
! grep -q "^modify gmon\." events
ok $? 'nothing is written to it under a name that readers look for' || diag_file events
is "$(grep -c '^create' events)" 1 'no other file is made'
is "$(ls -A dir)" "$name" 'of which nothing is left'

# The same over an old file of that name: it is there all the time.
: >events
hold_start dir profsup "$scratch/prog" 7
(umask 077 && echo old >"dir/$name")
wait_until 60 grep -q "written $name" events
: >events
hold_end
wait_until 60 grep -q "moved-to $name" events
ok $? 'an old file is replaced by a rename'
! grep -qE "^(create|modify|written|delete) gmon\." events
ok $? 'without an instant without a file' || diag_file events
is "$(calls prog "dir/$name" work)" 12345 'and the new one is whole'
exec 8>&-
wait "$watcher"

for mask in 0 022 077 0777; do
	(
		umask $mask
		echo go | profsup ./prog 7
	) >/dev/null 2>&1
	file=$(the_file prog)
	is "$(stat -c '%a %u %g' "$file")" "600 $(id -u) $(id -g)" \
		"under umask $mask the mode is 0600 and the owner right"
	rm -f gmon.*
done

# A directory that gives its group away does so for the file as for any other, and no bits.
mkdir shared
chmod 2770 shared
hold_start shared profsup "$scratch/prog" 7
hold_end
is "$(stat -c %a "shared/$name")" 600 'in a set-gid directory too'
done_testing
