/*
 * maps.c: lines of /proc/PID/maps.
 *
 * SPDX-License-Identifier: ISC
 */
#include "process/process.h"
#include "tap.h"

#include <sys/sysmacros.h>

static void
test_lines(void)
{
	struct code_maps m = { 0 };

	maps_add(&m, "00400000-00452000 r--p 00000000 08:02 173521      /usr/bin/dbus-daemon");
	is_int((int64_t)m.n, 0, "what is not executable is no code");
	maps_add(&m, "7f0c00401000-7f0c00452000 r-xp 00001000 fe:12 173521                   "
	             "/usr/lib/a b.so (deleted)");
	is_int((int64_t)m.n, 1, "code of a file");
	ok(m.map[0].low == 0x7f0c00401000 && m.map[0].high == 0x7f0c00452000, "its addresses");
	ok(m.map[0].offset == 0x1000 && m.map[0].ino == 173521 &&
	       m.map[0].dev == makedev(0xfe, 0x12),
	   "where it is in which file");
	is_str(m.map[0].path, "/usr/lib/a b.so (deleted)", "the whole path");
	maps_add(&m, "7fff0000-7fff2000 rwxp 00000000 00:00 0 ");
	ok(m.n == 2 && m.map[1].path[0] == '\0', "code of no file");
	maps_add(&m, "7fff3000-7fff5000 r-xp 00000000 00:00 0                          [vdso]");
	ok(m.n == 3 && strcmp(m.map[2].path, MAPS_VDSO) == 0, "the vdso");
	maps_add(&m, "7fff6000-7fff7000 rwxs 00000000 00:01 1044                       /memfd:jit "
	             "(deleted)");
	maps_add(&m, "7fff8000-7fff9000 rwxp 00000000 00:00 0                          [heap]");
	maps_add(
	    &m,
	    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]");
	ok(m.n == 5 && m.map[3].path[0] == '\0' && m.map[4].path[0] == '\0',
	   "code that a program has written is of no file, whatever it is called");
	maps_free(&m);
}

static void
test_odd(void)
{
	static const char *const lines[] = {
		"",      "-",         "x",       "10-10 r-xp 0 0:0 0", "20-10 r-xp 0 0:0 0",
		"10-20", "10-20 r-x", "10-20 r-"
	};
	struct code_maps m = { 0 };
	char line[64 + 2 * MAPS_PATH];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		maps_add(&m, lines[i]);
	is_int((int64_t)m.n, 0, "lines that are none");
	snprintf(line, sizeof(line), "10-20 r-xp 0 0:0 7 /%0*d", MAPS_PATH + 8, 7);
	maps_add(&m, line);
	ok(m.n == 1 && m.map[0].path[0] == '\0', "a path that is too long is none");
	for (uint64_t i = 1; i < 10000; i++) {
		snprintf(line, sizeof(line), "%llx-%llx r-xp 0 0:0 0", (unsigned long long)i << 12,
		         (unsigned long long)(i + 1) << 12);
		maps_add(&m, line);
	}
	ok(m.n < 10000, "there is an end (%zu)", m.n);
	maps_free(&m);
}

int
main(void)
{
	test_lines();
	test_odd();
	return done_testing();
}
