/*
 * notified CALLS COMPUTE_MS ANSWER_MS: a process computes for so long, then makes a system call
 * that its parent answers after so long (SECCOMP_RET_USER_NOTIF), and so on.  Prints how often the
 * parent was asked, or "no" and the reason.
 */
#include "../clock.h"
#include "../filter.h"

#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>

static int ready[2];
static long calls, compute_ms;

__attribute__((noinline)) void
compute(long ms)
{
	compute_until(CLOCK_THREAD_CPUTIME_ID, cpu_ns() + (uint64_t)ms * 1000000);
}

static int
child(void *arg)
{
	const int listener =
	    filter_call(SYS_getppid, SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER);

	(void)arg;
	if (write(ready[1], &listener, sizeof(listener)) != sizeof(listener) || listener < 0)
		_exit(1);
	while (calls-- > 0) {
		compute(compute_ms);
		syscall(SYS_getppid);
	}
	_exit(0);
}

int
main(int argc, char **argv)
{
	static char stack[65536] __attribute__((aligned(16)));
	const long answer_ms = argc > 3 ? atol(argv[3]) : 0;
	int listener = -1, status, asked = 0;
	pid_t pid;

	if (argc != 4 || pipe(ready) < 0)
		return 2;
	calls = atol(argv[1]);
	compute_ms = atol(argv[2]);
	/* It shares descriptors, so the listener is the parent's, too. */
	pid = clone(child, stack + sizeof(stack), CLONE_FILES | SIGCHLD, NULL);
	if (pid < 0 || read(ready[0], &listener, sizeof(listener)) != sizeof(listener) ||
	    listener < 0) {
		printf("no notifications here\n");
		return 0;
	}
	for (;;) {
		struct pollfd news = { .fd = listener, .events = POLLIN };
		struct seccomp_notif question = { 0 };
		struct seccomp_notif_resp answer = { 0 };

		if (poll(&news, 1, -1) > 0 && (news.revents & POLLHUP) != 0)
			break;
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &question) < 0)
			continue;
		asked++;
		usleep((useconds_t)(1000 * answer_ms));
		answer.id = question.id;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
	waitpid(pid, &status, 0);
	printf("asked %d times\n", asked);
	return 0;
}
