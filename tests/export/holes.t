#!/bin/sh
# A gmon file that is nearly all holes costs next to nothing, however long it is, and says the same as one without.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

two_functions code

# sparse FILE RECORDS BINS INDEX...: so many records of one range, a tick in each of these bins, or in as many as INDEX+N
# says from there on; all else is holes.
sparse() {
	perl -e '
		my ($low, $file, $records, $bins, @index) = @ARGV;
		open my $f, ">:raw", $file or die "$file: $!\n";
		print $f "gmon", pack "Vx12", 1;
		for (1 .. $records) {
			print $f pack "CQ<Q<VVa15a", 0, hex $low, 4 * $bins + hex $low, $bins, 100, "seconds", "s";
			my $start = tell $f;
			for my $i (@index) {
				my ($from, $n) = split /\+/, $i;
				seek $f, $start + 2 * $from, 0;
				print $f pack("v", 1) x ($n // 1);
			}
			seek $f, $start + 2 * $bins, 0;
		}
		truncate $f, tell $f or die "$file: $!\n";' "$callee" "$@"
}

# kept FILE: KiB that the file system keeps of it.
kept() {
	stat -c '%b %B' "$1" | awk '{ print int($1 * $2 / 1024) }'
}

most=4294967295
sparse long 8 $most 0 1 $((most / 2)) $((most - 1)) || bail 'no sparse files'
[ "$(stat -c %s long)" -gt $((1 << 35)) ] && [ "$(kept long)" -lt 2048 ]
ok $? 'there is a file of 64 GiB, of which the file system keeps a few pages' || diag "$(ls -ls long)"
for format in callgrind folded json pprof html; do
	usage profsup-export -q --format=$format -o out code long 2>err
	is "$?$(cat err)" 0 "$format of it is written"
	light 20 100 "$format of it is written"
done
profsup-export -q --format=folded code long >out
is "$(sort out | xargs)" '[unknown] 16 callee 16' 'with all its ticks'
usage profsup-export --format=bsd-gmon code long 2>err
is "$? $(tail -n 1 err)" "1 profsup-export: bsd-gmon: no room for $most bins" 'bsd-gmon has no room for them'
light 20 100 'which is said'

truncate -s -1 long
usage profsup-export --format=folded code long 2>err
is "$? $(cat err)" '1 profsup-export: long: the file ends in the middle of a record' 'with one byte less it is cut off'
light 20 100 'which is found'
rm long

sparse blocks 1 4 0
perl -e 'print pack "CV", 2, 4294967295' >>blocks
truncate -s "+$((most * 16))" blocks
perl -e 'print pack "CQ<Q<V", 1, hex $ARGV[0], hex $ARGV[0], 7' "$callee" >>blocks
usage profsup-export -q --format=json -o out code blocks
is "$?$(grep -c '"totals":{"calls":7,"ticks":1,' out)" 01 'counts of basic blocks in a hole of 64 GiB are passed over'
light 20 100 'all of them'
rm blocks

# What bsd-gmon has for bins without ticks is a hole, too.
bins=$((1 << 26))
sparse one 1 $bins 0 12345 $((bins - 2))
usage profsup-export -q --format=bsd-gmon -o out code one
is "$? $(stat -c %s out)" "0 $((40 + 2 * bins))" 'bsd-gmon: so many bins are in the file'
[ "$(kept out)" -lt 1024 ]
ok $? 'and nearly all of them are holes' || diag "$(ls -ls out)"
light 20 100 'it is written'
profsup-export -q --format=bsd-gmon code one | cmp - out
ok $? 'to a pipe they are zeros'
is "$(od -An -v -tu2 -j$((40 + 2 * 12345)) -N4 out | xargs)/$(tail -c 4 out | od -An -tu2 | xargs)" '1 0/1 0' 'and the ticks are where they were'
rm one out

# Holes anywhere, with and without the file system's help.  A library says that it has none.
cat >blind.c <<'X'
#include <errno.h>
#include <sys/types.h>
#include <sys/syscall.h>
#include <unistd.h>
off_t lseek(int fd, off_t at, int whence)
{
	if (whence == SEEK_DATA || whence == SEEK_HOLE) {
		errno = EINVAL;
		return -1;
	}
	return syscall(SYS_lseek, fd, at, whence);
}
X
gcc -shared -fPIC -D_GNU_SOURCE -o blind.so blind.c 2>cc.err || bail "$(cat cc.err)"

# exported FILE: as JSON and for BSD; where the file's name stands does not count.
exported() {
	for exported_format in json bsd-gmon; do
		profsup-export -q --format=$exported_format code "$1" | case $exported_format in
		json) sed 's/^"files":.*//' ;;
		*) cat ;;
		esac
	done
}

bad='' even=''
for seed in $(seq 1 30); do
	# Ticks in runs of bins, which begin at odd bytes, so that holes begin and end within them.
	perl -e '
		srand $ARGV[0];
		printf "%d+%d\n", rand 2e6, 1 + rand 4000 for 1 .. 1 + rand 20' "$seed" >indices
	# shellcheck disable=SC2046 # words
	sparse holes 2 2100000 $(cat indices)
	cp --sparse=never holes full
	[ "$(kept holes)" -lt "$(kept full)" ] || even="$even $seed"
	exported holes >got
	exported full >want
	(
		ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0
		LD_PRELOAD=$PWD/blind.so
		export ASAN_OPTIONS LD_PRELOAD
		exported holes
	) >blind
	if [ ! -s want ] || ! cmp -s got want || ! cmp -s blind want; then
		bad="$bad $seed"
	fi
done
is "$bad/$even" / 'of 30 files with holes, each is exported like one without, also if nothing is known of them'
done_testing
