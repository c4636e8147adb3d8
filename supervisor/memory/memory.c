/*
 * One address space, by a descriptor that stays bound to it.
 *
 * A process id names whatever process has it at the moment: a thread that nobody traces can execute
 * a set-user-ID program and take over the id of its traced leader.  /proc/PID/mem, once opened, is
 * of the memory that the process had then, and of no other: after an exec or the process's end
 * there is nothing behind it any more.
 *
 * Writes through it ignore the target's page protection, so before each write the address is looked
 * up in the mappings, by another such descriptor.  A target that changes the protection in that
 * very moment has only its own private copy of a page written.
 *
 * Any read, write or look may wait for as long as the target likes, so worker threads do them
 * (memjob.c).
 *
 * SPDX-License-Identifier: ISC
 */
#include "memory/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct memory {
	unsigned refs; /* only the main thread touches them */
	pid_t pid;     /* whose it was when it was opened */
	int fd, maps;
	uint64_t low, high; /* the last mapping found to allow `access` */
	unsigned access;
	uint64_t looked_at; /* when the text was last read, ns */
};

/* The kernel's struct procmap_query, of Linux 6.11; the headers of Debian 12 have none. */
struct map_query {
	uint64_t size, flags, addr;
	uint64_t start, end, vma_flags, page_size, offset, inode;
	uint32_t dev_major, dev_minor, name_size, build_id_size;
	uint64_t name_addr, build_id_addr;
};
#define MAP_QUERY _IOWR('f', 17, struct map_query)

static atomic_bool no_query;

/* Without that call we read the mappings as text: MOST_TEXT of it, which has room for the 65,530
 * mappings that a process may have, and once in TEXT_NS. */
enum { MOST_TEXT = 8 << 20 };
#define TEXT_NS (NSEC / 10)

/* A supervisor that may take on the ids of a process's owner needs no power over files to write the
 * process's memory, only the right to trace it. */
static int
open_as_owner(pid_t pid)
{
	const int place = procfs_open(pid, "mem", O_PATH);
	struct stat st;
	int fd = -1;

	if (place < 0)
		return -1;
	if (fstat(place, &st) == 0 &&
	    priv_become(&(struct identity){ .uid = st.st_uid, .gid = st.st_gid }) == 0) {
		fd = procfs_open(pid, "mem", O_RDWR);
		priv_return();
	}
	close(place);
	return fd;
}

/* Opens the memory of a process that is stopped, or that can't have execed since it was found to be
 * ours.  NULL with errno. */
struct memory *
memory_open(pid_t pid)
{
	struct memory *m = calloc(1, sizeof(*m));
	int saved;

	if (m == NULL)
		return NULL;
	m->refs = 1;
	m->pid = pid;
	m->fd = procfs_open(pid, "mem", O_RDWR);
	if (m->fd < 0 && errno == EACCES && priv_may_be_others())
		m->fd = open_as_owner(pid);
	m->maps = m->fd < 0 ? -1 : procfs_open(pid, "maps", O_RDONLY);
	if (m->maps >= 0)
		return m;
	saved = errno;
	memory_drop(m);
	errno = saved;
	return NULL;
}

/* Returns whose process has it; -1: it is nobody's, `m` is NULL. */
uid_t
memory_user(const struct memory *m)
{
	return m == NULL ? (uid_t)-1 : procfs_user(m->pid, NULL);
}

struct memory *
memory_share(struct memory *m)
{
	m->refs++;
	return m;
}

void
memory_drop(struct memory *m)
{
	if (m == NULL || --m->refs > 0)
		return;
	fds_close(m->fd);
	fds_close(m->maps);
	free(m);
}

/* The end of the file means that the memory is gone; EIO and EINVAL, that there is no such page. */
static int
all_or_error(ssize_t n, size_t len)
{
	if (n == (ssize_t)len)
		return 0;
	if (n == 0)
		errno = ESRCH;
	else if (n > 0 || errno == EIO || errno == EINVAL)
		errno = EFAULT;
	return -1;
}

int
memory_read(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	return all_or_error(pread(m->fd, buf, len, (off_t)addr), len);
}

