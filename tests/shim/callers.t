#!/bin/sh
# The caller of each call is the function that made it, also where calls stand close together, where the call is the last
# instruction of a function, and where nothing called.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/exact.sh"

# 40 callers of one call each, a few bytes apart, and of four calls; caller i calls callee i % 7 i + 1 times.
{
	echo '#include "rt.h"'
	for i in 0 1 2 3 4 5 6; do
		echo "COUNTED void t_to$i(void) { __asm__ volatile(\"\"); }"
	done
	i=0
	while [ $i -lt 40 ]; do
		echo "COUNTED void t_from$i(void) { t_to$((i % 7))(); __asm__ volatile(\"\"); }"
		echo "COUNTED void t_four$i(void) { t_to$((i % 7))(); t_to$(((i + 1) % 7))(); t_to$(((i + 2) % 7))(); t_to$(((i + 3) % 7))(); __asm__ volatile(\"\"); }"
		i=$((i + 1))
	done
	# What each calls how often; a table, as that is compiled many times faster than calls that say it.
	echo 'static const struct { const char *from, *to; int n; } truth[] = {'
	i=0
	while [ $i -lt 40 ]; do
		echo "{\"main\", \"t_from$i\", $i + 1}, {\"main\", \"t_four$i\", $i + 1}, {\"t_from$i\", \"t_to$((i % 7))\", $i + 1},"
		for k in 0 1 2 3; do
			echo "{\"t_four$i\", \"t_to$(((i + k) % 7))\", $i + 1},"
		done
		i=$((i + 1))
	done
	echo '}; int main(void) {'
	i=0
	while [ $i -lt 40 ]; do
		echo "for (int n = 0; n <= $i; n++) { t_from$i(); t_four$i(); }"
		i=$((i + 1))
	done
	echo 'for (unsigned n = 0; n < sizeof(truth) / sizeof(truth[0]); n++) tell_arc(truth[n].from, truth[n].to, truth[n].n);'
	echo 'return 0; }'
} >close.c
# A few ways to compile it, and more in tests/soak/long.t.
while read -r flags; do
	[ -n "$flags" ] || continue
	# shellcheck disable=SC2086 # words
	profsup-cc -w -I"$top/tests/targets/runtime" $flags -o close close.c
	exact "calls a few bytes apart, $flags" ./close
	# What gprof makes of it: parents of t_to3 and their counts.
	gprof -b -q close "$(the_file close)" 2>err |
		awk '/^-----/ { n = 0; child = ""; next } /^\[/ { if ($0 ~ / t_to3 \[/) print parents; parents = ""; child = 1; next }
			!child && NF >= 4 { parents = parents $(NF - 1) "=" $(NF - 2) "\n" } /^-----/ { parents = "" }' |
		sed 's,/.*,,; /^$/d' | sort >parents
	awk '$2 == "t_to3" { print $1 "=" $3 }' want | sort >wanted
	same_arcs parents wanted "and gprof shows the right parents, $flags"
done <<END
$(rounds "" "-Os -mfentry
-O2
-O3 -mfentry")
-O1 -mfentry
-Os
-O2 -falign-functions=1 -fno-pie
END
# That this can be told apart: such callers are less than 16 bytes long.
profsup-cc -w -I"$top/tests/targets/runtime" -Os -mfentry -falign-functions=1 -o close close.c
is "$(nm close | grep -c ' t_from')" 40 'there are 40 such callers'
between "$(nm -S close | awk '/ t_from/ { print $2 }' | sort | tail -n 1 | sed 's/^0*/0x/' | xargs printf '%d')" 1 16 'of no more than 16 bytes'
exact 'callers of 16 bytes and less without padding' ./close

cat >last.c <<'EOF'
#include "rt.h"
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

static jmp_buf out;

__attribute__((noipa, noreturn)) void t_gone(int i) { longjmp(out, 1); }
/* The call is the last instruction: its return address is that of what follows. */
COUNTED void t_ends1(void) { t_gone(1); }
COUNTED void t_ends2(void) { t_gone(2); }
COUNTED void t_ends3(void) { t_gone(3); }
COUNTED void t_after(void) { __asm__ volatile(""); }

COUNTED void t_on_signal(int sig) { __asm__ volatile(""); }
COUNTED void t_on_siginfo(int sig, siginfo_t *info, void *uc) { __asm__ volatile(""); }
COUNTED void t_from_jit(void) { __asm__ volatile(""); }
COUNTED void t_as_data(void) { __asm__ volatile(""); }

int
main(void)
{
	static void (*const ends[])(void) = { t_ends1, t_ends2, t_ends3 };
	struct sigaction sa = { .sa_sigaction = t_on_siginfo, .sa_flags = SA_SIGINFO };
	unsigned char code[] = {
		0x48, 0x83, 0xec, 0x08,			/* sub $8, %rsp */
		0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0,	/* mov $..., %rax */
		0xff, 0xd0,				/* call *%rax */
		0x48, 0x83, 0xc4, 0x08, 0xc3,		/* add $8, %rsp; ret */
	};
	void *to = t_from_jit;
	char *jit = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static volatile int i, n;

	for (i = 0; i < 3; i++)
		for (n = 0; n < 10; n++)
			if (setjmp(out) == 0)
				ends[i]();
	tell_arc("t_ends1", "t_gone", 10);
	tell_arc("t_ends2", "t_gone", 10);
	tell_arc("t_ends3", "t_gone", 10);
	tell_arc("main", "t_ends1", 10);
	tell_arc("main", "t_ends2", 10);
	tell_arc("main", "t_ends3", 10);

	signal(SIGUSR1, t_on_signal);
	sigaction(SIGUSR2, &sa, NULL);
	for (i = 0; i < 10; i++) {
		raise(SIGUSR1);
		raise(SIGUSR2);
	}
	tell_arc("__restore_rt", "t_on_signal", 10);
	tell_arc("__restore_rt", "t_on_siginfo", 10);

	memcpy(code + 6, &to, sizeof(to));
	memcpy(jit, code, sizeof(code));
	for (i = 0; i < 10000; i++)
		((void (*)(void))jit)();
	tell_arc("__profsup_outside_caller", "t_from_jit", 10000);
	return 0;
}
EOF
while read -r flags; do
	[ -n "$flags" ] || continue
	# shellcheck disable=SC2086 # words
	profsup-cc -w -I"$top/tests/targets/runtime" $flags -o last last.c
	exact "calls that do not return, from the kernel, and from generated code, $flags" ./last
done <<END
$(rounds "" "-O2 -mfentry
-O1")
-O2
-Os -mfentry
-O2 -static-pie
END
is "$(gprof -b -q last "$(the_file last)" 2>&1 | grep -B 3 '\] .* t_from_jit \[' | grep -c '10000/10000 .* __profsup_outside_caller')" 1 \
	'gprof shows the caller outside of the text'
objdump -d last --disassemble=t_ends1 | grep '^ ' | tail -n 1 | grep -q 'call.*t_gone'
ok $? "the call of a function that does not return is its caller's last instruction"
done_testing
