/*
 * Names made of a template: what each field gives, where a namesake's number stands, and that no
 * name leaves its directory or is too long for it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"
#include "tap.h"

#include <limits.h>

static const struct template_values values = {
	.program = "prog",
	.host = "box",
	.pid = 12,
	.parent = 7,
	.started = 1700000000,
};

static void
gives(const char *t, unsigned number, const char *want)
{
	char name[NAME_MAX + 1];

	template_expand(t, &values, number, name, sizeof(name));
	if (!ok(template_wrong(t) == NULL && strcmp(name, want) == 0, "%s, number %u, is %s", t,
	        number, want))
		diag("got: %s", name);
}

static void
refused(const char *t, const char *says)
{
	const char *why = template_wrong(t);

	ok(why != NULL && strstr(why, says) != NULL, "'%s' is refused: %s", t, says);
}

static void
expanded(void)
{
	gives("gmon.%n.%p.out", 1, "gmon.prog.12.out");
	gives("gmon.%n.%p.out", 2, "gmon.prog.12.2.out");
	gives("%n-%P-%t-%h-%%", 1, "prog-7-1700000000-box-%");
	gives("%n%n%p", 1, "progprog12");
	gives("plain", 1, "plain");
	gives("plain", 30, "plain.30");
	gives("a.b.gmon", 2, "a.b.2.gmon");
	gives("%n.%p", 2, "prog.12.2");
	gives(".hidden", 2, ".hidden.2");
	gives("100%%.out", 1, "100%.out");
	gives("a.100%%", 2, "a.100%.2");
	gives("%%n", 1, "%n");
}

/* The snapshot's number stands before that of a namesake. */
static void
snapshots(void)
{
	struct template_values v = values;
	char name[NAME_MAX + 1];

	v.snapshot = 3;
	template_expand("gmon.%n.%p.out", &v, 1, name, sizeof(name));
	is_str(name, "gmon.prog.12.snap3.out", "a snapshot is %s", name);
	template_expand("%n.%p", &v, 2, name, sizeof(name));
	is_str(name, "prog.12.snap3.2", "without an ending it is %s", name);
}

static void
looked_into(void)
{
	ok(template_tells("gmon.%n.%p.out", 'p'), "a field that stands apart tells its value");
	ok(template_tells("%p", 'p'), "so does one that is all");
	ok(!template_tells("%n%p", 'p'), "one behind another does not");
	ok(!template_tells("%p%n", 'p'), "nor one before another");
	ok(!template_tells("%n0%p", 'p'), "nor one behind a digit");
	ok(!template_tells("%p0%n", 'p'), "nor one before a digit");
	ok(template_tells("%p%n-%p", 'p'), "it may be there twice");
	ok(!template_tells("%%p.%n", 'p'), "a percent sign and a p are no field");
	ok(!template_tells("p", 'p'), "nor is the letter alone");
}

static void
wrong(void)
{
	char t[NAME_MAX + 2] = "";

	refused("", "empty");
	refused(".", "directory");
	refused("..", "directory");
	refused("/tmp/x", "-d");
	refused("a/%n", "-d");
	refused("%q", "%n, %p, %P, %t, %h and %%");
	refused("%", "%n");
	refused("x%", "%n");
	refused("%N", "%n");
	memset(t, 'x', NAME_MAX);
	refused(t, "too long");
	t[NAME_MAX - 26] = '\0';
	ok(template_wrong(t) == NULL, "as long as a name with two numbers can be is taken");
	memcpy(t + NAME_MAX - 27, "%n", 3);
	refused(t, "too long");
}

/* A buffer that is too small is filled and ended, never left. */
static void
cut(void)
{
	static const char *const some[] = { "gmon.%n.%p.out", "%h%h", "%%%%%%", "a.out" };
	char buf[40];
	struct template_values v = values;
	bool good = true;

	v.snapshot = 12;
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		for (size_t size = 1; size < 16; size++) {
			memset(buf, '#', sizeof(buf));
			template_expand(some[i], &v, 3, buf, size);
			good &= strlen(buf) < size && buf[size] == '#';
		}
	ok(good, "what does not fit is cut");
}

int
main(void)
{
	expanded();
	snapshots();
	looked_into();
	wrong();
	cut();
	return done_testing();
}
