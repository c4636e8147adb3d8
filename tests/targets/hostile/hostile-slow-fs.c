/*
 * hostile-slow-fs DIRECTORY DEVICE MILLISECONDS[:ERRNO] [PROGRAM ARGUMENT...]: in namespaces of its
 * own, a file system (FUSE, by that device) that answers late when a file is made in it, or is to
 * be on a disk (and then says no, EACCES or that), when its file "prog", this program, is opened,
 * and when a page of its file "mem" is read; "prog1" and so on are the same, as other files.
 * Several processes execute "prog" in it again and again, for ever; or PROGRAM is executed in it.
 * Prints "ready PID" before, or "no" and the reason.
 *
 * SPDX-License-Identifier: ISC
 */
#include "../clock.h"
#include "fuse.h"
#include "hostile.h"

#include <limits.h>

enum { PROCESSES = 8, PROG = 2, MEM = 3, MOST_LATE = 4096 };

/* Answers that are due later, the first one first: all of them are late by the same time. */
static struct late {
	uint64_t unique, due_ms, offset;
	uint32_t opcode, size;
} late[MOST_LATE];
static unsigned first, nlate;

static uint64_t delay_ms;
static int refusal = EACCES;

static struct fuse_attr
attributes(uint64_t inode)
{
	struct fuse_attr attr = { .ino = inode, .nlink = 2 };

	attr.mode = inode == MEM ? S_IFREG | 0666 : inode >= PROG ? S_IFREG | 0755 : S_IFDIR | 0777;
	if (inode != MEM && inode >= PROG)
		attr.size = fuse_self_size();
	else if (inode == MEM)
		attr.size = 1UL << 40;
	return attr;
}

static uint64_t
inode_of(const char *name)
{
	if (strcmp(name, "mem") == 0)
		return MEM;
	return strncmp(name, "prog", 4) == 0 ? PROG + 16 * strtoul(name + 4, NULL, 10) : 0;
}

static void
answer_late(const struct fuse_in_header *in)
{
	const struct fuse_read_in *what = (const struct fuse_read_in *)(in + 1);
	struct late l = { .unique = in->unique, .due_ms = now_ms() + delay_ms };

	l.opcode = in->opcode;
	l.size = in->opcode == FUSE_READ ? what->size : 0;
	if (nlate < MOST_LATE)
		late[(first + nlate++) % MOST_LATE] = l;
}

static void
answer_due(void)
{
	static char zero[1 << 20];
	struct fuse_open_out open = { 0 };

	for (; nlate > 0 && late[first].due_ms <= now_ms(); nlate--) {
		const struct late *l = &late[first];

		if (l->opcode == FUSE_READ)
			fuse_reply(l->unique, 0, zero,
			           l->size < sizeof(zero) ? l->size : sizeof(zero));
		else if (l->opcode == FUSE_OPEN)
			fuse_reply(l->unique, 0, &open, sizeof(open));
		else
			fuse_reply(l->unique, refusal, NULL, 0);
		first = (first + 1) % MOST_LATE;
	}
}

static void
answer(const struct fuse_in_header *in)
{
	const bool is_program = in->nodeid >= PROG && in->nodeid != MEM;

	if (in->opcode == FUSE_LOOKUP)
		fuse_found(in, attributes(inode_of((const char *)(in + 1))));
	else if (in->opcode == FUSE_READ && is_program)
		fuse_give_self(in);
	else if (in->opcode == FUSE_READ || in->opcode == FUSE_CREATE || in->opcode == FUSE_MKNOD ||
	         in->opcode == FUSE_FSYNC ||
	         (in->opcode == FUSE_OPEN && is_program && delay_ms != 0))
		answer_late(in);
	else
		fuse_answer(in, attributes(in->nodeid));
}

static int
wait_ms(void)
{
	const uint64_t now = now_ms();

	answer_due();
	if (nlate == 0)
		return 1000;
	return late[first].due_ms > now ? (int)(late[first].due_ms - now) : 0;
}

static void __attribute__((noreturn)) use_it(void)
{
	int news[2];

	for (int i = 0; i < PROCESSES; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;; wait(NULL))
				if (fork() == 0) {
					execl("prog", "prog", (char *)NULL);
					_exit(1);
				}
		}
	/* The first of them begin. */
	pipe2(news, O_CLOEXEC);
	if (fork() == 0) {
		execl("prog", "prog", (char *)NULL);
		_exit(1);
	}
	close(news[1]);
	read(news[0], news, 1);
	ready();
	for (;;)
		wait(NULL);
}

int
main(int argc, char **argv)
{
	char *end;

	if (argc < 4)
		return 0;
	delay_ms = strtoul(argv[3], &end, 10);
	if (*end == ':')
		refusal = atoi(end + 1);
	fuse_in_own_namespaces(true, argv[1], argv[2], "", answer, wait_ms);
	if (chdir(argv[1]) < 0)
		err(3, "%s", argv[1]);
	if (argc > 4) {
		execv(argv[4], argv + 4);
		err(3, "%s", argv[4]);
	}
	use_it();
}
