#!/bin/sh
# A profile that ends while the calls are being read that were asked for before: a call that was made meanwhile is in the file.
. "$(dirname "$0")/../lib/hostile.sh"
need_root
need_userns

cp "$(target hostile-slow-fs)" fs
cp "$(target late-arcs)" late
chmod 755 .
mknod -m 666 fuse c 10 229 || bail mknod
mkdir files mnt
chmod 777 files
trap 'kill -9 ${front:-} 2>/dev/null; cd /; rm -rf "$scratch"' EXIT

for sampler in $(samplers); do
	rm -f files/* out
	profsup -q --kill-on-exit -d files --sampler="$sampler" ./fs mnt ./fuse 1000 ../late mem >out 2>err &
	front=$!
	wait_until 60 grep -q '^2$' out
	kill -9 $front
	wait_until 60 sh -c 'ls files/gmon.late.*.out >/dev/null 2>&1'
	is "$(perl "$top/tests/lib/gmon.pl" arcs files/gmon.late.*.out | awk '{ print $3 }')" 2 "$sampler: both calls are in the file" || diag_file err
done
done_testing
