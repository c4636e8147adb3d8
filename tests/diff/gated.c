/* What a gate must not take for a change: two static functions of one name, versions of a function
 * of which the machine chooses one, libc's qsort that calls back, threads that are there in any
 * order.  The first argument is how often work() is called, the second how often others is called
 * by each of four threads. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

int other_file(int x);

__attribute__((noipa)) static int
helper(int x)
{
	return x;
}

#if defined(__x86_64__) && !defined(PLAIN)
__attribute__((target_clones("avx2", "default")))
#else
__attribute__((noipa))
#endif
int
version(int x)
{
	__asm__ volatile("");
	return x * 3;
}

__attribute__((noipa)) void
work(void)
{
}

__attribute__((noipa)) void
others(void)
{
}

static int
compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void *
thread(void *arg)
{
	for (long i = 0; i < (long)arg; i++)
		others();
	return NULL;
}

int
main(int argc, char **argv)
{
	char words[100][8] = { "" };
	pthread_t threads[4];

	for (int i = 0; i < 100; i++)
		words[i][0] = (char)('a' + i * 7 % 26);
	qsort(words, 100, sizeof(words[0]), compare);
	for (long i = 0; i < strtol(argv[1], NULL, 10); i++)
		work();
	for (int i = 0; i < 10; i++)
		helper(version(other_file(i)));
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, thread, (void *)strtol(argv[2], NULL, 10)) !=
		    0)
			return 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return argc == 0;
}
