/*
 * sandbox-userns [FILE]: makes user, mount and pid namespaces of its own and works as process 1
 * of them.  FILE gets that process's pid as the outside sees it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sandbox.h"

#include <sched.h>
#include <sys/mount.h>

static void
put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CREAT, 0644);

	must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), file);
	close(fd);
}

static void
map_to_root(unsigned uid, unsigned gid)
{
	char map[64];

	put("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", uid);
	put("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "0 %u 1", gid);
	put("/proc/self/gid_map", map);
}

static void
live_inside(void)
{
	char line[64];

	must(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "private mounts");
	must(mount("tmpfs", "/tmp", "tmpfs", 0, NULL) == 0, "mount /tmp");
	must(chdir("/tmp") == 0, "chdir");
	snprintf(line, sizeof(line), "pid %d, parent %d, uid %d", (int)getpid(), (int)getppid(),
	         (int)getuid());
	say(line);
	work();
	_exit(4);
}

int
main(int argc, char **argv)
{
	unsigned uid = getuid(), gid = getgid();
	char text[32];
	int status;
	pid_t pid;

	main_begins();
	must(unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID) == 0, "unshare");
	map_to_root(uid, gid);
	pid = fork();
	if (pid == 0)
		live_inside();
	must(pid > 0, "fork");
	if (argc > 1) {
		snprintf(text, sizeof(text), "%d", (int)pid);
		put(argv[1], text);
	}
	must(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "waitpid");
	return WEXITSTATUS(status);
}
