#!/bin/sh
# san: traced
# Each way to get it wrong has one line that says so, and what to do.  (Yama's refusals are in tests/vm/yama.sh, a
# tracer's in cannot-trace.t.)
. "$(dirname "$0")/../lib/testlib.sh"
others_begin

cp "$(target count)" count
echo 'int main(void) { return 7; }' >plain.c

# says STATUS LINE WHAT COMMAND...
says() {
	want="$1 profsup: $2"
	what=$3
	shift 3
	profsup "$@" >out 2>err
	is "$? $(said err)" "$want" "$what"
	is "$(cat out)/$(the_file)" /no-file "$what: nothing else is printed or written"
}

# not_run STATUS LINE WHAT COMMAND...: -q or not.
not_run() {
	says "$@"
	shift 3
	profsup -q "$@" >/dev/null 2>err.q
	is "$(cat err.q)" "$(said err)" "$what: also with -q"
}

cc -static -pg -o gmon-static plain.c
cc -pg -o gmon-dynamic plain.c
cc -static -o static plain.c
cc -o dynamic plain.c
static="not linked with profsup's runtime; relink with profsup-cc, or -a takes samples"
dynamic='dynamically linked; relink with profsup-cc, or -a takes samples'
nothing='nothing was profiled'
says 7 "$nothing: gmon-static: $static" "gcc -static -pg" ./gmon-static
says 7 "$nothing: gmon-dynamic: $dynamic" "gcc -pg" ./gmon-dynamic
says 7 "$nothing: static: $static" 'gcc -static' ./static
says 7 "$nothing: dynamic: $dynamic" 'gcc' ./dynamic

foreign='built for another kind of machine; build it with profsup-cc for this one'
sed 's/^\(.\{18\}\)../\1\x34\x12/' count >alien
chmod 755 alien
not_run 126 "./alien: Exec format error ($foreign)" 'another machine' ./alien
sed 's/^\(.\{18\}\)../\1\xf3\x00/' count >riscv
chmod 755 riscv
not_run 126 "./riscv: Exec format error (built for RISC-V, ${foreign#built for })" 'a machine that has a name' ./riscv
mkdir elsewhere
mv alien elsewhere
not_run 126 "alien: Exec format error ($foreign)" 'another machine, in PATH' \
	-E PATH="$PWD/elsewhere" alien
if [ "$(uname -m)" = x86_64 ]; then
	cat >old.s <<-'END'
		.globl _start
		_start: mov $1, %eax
		mov $7, %ebx
		int $0x80
	END
	if ! as --32 -o old.o old.s || ! ld -m elf_i386 -o old old.o; then
		bail 'no 32-bit program can be built'
	fi
	if ./old; [ $? -eq 7 ]; then
		says 7 "$nothing: old: built for i386, ${foreign#built for }, without -m32" 'a 32-bit program' ./old
	else
		skip 'this kernel runs no 32-bit programs'
	fi
fi

not_run 126 './plain.c: Permission denied (it is not executable: build a program of it with profsup-cc, or chmod +x)' \
	'a source file' ./plain.c
mkdir dir
not_run 126 './dir: Permission denied (it is a directory)' 'a directory' ./dir
not_run 127 'count: No such file or directory (it is in this directory, which is not in PATH: put ./ before it)' \
	'a program without ./' -E PATH=/bin:/usr/bin count
not_run 127 './nothing: No such file or directory' 'nothing at all' ./nothing
printf '#!/no/such/shell\n' >script
chmod 755 script
not_run 127 './script: No such file or directory (the interpreter that it names is missing)' 'a script without its shell' ./script
if [ "$(id -u)" -eq 0 ]; then
	mkdir -m 700 locked
	cp count locked
	cp count mine
	chmod 700 mine
	as_nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
	mkdir bin
	cp "$stage/bin/profsup" bin
	# shellcheck disable=SC2086 # words
	$as_nobody bin/profsup locked/count 2>err
	is "$? $(said err)" '126 profsup: locked/count: Permission denied (one of the directories on its path does not let you through)' \
		'a directory on the way'
	# shellcheck disable=SC2086 # words
	$as_nobody bin/profsup ./mine 2>err
	is "$? $(said err)" '126 profsup: ./mine: Permission denied (you may not execute it: see its mode, and whether it is on a noexec mount)' \
		"somebody else's program"
else
	skip 'another user: needs root'
fi

# Objects that are not compiled with -pg.
cat >spin.c <<'END'
#include <time.h>
int main(void)
{
	while (clock() < CLOCKS_PER_SEC / 4)
		for (volatile int i = 0; i < 1000000; i++)
			continue;
	return 7;
}
END
cc -O2 -c spin.c
profsup-cc -o spin spin.o || bail 'spin'
for sampler in $(samplers); do
	rm -f gmon.*
	profsup --sampler="$sampler" ./spin 2>err
	is "$? $(said err)" "7 profsup: spin: no calls were counted: its objects are compiled without -pg; compile them with profsup-cc" \
		"$sampler: objects without -pg"
	between_others "$(ticks "$(the_file)")" 5 100 "$sampler: whose time is profiled"
	rm -f gmon.*
	profsup --sampler="$sampler" -D -1 ./spin 2>err
	is "$? $(said err)" '7 ' "$sampler: which is no matter where nothing was to be counted"
done
rm -f gmon.*

if [ "$(id -u)" -eq 0 ]; then
	cp "$(command -v id)" powerful
	chmod 4755 powerful
	nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
	# shellcheck disable=SC2016,SC2086 # the inner shell's; words
	is "$($nobody profsup ./powerful -u 2>err; said err | grep set-user)" "65534
profsup: powerful: is set-user-ID, which has no effect under a plain user's profsup: run profsup as root, with -u" \
		'a set-user-ID program that has lost its power is told of' || diag_file err
	# shellcheck disable=SC2086
	is "$($nobody profsup sh -c './powerful -u' 2>err; said err | grep set-user)" 65534 'not one that it runs itself'
	chown 65534 powerful
	chmod 4755 powerful
	$nobody profsup ./powerful -u >out 2>err
	is "$(cat out) $(grep -c set-user err)" '65534 0' 'not of one that has none to lose'
	cp "$(command -v id)" able
	if setcap cap_net_raw=ep able; then
		$nobody profsup ./able -u >out 2>err
		is "$(cat out) $(grep capabilities err)" "65534 profsup: able: has file capabilities, which have no effect under a plain user's profsup: run profsup as root, with -u" \
			'a program that has lost its capabilities is told of' || diag_file err
	else
		skip 'no file capabilities here'
	fi
	chown 1 powerful
	chmod 4755 powerful
	profsup ./powerful >out 2>err
	is "$(grep -c set-user err)" 0 "nor under root's profsup" || diag_file err
else
	skip 'set-user-ID programs of others: needs root'
fi

"$(target no-ptrace)" profsup touch ran >out 2>err
is "$? $(cat err)" "125 profsup: can't trace the program (a seccomp filter forbids it: a container needs another profile or --cap-add=SYS_PTRACE, a unit SystemCallFilter=@debug): Operation not permitted" \
	'a container that forbids ptrace'
[ ! -e ran ]
ok $? 'a container that forbids ptrace: the program is not run'
done_testing
