/*
 * Which functions have no name, and what is said of them.
 *
 * SPDX-License-Identifier: ISC
 */
#include "nameless.h"

#include "tap.h"

int
main(void)
{
	char text[NAMELESS_SIZE], huge[2 * NAMELESS_SIZE];

	ok(nameless_is("[.text]") && nameless_is("[.text.unlikely]") &&
	       nameless_is("[.text] [libz.so.1]"),
	   "the name of a section is none");
	ok(!nameless_is("[.plt]") && !nameless_is("[.plt.sec] [libz.so.1]"),
	   "stubs have no symbols anywhere");
	ok(!nameless_is("[unknown]") && !nameless_is("[read]") && !nameless_is(".text") &&
	       !nameless_is(""),
	   "what is no section");
	nameless_hint("libz.so.1", 12.34, "abcd", true, text);
	is_str(
	    text,
	    "libz.so.1: functions whose names are not known have 12.3 % of the time: install its "
	    "debugging symbols (Debian: a -dbgsym package; or debuginfod-find debuginfo abcd) "
	    "and run it again",
	    "what to do");
	nameless_hint("prog", 100, "", false, text);
	is_str(text,
	       "prog: functions whose names are not known have 100.0 % of the time: it was "
	       "stripped, and has no build ID by which its symbols could be found",
	       "where nothing can be done");
	memset(huge, 'x', sizeof(huge));
	huge[sizeof(huge) - 1] = '\0';
	nameless_hint(huge, 1e300, huge, true, text);
	ok(strlen(text) < NAMELESS_SIZE, "names are bounded");
	return done_testing();
}
