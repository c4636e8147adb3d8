#!/bin/sh
# -a: files that a program executes, maps or names, and that its user may not read, or write beside; maps of made code.
# check-all: samples of short programs
. "$(dirname "$0")/../lib/hostile.sh"

cat >spin.c <<'EOS'
#include <time.h>
__attribute__((noinline)) void kept_secret(void) { while (clock() < CLOCKS_PER_SEC / 20) for (volatile int i = 0; i < 100000; i++) ; }
int main(void) { kept_secret(); return 0; }
EOS
gcc -O1 -static -o spin spin.c || bail 'no compiler'
gcc -O1 -D_GNU_SOURCE -o jit "$(source_of_target any-jit)" || bail 'no compiler'
gcc -O1 -D_GNU_SOURCE -o lease "$(source_of_target any-lease)" || bail 'no compiler'
cat >work.c <<'EOS'
#include <time.h>
__attribute__((noinline)) void NAME(void) { while (clock() < CLOCKS_PER_SEC / 20) for (volatile int i = 0; i < 100000; i++) ; }
void work(void) { NAME(); __asm__ volatile(""); }
EOS
cat >loads.c <<'EOS'
#include <dlfcn.h>
int main(int argc, char **argv) { void *h = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0; if (h == 0) return 3; ((void (*)(void))dlsym(h, "work"))(); return 0; }
EOS
for name in first second; do
	gcc -O1 -fPIC -shared -DNAME=$name -o $name.so work.c || bail 'no compiler'
done
gcc -O1 -o loads loads.c || bail 'no compiler'
cat >becomes.c <<'EOS'
#include <unistd.h>
int main(int argc, char **argv) { (void)argc; if (setgid(0) != 0 || setuid(0) != 0) return 3; execv(argv[1], argv + 1); return 4; }
EOS
gcc -O1 -o becomes becomes.c || bail 'no compiler'
chmod 755 becomes spin jit lease first.so second.so loads

# names FILE...: whether the function is named in files of stacks.
names() {
	perl "$top/tests/lib/stacks.pl" folded "$@" | grep -q kept_secret && echo yes || echo no
}

# A map is opened only if it is a file of the process's own with one name: to open a device has an effect.
maps() {
	cp ../jit .
	for how in linked pipe; do
		rm -f gmon.* stacks.*
		attack '-a -g' ./jit "$how"
		unharmed "$how"
		is "$(cat "$scratch/out")" 'left alone' "$who$how: another file than its own is not opened"
	done
	rm -f gmon.* stacks.*
	attack '-a -g' ./jit endless
	unharmed 'endless line'
	is "$(cat "$scratch/out")" opened "${who}its own file is"
}

# Programs that their user may execute and not read, and those that are set-user-ID.
unreadable() {
	cp ../spin .
	chmod 711 spin
	attack '-a -g -F 1000' ./spin
	unharmed 'a program that can not be read'
	is "$(names stacks.spin.*)" no 'its functions have no names in a profile of who may not read it'
	chmod 755 spin
	rm -f gmon.* stacks.*
	attack '-a -g -F 1000' ./spin
	is "$(names stacks.spin.*)" yes 'they have in one of who may'

	# The same file at the same time, in a profile that is root's.
	chmod 711 spin
	rm -f gmon.* stacks.*
	chmod 4711 "$(cp spin elevated && echo elevated)"
	attack '-a -g -F 1000' sh -c './elevated; ./spin'
	is "$(names stacks.elevated.*) $(names stacks.spin.*)" 'yes no' 'whose the profile is counts, not who has started it'

	mkdir other
	chmod 755 other
	attack '-a -g -F 1000' sh -c 'cd other && ../elevated'
	is "$status $(find other -type f | wc -l)" 'exit 0 0' "a set-user-ID program leaves no file in another's directory"
	# Such a program may become its owner wholly, and execute others.
	for power in elevated capable; do
		cp ../becomes "$power"
		if [ "$power" = elevated ]; then
			chmod 4755 "$power"
		elif ! setcap cap_setuid,cap_setgid=ep "$power" 2>"$scratch/err"; then
			skip 'needs setcap'
			continue
		fi
		attack '-a -g -F 1000' sh -c "cd other && ../$power ../../spin"
		is "$status $(find other -type f | wc -l)" 'exit 0 0' "what a program with power of its file's ($power) executes leaves no file there, either"
		is "$(grep -c 'its file needs -d' "$scratch/err")" 0 'which is no error'
	done
	cp spin elevated
	chmod 4711 elevated
	mkdir mine given
	chown "$uid" mine
	attack '-a -g -F 1000' sh -c 'cd mine && ../elevated'
	is "$(find mine -name 'gmon.*' -uid 0 | wc -l)" 1 "it does in its user's"
	attack '-a -g -F 1000 -d given' sh -c 'cd other && ../elevated'
	is "$(find given -name 'gmon.elevated.*' | wc -l) $(find other -type f | wc -l)" '1 0' 'and with -d'
}

