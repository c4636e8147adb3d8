/*
 * memory.c on our own memory, and on that of a child that has ended; all of it a second time under
 * a filter by which the kernel is one that can't be asked for a mapping.
 *
 * SPDX-License-Identifier: ISC
 */
#include "memory/memory.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PAGE 4096UL
enum { PAGES = 1000, MANY = 40000, RW = MEMORY_READABLE | MEMORY_WRITABLE };
/* _IOWR('f', 17, struct procmap_query). */
#define MAP_QUERY 0xc0686611U
/* As long as a text of the mappings counts, and more. */
#define OLD_US 150000

static const char *how; /* what the points are of */
static struct memory *ours;

static uint64_t
at(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/* Pages of which every second one may be written. */
static uint8_t *
some_pages(size_t n)
{
	uint8_t *p =
	    mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		bail("mmap");
	for (size_t i = 1; i < n; i += 2)
		if (mprotect(p + i * PAGE, PAGE, PROT_READ) < 0)
			bail("mprotect");
	return p;
}

static bool
may(uint64_t addr, uint64_t len, unsigned access)
{
	errno = 0;
	return memory_check(ours, addr, len, access) == 0;
}

static bool
may_not(uint64_t addr, uint64_t len, unsigned access)
{
	return !may(addr, len, access) && errno == EFAULT;
}

static void
test_check(void)
{
	uint8_t *p = some_pages(PAGES);
	unsigned right = 0;

	for (size_t i = 0; i < PAGES; i++)
		right += i % 2 == 0 ? may(at(p) + i * PAGE, PAGE, RW)
		                    : may_not(at(p) + i * PAGE, PAGE, RW);
	is_int(right, PAGES, "%s: each of many pages is known", how);
	ok(may(at(p), 1, RW) && may(at(p) + PAGE - 1, 1, RW) && may_not(at(p) + PAGE, 1, RW),
	   "%s: to the byte", how);
	ok(may(at(p), PAGES * PAGE, MEMORY_READABLE), "%s: a range in many mappings", how);
	ok(may(at(p) + PAGE, PAGE, MEMORY_READABLE) && may_not(at(p) + PAGE, PAGE, RW),
	   "%s: what may be read may not be written", how);
	ok(may_not(at(p) + 1, PAGE, RW) && may_not(at(p) + PAGE, PAGE + 1, RW),
	   "%s: a range of which an end may not be written", how);
	ok(may(at(p), 0, RW) && may_not(UINT64_MAX - 7, 9, RW), "%s: nothing, and too much", how);
	if (mprotect(p + 2 * PAGE, PAGE, PROT_NONE) < 0 || munmap(p + 4 * PAGE, PAGE) < 0)
		bail("munmap");
	usleep(OLD_US);
	ok(may_not(at(p) + 2 * PAGE, 1, MEMORY_READABLE), "%s: a page that nobody may read", how);
	ok(may_not(at(p) + 3 * PAGE, 2 * PAGE, MEMORY_READABLE) &&
	       may(at(p) + 3 * PAGE, PAGE, MEMORY_READABLE),
	   "%s: a range with a hole behind", how);
	munmap(p, PAGES * PAGE);
}

static void
test_write(void)
{
	static const uint8_t word[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	uint8_t *p = some_pages(2), back[8] = { 0 };

	ok(memory_write(ours, at(p) + PAGE - 8, word, 8, false) == 0 &&
	       memcmp(p + PAGE - 8, word, 8) == 0,
	   "%s: a page is written up to its end", how);
	ok(memory_read(ours, at(p) + PAGE - 8, back, 8) == 0 && memcmp(back, word, 8) == 0,
	   "%s: and read", how);
	errno = 0;
	ok(memory_write(ours, at(p) + PAGE, word, 8, false) < 0 && errno == EFAULT && p[PAGE] == 0,
	   "%s: not one that may not be written", how);
	ok(memory_write(ours, at(p) + PAGE - 4, word, 8, false) < 0 && p[PAGE - 4] == 5 &&
	       p[PAGE] == 0,
	   "%s: nor a part of it", how);
	may(at(p), 8, RW);
	if (mprotect(p, PAGE, PROT_READ) < 0)
		bail("mprotect");
	ok(memory_write(ours, at(p), word, 8, true) == 0 && p[7] == 8,
	   "%s: who has just looked need not look again", how);
	ok(memory_write(ours, at(p) + PAGE, word, 8, true) < 0 && p[PAGE] == 0,
	   "%s: but for the mapping that was seen", how);
	ok(memory_write(ours, at(p) - 8, word, 8, true) < 0 &&
	       memory_write(ours, at(p) + PAGE - 4, word, 8, true) < 0 && p[PAGE - 4] == 5,
	   "%s: and all of it", how);
	usleep(OLD_US);
	ok(memory_write(ours, at(p) + 8, word, 8, false) < 0 && p[8] == 0,
	   "%s: another look sees a change", how);
	munmap(p, 2 * PAGE);
	errno = 0;
	ok(memory_read(ours, at(p), back, 8) < 0 && errno == EFAULT, "%s: what is not there", how);
	errno = 0;
	ok(memory_read(ours, UINT64_MAX - 7, back, 8) < 0 && errno == EFAULT,
	   "%s: nor at the end of all addresses", how);
}

/* Our own code, by the mappings. */
static void
test_maps(void)
{
	struct code_maps maps = { 0 };
	const struct code_map *found = NULL;
	char exe[256] = "";

	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0)
		bail("readlink");
	is_int(memory_maps(ours, &maps), 0, "%s: code is mapped", how);
	for (size_t i = 0; i < maps.n; i++)
		if (maps.map[i].low <= at(&test_maps) && at(&test_maps) < maps.map[i].high)
			found = &maps.map[i];
	is_str(found == NULL ? NULL : found->path, exe, "%s: ours, too", how);
	maps_free(&maps);
}

/* Whether the kernel has the call that tells of one mapping. */
static bool
can_tell(void)
{
	const int fd = open("/proc/self/maps", O_RDONLY);
	const bool can = ioctl(fd, MAP_QUERY, NULL) == 0 || errno != ENOTTY;

	close(fd);
	return can;
}

static void
test_file(void)
{
	const int fd = open("/proc/self/exe", O_RDONLY);
	struct stat st;
	uint8_t *p = mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE, fd, PAGE);
	struct mapped_file file = { 0 };
	bool told;

	if (p == MAP_FAILED || fstat(fd, &st) < 0)
		bail("mmap");
	file = (struct mapped_file){ st.st_dev, st.st_ino, PAGE };
	ok(memory_has(ours, at(p), &file), "%s: a file is mapped", how);
	file.offset += PAGE;
	ok(memory_has(ours, at(p) + PAGE, &file), "%s: its next page", how);
	told = can_tell();
	ok(memory_has(ours, at(p), &file) == !told, "%s: not at this address", how);
	file.offset = PAGE;
	file.ino++;
	ok(memory_has(ours, at(p), &file) == !told, "%s: another file is not", how);
	file.ino--;
	file.dev++;
	ok(memory_has(ours, at(p), &file) == !told, "%s: nor one of another device", how);
	file.dev--;
	munmap(p, 2 * PAGE);
	ok(memory_has(ours, at(p), &file) == !told, "%s: nor one that is mapped no more", how);
	close(fd);
}

