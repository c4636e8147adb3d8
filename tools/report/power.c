/*
 * Gives up power.  What profsup starts by itself reads what the programs have written, maybe as
 * root.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include <err.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What Linux 5.19 and 6.2 know besides: to link into another directory, and to truncate. */
enum { LATER = 1 << 13 | 1 << 14 };

/* Returns Landlock's rules, -1: there are none. */
static int
make_rules(uint64_t later)
{
	const struct landlock_ruleset_attr all_but_reading = {
		.handled_access_fs = LANDLOCK_ACCESS_FS_MAKE_SYM * 2 - 1 -
		                     LANDLOCK_ACCESS_FS_READ_FILE - LANDLOCK_ACCESS_FS_READ_DIR +
		                     later,
	};

	return (int)syscall(SYS_landlock_create_ruleset, &all_but_reading, sizeof(all_but_reading),
	                    0);
}

/* Makes nothing, changes nothing and runs nothing from here on, where the kernel can see to it, and
 * has no power over what is another user's, but to read it. */
void
power_only_to_read(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct cap[_LINUX_CAPABILITY_U32S_3] = { 0 };
	int rules = make_rules(LATER);

	if (rules < 0)
		rules = make_rules(0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) == 0 && rules >= 0)
		syscall(SYS_landlock_restrict_self, rules, 0);
	if (rules >= 0)
		close(rules);
	if (syscall(SYS_capget, &head, cap) < 0)
		err(EXIT_BAD, "capget");
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		cap[i].permitted &= i == 0 ? 1U << CAP_DAC_READ_SEARCH : 0;
		cap[i].effective &= cap[i].permitted;
		cap[i].inheritable = 0;
	}
	if (syscall(SYS_capset, &head, cap) < 0)
		err(EXIT_BAD, "capset");
}
