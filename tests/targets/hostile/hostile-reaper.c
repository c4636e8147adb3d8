/*
 * hostile-reaper ROUNDS NAME: a subreaper that starts ./NAME (this program too, under another
 * name), which forks all the time, or vforks if that is its name, and kills it; its children call
 * orphans() 10 times each.
 *
 * SPDX-License-Identifier: ISC
 */
#include "../counted.h"
#include "hostile.h"

enum { LIVES = 9 };

COUNTED_FUNCTION(orphans)

static void
child(void)
{
	for (int i = 0; i < 10; i++)
		orphans();
	_exit(0);
}

static void
make_for_ever(int by_vfork)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	write(LIVES, "", 1);
	close(LIVES);
	for (;;) {
		if (by_vfork) {
			if (vfork() == 0)
				child();
		} else if (fork() == 0) {
			child();
		}
	}
}

int
main(int argc, char **argv)
{
	if (argc < 2)
		make_for_ever(strcmp(argv[0], "vforker") == 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (argc < 3)
		return 1;
	for (int rounds = atoi(argv[1]); rounds > 0; rounds--) {
		struct timespec moment = { 0, 2000000 + rand() % 3000000 };
		int lives[2];
		char byte;
		pid_t forker;

		if (pipe2(lives, O_CLOEXEC) < 0)
			return 1;
		forker = fork();
		if (forker == 0) {
			dup2(lives[1], LIVES);
			execl(argv[2], argv[2], (char *)NULL);
			_exit(1);
		}
		/* Killed before the end of its exec it would be another reaper. */
		close(lives[1]);
		while (read(lives[0], &byte, 1) < 0)
			continue;
		close(lives[0]);
		nanosleep(&moment, NULL);
		kill(forker, SIGKILL);
		while (wait(NULL) > 0)
			continue;
	}
	return 0;
}
