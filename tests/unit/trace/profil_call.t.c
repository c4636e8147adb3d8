/*
 * profil_call() with ourselves as the target: no ptrace is needed to read our own memory.
 *
 * SPDX-License-Identifier: ISC
 */
#include "tap.h"
#include "trace/trace.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

enum { BINS = 1000, SAMPLESIZE = 2 * BINS, BUFLEN = 1 << 20 };

static struct profsup_state state = {
	.magic = PROFSUP_STATE_MAGIC,
	.version = PROFSUP_ABI_VERSION,
	.low_pc = 0x401000,
	.high_pc = 0x402000,
	.mcount_pc = 0x401800,
};
static struct profsup ps = { .sampler = &sampler_ptrace,
	                     .period = 1000000,
	                     .tick.interval = 1000000 };
static struct proc *proc;
static struct tracee *self;
static uint8_t *buf;

/* The thread that calls is a child that shares our descriptors and directory, since it has to be
 * one that can be waited for. */
static pid_t caller;

static int
be_caller(void *arg)
{
	(void)arg;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (pause() < 0)
		;
	return 0;
}

static void
start_caller(void)
{
	static char stack[65536];

	caller = clone(be_caller, stack + sizeof(stack), CLONE_FILES | CLONE_FS | SIGCHLD, NULL);
	if (caller < 0)
		bail("clone");
}

/* A new image that may call profil. */
static void
start(void)
{
	if (self != NULL)
		tracee_drop(&ps, self);
	proc = proc_add(&ps, getpid());
	self = tracee_add(&ps, caller, proc);
	if (mem_open(proc, getpid()) < 0)
		bail("mem_open");
	proc->image.elf = (struct elf_info){ .is_elf = true,
		                             .runtime = true,
		                             .version = PROFSUP_ABI_VERSION,
		                             .state = (uint64_t)(uintptr_t)&state - 0x1000 };
	proc->image.state_addr = (uint64_t)(uintptr_t)&state;
}

static int64_t
ask(const void *at, uint64_t buflen, uint64_t samplesize, uint64_t offset, uint64_t scale,
    uint64_t dirfd)
{
	const uint64_t args[6] = {
		(uint64_t)(uintptr_t)at, buflen, samplesize, offset, scale, dirfd
	};

	return profil_call(&ps, self, args);
}

static int64_t
plain(void)
{
	return ask(buf, BUFLEN, SAMPLESIZE, 0x401000, 32768, (uint64_t)-1);
}

