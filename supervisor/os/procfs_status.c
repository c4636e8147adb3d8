/*
 * What /proc/PID/status tells of a thread: whose it is, by whom it is traced, with which rights it
 * touches files, and what becomes of signals.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include "grow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Returns the value behind "\nName:\t" in a status file, or NULL. */
static const char *
status_field(const char *status, const char *name)
{
	char key[32];
	const char *at;

	snprintf(key, sizeof(key), "\n%s:", name);
	at = strstr(status, key);
	return at == NULL ? NULL : at + strlen(key);
}

/* Returns the first number of a field; 0: there is no such field. */
static uint64_t
field_number(const char *status, const char *name, int base)
{
	const char *field = status_field(status, name);

	return field == NULL ? 0 : strtoull(field, NULL, base);
}

static char *
read_status(pid_t tid)
{
	const size_t size = 1 << 20; /* a process may be in 65,536 groups */
	char *status = malloc(size);

	if (status != NULL && procfs_read(status, size, "/proc/%d/status", tid) <= 0) {
		free(status);
		status = NULL;
	}
	return status;
}

/* Returns the process of a thread, and sets *ppid to its parent; -1 if the thread is gone. */
pid_t
procfs_tgid(pid_t tid, pid_t *ppid)
{
	char *status = read_status(tid);
	const pid_t tgid = status == NULL ? -1 : (pid_t)field_number(status, "Tgid", 10);

	if (status != NULL && ppid != NULL)
		*ppid = (pid_t)field_number(status, "PPid", 10);
	free(status);
	return tgid;
}

/* Returns a number from a status file; 0 also if it can't be read. */
static uint64_t
status_number(pid_t tid, const char *name)
{
	char *status = read_status(tid);
	const uint64_t number = status == NULL ? 0 : field_number(status, name, 10);

	free(status);
	return number;
}

/* Returns a thread's tracer; 0: there is none, or the thread is gone. */
pid_t
procfs_tracer(pid_t tid)
{
	return (pid_t)status_number(tid, "TracerPid");
}

/* Whether a seccomp filter is in force for the thread. */
bool
procfs_has_filter(pid_t tid)
{
	return status_number(tid, "Seccomp") == 2;
}

/* Whether the thread is in strict seccomp mode: it may make four system calls and no others. */
bool
procfs_is_strict(pid_t tid)
{
	return status_number(tid, "Seccomp") == 1;
}

/* An id line has four numbers: real, effective, saved, and the one for file systems. */
static unsigned
fs_id(const char *field)
{
	char *at = (char *)(uintptr_t)field;
	unsigned long id = 0;

	for (int i = 0; i < 4; i++)
		id = strtoul(at, &at, 10);
	return (unsigned)id;
}

static int
parse_groups(const char *field, struct identity *id)
{
	for (char *at = (char *)(uintptr_t)field, *end;; at = end) {
		unsigned long gid = strtoul(at, &end, 10);
		gid_t *more;

		while (*end == ' ')
			end++;
		if (end == at)
			return 0;
		more = grow(id->groups, id->ngroups, sizeof(*more));
		if (more == NULL)
			return -1;
		id->groups = more;
		id->groups[id->ngroups++] = (gid_t)gid;
		if (*end == '\n' || *end == '\0')
			return 0;
	}
}

static bool
same_userns(pid_t tid)
{
	struct stat theirs, ours;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/user", tid);
	return stat(path, &theirs) == 0 && stat("/proc/self/ns/user", &ours) == 0 &&
	       theirs.st_ino == ours.st_ino && theirs.st_dev == ours.st_dev;
}

/* Gets the rights with which a thread touches files. */
int
procfs_identity(pid_t tid, struct identity *id)
{
	enum { CAP_DAC_OVERRIDE_BIT = 1 };
	char *status = read_status(tid);
	const char *uid, *gid, *groups, *caps;
	int ret = -1;

	*id = (struct identity){ 0 };
	if (status == NULL)
		return -1;
	uid = status_field(status, "Uid");
	gid = status_field(status, "Gid");
	groups = status_field(status, "Groups");
	caps = status_field(status, "CapEff");
	if (uid != NULL && gid != NULL && groups != NULL && caps != NULL) {
		id->uid = fs_id(uid);
		id->user = (uid_t)strtoul(uid, NULL, 10);
		id->gid = fs_id(gid);
		/* CAP_DAC_OVERRIDE of another user namespace gives no power over our files. */
		id->overrides = id->uid == 0 && same_userns(tid) &&
		                (strtoull(caps, NULL, 16) >> CAP_DAC_OVERRIDE_BIT & 1);
		ret = parse_groups(groups + strspn(groups, "\t "), id);
	} else {
		errno = EPROTO;
	}
	free(status);
	return ret;
}

/* Returns who has started a process: its real user id; -1 if it is gone.  So does *group, which may
 * be NULL. */
uid_t
procfs_user(pid_t pid, gid_t *group)
{
	char *status = read_status(pid);
	const uid_t user = status == NULL ? (uid_t)-1 : (uid_t)field_number(status, "Uid", 10);

	if (group != NULL)
		*group = status == NULL ? (gid_t)-1 : (gid_t)field_number(status, "Gid", 10);
	free(status);
	return user;
}

/* Returns the last id of a field that has one for each PID namespace, a tab before each; 0: there
 * is none. */
static pid_t
innermost(const char *field)
{
	const char *end = field == NULL ? NULL : strchrnul(field, '\n');
	long inner = 0;

	while (field != NULL && (field = strchr(field, '\t')) != NULL && field < end)
		inner = strtol(++field, NULL, 10);
	return (pid_t)inner;
}

/* Returns the id that a process has for itself, in its PID namespace. */
pid_t
procfs_inner_pid(pid_t pid)
{
	char *status = read_status(pid);
	const pid_t inner = status == NULL ? 0 : innermost(status_field(status, "NSpid"));

	free(status);
	return inner == 0 ? pid : inner;
}

/* Gets what a thread's process does with a signal.  Where that is not known it may have a handler,
 * so that nobody takes the signal for one that does nothing. */
void
procfs_signal_use(pid_t tid, int sig, struct signal_use *use)
{
	char *status = read_status(tid);

	*use = (struct signal_use){ .caught = true };
	if (status == NULL)
		return;
	use->ignored = field_number(status, "SigIgn", 16) >> (sig - 1) & 1;
	use->caught = field_number(status, "SigCgt", 16) >> (sig - 1) & 1;
	use->by_init = innermost(status_field(status, "NStgid")) == 1;
	free(status);
}
