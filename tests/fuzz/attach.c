/*
 * attach() to a process that claims anything of its region, its tables and its threads' pointers,
 * whose memory may be late, and what follows: samples, changes of the range, pauses, new threads, a
 * forked child, and the file at the end.  Of its memory only the bytes that are ours to write are
 * written, and a region that it is told of lies where it said.
 *
 * An input is how jobs go, what was asked for, what the ELF file said and the threads as they
 * are found, then one operation after the other.  What the process's memory holds is taken from it,
 * too, at each reading: the state in full or as it was before, a table as some bytes again and
 * again.
 *
 * SPDX-License-Identifier: ISC
 */
// SOURCES: common/codetable.c common/machine_x86_64.c common/machine_aarch64.c
// SOURCES: attach.c attach_all.c profile.c state.c window.c vmshare.c tracee.c arctable.c arcset.c
// SOURCES: arcs.c hist.c gmon.c buffer.c bins.c mem.c dialect.c counts.c stacks.c timeline.c
// SOURCES: unwind.c waiting.c space.c maps.c secret.c
#include "memjobs.h"

#include <limits.h>

enum { MAX_FILE_BINS = 1 << 20, MAX_COPIES = 100000, MAX_TABLES = 4, MAX_TRIES = 1000 };
enum { PID = 1, CHILD = 2, STATE = 0x5000, FAULT = 0xff, AS_BEFORE = 0xfe };

static struct input input;
static struct profsup_state state; /* as last read */
static unsigned copies;
static uint64_t ticks;

/* A table's, or a word next to a thread pointer. */
static void
take_repeated(uint8_t *to, size_t len)
{
	uint8_t pattern[8 * sizeof(struct profsup_arc)];
	const size_t n = take_number(&input, 1) % 9 * sizeof(struct profsup_arc);

	take(&input, pattern, n);
	memset(to, 0, len);
	for (size_t i = 0; i < len && n > 0; i += n)
		memcpy(to + i, pattern, len - i < n ? len - i : n);
}

/* In place of memory.c's: claims. */
int
memory_read(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	const uint64_t flag = take_number(&input, 1);

	MUST(m != NULL && m->refs > 0);
	MUST(++copies < MAX_COPIES);
	if (flag == FAULT) {
		errno = EFAULT;
		return -1;
	}
	if (addr == STATE && len == sizeof(state)) {
		if (flag != AS_BEFORE)
			take(&input, &state, sizeof(state));
		memcpy(buf, &state, sizeof(state));
		return 0;
	}
	take_repeated(buf, len);
	return 0;
}

int
memory_write(struct memory *m, uint64_t addr, const void *data, size_t len, bool checked)
{
	(void)addr, (void)data, (void)len, (void)checked;
	MUST(m != NULL && m->refs > 0);
	MUST(++copies < MAX_COPIES);
	errno = EFAULT;
	return take_number(&input, 1) == FAULT ? -1 : 0;
}

static bool
is_region(const uint64_t word[5])
{
	const uint64_t header = sizeof(struct profsup_header), area = sizeof(struct profsup_arcs);
	const uint64_t buf = word[0], buflen = word[1], off = word[3] - buf, places = word[4];

	return buf != 0 && buf + buflen > buf && buflen <= PROFSUP_MAX_BUFLEN &&
	       word[2] <= PROFSUP_MAX_SAMPLESIZE && off >= header && off <= buflen &&
	       buflen - off >= area && places <= (buflen - off - area) / sizeof(struct profsup_arc);
}

static void
check_writes(const struct memjob *e)
{
	const uint8_t *data = e->out;
	uint64_t word[5];

	for (size_t i = 0; i < e->pieces; data += e->to[i++].len) {
		const uint64_t at = e->to[i].addr - STATE;

		if (e->to[i].len == sizeof(word)) {
			MUST(at == offsetof(struct profsup_state, buf));
			memcpy(word, data, sizeof(word));
			MUST(is_region(word));
		} else {
			MUST(e->to[i].len == 1 &&
			     (at == offsetof(struct profsup_state, mode) ||
			      at == offsetof(struct profsup_state, shared_tp) ||
			      at == offsetof(struct profsup_state, supervised)));
		}
	}
}

/* In place of procfs.c's. */
pid_t
procfs_tgid(pid_t tid, pid_t *parent)
{
	(void)tid;
	*parent = 0;
	return PID;
}

pid_t *
procfs_threads(pid_t pid, size_t *n)
{
	pid_t *tid = calloc(8, sizeof(*tid));

	(void)pid;
	MUST(tid != NULL);
	*n = take_number(&input, 1) % 8;
	for (size_t i = 0; i < *n; i++)
		tid[i] = PID + (pid_t)(take_number(&input, 1) % 64) * 2;
	return tid;
}

bool
procfs_is_zombie(pid_t tid)
{
	(void)tid;
	return take_number(&input, 1) % 2 != 0;
}

