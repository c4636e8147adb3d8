/*
 * Memory of programs and files of ours that may answer late, or never: memory/memory.c, and the
 * making of files in output/file.c and os/helper.c, of the simulated machine.  A program counts its
 * calls in its memory, as the runtime does.
 *
 * Only the kinds that ask for it have any of this.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sim.h"

#include "gmon_layout.h"
#include "output/file.h"

/* What an access takes, ns, if nothing is late. */
enum { ACCESS = 1500, ASKED = 30000, FILE_ITSELF = 150000, HELPER = 500000 };

/* Where things are in a program's memory. */
#define STATE_AT  0x100000UL
#define REGION_AT 0x200000UL
enum { BINS = FUNCTIONS * FUNCTION_BYTES, PLACES = 4 * FUNCTIONS };

struct region {
	struct profsup_header header;
	uint8_t bins[BINS];
	struct profsup_arcs arcs; /* of its pool the first quarter is shared */
};
#define REGION_BYTES (sizeof(struct region) + PLACES * sizeof(struct profsup_arc))

struct memory {
	unsigned refs;
	struct process *process;
};

static uint32_t
address_of(unsigned function)
{
	return (uint32_t)((function + 1) * FUNCTION_BYTES + 16);
}

/* A new process has counted nothing.  Of some the memory is frozen later on, for a while or for
 * good. */
void
late_new(struct process *p)
{
	p->region = calloc(1, REGION_BYTES);
	if (p->region == NULL)
		abort();
	p->frozen_at = p->thawed_at = UINT64_MAX;
	if (kind->late != LATE_MEMORY || engine_random(3) != 0)
		return;
	p->frozen_at = now + engine_random(NSEC);
	if (engine_random(2) != 0)
		p->thawed_at = p->frozen_at + engine_random(4 * NSEC);
}

/* The program calls a function. */
void
late_call(struct process *p, unsigned function)
{
	struct profsup_arc *arc = &p->region->arcs.pool[function];

	p->region->arcs.shared_used = 1;
	*arc = (struct profsup_arc){ address_of(function), address_of(0), arc->count + 1 };
	p->calls[function]++;
}

/* Makes the profile that a process of such a kind begins with. */
void
late_begin(struct proc *proc)
{
	struct profile *p = proc->profile;

	proc->image.state_addr = STATE_AT;
	p->counts.low_pc = FUNCTION_BYTES;
	proc->image.elf.text_size = p->counts.high_pc = (FUNCTIONS + 1) * FUNCTION_BYTES;
	p->buf_addr = REGION_AT;
	p->buflen = REGION_BYTES;
	p->runtime.arcs_off = offsetof(struct region, arcs);
	p->place->may_hang = machine.files_hang;
	strcpy(p->place->name, "prog");
	mem_open(proc, proc->pid);
}

struct memory *
__wrap_memory_open(pid_t pid)
{
	struct memory *m = calloc(1, sizeof(*m));

	if (m == NULL)
		abort();
	m->refs = 1;
	for (m->process = processes; m->process->pid != pid;)
		m->process = m->process->next;
	return m;
}

uid_t
__wrap_memory_user(const struct memory *m)
{
	return m == NULL ? (uid_t)-1 : 0;
}

struct memory *
__wrap_memory_share(struct memory *m)
{
	m->refs++;
	return m;
}

void
__wrap_memory_drop(struct memory *m)
{
	if (m != NULL && --m->refs == 0)
		free(m);
}

/* Returns when the memory has answered. */
static int
wait_for(const struct process *p)
{
	ours_spend(kind->late == ASKED_MEMORY ? ASKED : ACCESS);
	if (engine_random(1000) < machine.memory_late_in_1000)
		ours_sleep(now + engine_spread(machine.memory_late, 90));
	while (now >= p->frozen_at && now < p->thawed_at)
		ours_sleep(p->thawed_at);
	if (p->threads > 0)
		return 0;
	errno = ESRCH;
	return -1;
}

static void *
place_of(struct process *p, uint64_t addr, size_t len)
{
	if (addr < REGION_AT || addr + len > REGION_AT + REGION_BYTES)
		abort();
	return (uint8_t *)p->region + (addr - REGION_AT);
}

int
__wrap_memory_read(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	/* Who turns it on and off is asked at each tick. */
	const struct profsup_state state = { .mode = PROFSUP_MODE_ON,
		                             .toggles = kind->late == ASKED_MEMORY ? 2 : 1 };

	if (wait_for(m->process) < 0)
		return -1;
	if (addr == STATE_AT && len == sizeof(state))
		memcpy(buf, &state, len);
	else
		memcpy(buf, place_of(m->process, addr, len), len);
	return 0;
}

int
__wrap_memory_write(struct memory *m, uint64_t addr, const void *data, size_t len, bool checked)
{
	(void)checked;
	if (wait_for(m->process) < 0)
		return -1;
	memcpy(place_of(m->process, addr, len), data, len);
	return 0;
}

