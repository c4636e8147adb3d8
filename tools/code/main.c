/*
 * Reads a file's code for the supervisor, which executes this program without any right of its own:
 *
 *     read-code WHAT FILE DEBUG TABLE
 *
 * WHAT is "all" or "rows" of an ELF file, or "map", a map of code that was made at run time; FILE,
 * DEBUG and TABLE are open descriptors, -1: there is none.
 *
 * SPDX-License-Identifier: ISC
 */
#include "readcode.h"

#include "confine.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

int
main(int argc, char **argv)
{
	int file, debug, table, ret;

	if (argc != 5)
		errx(2, "profsup executes this program, nobody else: see profsup(1)");
	/* Executed by a descriptor, we have no name. */
	prctl(PR_SET_NAME, "read-code");
	confine(CONFINE_MEMORY, CONFINE_SECONDS);
	prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL); /* who may trace us could lie about a file */
	filter_begin();
	file = (int)strtol(argv[2], NULL, 10);
	debug = (int)strtol(argv[3], NULL, 10);
	table = (int)strtol(argv[4], NULL, 10);
	if (strcmp(argv[1], "map") == 0)
		ret = symread_map(file, table);
	else
		ret = symread(file, debug, strcmp(argv[1], "all") == 0, table);
	return ret == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
