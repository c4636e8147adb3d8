/*
 * recent.c: what is remembered of one user's processes is not for another's.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"
#include "tap.h"

/* Returns where the time of a process of that owner's and user's would be booked; 0: nowhere. */
static uint64_t
any_of(unsigned owner, uid_t user)
{
	struct proc proc = { .profile = profile_new() };
	struct stack stack;
	uint64_t pc;

	if (proc.profile == NULL)
		bail("profile_new");
	proc.profile->place->owner = owner;
	proc.profile->place->id.user = user;
	pc = recent_any(&proc, &stack);
	profile_free(proc.profile);
	return pc;
}

int
main(void)
{
	struct proc unknown = { .profile = profile_new() }, known = { .profile = profile_new() };

	if (unknown.profile == NULL || known.profile == NULL)
		bail("profile_new");
	is_int((int64_t)any_of(OWNERS, 1), 0, "without a sample there is no place");
	recent_note(&unknown, 100, NULL);
	is_int((int64_t)any_of(unknown.profile->place->owner, 0), 0,
	       "whoever a sample is of that nobody is known to own, it is no other's");
	known.profile->place->owner = OWNERS;
	known.profile->place->id.user = 1;
	recent_note(&known, 200, NULL);
	is_int((int64_t)any_of(OWNERS, 1), 200, "one's own are found");
	is_int((int64_t)any_of(OWNERS, 2), 0, "but not by who was started by another user");
	is_int((int64_t)any_of(OWNERS + 1, 1), 0, "nor by another identity");
	profile_free(unknown.profile);
	profile_free(known.profile);
	return done_testing();
}