# To execute a file that its user may not read is no error; with -a each program has a profile, or a line.
unread() {
	cp ../spin .
	chmod 711 spin
	for only in spin other; do
		# shellcheck disable=SC2086 # words
		$run -a --only=$only ./spin 2>"$scratch/err"
		is "$? $(find . -name 'gmon.*' | wc -l) $(grep -c ": its program can't be read: Permission denied: neither its time nor its calls are profiled\$" "$scratch/err")" \
			"0 0 $([ "$only" = spin ] && echo 1 || echo 0)" "${who}a program that can not be read has a line where it was to be profiled (--only=$only)" ||
			diag_file "$scratch/err"
	done
}

# Front, supervisor and its watcher (starved.c) are left, and no helper of theirs.
no_helpers() {
	[ "$(survivors | while read -r pid _; do
		tr -d '\0' <"/proc/$pid/comm"
	done | grep -c profsup)" = 3 ]
}

# Who opens a file with a lease waits for the program that has it.
leases() {
	cp ../lease .
	rm -f "$scratch/out"
	# shellcheck disable=SC2086 # words
	$run -q -a -g -F 1000 ./lease >"$scratch/out" 2>/dev/null &
	profsup=$!
	wait_until 60 test -s "$scratch/out"
	wait_until 4 no_helpers
	ok $? "${who}nobody waits for a lease"
	kill "$(cat "$scratch/out")"
	wait "$profsup"
	nobody_left
}

# worked: which of both libraries are named.
worked() {
	perl "$top/tests/lib/stacks.pl" folded stacks.loads.* | grep -o 'first\|second' | sort -u | tr '\n' ' '
}

# Where we have a tmpfs the program mounts another one: both have one file, of the same path and number.
same_numbers() {
	mkdir lib
	# shellcheck disable=SC2016 # inner shells expand their own
	unshare -m sh -c 'mount -t tmpfs none lib && cp ../first.so lib/x.so && "$@"' - \
		setpriv --reuid "$uid" --regid "$uid" --clear-groups profsup -q -a -g -F 1000 \
		unshare -Urm sh -c 'mount -t tmpfs none lib && cp ../second.so lib/x.so && ../loads lib/x.so' 2>"$scratch/err"
	is "$? $(worked)" '0 second ' "${who}a file of the same path and number, but another file system, gives no names" || diag_file "$scratch/err"
}

# A library is written again where it is, and a tmpfs is another one with the number of one that is gone.
other_contents() {
	# shellcheck disable=SC2016,SC2086 # an inner shell expands its own; words
	$run -q -a -g -F 1000 sh -c 'for name in first second; do cp ../$name.so x.so; ../loads ./x.so; done' 2>"$scratch/err"
	is "$? $(worked)" '0 first second ' "${who}the names of a file that is written again are its own" || diag_file "$scratch/err"
	rm -f stacks.*
	mkdir -p lib
	# shellcheck disable=SC2016,SC2086 # inner shells expand their own; words
	$run -q -a -g -F 1000 sh -c 'for name in first second; do
		unshare -Urm sh -c "mount -t tmpfs none lib && cp ../$name.so lib/x.so && ../loads lib/x.so"
		sleep 0.1
	done' 2>"$scratch/err"
	is "$? $(worked)" '0 first second ' "${who}those of one on a later file system, too" || diag_file "$scratch/err"
}

# What is mapped has no path any more.
gone() {
	mkdir -m 777 lib
	# shellcheck disable=SC2016,SC2086 # an inner shell expands its own; words
	$run -q -a -g -F 1000 -d . unshare -Urm sh -c 'mount -t tmpfs none lib && cp ../loads ../first.so lib &&
		cd lib && umount -l ../lib && exec ./loads ./first.so' 2>"$scratch/err"
	is "$? $(worked)" '0 first ' "${who}a file of a file system that is unmounted has names" || diag_file "$scratch/err"
	rm -f stacks.*
	cp ../first.so 'x
y'
	$run -q -a -g -F 1000 ../loads './x
y' 2>"$scratch/err"
	is "$? $(worked)" '0 first ' "${who}one whose name has two lines, too" || diag_file "$scratch/err"
}

each_way maps
each_way leases
each_way other_contents
if [ "$(id -u)" -eq 0 ] && setpriv --reuid "$nobody" --regid "$nobody" --clear-groups unshare -Urm true 2>"$scratch/err"; then
	uid=$nobody in_fresh_dir same_numbers '' 'a plain user: '
else
	skip 'other file systems of the same numbers need root, and users that may make namespaces'
fi
set -- /proc/$$/map_files/*
if [ "$(id -u)" -eq 0 ] && stat -L "$1" >"$scratch/out" 2>&1; then
	uid=$nobody in_fresh_dir gone "profsup -u $nobody:$nobody" 'root: '
else
	skip 'files without a path need root with all its rights'
fi
[ "$(id -u)" -ne 0 ] || in_fresh_dir unread "setpriv --reuid $uid --regid $uid --clear-groups profsup" 'a plain user: '
[ "$(id -u)" -ne 0 ] || in_fresh_dir unreadable "profsup -u $uid:$uid" 'root: '
done_testing