bool
procfs_thread_runs(pid_t pid, pid_t tid)
{
	(void)pid;
	(void)tid;
	return take_number(&input, 1) % 2 != 0;
}

/* In place of ptrace.c's. */
int
trace_seize(pid_t tid, bool watched)
{
	static const int errors[] = { ESRCH, EPERM };
	const uint64_t answer = take_number(&input, 1) % 8;

	(void)tid, (void)watched;
	if (answer < 6)
		return 0;
	errno = errors[answer - 6];
	return -1;
}

bool
trace_has_changed(pid_t tid)
{
	(void)tid;
	return take_number(&input, 1) == FAULT;
}

int
trace_regs(pid_t tid, struct arch_regs *regs)
{
	(void)tid;
	*regs = (struct arch_regs){ .thread_pointer = take_number(&input, 8) };
	errno = ESRCH;
	return take_number(&input, 1) == FAULT ? -1 : 0;
}

/* In place of image.c's. */
const char *
image_attach(struct profsup *ps, struct proc *proc, uint64_t patience)
{
	(void)ps, (void)patience;
	proc->image.state_addr = STATE;
	proc->image.elf.runtime = true;
	proc->image.elf.state = take_number(&input, 8);
	proc->image.elf.text_size = take_number(&input, 2);
	proc->watch = take_number(&input, 1) % 2 ? WATCH_CALLS : WATCH_NONE;
	mem_open(proc, proc->pid);
	return NULL;
}

bool
finish_image(struct profsup *ps, struct proc *proc, enum chance chance)
{
	struct profile *p = proc->profile;
	struct buffer file;

	(void)ps;
	if (arctable_read(proc) < 0 && errno == ETIMEDOUT && chance == MAY_WAIT)
		return false;
	proc->end.done = true;
	arcs_subtract(&p->counts.arcs, &p->counts.minus);
	if (p->counts.hist.nbins > MAX_FILE_BINS ||
	    gmon_encode(&p->counts, &(struct image_id){ 0 }, 100, &file) < 0)
		return true;
	MUST(file.len < 1UL << 30);
	buffer_free(&file);
	return true;
}

static bool
/* cppcheck-suppress constParameter */
serve(struct profsup *ps)
{
	return ps != NULL;
}

/* In place of detach.c's. */
bool
detach_state(struct proc *proc)
{
	return proc->image.state_addr == 0 || state_tell(proc, PROFSUP_HELD) == 0 ||
	       errno != ETIMEDOUT;
}

/* In place of detach.c's: whoever can't be let go yet is held, and comes again. */
void
detach_all(struct profsup *ps)
{
	unsigned tries = 0;

	for (struct proc *proc = ps->procs; proc != NULL; proc = proc->hh.next)
		while (!detach_state(proc))
			MUST(++tries < MAX_TRIES);
}

void
detach_end(struct profsup *ps, const char *why)
{
	(void)why;
	window_stop(ps);
	detach_all(ps);
}

bool
mailbox_open(struct profsup *ps, struct proc *proc)
{
	(void)ps, (void)proc;
	return take_number(&input, 1) != FAULT;
}

uint64_t
clock_now(void)
{
	static uint64_t now;

	return now += NSEC / 8;
}

void
mapped_forget(struct proc *proc)
{
	space_drop(proc->vm.space);
	proc->vm.space = NULL;
}

const char *
diagnose_attach(pid_t pid)
{
	(void)pid;
	return "";
}

/* None that was not named. */
pid_t *
procfs_family(const pid_t *of, size_t nof, pid_t but, size_t *n)
{
	(void)of, (void)nof, (void)but;
	*n = 0;
	return NULL;
}

void
select_name(pid_t pid, char name[16])
{
	(void)pid;
	*name = '\0';
}

bool
select_matches(const struct options *opt, pid_t pid)
{
	(void)opt, (void)pid;
	return true;
}

/* As cpu_time_credit() books it. */
static void
do_sample(struct profile *p)
{
	const uint64_t pc = take_number(&input, 8), n = take_number(&input, 2);
	uint64_t index;

	if (!hist_index(&p->counts.hist, pc, &index) || hist_add(&p->counts.hist, index, n) == 0)
		p->counts.outside += n;
	ticks += n;
}

/* Held there, and asked again, until all that has to be done is: see dispatch.c. */
static void
do_first_stop(struct profsup *ps, struct tracee *t)
{
	unsigned tries = 0;

	while (!vmshare_first_stop(t) || (t->tid == t->proc->pid && !window_child(ps, t)) ||
	       !attach_child(ps, t))
		MUST(++tries < MAX_TRIES);
}

static void
do_fork(struct profsup *ps, const struct proc *parent)
{
	struct proc *child = proc_add(ps, CHILD);
	struct tracee *t = child == NULL ? NULL : tracee_add(ps, CHILD, child);

	MUST(t != NULL);
	child->profile = profile_fork(parent->profile);
	MUST(child->profile != NULL);
	child->image.elf = parent->image.elf;
	child->image.state_addr = parent->image.state_addr;
	mem_open(child, CHILD);
	do_first_stop(ps, t);
}