/* Each call below has every fault that comes later in the order as well. */
static void
order_of_errors(void)
{
	int file = open("/dev/null", O_RDONLY | O_CLOEXEC);

	start();
	proc->image.elf.runtime = false;
	is_int(ask(NULL, 0, 0, 0, 65537, 999), -EPERM, "without our note all is EPERM");
	is_int(ask(NULL, 0, 0, 0, 0, 999), -EPERM, "also scale 0");
	start();
	proc->image.elf.dynamic = true;
	is_int(ask(NULL, 0, 0, 0, 65537, 999), -EPERM, "and so it is in a dynamic image");
	start();
	proc->image.elf.foreign = true;
	is_int(ask(NULL, 0, 0, 0, 65537, 999), -EPERM, "and in one for another machine");
	start();
	is_int(ask(NULL, 0, 0, 0, 65537, 999), -EINVAL, "a scale above 65536 is EINVAL");
	is_int(ask(NULL, 0, 0, 0, UINT32_MAX, 999), -EINVAL, "also the largest there is");
	is_int(ask((void *)8, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, 999), 0,
	       "scale 0 is fine whatever else is said");
	ok(proc->profile == NULL && ps.stats.profiled == 0, "and registers nothing");
	is_int(ask(NULL, 0, 0, 0, 1, 999), -EBADF, "a descriptor that is not open is EBADF");
	is_int(ask(NULL, 0, 0, 0, 1, (uint64_t)-2), -EBADF, "so are negative ones but -1");
	is_int(ask(NULL, 0, 0, 0, 1, (uint64_t)-100), -EBADF, "AT_FDCWD among them");
	is_int(ask(NULL, 0, 0, 0, 1, (uint64_t)file), -ENOTDIR, "one of no directory is ENOTDIR");
	is_int(ask(buf, 8, 0, 0, 1, (uint64_t)-1), -EINVAL,
	       "then a buffer too small for its header is EINVAL");
	is_int(ask(NULL, BUFLEN, 0, 0, 1, (uint64_t)-1), -EFAULT,
	       "and one that is not there is EFAULT");
	ok(proc->profile == NULL, "none of these has registered anything");
	is_int(plain(), 0, "a good first call after all of them succeeds");
	is_int((int64_t)ps.stats.profiled, 1, "and is one profiled process");
	is_int(ask(buf + 1, BUFLEN, SAMPLESIZE, 0, 65537, 999), -EINVAL,
	       "another buffer with a wrong scale is EINVAL");
	is_int(ask(buf + 1, BUFLEN, SAMPLESIZE, 0, 0, 999), 0, "with scale 0 it stops");
	is_int(ask(buf + 1, 0, SAMPLESIZE, 0, 1, 999), -EALREADY,
	       "another buffer is EALREADY, before its descriptor or its sizes are looked at");
	is_int(ask(buf, BUFLEN - 1, SAMPLESIZE, 0, 1, 999), -EALREADY, "so is another length");
	is_int(ask(buf, BUFLEN, SAMPLESIZE, 0x401000, 32768, 999), 0,
	       "the same buffer again is fine and its descriptor is not looked at");
	close(file);
}

/* Bounds of what a caller may claim. */
static void
sizes(void)
{
	const uint64_t header = sizeof(struct profsup_header);
	const struct {
		const char *what;
		const void *at;
		uint64_t buflen, samplesize;
	} bad[] = {
		{ "bins that reach past the buffer", buf, BUFLEN, BUFLEN - header + 1 },
		{ "2^64 - 1 bytes of bins", buf, BUFLEN, UINT64_MAX },
		{ "bins that with the header are none", buf, BUFLEN, -header },
		{ "2^63 bytes of bins", buf, 1UL << 40, 1UL << 63 },
		{ "2^28 + 1 of them", buf, 1UL << 40, (1UL << 28) + 1 },
		{ "a buffer of 2^64 - 1 bytes", buf, UINT64_MAX, SAMPLESIZE },
		{ "also at an odd address", buf + 1, UINT64_MAX, SAMPLESIZE },
		{ "2^63 bytes", buf, 1UL << 63, SAMPLESIZE },
		{ "2^40 + 1 bytes", buf, (1UL << 40) + 1, SAMPLESIZE },
		{ "no room for a header", buf, header - 1, 0 },
		{ "none at all", buf, 0, 0 },
		{ "one that reaches around the end of all addresses", (void *)-4096UL, BUFLEN,
		  SAMPLESIZE },
		{ "which its bins do, too", (void *)-8UL, UINT64_MAX, UINT64_MAX - header },
	};

	start();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is_int(ask(bad[i].at, bad[i].buflen, bad[i].samplesize, 0, 65536, (uint64_t)-1),
		       -EINVAL, "EINVAL: %s", bad[i].what);
	ok(proc->profile == NULL, "nothing is registered");
	is_int(plain(), 0, "a good call still succeeds");
	is_int(ask(buf, BUFLEN, BUFLEN, 0, 65536, (uint64_t)-1), -EINVAL,
	       "later calls are held to the same bounds");
	ok(proc->profile != NULL && proc->profile->counts.samplesize == SAMPLESIZE,
	   "and what was registered stays");
}

