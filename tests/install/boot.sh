#!/bin/sh
# boot.sh DIR UNIT: systemd as process 1 of namespaces of its own, with one unit to start, which has to end by
# `systemctl --force --force poweroff`.  It runs on an overlay of this machine, with DIR/files over it, /tmp, /run and a
# network of its own, and DIR/out as /run/out.  Nothing outside of DIR is written.  As root, in DIR's own mount namespace:
#
#	unshare --mount boot.sh DIR UNIT
set -eu
cd "$1"
dir=$PWD unit=$2

mkdir -p "$dir/root" "$dir/over" "$dir/cgroup" "$dir/out"
mount -t cgroup2 cgroup2 "$dir/cgroup"
mount -t tmpfs tmpfs "$dir/over"
mkdir "$dir/over/upper" "$dir/over/work"
mount -t overlay -o "lowerdir=/,upperdir=$dir/over/upper,workdir=$dir/over/work" overlay "$dir/root"
cp -R "$dir/files/." "$dir/root"

own=$dir/cgroup/profsup-boot.$$
mkdir "$own"
# The kernel lets go of a cgroup's processes a moment after they have ended.
leave() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		find "$own" -depth -type d -exec rmdir {} + 2>/dev/null && return
		sleep 0.1
	done
}
trap leave EXIT
trap 'exit 1' INT TERM HUP

# shellcheck disable=SC2016 # the other shells'
sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$own" timeout -k 5 120 \
	unshare --cgroup --mount --pid --fork --kill-child --uts --ipc --net sh -euc '
		mount -t proc proc root/proc
		mount -t sysfs sysfs root/sys
		mount -t cgroup2 cgroup2 root/sys/fs/cgroup
		mount --rbind /dev root/dev
		mount -t tmpfs tmpfs root/run
		mount -t tmpfs -o mode=1777 tmpfs root/tmp
		mkdir root/run/old root/run/out
		mount --bind out root/run/out
		cd root
		pivot_root . run/old
		umount -l /run/old
		exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system \
			--unit="$0" --show-status=no --log-target=console' "$unit"
