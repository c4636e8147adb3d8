#!/bin/sh
# A plain user's file system (FUSE, in namespaces of its own) that never answers when a file is made in it does not hold
# up root's supervisor: the kernel lets nobody else in.  (Of the same user: silent-own.t.)
. "$(dirname "$0")/../lib/hostile.sh"
need_root
need_userns

check() {
	[ "${run%% *}" = profsup ] || return
	cp "$(target hostile-fuse)" prog
	device=/dev/fuse
	[ "$(stat -c %a "$device")" = 666 ] || {
		device=$scratch/dir/fuse
		mknod -m 666 "$device" c 10 229 || bail mknod
	}
	mkdir -m 777 silent
	attack '' unshare -Urm ./prog "$scratch/dir/silent" "$device"
	grep -q '^no ' "$scratch/out" && {
		skip "no FUSE: $(cat "$scratch/out")"
		return
	}
	unharmed ''
	is "$(said_but '^profsup: (/[^:]*/)?gmon\.prog\.[0-9]*\.out: Permission denied')" '' "${who}nothing but that file is told of"
	is "$(grep -c 'Permission denied' "$scratch/err")" 1 "${who}and that it is, once"
	is "$(all_calls_of prog work)" 1000 "${who}the others are whole"
}

each_way check
done_testing
