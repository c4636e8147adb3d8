#!/bin/sh
# One profsup, root's, over programs of several users: what is kept of one process for others (SECURITY.md, "What is kept
# across processes") goes to those of the same file and the same user alone, whatever a file says of itself.
. "$(dirname "$0")/../lib/hostile.sh"

need_root

honest=$((nobody + 100000))
wicked=$nobody

# Works for long in a library, or for so short a time that nobody samples it.  Both users' programs claim to be the same.
cat >prog.c <<'EOS'
#include <dlfcn.h>
#include <time.h>
__attribute__((noinline)) void NAME_short(void) { for (volatile int i = 0; i < 1000000; i++) ; }
__attribute__((noinline)) void NAME_long(void) { while (clock() < CLOCKS_PER_SEC / 2) for (volatile int i = 0; i < 100000; i++) ; }
int main(int argc, char **argv) {
	void *h = argc > 2 ? dlopen(argv[2], RTLD_NOW) : NULL;
	if (argc < 2) NAME_short();
	else if (argc == 2) NAME_long();
	else ((void (*)(void))dlsym(h, "enter"))();
	return 0;
}
EOS
cat >library.c <<'EOS'
#include <time.h>
static __attribute__((noinline)) void NAME_inside(void) { while (clock() < CLOCKS_PER_SEC / 2) for (volatile int i = 0; i < 100000; i++) ; }
void enter(void) { NAME_inside(); __asm__ volatile(""); }
EOS
claim=-Wl,--build-id=0x00112233445566778899aabbccddeeff00112233
for user in honest wicked; do
	sed "s/NAME/$user/" prog.c >$user.c
	sed '/dlfcn/d; s/void \*h.*//; s/else if.*/else NAME_long();/; /dlsym/d' prog.c | sed "s/NAME/$user/" >$user.linked.c
	sed "s/NAME/$user/" library.c >$user.so.c
	gcc -O1 "$claim" -o $user $user.c || bail 'no compiler'
	gcc -O1 -shared -fPIC -o $user.so $user.so.c || bail 'no compiler'
	"$stage/bin/profsup-cc" -O1 "$claim" -o $user.linked $user.linked.c || bail 'no compiler'
done

# begin WHAT: each user has a directory, which the other can't look into.
begin() {
	what=$1
	cd "$scratch" || bail "$scratch"
	rm -rf of.*
	for user in honest wicked; do
		mkdir -m 700 of.$user
		cp $user of.$user/prog
		cp $user.linked of.$user/linked
		cp $user.so of.$user/long.so
	done
	chown -R "$honest" of.honest
	chown -R "$wicked" of.wicked
}

# as USER COMMAND: what to say to a shell of root's.
as() {
	eval "id=\$$1"
	# shellcheck disable=SC2154 # by eval
	echo "setpriv --reuid $id --regid $id --clear-groups sh -c 'cd of.$1 && $2'"
}

# twenty USER COMMAND: three commands in it are so many that some have samples
twenty() {
	as "$1" "for i in 1 2 3 4 5 6 7 8 9 10; do $2; $2; done"
}

# run OPTIONS COMMAND...: one after the other, under one profsup.
run() {
	options=$1
	shift
	for command; do
		echo "$command || exit 1"
	done >commands
	# shellcheck disable=SC2086 # words
	profsup -q $options sh commands >out 2>err
	is "$?" 0 "$what: the programs end as they would alone" || diag_file err
}

# have PATTERN USER: whether the user's stacks are there, and any of them has such a name.
have() {
	found=
	for file in of."$2"/stacks.*; do
		[ ! -f "$file" ] || found="there, $(for each in of."$2"/stacks.*; do gunzip -c "$each"; done | grep -aq "$1" && echo yes || echo no)"
		break
	done
	echo "${found:-none}"
}

# rows USER NAME: whether all of its linked program's files together have that function.
rows() {
	gprof -b -p "of.$1/linked" of."$1"/gmon.linked.* 2>/dev/null | grep -c " $2\$"
}

for sampler in ptrace perf; do
	options="-a -g -F 200 --sampler=$sampler"

	begin "$sampler: leak"
	run "$options" "$(as honest './prog x ./long.so')" "$(twenty wicked './prog; ./prog; ./prog')"
	is "$(have honest_inside honest)" 'there, yes' "$what: a user's stacks name his library's function"
	is "$(have 'honest_\|of.honest' wicked)" 'there, no' "$what: those of another's program with the same build id have nothing of him"

	begin "$sampler: poison"
	run "$options" "$(as wicked './prog x ./long.so')" "$(twenty honest './prog; ./prog; ./prog')"
	is "$(have 'wicked_\|of.wicked' honest)" 'there, no' "$what: nothing of another's program gets into an honest one's stacks"

	begin "$sampler: hard link"
	ln -f of.honest/prog of.wicked/prog
	run "$options" "$(as wicked './prog x ./long.so')" "$(twenty honest './prog; ./prog; ./prog')"
	is "$(have 'wicked_\|of.wicked' honest)" 'there, no' "$what: nor of his own file, as another user runs it"

	begin "$sampler: one user"
	cp -p of.honest/prog of.honest/copy
	run "$options" "$(as honest './copy x ./long.so && rm -f *.gz *.out')" "$(twenty honest './prog; ./prog; ./prog')"
	is "$(have honest_inside honest)" 'there, no' "$what: a copy is another program"

	begin "$sampler: rewritten"
	cp of.wicked/prog of.honest/next
	run "$options" "$(as honest 'touch -r prog then && ./prog x ./long.so && ./prog x && rm -f *.gz *.out && cp next prog && touch -r then prog')" \
		"$(twenty honest './prog; ./prog; ./prog')" "$(as honest './prog x')"
	is "$(have 'honest_' honest)" 'there, no' "$what: so is what is written over it, with its size and its time"
	is "$(have 'wicked_long' honest)" 'there, yes' "$what: whose functions have their own names"

	begin "$sampler: linked"
	run "-F 200 --sampler=$sampler" "$(as wicked './linked x')" "$(twenty honest ./linked)"
	is "$(rows honest honest_long) $(rows honest honest_short)" '0 1' "$what: no time in a function that has never run"
done

# Sums and reports are of what a file says of itself, and of one user.
begin sums
mkdir of.all
run '--sum -d of.all' "$(as wicked './linked x')" "$(twenty honest ./linked)"
is "$(for file in of.all/gmon.linked.*; do calls of.honest/linked "$file" honest_short; done | sort | tr '\n' ' ')" '0 20 ' "$what: each user has his own" ||
	diag "$(ls of.all)"
begin report
run '--report -F 200' "$(as wicked './linked x')" "$(twenty honest ./linked)"
is "$(grep -c '/linked: .* calls; ' err) $(grep -c '/linked: .* 20 files' err)" '2 1' "$what: the same" || diag_file err
is "$(sed -n '/linked: .* 20 files/,/^$/p' err | grep -c wicked_long)" 0 "$what: with his own names" || diag_file err
done_testing
