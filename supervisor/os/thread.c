/*
 * Detached threads of our own.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include <errno.h>
#include <pthread.h>

int
thread_start(size_t stack, void *(*run)(void *), void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;
	int error = pthread_attr_init(&attr);

	if (error == 0) {
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
		pthread_attr_setstacksize(&attr, stack);
		error = pthread_create(&thread, &attr, run, arg);
		pthread_attr_destroy(&attr);
	}
	errno = error;
	return error == 0 ? 0 : -1;
}
