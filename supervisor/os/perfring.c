/*
 * perf_event_open(2): a software clock that ticks with a thread's CPU time and notes where the
 * thread ran, without a stop, in a ring buffer for each CPU.
 *
 * Each ring belongs to an event that never fires; the events of all targets on that CPU write to
 * it.  The targets' events are inherited by new threads and forked children, and removed by an
 * exec.
 *
 * If the right to the events is our file's and not the caller's, they are opened once, on this
 * process before it has a child, and all targets get them by inheritance.  So no process id is
 * named, which might belong to another program by then, and the kernel removes the events where an
 * exec gives a process more power than it had.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include "os/arch.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { RING_PAGES = 64, MAX_CPUS = 1024 };
/* Bytes of a thread's stack that a sample has, if stacks are asked for: of programs that keep
 * buffers on it (bzip2, mini_httpd) 8 KiB do not reach main().  Half of a ring holds STACKS of
 * them.  A ring twice as large is all that an unprivileged user may lock without a higher
 * RLIMIT_MEMLOCK, so it may not be had. */
enum { STACK_BYTES = 16 << 10, STACKS = 7 };

struct ring {
	int cpu;
	int fd;
	struct perf_event_mmap_page *head;
};

static struct ring *rings;
static int nrings;
static size_t ring_size;
static bool threads_only;        /* sample a process's threads, but not its children */
static struct perf_events *tree; /* events that all targets inherit, or NULL */

/* What a sample holds, in the order that its sample_type asks for. */
struct sample_record {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t regs_abi; /* 0: no user registers, and the next member is not there */
	uint64_t regs[ARCH_PERF_REGS];
};

/* What follows if stacks are asked for. */
struct stack_record {
	uint64_t size; /* 0: there is no more */
	uint8_t data[STACK_BYTES];
	uint64_t used; /* bytes of `data` that were there to be read */
};

static int64_t clock_ahead; /* of a sample's time, ns */
static bool with_stacks;
static unsigned more_stacks = 1;       /* how many times STACKS there is room for */
static struct stack_record last_stack; /* of the sample that is being taken */

/* From here on samples have stacks. */
void
perfring_want_stacks(void)
{
	with_stacks = true;
}

/* Returns how many samples of a CPU may be left unread; 0: any number. */
unsigned
perfring_room(void)
{
	return with_stacks ? STACKS * more_stacks : 0;
}

/* Anybody may have rings, but not the events that write to them.  errno says why not. */
static bool
may_sample(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = NSEC,
		.exclude_hv = 1,
	};
	int fd = priv_perf_event_open(&attr, 0, -1);

	fds_close(fd);
	return fd >= 0;
}

/* Whether we may open events, now or with what our file has lent. */
bool
perfring_would_do(void)
{
	return priv_was_lent_perfmon() || may_sample();
}

/* Opens the rings of all CPUs.  Returns -1 with errno if they are not to be had. */
int
perfring_open(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (!may_sample())
		return -1;
	rings = calloc((size_t)cpus, sizeof(*rings));
	if (rings == NULL)
		return -1;
	for (int cpu = 0; cpu < cpus && cpu < MAX_CPUS; cpu++) {
		rings[nrings].cpu = cpu;
		rings[nrings].fd = priv_perf_event_open(&attr, 0, cpu);
		if (rings[nrings].fd >= 0) {
			nrings++;
		} else if (errno != ENODEV) { /* ENODEV: the CPU is offline */
			perfring_close();
			return -1;
		}
	}
	return nrings > 0 ? 0 : -1;
}

/* Lists our descriptors, for a caller that closes all others. */
int
perfring_fds(int *fd, int most)
{
	int n = 0;

	for (int i = 0; i < nrings && n < most; i++)
		fd[n++] = rings[i].fd;
	for (int i = 0; tree != NULL && i < tree->n && n < most; i++)
		fd[n++] = tree->fd[i];
	return n;
}

