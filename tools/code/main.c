/*
 * Reads a file's code for the supervisor, which executes this program without any right of its own:
 *
 *     read-code WHAT FILE DEBUG TABLE BUILD-ID
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

static void
take_build_id(struct code_file *from, const char *digits)
{
	char byte[3] = { 0 };

	while (from->build_id_len < BUILD_ID_MOST && digits[0] != '\0' && digits[1] != '\0') {
		memcpy(byte, digits, 2);
		from->build_id[from->build_id_len++] = (uint8_t)strtoul(byte, NULL, 16);
		digits += 2;
	}
}

int
main(int argc, char **argv)
{
	struct code_file from = { 0 };
	int table, ret;

	if (argc != 6)
		errx(2, "profsup executes this program, nobody else: see profsup(1)");
	/* Executed by a descriptor, we have no name; and who may trace us could lie about a file.
	 */
	prctl(PR_SET_NAME, "read-code");
	prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL);
	confine(CONFINE_MEMORY, CONFINE_SECONDS);
	filter_begin();
	from.file = (int)strtol(argv[2], NULL, 10);
	from.debug = (int)strtol(argv[3], NULL, 10);
	table = (int)strtol(argv[4], NULL, 10);
	take_build_id(&from, argv[5]);
	if (strcmp(argv[1], "map") == 0)
		ret = symread_map(from.file, table);
	else
		ret = symread(&from, strcmp(argv[1], "all") == 0, table);
	return ret == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
