// CFLAGS: -pthread
/*
 * steps: prints "ready PID", then does what the lines on stdin say, and prints "done" for each:
 *
 *	call N		calls work() N times
 *	thread N	so does a thread
 *	fork N		a child calls child_work() N times; its number is printed before "done"
 *	keep		a child is made that sleeps for good; its number is printed
 *	off, on		moncontrol
 *	lock		enters seccomp's strict mode: read, write and exit are what is left
 *	exit N		ends, without atexit
 *
 * At the end of the file it exits with 0.
 */
#include "../counted.h"

#include <linux/seccomp.h>
#include <profil.h>

COUNTED_FUNCTION(work)
COUNTED_FUNCTION(child_work)

static void
say(const char *word, int n)
{
	char line[32];
	int len = 0;

	while (*word != '\0')
		line[len++] = *word++;
	if (n != 0)
		len += sprintf(line + len, " %d", n);
	line[len++] = '\n';
	(void)!write(1, line, len);
}

static int
next_line(char *line, int size)
{
	int len = 0;

	while (len < size - 1 && read(0, line + len, 1) == 1 && line[len] != '\n')
		len++;
	line[len] = '\0';
	return len;
}

static void *
thread(void *n)
{
	for (long i = 0; i < (long)n; i++)
		work();
	return n;
}

static void
child(int n, int stays)
{
	pid_t pid = fork();

	if (pid == 0) {
		while (n-- > 0)
			child_work();
		while (stays)
			pause();
		_exit(0);
	}
	say("child", pid);
	if (!stays)
		waitpid(pid, NULL, 0);
}

int
main(void)
{
	char line[32];
	pthread_t t;

	setvbuf(stdout, NULL, _IONBF, 0);
	say("ready", getpid());
	while (next_line(line, sizeof(line)) > 0) {
		char *space = strchr(line, ' ');
		int n = space != NULL ? atoi(space) : 0;

		if (strncmp(line, "call", 4) == 0) {
			thread((void *)(long)n);
		} else if (strncmp(line, "thread", 6) == 0) {
			pthread_create(&t, NULL, thread, (void *)(long)n);
			pthread_join(t, NULL);
		} else if (strncmp(line, "fork", 4) == 0) {
			child(n, 0);
		} else if (strncmp(line, "keep", 4) == 0) {
			child(0, 1);
		} else if (strncmp(line, "off", 3) == 0) {
			moncontrol(0);
		} else if (strncmp(line, "on", 2) == 0) {
			moncontrol(1);
		} else if (strncmp(line, "lock", 4) == 0) {
			prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
		} else if (strncmp(line, "exit", 4) == 0) {
			syscall(SYS_exit, n);
		}
		say("done", 0);
	}
	syscall(SYS_exit, 0);
}
