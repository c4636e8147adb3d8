#!/bin/sh
# A process whose pidfd says that it has ended can be waited for.
. "$(dirname "$0")/../lib/testlib.sh"

cat >ended.c <<'END'
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(void)
{
	int early = 0, wrong = 0;

	for (int i = 0; i < 300; i++) {
		siginfo_t info = { 0 };
		struct pollfd ended = { .events = POLLIN };
		const pid_t pid = fork();

		if (pid == 0) {
			usleep(500);
			_exit(i % 100);
		}
		ended.fd = (int)syscall(SYS_pidfd_open, pid, 0);
		poll(&ended, 1, -1);
		if (waitid(P_PIDFD, ended.fd, &info, WEXITED | WNOHANG) < 0)
			wrong++;
		else if (info.si_pid == 0)
			early++, waitpid(pid, NULL, 0);
		else
			wrong += info.si_pid != pid || info.si_code != CLD_EXITED || info.si_status != i % 100;
		close(ended.fd);
	}
	printf("%d early, %d wrong\n", early, wrong);
	return 0;
}
END
profsup-cc -O1 -o ended ended.c 2>cc.err || bail "$(cat cc.err)"
is "$(./ended)" '0 early, 0 wrong' 'alone'
for sampler in $(samplers); do
	is "$(profsup -q --sampler="$sampler" ./ended 2>err)" '0 early, 0 wrong' "$sampler: the same" || diag_file err
	is "$(find . -name 'gmon.*' | wc -l)" 301 "$sampler: and each has its file"
	rm -f gmon.*
done
done_testing
