/*
 * hostile-swap CHILDREN PRECIOUS: in its directory, while so many children end (or more, until it
 * has met three temporary files), what has the name of their files changes all the time: a symbolic
 * link to PRECIOUS, a hard link to a file of its own, a FIFO, a directory, a file, nothing.  And
 * what stands there under a temporary name is taken away, or replaced by a link to PRECIOUS. Prints
 * "swapped N".
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -pthread
#include "hostile.h"

#include <dirent.h>
#include <sys/stat.h>

static volatile int over;
static volatile pid_t child;
static const char *precious;
static volatile unsigned swapped;

static void
take(const char *name, unsigned how)
{
	unlink(name);
	rmdir(name);
	switch (how % 6) {
	case 0:
		symlink(precious, name);
		break;
	case 1:
		link("mine", name);
		break;
	case 2:
		mkfifo(name, 0600);
		break;
	case 3:
		mkdir(name, 0700);
		break;
	case 4:
		close(open(name, O_CREAT | O_WRONLY, 0600));
		break;
	default:
		break;
	}
}

static void
spoil_temporary(unsigned how)
{
	DIR *dir = opendir(".");
	struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		if (strncmp(entry->d_name, ".gmon.prog.", 11) == 0) {
			swapped++;
			unlink(entry->d_name);
			if (how % 2 == 0)
				symlink(precious, entry->d_name);
		}
	closedir(dir);
}

static void *
swap(void *none)
{
	char name[64];

	for (unsigned how = 0; !over; how++) {
		snprintf(name, sizeof(name), "gmon.prog.%d.out", child);
		take(name, how);
	}
	return none;
}

static void *
swap_temporary(void *none)
{
	for (unsigned how = 0; !over; how++)
		spoil_temporary(how);
	return none;
}

int
main(int argc, char **argv)
{
	pthread_t thread[2];

	if (argc < 3)
		return 2;
	precious = argv[2];
	close(open("mine", O_CREAT | O_WRONLY, 0600));
	pthread_create(&thread[0], NULL, swap, NULL);
	pthread_create(&thread[1], NULL, swap_temporary, NULL);
	for (int i = atoi(argv[1]), more = 50 * i; i > 0 || (swapped < 3 && more-- > 0); i--) {
		int go[2];
		char byte;

		pipe(go);
		child = fork();
		if (child == 0) {
			close(go[1]);
			read(go[0], &byte, 1);
			_exit(0);
		}
		close(go[0]);
		close(go[1]);
		wait(NULL);
	}
	over = 1;
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	printf("swapped %u\n", swapped);
	return 0;
}
