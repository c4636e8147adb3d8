/*
 * any-maps FILES SECONDS: maps so many different files as code, and then computes for so long in
 * code that is mapped at another address every few milliseconds.  Prints "mapped" before that.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -O1
// LINK: plain
#include "../clock.h"
#include "spin.h"

enum { PLACES = 4096 };

static void *
map(const char *name, size_t len)
{
	const int fd = open(name, O_CREAT | O_RDWR, 0700);
	void *at;

	if (fd < 0 || ftruncate(fd, (off_t)len) < 0)
		err(2, "%s", name);
	at = mmap(NULL, len, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		err(2, "%s", name);
	close(fd);
	unlink(name);
	return at;
}

int
main(int argc, char **argv)
{
	const int files = argc < 3 ? 0 : atoi(argv[1]);
	char name[64], *code, *room;
	uint64_t end;

	for (int i = 0; i < files; i++) {
		snprintf(name, sizeof(name), "m%d-\033[31m\n%d", getpid(), i);
		map(name, PAGE);
	}
	puts("mapped");
	fflush(stdout);
	end = now_ns() + (argc < 3 ? 0 : (uint64_t)(atof(argv[2]) * 1e9));
	snprintf(name, sizeof(name), "m%d", getpid());
	code = map(name, PAGE);
	spin_put(code);
	room = mmap(NULL, (size_t)PLACES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED)
		err(2, "mmap");
	for (int i = 0; now_ns() < end; i++) {
		void *next = mremap(code, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		                    room + (size_t)(i % PLACES) * PAGE);

		if (next == MAP_FAILED)
			err(2, "mremap");
		code = next;
		spin_at(code);
	}
	return 0;
}