/* A caller passes an unsigned int and an int: what stands above them in the registers is noise. */
static void
upper_halves(void)
{
	const uint64_t noise = 0xdeadbeef00000000;

	start();
	is_int(ask(buf, BUFLEN, SAMPLESIZE, 0, noise, noise | 5), 0,
	       "scale is the lower half of its register");
	ok(proc->profile == NULL, "so this one was 0");
	is_int(ask(buf, BUFLEN, SAMPLESIZE, 0, noise | 65536, noise | 0xffffffff), 0,
	       "and so is the descriptor");
	ok(proc->profile != NULL && proc->profile->counts.hist.scale == 65536,
	   "so this was 65536 and -1");
}

static void
what_is_registered(void)
{
	struct profile *p;
	struct stat here = { 0 }, there = { 0 };
	int dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	prctl(PR_SET_NAME, "a/b c\nd\377");
	start();
	is_int(ask(buf, BUFLEN, SAMPLESIZE, 0x401000, 32768, (uint64_t)dir), 0,
	       "a directory's descriptor is taken");
	close(dir);
	p = proc->profile;
	ok(fstat(p->place->dirfd, &there) == 0 && stat("/", &here) == 0 &&
	       there.st_ino == here.st_ino && there.st_dev == here.st_dev,
	   "and kept, though the caller closes its own");
	ok(fcntl(p->place->dirfd, F_GETFL) & O_PATH, "as a place, without rights");
	is_str(p->place->name, "a_b_c_d_", "the name is fit for a file");
	ok(p->place->id.uid == geteuid() && p->place->id.gid == getegid(), "the identity is ours");
	ok(p->buf_addr == (uint64_t)(uintptr_t)buf && p->buflen == BUFLEN &&
	       p->counts.samplesize == SAMPLESIZE,
	   "the buffer is the caller's");
	ok(p->counts.low_pc == 0x401000 && p->counts.high_pc == 0x402000 &&
	       p->runtime.mcount_pc == 0x401800,
	   "the text is the state's");
	is_int((int64_t)p->counts.bias, 0x1000, "the load address is where the state was found");
	ok(p->counts.hist.nbins == BINS && p->counts.hist.offset == 0x401000 &&
	       p->counts.hist.scale == 32768,
	   "and the geometry the call's");

	dir = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	prctl(PR_SET_NAME, "other");
	is_int(ask(buf, BUFLEN, SAMPLESIZE, 0x401000, 32768, (uint64_t)dir), 0,
	       "a later call with another directory succeeds");
	ok(proc->profile == p && fstat(p->place->dirfd, &there) == 0 &&
	       there.st_ino == here.st_ino && there.st_dev == here.st_dev,
	   "and does not move the place");
	is_str(p->place->name, "a_b_c_d_", "nor the name");
	close(dir);
}

static uint64_t
ticks_at(const struct hist *h, uint64_t pc)
{
	struct hist_bin *bin;
	uint64_t index;

	if (!hist_index(h, pc, &index))
		return 0;
	index = secret_mix(index);
	HASH_FIND(hh, h->bins, &index, sizeof(index), bin);
	return bin == NULL ? 0 : bin->ticks;
}

