/*
 * hostile-name HEX [HEX]: calls itself so before its profile starts, and afterwards, all the time,
 * as the second says.  If stdin is not empty, removes its directory.  Then a child calls work() 10
 * times.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -pthread
#include "../counted.h"
#include "hostile.h"

static volatile int over;
static char later[16];

COUNTED_FUNCTION(work)

static void
from_hex(const char *hex, char name[16])
{
	unsigned byte;

	memset(name, 0, 16);
	for (int i = 0; i < 15 && sscanf(hex + 2 * i, "%2x", &byte) == 1; i++)
		name[i] = (char)byte;
}

static void
before(int argc, char **argv)
{
	char name[16];

	if (argc < 2)
		_exit(2);
	from_hex(argv[1], name);
	prctl(PR_SET_NAME, name);
}

BEFORE_START_UP(before);

static void *
rename_all_the_time(void *none)
{
	int fd = open("/proc/self/comm", O_WRONLY);

	while (!over) {
		pwrite(fd, later, strlen(later), 0);
		prctl(PR_SET_NAME, later);
	}
	return none;
}

int
main(int argc, char **argv)
{
	char byte, here[4096];
	pthread_t thread;

	if (read(0, &byte, 1) == 1 && getcwd(here, sizeof(here)) != NULL)
		rmdir(here);
	from_hex(argv[argc - 1], later);
	prctl(PR_SET_NAME, later);
	pthread_create(&thread, NULL, rename_all_the_time, NULL);
	fork_and_call(work, 10);
	over = 1;
	pthread_join(thread, NULL);
	return 0;
}
