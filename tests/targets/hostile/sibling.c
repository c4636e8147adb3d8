/*
 * sibling SECONDS: an honest program that says how long it is held up.  For so long, and up to
 *three times as long until there were 100 turns: a fork, an exec in the child, which calls work()
 *ten times, its exit, and the parent's wait, after which that calls work() once.  Prints for each
 *of the three fork MEDIAN 99TH-OF-100 LONGEST exec ... exit ...	from the call to the return
 *of wait in microseconds, and "rounds N calls M".
 *
 * SPDX-License-Identifier: ISC
 */
#include "../clock.h"
#include "../counted.h"

enum { CHILDS_CALLS = 10, MOST = 100000, ENOUGH = 100, PAUSE_US = 3000 };

/* What a child tells its parent. */
static volatile struct told {
	uint64_t before_exec, after_exec, before_exit;
} * told;

static struct list {
	const char *name;
	uint64_t us[MOST];
} list[] = { { "fork" }, { "exec" }, { "exit" } };

COUNTED_FUNCTION(work)

static void
map(int fd)
{
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (told == MAP_FAILED)
		err(2, "mmap");
}

static int
be_child(int fd)
{
	const uint64_t now = now_us();

	map(fd);
	told->after_exec = now;
	for (int i = 0; i < CHILDS_CALLS; i++)
		work();
	told->before_exit = now_us();
	_exit(0);
}

static void
take_turn(int n, const char *self, const char *fd)
{
	const uint64_t start = now_us();
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		told->before_exec = now_us();
		execl(self, self, "child", fd, (char *)NULL);
		_exit(1);
	}
	list[0].us[n] = now_us() - start;
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		errx(3, "the child of turn %d has come to harm", n);
	list[2].us[n] = now_us() - told->before_exit;
	list[1].us[n] = told->after_exec - told->before_exec;
}

static int
by_size(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
	char name[16];
	uint64_t end, last;
	int fd, n = 0;

	if (argc > 2)
		return be_child(atoi(argv[2]));
	if (argc < 2)
		return 2;
	fd = memfd_create("told", 0);
	ftruncate(fd, sizeof(*told));
	map(fd);
	snprintf(name, sizeof(name), "%d", fd);
	end = now_us() + (uint64_t)(atof(argv[1]) * 1e6);
	last = end + 2 * (uint64_t)(atof(argv[1]) * 1e6);
	do {
		take_turn(n++, argv[0], name);
		work();
		usleep(PAUSE_US);
	} while (n < MOST && now_us() < (n < ENOUGH ? last : end));
	for (int i = 0; i < 3; i++) {
		qsort(list[i].us, (size_t)n, sizeof(list[i].us[0]), by_size);
		printf("%s %lu %lu %lu\n", list[i].name, list[i].us[n / 2],
		       list[i].us[(99 * n + 99) / 100 - 1], list[i].us[n - 1]);
	}
	printf("rounds %d calls %d\n", n, n + n * CHILDS_CALLS);
	return 0;
}
