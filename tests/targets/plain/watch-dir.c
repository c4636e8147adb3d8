/*
 * watch-dir DIR: prints what happens to the files in DIR, an event and a name a line, until stdin
 * ends; "ready" first.
 */
#include <poll.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

static const struct {
	unsigned mask;
	const char *name;
} events[] = {
	{ IN_CREATE, "create" },     { IN_MODIFY, "modify" }, { IN_MOVED_FROM, "moved-from" },
	{ IN_MOVED_TO, "moved-to" }, { IN_DELETE, "delete" }, { IN_CLOSE_WRITE, "written" },
};

static int
print_events(int fd)
{
	static char buf[1 << 16] __attribute__((aligned(8)));
	ssize_t n = read(fd, buf, sizeof(buf));

	for (char *at = buf; n > 0 && at < buf + n;) {
		const struct inotify_event *ev = (const void *)at;

		for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]); i++)
			if (ev->mask & events[i].mask)
				printf("%s %s\n", events[i].name, ev->len ? ev->name : "");
		at += sizeof(*ev) + ev->len;
	}
	fflush(stdout);
	return n > 0;
}

int
main(int argc, char **argv)
{
	int fd = inotify_init1(IN_NONBLOCK);
	struct pollfd fds[2] = { { 0, POLLIN }, { fd, POLLIN } };

	if (argc < 2 || fd < 0 || inotify_add_watch(fd, argv[1], IN_ALL_EVENTS) < 0)
		return 1;
	puts("ready");
	fflush(stdout);
	while (poll(fds, 2, -1) > 0) {
		if (fds[1].revents)
			print_events(fd);
		else if (fds[0].revents)
			break;
	}
	return 0;
}
