#!/bin/sh
# --sum: one file for all processes of an executable, exact, and there from the first end on.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/steps.sh"

for t in family count steps work threads sandbox-chroot; do
	cp "$(target $t)" .
done

# gmons [DIR]: names of all there are.
gmons() {
	(cd "${1:-.}" && set -- gmon.* && [ -f "$1" ] && echo "$@" || echo none)
}

# A file system that gives everybody all rights to each file, as vfat, CIFS and others do.
cat >open.c <<'X'
#define _GNU_SOURCE
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
int fstatat(int dir, const char *name, struct stat *st, int flags)
{
	int ret = syscall(SYS_newfstatat, dir, name, st, flags);

	st->st_mode |= 0755;
	return ret;
}
X
cc -shared -fPIC -o open.so open.c || bail 'no library'
ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" LD_PRELOAD=./open.so profsup -q --sum sh -c './count 3; ./count 4' 2>err
is "$(calls count gmon.count.out leaf)$(cat err)" 7 'where all files are open to all the sum of both is there'

for sampler in $(samplers); do
	for how in fork vfork-exec clone3 grandchildren own-group; do
		rm -f gmon.*
		profsup -q --sampler="$sampler" ./family $how >/dev/null 2>&1
		apart=$(perl "$top/tests/lib/arcs.pl" family gmon.*)
		rm -f gmon.*
		profsup -q --sampler="$sampler" --sum ./family $how >/dev/null 2>&1
		is "$(gmons)" gmon.family.out "$sampler, $how: one file"
		is "$(perl "$top/tests/lib/arcs.pl" family gmon.family.out)" "$apart" "$sampler, $how: with the calls of all processes"
	done

	rm -f gmon.*
	profsup --sampler="$sampler" --sum -F 1000 --stats=stats.json ./work tree 300 >out 2>err
	is "$(said err)" '' "$sampler: nothing to say"
	is "$(grep -c "^profsup: 4 processes, 1 file: $(pwd -P)/gmon.work.out; " err)" 1 "$sampler: the summary counts one file"
	is "$(ticks gmon.work.out)" "$(perl -MJSON::PP -e 'local $/; open my $f, "<", "stats.json"; my $s = decode_json(<$f>); print $s->{ticks} - $s->{outside_ticks}')" \
		"$sampler: all ticks are in it"

	rm -f gmon.*
	profsup -q --sampler="$sampler" --sum ./threads waves >/dev/null
	one=$(perl "$top/tests/lib/arcs.pl" threads gmon.threads.out)
	profsup -q --sampler="$sampler" --sum sh -c './threads waves; ./threads waves' >/dev/null
	is "$(perl "$top/tests/lib/arcs.pl" threads gmon.threads.out)" "$(echo "$one" | perl -pe 's/(\d+)$/2 * $1/e')" \
		"$sampler: two runs of a program with threads have twice the calls; an older file of the name is replaced"

	# After each end.
	begin --sampler="$sampler" --sum
	step 'call 5' 'fork 30'
	wait_until 60 [ -f gmon.steps.out ]
	is "$(all_calls steps gmon.steps.out)" ' child_work=30' "$sampler: the file is there when the first of them has ended"
	step 'fork 12' lock
	wait_until 60 grep -q 'of 2 processes' err
	is "$(all_calls steps gmon.steps.out)/$(find . -name '.gmon*')" ' child_work=42/' "$sampler: and again when the next has"
	end ''
	is "$(all_calls steps gmon.steps.out)" ' child_work=42 work=5' "$sampler: the last one's is in it, too, from a sandbox"
done

# Which belong together.
rm -f gmon.*
mkdir a b bin
cp count bin/other
profsup -q --sum sh -c './count 5; bin/other 6'
is "$(gmons)/$(calls count gmon.count.out leaf)" gmon.count.out/11 'a copy with the same build id is the same executable'
rm -f gmon.*
cp threads bin/count
profsup -q --sum sh -c './count 5; bin/count waves >/dev/null; ./count 6'
is "$(gmons)" 'gmon.count.2.out gmon.count.out' 'another program of the name has another file'
is "$(calls count gmon.count.out leaf)" 11 'and is in no sum with the first'
rm -f gmon.*
profsup -q --sum sh -c 'cd a; ../count 3; ../count 4; cd ../b; ../count 5'
is "$(gmons a)$(gmons b)/$(calls count a/gmon.count.out leaf)/$(calls count b/gmon.count.out leaf)" \
	gmon.count.outgmon.count.out/7/5 'two directories have two sums'
