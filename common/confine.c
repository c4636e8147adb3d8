/*
 * SPDX-License-Identifier: ISC
 */
#include "confine.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t
address_space(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	char line[256] = "0";

	if (f == NULL)
		return 0;
	if (fgets(line, sizeof(line), f) == NULL)
		*line = '\0';
	fclose(f);
	return strtoull(line, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void
limit(int what, uint64_t to)
{
	struct rlimit l;

	if (getrlimit(what, &l) == 0 && l.rlim_max > to)
		setrlimit(what, &(struct rlimit){ to, to });
}

/* Where memory is short, it is to be taken from us, and not from the program that we look at. */
static void
be_first_to_go(void)
{
	FILE *f = fopen("/proc/self/oom_score_adj", "we");

	if (f == NULL)
		return;
	fputs("1000", f);
	fclose(f);
}

void
confine(uint64_t memory, uint64_t seconds)
{
	const uint64_t now = address_space();

	be_first_to_go();
	if (now > 0)
		limit(RLIMIT_AS, now + memory);
	limit(RLIMIT_CPU, seconds);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NOFILE, 0);
}
