/*
 * any-jit linked | endless | pipe: computes in code that it has made, of which it has such a map
 * /tmp/perf-PID.map: one with a second name, a line of 3 GB, a pipe.  Then prints "opened" if
 * anybody has opened the map, else "left alone".
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -O1
// LINK: plain
#include "spin.h"

#include <sys/inotify.h>
#include <sys/stat.h>

static void
make_map(const char *how, const char *name, const char *other)
{
	const int fd = strcmp(how, "pipe") == 0 ? mkfifo(name, 0644)
	                                        : open(name, O_CREAT | O_EXCL | O_WRONLY, 0644);

	if (fd < 0 || (strcmp(how, "linked") == 0 && link(name, other) < 0) ||
	    (strcmp(how, "endless") == 0 && ftruncate(fd, 3L << 30) < 0))
		err(2, "%s", name);
}

static void
compute(void)
{
	char *code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
	                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		err(2, "mmap");
	spin_put(code);
	while (clock() < CLOCKS_PER_SEC / 5)
		spin_at(code);
}

int
main(int argc, char **argv)
{
	char name[64], other[64], news[4096];
	const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	const pid_t pid = fork();

	if (argc < 2 || watch < 0 || pid < 0)
		err(2, "it");
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", pid == 0 ? getpid() : pid);
	snprintf(other, sizeof(other), "%s.2", name);
	if (pid == 0) {
		make_map(argv[1], name, other);
		if (inotify_add_watch(watch, name, IN_OPEN) < 0)
			err(2, "%s", name);
		compute();
		return 0;
	}
	wait(NULL);
	puts(read(watch, news, sizeof(news)) > 0 ? "opened" : "left alone");
	unlink(name);
	unlink(other);
	return 0;
}
