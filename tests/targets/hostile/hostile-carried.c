/*
 * hostile-carried HOW: wins something if a call that its own filter has refused is made again
 * without that, or if another image gets its registers.
 *
 *	refused	bpf(2), which a filter answers with EAGAIN: prints how often it was made all the
 *same broker	writes that a broker answers with less than was asked for: prints the file's size
 *	exec	a thread executes this program again, "end", in the middle of another one's long
 *write end	exits with 7
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -pthread
#include "../clock.h"
#include "../filter.h"

#include <linux/bpf.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

enum { FILE_FD = 9, MS = 700, MANY = 100, LENGTH = 13 };

static int
refused(void)
{
	struct bpf_insn code[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K },
		                   { .code = BPF_JMP | BPF_EXIT } };
	union bpf_attr load = { .prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		                .insns = (uintptr_t)code,
		                .insn_cnt = 2,
		                .license = (uintptr_t) "ISC" };
	const uint64_t end = now_ms() + MS;
	unsigned made = 0;

	if (filter_call(SYS_bpf, SECCOMP_RET_ERRNO | EAGAIN, 0) < 0)
		err(99, "seccomp");
	while (now_ms() < end)
		for (int i = 0; i < MANY; i++)
			made += syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof(load)) >= 0 ||
			        errno != EAGAIN;
	printf("%u\n", made);
	return 0;
}

static volatile int listener = -1;

static void *
broker(void *arg)
{
	while (listener < 0)
		continue;
	for (;;) {
		struct seccomp_notif asked = { 0 };
		struct seccomp_notif_resp answer = { .val = 5 };

		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0)
			continue;
		answer.id = asked.id;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
	return arg;
}

/* The broker is asked for the whole only: what a part of it would be the filter lets through. */
static int
brokered(void)
{
	static const struct sock_filter filter[] = {
		LOAD(nr),
		IS(SYS_write, 0, 5),
		LOAD(args[0]),
		IS(FILE_FD, 0, 3),
		LOAD(args[2]),
		IS(LENGTH, 0, 1),
		RETURN(SECCOMP_RET_USER_NOTIF),
		RETURN(SECCOMP_RET_ALLOW),
	};
	const int fd = open("written", O_RDWR | O_CREAT | O_TRUNC, 0600);
	const uint64_t end = now_ms() + MS;
	struct stat st;
	pthread_t t;

	if (dup2(fd, FILE_FD) < 0 || pthread_create(&t, NULL, broker, NULL) != 0)
		err(99, "written");
	listener = filter_install(filter, 8, SECCOMP_FILTER_FLAG_NEW_LISTENER);
	if (listener < 0)
		err(99, "seccomp");
	while (now_ms() < end)
		for (int i = 0; i < MANY; i++)
			if (write(FILE_FD, "hello, world\n", LENGTH) != 5)
				errx(1, "more than the broker said");
	fstat(FILE_FD, &st);
	printf("%ld\n", (long)st.st_size);
	return 0;
}

static char *self;

static void *
executes(void *arg)
{
	usleep(100000 + (unsigned)getpid() % 8 * 20000);
	execl(self, self, "end", NULL);
	return arg;
}

static int
exec_in_a_call(void)
{
	enum { SIZE = 512 << 20, PIECE = 65536 };
	/* Zeros that nobody has written cost no memory. */
	static char data[SIZE], piece[PIECE];
	pthread_t t;
	int fd[2];

	if (pipe2(fd, O_CLOEXEC) < 0)
		err(99, "pipe2");
	if (fork() == 0) {
		close(fd[1]);
		while (read(fd[0], piece, sizeof(piece)) > 0)
			continue;
		_exit(0);
	}
	pthread_create(&t, NULL, executes, NULL);
	for (;;)
		if (write(fd[1], data, sizeof(data)) < 0)
			err(99, "write");
}

int
main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	self = argv[0];
	if (strcmp(how, "refused") == 0)
		return refused();
	if (strcmp(how, "broker") == 0)
		return brokered();
	if (strcmp(how, "exec") == 0)
		return exec_in_a_call();
	return 7;
}
