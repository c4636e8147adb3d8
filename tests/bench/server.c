/*
 * A server for server.sh.
 *
 *	server THREADS TURNS SECONDS
 *
 * Each thread answers requests of its own socket, and computes in so many turns for each; one more
 * thread is the client of all, in a closed loop, in turn.  Prints how many requests were answered
 * in a second.
 *
 * SPDX-License-Identifier: ISC
 */
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 512, BYTES = 64 };

static long loops;
static volatile unsigned long sink;

__attribute__((noinline)) static unsigned long
turn(unsigned long x, long n)
{
	while (n-- > 0)
		x = x * 6364136223846793005UL + 1442695040888963407UL;
	return x;
}

__attribute__((noinline)) static void
handle(void)
{
	sink += turn(sink, loops);
}

static void *
serve(void *arg)
{
	const int fd = *(int *)arg;
	char request[BYTES];

	while (read(fd, request, BYTES) == BYTES) {
		handle();
		if (write(fd, request, BYTES) != BYTES)
			break;
	}
	return NULL;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int
main(int argc, char **argv)
{
	const int n = argc == 4 ? (int)strtol(argv[1], NULL, 10) : 0;
	static int fd[MOST][2];
	char request[BYTES] = { 0 };
	double begin, end, seconds;
	long answers = 0;
	pthread_t thread;

	if (n < 1 || n > MOST)
		errx(1, "server THREADS TURNS SECONDS");
	loops = strtol(argv[2], NULL, 10);
	seconds = strtod(argv[3], NULL);
	for (int i = 0; i < n; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd[i]) < 0 ||
		    pthread_create(&thread, NULL, serve, &fd[i][0]) != 0 ||
		    write(fd[i][1], request, BYTES) != BYTES)
			err(1, "thread %d", i);
	}
	begin = now();
	do {
		for (int i = 0; i < n; i++) {
			if (read(fd[i][1], request, BYTES) != BYTES ||
			    write(fd[i][1], request, BYTES) != BYTES)
				err(1, "socket %d", i);
			answers++;
		}
		end = now();
	} while (end - begin < seconds);
	printf("%.0f\n", (double)answers / (end - begin));
	return 0;
}
