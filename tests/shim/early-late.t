#!/bin/sh
# Calls before thread-local storage exists and after main: safe, and counted from the runtime's start-up on.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/exact.sh"

cat >early.c <<'EOF'
#include "rt.h"
#include <pthread.h>

static int resolved, preinit;

COUNTED void t_in_resolver(void) { __asm__ volatile(""); }
COUNTED static int picked(void) { return 42; }
/* Runs before there is any thread pointer. */
COUNTED static void *
t_resolver(void)
{
	for (int i = 0; i < 10; i++)
		t_in_resolver();
	return (void *)picked;
}
int pick(void) __attribute__((ifunc("t_resolver")));

COUNTED void t_work(void) { __asm__ volatile(""); }
COUNTED static void work(int n) { while (n-- > 0) t_work(); __asm__ volatile(""); }
#define PLACE(name) COUNTED void t_##name(void) { work(10); __asm__ volatile(""); }

PLACE(preinit)
__attribute__((section(".preinit_array"), used)) static void (*const before)(void) = t_preinit;
__attribute__((constructor(101))) PLACE(constructor101)
__attribute__((constructor)) PLACE(constructor)
__attribute__((destructor)) PLACE(destructor)
__attribute__((destructor(101))) PLACE(destructor101)
PLACE(atexit)
COUNTED void t_on_exit(int status, void *arg) { work(10); __asm__ volatile(""); }
COUNTED void t_key(void *value) { work(10); __asm__ volatile(""); }
COUNTED void t_cleanup(void *value) { work(10); __asm__ volatile(""); }

static pthread_key_t key;

COUNTED static void *
thread(void *arg)
{
	pthread_setspecific(key, "x");
	pthread_cleanup_push(t_cleanup, NULL);
	pthread_exit(NULL);
	pthread_cleanup_pop(0);
	return NULL;
}

int
main(void)
{
	pthread_t t;

	if (pick() != 42)
		return 1;
	atexit(t_atexit);
	on_exit(t_on_exit, NULL);
	pthread_key_create(&key, t_key);
	for (int i = 0; i < 10; i++) {
		pthread_create(&t, NULL, thread, NULL);
		pthread_join(t, NULL);
	}
	return 0;
}
EOF
# Destructors with priority 101 are last of all.  Neither the resolver nor .preinit_array is counted: they come before start-up.
cat >wanted <<'EOF'
t_atexit 1
t_cleanup 10
t_constructor 1
t_constructor101 1
t_destructor 1
t_destructor101 1
t_key 10
t_on_exit 1
t_work 260
EOF
for flags in '-static' '-static-pie' '-static -mfentry' '-static-pie -mfentry -O0'; do
	# shellcheck disable=SC2086 # words
	profsup-cc -O2 -w -D_GNU_SOURCE -I"$top/tests/targets/runtime" $flags -o early early.c 2>cc.err || diag_file cc.err
	./early
	is $? 0 "$flags: a program with an instrumented IFUNC resolver runs alone"
	rm -f gmon.*
	profsup ./early 2>err
	is "$?$(said err)" 0 "$flags: and under profsup"
	arcs_of early "$(the_file early)" | awk '{ n[$2] += $3 } END { for (f in n) print f, n[f] }' | sort >got
	same_arcs got wanted "$flags: constructors, destructors, atexit and thread-key functions are counted; resolver and .preinit_array are not"
done

cat >late.cc <<'EOF'
#include <cstdio>
#include <pthread.h>
#include <thread>
#define COUNTED __attribute__((noipa))
extern "C" {
COUNTED void t_made() { __asm__ volatile(""); }
COUNTED void t_gone() { __asm__ volatile(""); }
COUNTED void t_static_made() { __asm__ volatile(""); }
COUNTED void t_static_gone() { __asm__ volatile(""); }
}
struct local {
	int use = 0;
	COUNTED local() { t_made(); __asm__ volatile(""); }
	COUNTED ~local() { t_gone(); __asm__ volatile(""); }
};
struct global {
	COUNTED global() { t_static_made(); __asm__ volatile(""); }
	COUNTED ~global() { t_static_gone(); __asm__ volatile(""); }
};
global g1, g2;
thread_local local l;
int main()
{
	l.use++;
	for (int i = 0; i < 10; i++)
		std::thread([] { l.use++; }).join();
	return 0;
}
EOF
printf '%s\n' 't_gone 11' 't_made 11' 't_static_gone 2' 't_static_made 2' >wanted
for flags in '-static' '-static-pie'; do
	# shellcheck disable=SC2086 # words
	PROFSUP_CC=g++ profsup-cc -O2 $flags -o late late.cc 2>cc.err || diag_file cc.err
	rm -f gmon.*
	profsup ./late 2>err
	is "$?$(said err)" 0 "C++ $flags: it ends well"
	arcs_of late "$(the_file late)" | awk '{ n[$2] += $3 } END { for (f in n) print f, n[f] }' | sort >got
	same_arcs got wanted "C++ $flags: constructors and destructors of static and thread_local objects are counted"
done
done_testing
