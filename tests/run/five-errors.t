#!/bin/sh
# profil(2) by direct calls from <profil.h>: its five errors, and what is none.  (Their order: unit/trace/profil_call.t.)
. "$(dirname "$0")/../lib/testlib.sh"

mkdir sub
lib=$stage/lib/profsup
src=$top/tests/targets/runtime/profil-calls.c

# build NAME FLAGS...: the same program by the plain compiler.
build() {
	name=$1
	shift
	gcc -O2 -g -w -I"$stage/include" -I"$top/proto" -o "$name" "$src" "$@" >build.out 2>&1 || {
		diag_file build.out
		bail "$name can't be built"
	}
}

# The runtime registers its own buffer before main.
cp "$(target profil-calls)" registered
# The program is there before it: the first call is its own.
build first -static -DEARLY "$lib/gcrt0.o" -L"$lib" -lprofil
build no-note -static -DNO_RUNTIME -L"$lib" -lprofil
build dynamic -DNO_RUNTIME -L"$lib" -lprofil
build dynamic-note "$lib/gcrt0.o" -L"$lib" -lprofil

# answers PROGRAM WORD...: what each call said, on one line; stderr goes to err.
answers() {
	prog=$1
	shift
	# shellcheck disable=SC2086 # none or several
	profsup $flags "./$prog" "$@" 2>err | paste -sd ' '
}
flags=

# says WANT DESCRIPTION PROGRAM WORD...: and nothing on stderr.
says() {
	want=$1
	what=$2
	shift 2
	is "$(answers "$@")" "$want" "$what"
	rm -f gmon.*.out sub/gmon.*.out
}

says EPERM 'without the note a call is EPERM' no-note own:=:65536:-1
is "$(said err)" "profsup: nothing was profiled: no-note: not linked with profsup's runtime; relink with profsup-cc, or -a takes samples" \
	'and one line says that nothing was profiled'
for prog in dynamic dynamic-note; do
	says EPERM "$prog: in a dynamic image a call is EPERM" "$prog" own:=:65536:-1
	grep -q "^profsup: .*$prog: dynamically linked; relink with profsup-cc, or -a takes samples\$" err
	ok $? "$prog: and a line says what to do" || diag_file err
done
flags=-q
says EPERM 'quiet, it is EPERM as well' dynamic-note own:=:65536:-1
is "$(said err)" '' 'and nothing says so'
flags=

# A registered buffer.
says EINVAL 'a scale of 65537 is EINVAL' registered rt:=:65537:-1
is "$(said err)" '' 'which is between the program and us: nothing is on stderr'
says '0 0 0 0' 'scale 0 is fine with all other arguments garbage, twice too' \
	registered wild:18446744073709551615:0:999 null:0:0:-2 raw:wild:3:0:999 raw:null:0:0:file
says 'EALREADY EALREADY EALREADY' \
	'another buffer, another length and both are EALREADY, also by the bare system call' \
	registered own:=:65536:-1 rt:4096:65536:-1 raw:own:5:65536:-1
says '0 0 EALREADY 0' 'the same buffer again is fine; stopping does not forget it' \
	registered rt:=:65536:-1 null:0:0:-1 own:=:65536:-1 rt:=:65536:-1

# The program's own first call.
says 'EBADF ENOTDIR EINVAL EINVAL EFAULT 0' 'none of the errors of a first call registers anything' \
	first own:=:65536:999 own:=:65536:file own:=:65537:-1 own:0:65536:-1 null:=:65536:-1 other:=:65536:-1
says 'EBADF 0 EALREADY EALREADY 0' 'after a failed first call another one may be the first' \
	first own:=:65536:999 own:=:65536:dir other:=:65536:999 own:8:65536:file own:=:65536:999

answers first own:=:65536:dir one >out
is "$(cat out)" 0 'a program may profile itself in its own buffer'
file=$(the_file nothing-here)
is "$file $(ls sub)" "no-file $(cd sub && ls gmon.first.[0-9]*.out)" \
	'and its file is in the directory of the descriptor'
rm -f sub/gmon.*

# Stop and restart.  (Whose time is in the file: measured.t.)
is "$(answers registered one null:0:0:-1 two calls=1000 rt:=:32768:-1 three calls=77)" '0 0' \
	'a profile can be stopped and started again'
is "$(calls registered "$(the_file registered)" counted)" 77 'and calls in between do not count'
rm -f gmon.*.out

# Nobody there.
for prog in registered first no-note dynamic; do
	is "$("./$prog" own:=:65536:-1 wild:9:65537:999 wild:9:0:-1 raw:own:=:65536:-1 2>&1 |
		paste -sd ' ')" 'ENOSYS ENOSYS ENOSYS ENOSYS' "$prog: unsupervised, every call is ENOSYS"
done

# Too little address space for a region at start-up.
size=$(size -B registered | awk 'NR == 2 { print int(($1 + $2 + $3) / 1024) }')
# shellcheck disable=SC2016 # $1 is the inner shell's
profsup sh -c 'ulimit -v "$1" && exec ./registered calls=5 own:=:65536:-1 calls=100000' - \
	$((size + 450)) >out 2>err
status=$?
is "$status $(cat out)" '0 0' 'a program without room for the region can still give its own buffer' ||
	diag_file err
done_testing
