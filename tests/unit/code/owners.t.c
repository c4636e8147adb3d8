/*
 * owners.c: identities that files are read for.
 *
 * SPDX-License-Identifier: ISC
 */
#include "code/code.h"
#include "tap.h"

enum { MANY = 2000, GROUPS = 65536 };

/* Notes other identities of the user's until there is no room for one.  Returns how many had some.
 */
static unsigned
note_many(uid_t user, size_t ngroups)
{
	static gid_t groups[GROUPS];
	struct identity id = { .user = user, .ngroups = ngroups, .groups = groups };

	for (; id.uid < MANY; id.uid++)
		if (owners_note(&id) == OWNER_NOBODY)
			break;
	return id.uid;
}

int
main(void)
{
	const struct identity first = { .user = 1 }, privileged = { .user = 1, .overrides = true };
	const struct identity last = { .user = 3, .uid = MANY };
	const unsigned number = owners_note(&first);
	unsigned taken;

	ok(number != OWNER_NOBODY && number != OWNER_CALLER, "an identity has a number");
	is_int(owners_note(&first), number, "the same one has the same");
	ok(owners_note(&privileged) != number, "one that may read all has another");
	taken = note_many(2, GROUPS);
	ok(taken > 1 && taken < MANY / 2, "of many groups a user's identities have so much room");
	ok(note_many(3, GROUPS) > 1, "and another user's have some, too");
	taken = note_many(1, 0);
	ok(taken > 100 && taken < MANY, "there is room for many identities of a user");
	ok(owners_note(&last) != OWNER_NOBODY, "who leaves some to others");
	is_int(owners_note(&first), number, "and has the numbers that he had");
	return done_testing();
}