static void
do_thread(struct profsup *ps, struct proc *proc)
{
	const pid_t tid = PID + (pid_t)(take_number(&input, 1) % 64) * 2;
	struct tracee *t;

	if (proc->first == NULL || tracee_find(ps, tid) != NULL)
		return;
	t = tracee_add(ps, tid, proc);
	MUST(t != NULL);
	vmshare_note_creator(t->next, t);
	do_first_stop(ps, t);
}

static void
do_stops(struct proc *proc)
{
	for (struct tracee *t = proc->first; t != NULL; t = t->next)
		vmshare_stopped(t, take_number(&input, 1) % 4 == 0);
}

static void
do_operation(struct profsup *ps, struct proc *proc, unsigned *tables)
{
	switch (take_number(&input, 1) % 16) {
	case 0:
		do_sample(proc->profile);
		break;
	case 1:
		do_stops(proc);
		break;
	case 2:
		window_disable(ps);
		break;
	case 3:
		window_enable(ps);
		break;
	case 4:
		if (proc_find(ps, CHILD) == NULL) {
			++*tables;
			do_fork(ps, proc);
		}
		break;
	case 5:
		if (++*tables < MAX_TABLES)
			arctable_read(proc);
		break;
	case 7:
		do_thread(ps, proc);
		break;
	case 8:
		if (proc->image.untold)
			state_update(ps, proc);
		break;
	case 9:
		window_zero(ps);
		break;
	case 10:
		arctable_give_room(&proc->profile->counts.arcs);
		break;
	default:
		state_is_on(proc);
	}
}

static void
check_profile(const struct proc *proc)
{
	const struct profile *p = proc->profile;
	uint64_t sum = 0;
	unsigned doubts = 0;

	MUST(p->attached && p->counts.samplesize <= PROFSUP_MAX_SAMPLESIZE);
	MUST(p->buf_addr != 0 && p->buflen <= PROFSUP_MAX_BUFLEN);
	MUST(p->buf_addr + p->buflen > p->buf_addr);
	MUST(p->runtime.arcs_off >= sizeof(struct profsup_header) &&
	     p->runtime.arcs_off <= p->buflen);
	MUST(p->buflen - p->runtime.arcs_off >= sizeof(struct profsup_arcs));
	MUST(p->counts.hist.nbins * sizeof(uint16_t) <= p->counts.samplesize);
	MUST(p->counts.hist.scale != 0 && p->counts.hist.scale <= PROFSUP_SCALE_ONE);
	for (const struct tracee *t = proc->first; t != NULL; t = t->next)
		doubts += t->vm.doubted;
	MUST(proc->doubts == doubts);
	for (const struct hist_bin *bin = p->counts.hist.bins; bin != NULL; bin = bin->hh.next) {
		MUST(bin->index < p->counts.hist.nbins);
		sum += bin->ticks;
	}
	MUST(sum == p->counts.hist.ticks && sum + p->counts.outside == ticks);
}

/* From the attach to the end, with readings of the tables at both. */
static void
follow(struct profsup *ps, struct proc *proc)
{
	const uint64_t text = 4 * proc->image.elf.text_size;
	unsigned tables = 0;

	check_profile(proc);
	while (input.left > 0) {
		do_operation(ps, proc, &tables);
		check_profile(proc);
	}
	detach_end(ps, "");
	MUST(jobs.most_bytes <= (16UL << 20) + text + sizeof(struct profsup_arcs));
}

/* A process goes with its last thread. */
static void
drop_all(struct profsup *ps)
{
	struct proc *proc, *next_proc;
	struct tracee *t, *next;

	HASH_ITER (hh, ps->procs, proc, next_proc) {
		if (proc->first == NULL)
			tracee_add(ps, proc->pid, proc);
	}
	HASH_ITER (hh, ps->tracees, t, next) {
		tracee_drop(ps, t);
	}
	MUST(ps->procs == NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t start = fuzz_clock();
	pid_t pids[] = { PID, PID };
	struct profsup ps = {
		.outdir = -1,
		.front.pid = -1,
		.opt = { .pids = pids, .npids = 2 },
	};
	uint64_t flags;

	input = (struct input){ data, size };
	memjobs_begin(&input, check_writes);
	copies = 0;
	ticks = 0;
	state = (struct profsup_state){ 0 };
	flags = take_number(&input, 1);
	ps.opt.since_start = (flags & 1) != 0;
	ps.opt.delay_ms = (flags & 2) != 0 ? -1 : 0;
	ps.window.state = ps.opt.delay_ms != 0 ? WINDOW_SHUT : WINDOW_OPEN;

	if (attach(&ps, serve) == 0)
		follow(&ps, proc_find(&ps, PID));
	drop_all(&ps);
	memjobs_end();
	MUST(fuzz_clock() - start < FUZZ_MS);
	return 0;
}
