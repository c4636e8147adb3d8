#!/bin/sh
# What has the file's name already: replaced only if it could be our own from an earlier run.
# shellcheck disable=SC2016 # $1 is the inner shell's
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/hold.sh"

cp "$(target hold)" prog
chmod 755 prog

# refused WHAT: the target's status, one line, no file of ours and no rest of one.
refused() {
	is "$status" 7 "$who: $1: the exit status is the target's"
	is "$(said err)" "profsup: $dir/$name: File exists (try -d)" \
		"$who: $1 is refused with one line that names file, reason and way out"
	is "$(temp_files "$dir")" 0 "$who: $1: nothing half-written is left"
}

# written WHAT
written() {
	is "$status $(said err)" '7 ' "$who: $1: all is well"
	is "$(stat -c '%F %a %u %g %h' "$dir/$name")" "regular file 600 $uid $gid 1" \
		"$who: $1: there is a file, 0600 and its owner's"
	is "$(calls "$scratch/prog" "$dir/$name" work)" 12345 "$who: $1: with the target's calls"
	is "$(temp_files "$dir")" 0 "$who: $1: and no other file"
}

start() {
	rm -rf "${dir:?}"
	mkdir "$dir"
	chown "$uid:$gid" "$dir"
	# shellcheck disable=SC2086 # words
	hold_start "$dir" $command
}

# owned COMMAND...: as the owner of the directory.
owned() {
	if [ "$(id -u)" -eq "$uid" ]; then
		"$@"
	else
		setpriv --reuid "$uid" --regid "$gid" --clear-groups "$@"
	fi
}

# all WHO UID GID COMMAND: every obstacle there is.
all() {
	who=$1
	uid=$2
	gid=$3
	command=$4
	dir=$scratch/dir

	start
	hold_end
	written 'nothing in the way'

	start
	owned sh -c 'umask 077; echo old >"$1"' - "$dir/$name"
	hold_end
	written 'an old file of its own'

	start
	owned sh -c 'umask 077; echo old >"$1"; chmod 400 "$1"' - "$dir/$name"
	hold_end
	written 'an old file of its own that it can only read'

	start
	owned sh -c 'umask 077; echo precious >"$1/victim"; ln -s victim "$1/$2"' - "$dir" "$name"
	hold_end
	refused 'a symbolic link'
	is "$(readlink "$dir/$name") $(cat "$dir/victim")" 'victim precious' \
		"$who: the link is still there and what it points to unharmed"

	start
	owned ln -s nowhere "$dir/$name"
	hold_end
	refused 'a symbolic link to nothing'
	is "$(readlink "$dir/$name") $(ls "$dir")" "nowhere $name" "$who: and nothing is made there"

	start
	owned sh -c 'umask 077; echo precious >"$1/victim"; ln "$1/victim" "$1/$2"' - "$dir" "$name"
	hold_end
	refused 'a file with a second link'
	is "$(cat "$dir/victim") $(stat -c %h "$dir/$name")" 'precious 2' "$who: it is unharmed"

	start
	owned sh -c 'umask 077; mkfifo "$1"' - "$dir/$name"
	hold_end
	refused 'a FIFO'
	is "$(stat -c %F "$dir/$name")" fifo "$who: and it is still one"

	start
	owned sh -c 'umask 077; mkdir "$1"' - "$dir/$name"
	hold_end
	refused 'a directory'
	is "$(stat -c %F "$dir/$name")" directory "$who: and it is still one"

	start
	owned perl -MSocket -e 'umask 077; socket S, PF_UNIX, SOCK_STREAM, 0; bind S, sockaddr_un($ARGV[0]) or die' "$dir/$name"
	hold_end
	refused 'a socket'
	is "$(stat -c %F "$dir/$name")" socket "$who: and it is still one"

	for mode in 640 620 604 601; do
		start
		owned sh -c 'echo precious >"$1"; chmod "$2" "$1"' - "$dir/$name" $mode
		hold_end
		refused "a file of mode $mode"
		is "$(cat "$dir/$name") $(stat -c %a "$dir/$name")" "precious $mode" \
			"$who: and it is unharmed"
	done

	[ "$(id -u)" -eq 0 ] || return
	start
	echo precious >"$dir/$name"
	chmod 600 "$dir/$name"
	chown 12345:12345 "$dir/$name"
	hold_end
	refused "someone else's file"
	is "$(cat "$dir/$name") $(stat -c %u "$dir/$name")" 'precious 12345' "$who: and it is unharmed"

	start
	mknod -m 600 "$dir/$name" c 1 3 && chown "$uid:$gid" "$dir/$name"
	hold_end
	refused 'a device'
	is "$(stat -c %F "$dir/$name")" 'character special file' "$who: and it is still one"
}

if [ "$(id -u)" -ne 0 ]; then
	all 'a plain user' "$(id -u)" "$(id -g)" "profsup $scratch/prog 7"
	skip 'other identities need root'
	done_testing
fi
nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
all root 0 0 "profsup $scratch/prog 7"
all 'a target that dropped its power before it started' 65534 65534 \
	"profsup $nobody $scratch/prog 7"
all 'a plain user' 65534 65534 "$nobody profsup $scratch/prog 7"
done_testing