/* Gives each line of the mappings to `take`, which returns whether it wants no more. */
static bool
each_line(const struct memory *m, bool (*take)(void *arg, const char *line), void *arg)
{
	char buf[16384];
	size_t have = 0;
	off_t at = 0;
	ssize_t n;

	while (at < MOST_TEXT && have < sizeof(buf) - 1 &&
	       (n = pread(m->maps, buf + have, sizeof(buf) - 1 - have, at)) > 0) {
		char *line = buf, *stop;

		turn_give_way();
		at += n;
		have += (size_t)n;
		buf[have] = '\0';
		for (; (stop = strchr(line, '\n')) != NULL; line = stop + 1) {
			*stop = '\0';
			if (take(arg, line))
				return true;
		}
		have -= (size_t)(line - buf);
		memmove(buf, line, have);
	}
	return false;
}

struct search {
	struct memory *m;
	uint64_t addr, end;
};

/* Takes a line of the mappings, "LOW-HIGH rwxp ...": remembers it if it allows m->access at
 * s->addr, and goes on behind it. */
static bool
search_line(void *arg, const char *line)
{
	struct search *s = arg;
	char *at;
	const uint64_t low = strtoull(line, &at, 16);
	const uint64_t high = *at == '-' ? strtoull(at + 1, &at, 16) : 0;

	if (s->addr < low || s->addr >= high || *at != ' ' ||
	    ((s->m->access & MEMORY_READABLE) != 0 && at[1] != 'r') ||
	    ((s->m->access & MEMORY_WRITABLE) != 0 && at[2] != 'w'))
		return false;
	s->m->low = low;
	s->addr = s->m->high = high;
	return high >= s->end;
}

static bool
add_code(void *arg, const char *line)
{
	maps_add(arg, line);
	return false;
}

/* Reads what code is mapped. */
int
memory_maps(const struct memory *m, struct code_maps *maps)
{
	each_line(m, add_code, maps);
	if (maps->n > 0)
		return 0;
	errno = ESRCH;
	return -1;
}

/* Whether that file is mapped at `addr`, which has its offset; true if it can't be told. */
bool
memory_has(const struct memory *m, uint64_t addr, const struct mapped_file *file)
{
	struct map_query q = { .size = sizeof(q), .addr = addr };

	if (no_query)
		return true;
	if (ioctl(m->maps, MAP_QUERY, &q) < 0) {
		no_query |= errno == ENOTTY;
		return errno != ENOENT;
	}
	return q.inode == file->ino && makedev(q.dev_major, q.dev_minor) == file->dev &&
	       q.offset - q.start == file->offset - addr;
}

/* Looks up the mappings of a range, and remembers the last one, if they allow m->access.  -1 with
 * EFAULT, or with ENOTTY where the kernel has no such call. */
static int
check_by_query(struct memory *m, uint64_t addr, uint64_t end)
{
	m->low = m->high = 0;
	for (; addr < end; addr = m->high) {
		struct map_query q = { .size = sizeof(q), .flags = m->access, .addr = addr };

		turn_give_way();
		if (ioctl(m->maps, MAP_QUERY, &q) < 0) {
			errno = errno == ENOTTY ? ENOTTY : EFAULT;
			return -1;
		}
		m->low = q.start;
		m->high = q.end;
	}
	return 0;
}

/* The same in one pass over the text, in which mappings stand in order. */
static int
check_by_text(struct memory *m, uint64_t addr, uint64_t end)
{
	const uint64_t now = clock_now();
	struct search s = { m, addr, end };

	if (addr >= m->low && end <= m->high && now - m->looked_at < TEXT_NS)
		return 0;
	m->looked_at = now;
	if (addr >= end || each_line(m, search_line, &s))
		return 0;
	errno = EFAULT;
	return -1;
}

/* Whether the target itself may access the whole range so, by a new look at the mappings. */
int
memory_check(struct memory *m, uint64_t addr, uint64_t len, unsigned access)
{
	uint64_t end;

	if (__builtin_add_overflow(addr, len, &end)) {
		errno = EFAULT;
		return -1;
	}
	if (access != m->access)
		m->low = m->high = 0;
	m->access = access;
	if (!no_query) {
		if (check_by_query(m, addr, end) == 0)
			return 0;
		if (errno != ENOTTY)
			return -1;
		no_query = true;
	}
	return check_by_text(m, addr, end);
}

/* `checked`: the last look at the mappings was a moment ago. */
int
memory_write(struct memory *m, uint64_t addr, const void *data, size_t len, bool checked)
{
	if (!(checked && addr >= m->low && addr < m->high && len <= m->high - addr) &&
	    memory_check(m, addr, len, MEMORY_READABLE | MEMORY_WRITABLE) < 0)
		return -1;
	return all_or_error(pwrite(m->fd, data, len, (off_t)addr), len);
}