/* Closes all, after a failure or in the process that will not read the rings. */
void
perfring_close(void)
{
	const int saved = errno;

	perf_events_drop(tree);
	tree = NULL;
	for (int i = 0; i < nrings; i++)
		close(rings[i].fd);
	free(rings);
	rings = NULL;
	nrings = 0;
	errno = saved;
}

/* How many of `threads` threads may run at once. */
unsigned
perfring_busy(unsigned threads)
{
	return threads < (unsigned)nrings ? threads : (unsigned)nrings;
}

/* Has events write to the rings of their CPUs. */
static int
join_rings(const struct perf_events *ev)
{
	for (int i = 0; i < ev->n; i++)
		if (ioctl(ev->fd[i], PERF_EVENT_IOC_SET_OUTPUT, rings[i].fd) < 0)
			return -1;
	return 0;
}

static int
map_rings(unsigned pages)
{
	ring_size = (size_t)sysconf(_SC_PAGESIZE) * (pages + 1);
	for (int i = 0; i < nrings; i++) {
		rings[i].head =
		    mmap(NULL, ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, rings[i].fd, 0);
		if (rings[i].head == MAP_FAILED) {
			const int saved = errno;

			while (i-- > 0)
				munmap(rings[i].head, ring_size);
			errno = saved;
			return -1;
		}
	}
	return 0;
}

/* Called in the process that will read the rings. */
int
perfring_init(bool only_threads)
{
	threads_only = only_threads && tree == NULL;
	clock_ahead = procfs_clock_ahead();
	if (rings == NULL && perfring_open() < 0)
		return -1;
	if (with_stacks && map_rings(2 * RING_PAGES) == 0)
		more_stacks = 2;
	else if (map_rings(RING_PAGES) < 0)
		return -1;
	return tree == NULL ? 0 : join_rings(tree);
}

void
perf_events_drop(struct perf_events *ev)
{
	if (ev == NULL || --ev->refs > 0)
		return;
	while (ev != NULL) {
		struct perf_events *more = ev->more;

		for (int i = 0; i < ev->n; i++)
			close(ev->fd[i]);
		fds_close(ev->apart);
		free(ev);
		ev = more;
	}
}

/* `tid` 0 is this process: its events do not count before an exec. */
static int
open_event(pid_t tid, const struct ring *r, uint64_t period)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		               PERF_SAMPLE_REGS_USER | (with_stacks ? PERF_SAMPLE_STACK_USER : 0),
		.sample_regs_user = arch_perf_regs,
		.sample_stack_user = with_stacks ? STACK_BYTES : 0,
		.inherit = 1,
		.inherit_thread = threads_only,
		.disabled = tid == 0,
		.enable_on_exec = tid == 0,
		.remove_on_exec = tid != 0,
		.exclude_hv = 1,
		.exclude_guest = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	return priv_perf_event_open(&attr, tid, r->cpu);
}

/*
 * Opens an event that counts nothing, and that what the thread makes does not inherit.  Between a
 * thread and its child the kernel would else exchange their events at a switch, as they count the
 * same: the thread would go on with the child's period, its own would end with the child, and one
 * that makes many would hardly be found.
 */
static int
open_apart(pid_t tid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_hv = 1,
		.exclude_guest = 1,
	};

	return tid == 0 ? -1 : priv_perf_event_open(&attr, tid, -1);
}

static struct perf_events *
open_events(pid_t tid, uint64_t period)
{
	struct perf_events *ev = malloc(sizeof(*ev) + (size_t)nrings * sizeof(ev->fd[0]));

	if (ev == NULL)
		return NULL;
	*ev = (struct perf_events){ .refs = 1, .apart = open_apart(tid) };
	while (ev->n < nrings) {
		ev->fd[ev->n] = open_event(tid, &rings[ev->n], period);
		if (ev->fd[ev->n] < 0) {
			perf_events_drop(ev);
			return NULL;
		}
		ev->n++;
	}
	return ev;
}

/* Opens events for all processes that this one is about to start. */
int
perfring_open_tree(uint64_t period)
{
	tree = open_events(0, period);
	return tree == NULL ? -1 : 0;
}

