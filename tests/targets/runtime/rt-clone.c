/*
 * rt-clone HOW: threads that libc knows nothing of, each calling t_raw() while main and a pthread
 * call t_libc() and t_raw(), too.  HOW: "one" and "eight" share the creator's thread pointer;
 * "settls" have pointers of their own to memory that is no TLS block, "self" to such that has the
 * self-pointer of one, "wild" to no memory at all; "process" shares only the memory; "vfork" is
 * "one", and a child of vfork calls t_child() meanwhile.
 */
// CFLAGS: -fno-stack-protector
#include "rt.h"

#include <linux/futex.h>
#include <sched.h>

enum { CALLS = 200000, STACK = 65536 };

static volatile int left;

COUNTED_FUNCTION(t_raw)
COUNTED_FUNCTION(t_child)
COUNTED_FUNCTION(t_libc)

COUNTED void
t_raw_run(void)
{
	for (int i = 0; i < CALLS; i++)
		t_raw();
}

/* No libc, no TLS: the pointer may be anything. */
__attribute__((used)) static void
raw_thread(void)
{
	t_raw_run();
	__atomic_fetch_sub(&left, 1, __ATOMIC_SEQ_CST);
	__asm__ volatile("syscall" : : "a"(SYS_exit), "D"(0));
	__builtin_unreachable();
}

UNCOUNTED static long
raw_clone(unsigned long flags, char *stack, void *tls)
{
	register void *r8 __asm__("r8") = tls;
	register void *r10 __asm__("r10") = NULL;
	long ret;

	__asm__ volatile("syscall\n\t"
	                 "test %%rax, %%rax\n\t"
	                 "jnz 1f\n\t"
	                 "xor %%ebp, %%ebp\n\t"
	                 "call raw_thread\n"
	                 "1:"
	                 : "=a"(ret)
	                 : "a"(SYS_clone), "D"(flags), "S"(stack + STACK - 64), "d"(0), "r"(r10),
	                   "r"(r8)
	                 : "rcx", "r11", "memory");
	return ret;
}

COUNTED void *
worker(void *arg)
{
	for (int i = 0; i < CALLS; i++) {
		t_libc();
		t_raw();
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	const char *how = argv[1];
	unsigned long flags =
	    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
	const int n = strcmp(how, "one") == 0 || strcmp(how, "vfork") == 0 ? 1 : 8;
	static char blocks[8][8192] __attribute__((aligned(64)));
	char *stacks =
	    mmap(NULL, n * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t t;
	long pid = 0;

	must(stacks != MAP_FAILED, "mmap");
	for (int i = 0; i < CALLS; i++)
		t_libc(); /* there is a table already */
	tell_arc("main", "t_libc", CALLS);
	pthread_create(&t, NULL, worker, NULL);
	tell_arc("worker", "t_libc", CALLS);
	tell_arc("worker", "t_raw", CALLS);
	left = n;
	if (strcmp(how, "process") == 0)
		flags = CLONE_VM | SIGCHLD;
	if (strcmp(how, "settls") == 0 || strcmp(how, "self") == 0 || strcmp(how, "wild") == 0)
		flags |= CLONE_SETTLS;
	for (int i = 0; i < n; i++) {
		/* Numbers that would be taken for a table and its mask. */
		memset(blocks[i], 0x77, sizeof(blocks[i]));
		if (strcmp(how, "self") == 0)
			*(void **)(blocks[i] + 4096) = blocks[i] + 4096;
		pid = raw_clone(flags, stacks + i * STACK,
		                strcmp(how, "wild") == 0 ? (char *)(64UL << i) : blocks[i] + 4096);
		must(pid > 0, "clone");
	}
	for (int i = 0; i < CALLS; i++)
		t_raw();
	tell_arc("main", "t_raw", CALLS);
	if (strcmp(how, "vfork") == 0) {
		pid = vfork();
		if (pid == 0) {
			for (int i = 0; i < 100; i++)
				t_child();
			_exit(0);
		}
		tell_arc("main", "t_child", 100);
	}
	while (left > 0)
		usleep(1000);
	pthread_join(t, NULL);
	if (strcmp(how, "process") == 0)
		while (wait(NULL) > 0)
			;
	tell_arc("raw_thread", "t_raw_run", n);
	tell_arc("t_raw_run", "t_raw", (long)n * CALLS);
	for (int i = 0; i < 8; i++)
		for (size_t j = 0; j < sizeof(blocks[i]); j++)
			if (strcmp(how, "settls") == 0 && blocks[i][j] != 0x77)
				printf("the block of thread %d was written to\n", i);
	return 0;
}