/* The same buffer with another scale or offset: counts stay at their addresses. */
static void
new_geometry(void)
{
	struct profile *p;
	uint64_t index;

	start();
	is_int(plain(), 0, "4 bytes of text a bin");
	p = proc->profile;
	hist_index(&p->counts.hist, 0x401000, &index);
	hist_add(&p->counts.hist, index, 10);
	hist_index(&p->counts.hist, 0x401100, &index);
	hist_add(&p->counts.hist, index, 20);
	is_int(plain(), 0, "the same geometry again");
	is_int((int64_t)p->counts.hist.ticks, 30, "keeps the counts");
	is_int(ask(buf, BUFLEN, SAMPLESIZE, 0x401000, 65536, (uint64_t)-1), 0,
	       "2 bytes of text a bin");
	ok(ticks_at(&p->counts.hist, 0x401000) == 10 && ticks_at(&p->counts.hist, 0x401100) == 20,
	   "leaves the counts at their addresses");
	is_int((int64_t)p->counts.hist.ticks, 30, "and no more of them");
	is_int(ask(buf, BUFLEN, 64, 0x401000, 65536, (uint64_t)-1), 0, "32 bins are enough");
	ok(ticks_at(&p->counts.hist, 0x401000) == 10 && p->counts.hist.ticks == 10 &&
	       p->counts.outside == 20,
	   "for those in their range; others count as outside");
	is_int(ask(buf, BUFLEN, SAMPLESIZE, 0x401000, 1, (uint64_t)-1), 0, "the least scale");
	ok(ticks_at(&p->counts.hist, 0x401000) == 10 && p->counts.hist.ticks == 10,
	   "keeps them too");
	is_int(ask(buf, BUFLEN, 0, 0x401000, 65536, (uint64_t)-1), 0, "no bins at all are fine");
	ok(p->counts.hist.ticks == 0 && p->counts.outside == 30, "and hold nothing");
}

/* To move many bins takes long: who asks for another range at once waits. */
static void
many_bins(void)
{
	struct profile *p;
	uint64_t began;

	start();
	is_int(plain(), 0, "a profile");
	p = proc->profile;
	bins_set_range(p, 1 << 22, 0, 65536);
	for (uint64_t i = 0; i < 200000; i++)
		hist_add(&p->counts.hist, i, 1);
	began = clock_now();
	ok(bins_set_range(p, 1 << 22, 0, 32768), "its 200,000 bins get another range");
	ok(p->mode.range_at > began, "the next one waits");
	p->mode.range_at = UINT64_MAX; /* however long we are kept from a CPU here */
	is_int(ask(buf, BUFLEN, SAMPLESIZE, 0x401000, 65536, (uint64_t)-1), -ETIMEDOUT,
	       "a call for one more has to wait");
	is_int(p->counts.hist.scale, 32768, "until then the range stays");
	ok(bins_set_range(p, 1 << 22, 0, 32768), "and may be asked for again");
	p->mode.range_at = 0;
	is_int(ask(buf, BUFLEN, SAMPLESIZE, 0x401000, 65536, (uint64_t)-1), 0, "later it is taken");
}

static void
missing_buffer(void)
{
	start();
	munmap(buf, 4096);
	is_int(plain(), -EFAULT, "a header that is not there is EFAULT");
	ok(proc->profile == NULL, "and registers nothing");
	if (mmap(buf, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
	         0) == MAP_FAILED)
		bail("mmap");
	proc->image.state_addr = 8;
	is_int(plain(), -EFAULT, "so is a state that can't be read");
	ok(proc->profile == NULL, "which registers nothing either");
}

/* A refused call must not keep a descriptor: the target can make as many as it likes. */
static void
no_leaks(void)
{
	int before, after;

	start();
	before = dup(0);
	close(before);
	for (int i = 0; i < 3000; i++)
		ask(NULL, BUFLEN, 0, 0, 1, (uint64_t)-1);
	after = dup(0);
	close(after);
	is_int(after, before, "3,000 refused calls leave no descriptor open");
}

int
main(void)
{
	buf = mmap(NULL, BUFLEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buf == MAP_FAILED)
		bail("mmap");
	ps.outdir = -1;
	ps.opt.hz = 100;
	ps.period = NSEC / ps.opt.hz;
	memjob_patience(60 * NSEC);
	start_caller();
	order_of_errors();
	sizes();
	upper_halves();
	what_is_registered();
	new_geometry();
	many_bins();
	missing_buffer();
	no_leaks();
	tracee_drop(&ps, self);
	kill(caller, SIGKILL);
	ok(ps.procs == NULL && ps.tracees == NULL, "nothing is left");
	return done_testing();
}