/* What is in a process's file is what its process has had. */
static void
take(struct process *p, const struct buffer *b)
{
	const uint8_t *at = b->data + sizeof(struct gmon_file_header), *end = b->data + b->len;

	p->encoded++;
	while (at < end) {
		if (*at++ == GMON_TAG_TIME_HIST) {
			const struct gmon_hist_header *head = (const void *)at;
			const uint8_t *bin = at + sizeof(*head);

			for (uint32_t i = 0; i < head->hist_size; i++) {
				uint16_t ticks;

				memcpy(&ticks, bin + i * sizeof(ticks), sizeof(ticks));
				if (ticks != 0)
					p->booked[(head->low_pc + 2UL * i) / FUNCTION_BYTES - 1] +=
					    ticks;
			}
			at = bin + head->hist_size * sizeof(uint16_t);
		} else {
			const struct gmon_arc_record *arc = (const void *)at;

			p->told[arc->self_pc / FUNCTION_BYTES - 1] += arc->count;
			at += sizeof(*arc);
		}
	}
}

static struct process *
process_of(pid_t pid)
{
	struct process *p = processes;

	while (p != NULL && p->pid != pid)
		p = p->next;
	return p;
}

/* Whose file it is, by its name: gmon.PID.out, as the programs have no names. */
static struct process *
process_of_file(const char *name)
{
	return process_of((pid_t)strtol(name + strlen("gmon."), NULL, 10));
}

int __real_file_encode(struct job *j, struct buffer *data, struct buffer *stacks);

int
__wrap_file_encode(struct job *j, struct buffer *data, struct buffer *stacks)
{
	if (__real_file_encode(j, data, stacks) < 0)
		abort();
	take(process_of_file(j->name), data);
	return 0;
}

/* Returns when a file that is begun now will be there. */
static uint64_t
file_at(void)
{
	const uint64_t at =
	    now + engine_spread(FILE_ITSELF, 50) + engine_random(machine.files_late);

	return at < machine.files_frozen_at || at >= machine.files_thawed_at
	           ? at
	           : machine.files_thawed_at;
}

static void
is_there(void *arg, uint64_t number)
{
	struct process *p = arg;

	(void)number;
	p->files++;
}

int
__wrap_file_make(struct job *j, const struct buffer *data, const struct buffer *stacks)
{
	(void)data;
	(void)stacks;
	ours_spend(FILE_ITSELF);
	ours_sleep(file_at());
	is_there(process_of_file(j->name), 0);
	return 0;
}

int
__wrap_file_encode_and_make(void *arg)
{
	struct job *j = arg;
	struct buffer data = { 0 }, stacks = { 0 };
	int ret;

	if (j->data != NULL)
		return __wrap_file_make(j, j->data, j->stacks);
	__wrap_file_encode(j, &data, &stacks);
	ret = __wrap_file_make(j, &data, &stacks);
	buffer_free(&data);
	return ret;
}

/* A process that makes a file.  It goes on when nobody asks for it any more. */
struct helper {
	uint64_t at;
	struct job job;
};

static unsigned helpers, left;

static void
has_ended(void *arg, uint64_t number)
{
	(void)arg;
	(void)number;
	left--;
}

bool
__wrap_helper_has_room(uid_t user)
{
	(void)user;
	return helpers < HELPER_MOST && left < HELPER_LEFT;
}

struct helper *
/* cppcheck-suppress constParameter */
__wrap_helper_begin(uid_t user, int (*work)(void *arg), const void *arg, size_t len,
                    const int *keep, size_t nkeep)
{
	struct helper *h = calloc(1, sizeof(*h));
	struct buffer data = { 0 }, stacks = { 0 };

	(void)user;
	(void)keep;
	(void)nkeep;
	if (h == NULL || work != file_encode_and_make || len != sizeof(h->job))
		abort();
	ours_spend(HELPER);
	memcpy(&h->job, arg, len);
	if (h->job.data == NULL)
		__wrap_file_encode(&h->job, &data, &stacks);
	buffer_free(&data);
	h->at = file_at();
	helpers++;
	if (h->at != UINT64_MAX)
		engine_at(h->at, is_there, process_of_file(h->job.name), 0);
	return h;
}

int
__wrap_helper_end(struct helper *h, void *arg, size_t len, int ms)
{
	(void)ms;
	ours_spend(500);
	if (now < h->at) {
		errno = ETIMEDOUT;
		return -1;
	}
	memcpy(arg, &h->job, len);
	helpers--;
	free(h);
	return 0;
}

void
__wrap_helper_leave(struct helper *h)
{
	if (h == NULL)
		return;
	helpers--;
	left++;
	if (h->at != UINT64_MAX)
		engine_at(h->at, has_ended, NULL, 0);
	free(h);
}

/* What the user is told: of which process something is lost. */
void
__wrap_log_line(enum log_kind what, const char *fmt, ...)
{
	char line[1024];
	struct process *p;
	va_list ap;

	if (what != LINE_ERROR)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	engine_note("told: %s", line);
	if ((p = process_of((pid_t)strtol(line, NULL, 10))) != NULL)
		p->calls_lost = true;
	else if (strncmp(line, "gmon.", 5) == 0 && (p = process_of_file(line)) != NULL)
		p->file_lost = true;
}