rm -f ./*/gmon.*
profsup -q --sum -d b sh -c 'cd a; ../count 3; ../count 4; cd ../b; ../count 5'
is "$(gmons a)/$(calls count b/gmon.count.out leaf)" none/12 '-d: one'
rm -f ./*/gmon.*
profsup -q --sum -o '%n-%p-%P' sh -c 'echo $$; ./count 3; ./count 4; :' >out
is "$(set -- count-*-"$(cat out)"; echo $#)/$(calls count count-* leaf)" 1/7 '-o: the name is the first one'"'"'s'

profsup-cc -O2 -Wl,--build-id=none -o no-id "$top/tests/targets/plain/count.c" 2>err || diag_file err
profsup-cc -O2 -static-pie -o moved "$top/tests/targets/plain/count.c" 2>err || diag_file err
is "$(readelf -n no-id | grep -c 'Build ID')" 0 'a program without a build id'
cp no-id copy
profsup -q --sum sh -c './no-id 3; ./no-id 4; ./copy 5; for i in 1 2 3 4; do ./moved 10; done'
is "$(calls no-id gmon.no-id.out leaf)/$(calls copy gmon.copy.out leaf)" 7/5 'is known by its file'
is "$(calls moved gmon.moved.out leaf)" 40 'one that is loaded anywhere has a sum, too'
rm -f gmon.*

# What is in the way is not replaced later either.
begin --sum
step 'fork 1'
wait_until 60 [ -f gmon.steps.out ]
rm gmon.steps.out
echo precious >victim
ln -s victim gmon.steps.out
end ''
is "$(grep -v 'wrote\|added' err | grep -c 'gmon.steps.out: File exists')/$(cat victim)" 1/precious 'a link that has come in the way is refused, and what it leads to unharmed'
rm -f gmon.*

if [ "$(id -u)" -eq 0 ]; then
	chmod 1777 .
	profsup -q --sum sh -c './count 3; setpriv --reuid 65534 --clear-groups ./count 4; ./count 5' 2>err
	is "$?$(said err)" 0 'two owners'
	is "$(stat -c '%n %u' gmon.* | tr '\n' ' ')" 'gmon.count.2.out 65534 gmon.count.out 0 ' 'have a file each'
	is "$(calls count gmon.count.out leaf)/$(calls count gmon.count.2.out leaf)" 8/4 'with their own calls'
	rm -f gmon.*
	profsup -q --sum -d b sh -c './count 3; setpriv --reuid 65534 --clear-groups ./count 4; ./count 5' 2>err
	is "$(calls count b/gmon.count.out leaf)/$(calls count b/gmon.count.2.out leaf)" 8/4 'also with -d'
else
	skip 'two owners: needs root'
fi
# So many arcs that a process of its own makes the file, while others end.
cat >many.c <<'EOF'
#include <sys/wait.h>
#include <unistd.h>
#define TEN(x) x x x x x x x x x x
static volatile unsigned long sink;
__attribute__((noinline)) void f(void) { sink++; }
__attribute__((noinline)) void all(void) { TEN(TEN(TEN(TEN(f(); f();)))) }
int main(void)
{
	for (int i = 0; i < 8; i++)
		if (fork() == 0) {
			all();
			_exit(0);
		}
	all();
	while (wait(NULL) > 0)
		;
	return 0;
}
EOF
"$stage/bin/profsup-cc" -O0 -g0 -o many many.c || bail 'profsup-cc many.c'
rm -f gmon.*
profsup -q --sum ./many 2>err
is "$? $(said err)" '0 ' 'nine processes of 20,000 arcs each are added up'
is "$(calls many gmon.many.out f)" 180000 'with every call of each'
done_testing