static void
test_gone(void)
{
	const pid_t pid = fork();
	struct memory *m;
	struct code_maps maps = { 0 };
	uint8_t byte;

	if (pid == 0) {
		pause();
		_exit(0);
	}
	m = memory_open(pid);
	if (m == NULL)
		bail("memory_open");
	is_int(memory_user(m), getuid(), "%s: whose it is", how);
	ok(memory_read(m, at(how), &byte, 1) == 0, "%s: a child's memory is there", how);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	errno = 0;
	ok(memory_read(m, at(how), &byte, 1) < 0 && errno == ESRCH, "%s: until its end", how);
	errno = 0;
	ok(memory_maps(m, &maps) < 0 && errno == ESRCH, "%s: and so are its mappings", how);
	ok(memory_check(m, at(how), 1, MEMORY_READABLE) < 0, "%s: nothing may be read then", how);
	memory_drop(memory_share(m));
	ok(memory_read(m, at(how), &byte, 1) < 0 && errno == ESRCH, "%s: it is shared", how);
	memory_drop(m);
	errno = 0;
	ok(memory_open(pid) == NULL && errno == ENOENT, "%s: one that is gone has none", how);
}

/* As many mappings as a process may usually have, or nearly. */
static void
test_many(void)
{
	uint8_t *p = some_pages(MANY);

	ok(may(at(p), 1, RW), "%s: the first of very many mappings", how);
	ok(may(at(p) + (MANY - 2) * PAGE, 1, RW), "%s: the last", how);
	munmap(p, MANY * PAGE);
}

static void
test_all(const char *what)
{
	how = what;
	test_check();
	test_write();
	test_maps();
	test_file();
	test_gone();
	test_many();
}

/* From here on the call fails. */
static void
forbid_queries(int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MAP_QUERY, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
		bail("seccomp");
}

static unsigned
descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

int
main(void)
{
	const unsigned before = descriptors();

	is_int(memory_user(NULL), (uid_t)-1, "what is not there is nobody's");
	ours = memory_open(getpid());
	if (ours == NULL)
		bail("memory_open");
	test_all("as it is");
	forbid_queries(ENOTTY);
	test_all("by the text");
	forbid_queries(ENOENT); /* as of an address where nothing is mapped */
	ok(memory_has(ours, at(&ours), &(struct mapped_file){ 0 }),
	   "then the kernel is not asked again");
	memory_drop(ours);
	is_int(descriptors(), before, "no descriptor is left open");
	return done_testing();
}
