/*
 * family HOW: a process makes others in the way that HOW names.  The parent calls parent_work()
 * 1000 times before and 500 times after; child number i (from 1) calls child_work() i * 100 times;
 * grandchildren call grandchild_work() 77 times.  Prints "NAME PID" for each process that is to
 * leave a file.
 */
#include "../counted.h"

#include <linux/sched.h>
#include <sched.h>
#include <spawn.h>

extern char **environ;
static char *self;

COUNTED_FUNCTION(parent_work)
COUNTED_FUNCTION(child_work)
COUNTED_FUNCTION(grandchild_work)

__attribute__((noinline)) static void
repeat(void (*work)(void), int n)
{
	while (n-- > 0)
		work();
}

static void
tell(const char *name)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "%s %d\n", name, (int)getpid());

	write(1, line, n);
}

static void
child(int i)
{
	char name[16];

	snprintf(name, sizeof(name), "child%d", i);
	repeat(child_work, 100 * i);
	tell(name);
}

static pid_t
raw_clone3(uint64_t flags)
{
	struct clone_args args = { .flags = flags, .exit_signal = SIGCHLD };

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

static char stack[65536] __attribute__((aligned(16)));

static int
clone_child(void *arg)
{
	child(1);
	_exit(0);
}

static void
reap(void)
{
	int status;

	while (wait(&status) > 0)
		if (status != 0) {
			printf("bad-child-status %d\n", status);
			fflush(stdout);
		}
}

/* N processes that all wait to be killed together; the last line tells that all have worked. */
static void
wait_for_massacre(int n, int kill_group)
{
	int pipefd[2];
	char c;

	pipe(pipefd);
	for (int i = 1; i <= n; i++)
		if (fork() == 0) {
			child(i);
			write(pipefd[1], "x", 1);
			for (;;)
				pause();
		}
	for (int i = 0; i < n; i++)
		read(pipefd[0], &c, 1);
	repeat(parent_work, 500);
	write(1, "ready\n", 6);
	if (kill_group)
		kill(0, SIGKILL);
	for (;;)
		pause();
}

int
main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	char *again[] = { argv[0], "exec-child", NULL };
	pid_t pid = -1;

	self = argv[0];
	if (strcmp(how, "exec-child") == 0) {
		child(3);
		return 0;
	}
	repeat(parent_work, 1000);
	tell("parent");
	if (strcmp(how, "fork") == 0) {
		for (int i = 1; i <= 4; i++)
			if (fork() == 0) {
				child(i);
				return 0;
			}
	} else if (strcmp(how, "fork-_exit") == 0) {
		if (fork() == 0) {
			child(1);
			_exit(0);
		}
	} else if (strcmp(how, "vfork-exec") == 0) {
		if (vfork() == 0) {
			execv(self, again);
			_exit(1);
		}
	} else if (strcmp(how, "vfork-_exit") == 0) {
		if (vfork() == 0)
			_exit(0);
	} else if (strcmp(how, "clone") == 0) {
		clone(clone_child, stack + sizeof(stack), SIGCHLD, NULL);
	} else if (strcmp(how, "clone-vm") == 0) {
		clone(clone_child, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
	} else if (strcmp(how, "clone-untraced") == 0) {
		clone(clone_child, stack + sizeof(stack), CLONE_UNTRACED | SIGCHLD, NULL);
	} else if (strcmp(how, "clone-parent") == 0) {
		clone(clone_child, stack + sizeof(stack), CLONE_PARENT | SIGCHLD, NULL);
	} else if (strcmp(how, "clone-no-signal") == 0) {
		pid = clone(clone_child, stack + sizeof(stack), 0, NULL);
		waitpid(pid, NULL, __WALL);
	} else if (strcmp(how, "clone3") == 0) {
		if (raw_clone3(0) == 0) {
			child(1);
			_exit(0);
		}
	} else if (strcmp(how, "clone3-clear-sighand") == 0) {
		if (raw_clone3(CLONE_CLEAR_SIGHAND) == 0) {
			child(1);
			_exit(0);
		}
	} else if (strcmp(how, "posix_spawn") == 0) {
		posix_spawn(&pid, self, NULL, NULL, again, environ);
	} else if (strcmp(how, "fork-exec-self") == 0) {
		if (fork() == 0) {
			repeat(child_work, 11); /* forgotten by the exec */
			execv(self, again);
			_exit(1);
		}
	} else if (strcmp(how, "grandchildren") == 0) {
		for (int i = 1; i <= 2; i++)
			if (fork() == 0) {
				if (fork() == 0) {
					repeat(grandchild_work, 77);
					tell("grandchild");
					return 0;
				}
				reap();
				child(i);
				return 0;
			}
	} else if (strcmp(how, "daemon") == 0) {
		/* The grandchild goes on when the fifo named by argv[2] has a reader and its
		 * parents are gone. */
		if (fork() == 0) {
			setsid();
			if (fork() == 0) {
				FILE *go = fopen(argv[2], "r");

				getc(go); /* closed at once, it would break the writer's pipe */
				fclose(go);
				repeat(grandchild_work, 77);
				tell("grandchild");
				return 0;
			}
			_exit(0);
		}
	} else if (strcmp(how, "wait") == 0) {
		wait_for_massacre(8, 0);
	} else if (strcmp(how, "kill-group") == 0) {
		wait_for_massacre(8, 1);
	} else if (strcmp(how, "own-group") == 0) {
		setpgid(0, 0);
		wait_for_massacre(8, 1);
	} else if (strcmp(how, "exec-self") == 0) {
		execv(self, again);
	} else if (strcmp(how, "bomb") == 0) {
		/* Children that are killed while they are being born. */
		for (int i = 0; i < 200; i++) {
			pid = fork();
			if (pid == 0)
				for (;;)
					sink++;
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
		}
	} else {
		return 99;
	}
	reap();
	repeat(parent_work, 500);
	return 0;
}