/* Opens events for a thread and all that it makes from now on, on all CPUs, and adds them to
 * *events.  With a tree there is nothing left to open. */
int
perf_events_open(struct perf_events **events, pid_t tid, uint64_t period)
{
	struct perf_events *ev = tree;

	if (ev != NULL) {
		ev->refs += *events == NULL;
		*events = ev;
		return 0;
	}
	ev = open_events(tid, period);
	if (ev == NULL)
		return -1;
	if (join_rings(ev) < 0) {
		perf_events_drop(ev);
		return -1;
	}
	/* By now the id may have come to name another program. */
	if (trace_has_changed(tid)) {
		perf_events_drop(ev);
		errno = ESRCH;
		return -1;
	}
	if (*events == NULL) {
		*events = ev;
	} else {
		ev->more = (*events)->more;
		(*events)->more = ev;
	}
	return 0;
}

/* Copies `len` bytes at `at` out of the ring, around its end if need be. */
static void
copy_out(const struct ring *r, uint64_t at, void *to, size_t len)
{
	const size_t size = ring_size - (size_t)sysconf(_SC_PAGESIZE);
	const uint8_t *data = (const uint8_t *)r->head + sysconf(_SC_PAGESIZE);
	size_t off = (size_t)(at % size), first = len < size - off ? len : size - off;

	memcpy(to, data + off, first);
	memcpy((uint8_t *)to + first, data, len - first);
}

/* Copies the part of the stack that the sample has. */
static void
copy_stack(const struct ring *r, uint64_t at, uint64_t end, struct perf_sample *s)
{
	struct stack_record *stack = &last_stack;

	if (!with_stacks || end < at + sizeof(*stack))
		return;
	copy_out(r, at, &stack->size, sizeof(stack->size));
	copy_out(r, at + offsetof(struct stack_record, used), &stack->used, sizeof(stack->used));
	if (stack->size != sizeof(stack->data) || stack->used > stack->size)
		return;
	copy_out(r, at + offsetof(struct stack_record, data), stack->data, stack->used);
	s->stack = stack->data;
	s->stack_len = stack->used;
}

static void
take_record(const struct ring *r, uint64_t at, const struct perf_event_header *header,
            perf_sample_fn *take, void *arg, struct perf_losses *losses)
{
	struct sample_record rec = { 0 };
	struct perf_sample s;
	uint64_t lost[2];

	if (header->type == PERF_RECORD_LOST && header->size >= sizeof(*header) + sizeof(lost)) {
		copy_out(r, at + sizeof(*header), lost, sizeof(lost));
		losses->lost += lost[1];
	}
	if (header->type == PERF_RECORD_THROTTLE)
		losses->throttled++;
	if (header->type != PERF_RECORD_SAMPLE)
		return;
	copy_out(r, at, &rec, header->size < sizeof(rec) ? header->size : sizeof(rec));
	s = (struct perf_sample){ .pid = (pid_t)rec.pid,
		                  .tid = (pid_t)rec.tid,
		                  .time = rec.time + (uint64_t)clock_ahead };
	if (rec.regs_abi != 0) {
		arch_perf_take(rec.regs, &s.regs);
		copy_stack(r, at + sizeof(rec), at + header->size, &s);
	}
	/* A sample in the kernel is booked at the pc of the call that led there. */
	if ((header->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER)
		s.regs.pc = rec.ip;
	take(arg, &s);
}

/* Gives each new sample to `take`, with `arg`. */
void
perfring_drain(perf_sample_fn *take, void *arg, struct perf_losses *losses)
{
	for (struct ring *r = rings; r < rings + nrings; r++) {
		uint64_t head = __atomic_load_n(&r->head->data_head, __ATOMIC_ACQUIRE);
		uint64_t at = r->head->data_tail;
		struct perf_event_header header;

		while (at < head) {
			copy_out(r, at, &header, sizeof(header));
			if (header.size < sizeof(header))
				break;
			take_record(r, at, &header, take, arg, losses);
			at += header.size;
		}
		__atomic_store_n(&r->head->data_tail, head, __ATOMIC_RELEASE);
	}
}
