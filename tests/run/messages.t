#!/bin/sh
# san: traced
# What a line says is what the user needs next.  (How a program may be the wrong one is in wrong-program.t, what becomes
# of files in output-errors.t.)
. "$(dirname "$0")/../lib/testlib.sh"

for t in count work hold; do
	cp "$(target $t)" .
done

# A filter kills whoever calls ptrace(2).
"$(target no-ptrace)" -k profsup touch ran >out 2>err
is "$? $(said err)" "125 profsup: the supervisor was killed by signal 31 (SIGSYS): the program was not run (a seccomp filter kills it: a container needs another profile or --cap-add=SYS_PTRACE, a unit SystemCallFilter=@debug)" \
	'a filter that kills for ptrace is named' || diag_file err

# A filter forbids perf_event_open(2), whatever the kernel's own setting is.
cat >no-perf.c <<'END'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
/* no-perf CALL ANSWER COMMAND... */
int
main(int argc, char **argv)
{
	const int perf = argv[1][0] == 'p';
	const unsigned answer = argv[2][0] == 'k' ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, perf ? SYS_perf_event_open : SYS_getpid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	if (argc < 4 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) != 0)
		return 99;
	execvp(argv[3], argv + 3);
	return 98;
}
END
cc -o filtered no-perf.c || bail 'filtered'
./filtered perf error profsup --sampler=perf ./count 5 >out 2>err
is "$? $(said err)" "125 profsup: --sampler=perf: perf_event_open: Operation not permitted (a seccomp filter forbids it: start the container with another seccomp profile, and --cap-add=PERFMON)" \
	'a filter that forbids perf is named, and not a setting'

# The runtime's one call, which profsup makes a getpid.
profsup ./filtered getpid kill ./count 5 >out 2>err
is "$? $(sed -n 's/[0-9][0-9]*: killed/PID: killed/p' err)" '159 profsup: PID: killed by SIGSYS before it called anything: a seccomp filter that it was started with must allow getpid(2)' \
	'a filter that does not allow the start of a profile' || diag_file err
profsup -v "$(target sandbox-seccomp)" >out 2>err
grep -Eq '^profsup: [0-9]+: killed by signal 31, as by its seccomp filter$' err || grep -q ': exited$' err
ok $? '-v: what a later SIGSYS may mean' || diag_file err

# A stripped program.
cp count bare
strip bare
profsup --report ./bare 150000 2>err
is "$(sed -n 's/.*bare: [0-9.]* s of CPU time at 100 Hz, \([^;]*\).*/\1/p' err) $(grep -c 'its functions no names: give' err)" '150003 calls 1' \
	'--report has the calls of a stripped program' || diag_file err
profsup --report ./count 5 2>err
is "$(grep -c 'no names' err)" 0 'one with symbols is not called stripped'

# A script's image is its interpreter's.
printf '#!/bin/sh -e\nread x </dev/null || exit 3\n' >script.sh
printf '#!/bin/sh\nexec ls / >/dev/null\n' >runs-ls
chmod 755 script.sh runs-ls
profsup ./script.sh 2>err
is "$? $(said err)" '3 profsup: nothing was profiled: script.sh: it is a script; relink with profsup-cc what it runs' 'a script'
profsup ./runs-ls 2>err
is "$? $(said err)" '0 profsup: nothing was profiled: ls: dynamically linked; relink with profsup-cc, or -a takes samples' 'what a script has become is no script'
ln -s /bin/sh other-name
profsup ./other-name -c 'exit 4' 2>err
is "$? $(said err)" '4 profsup: nothing was profiled: other-name: dynamically linked; relink with profsup-cc, or -a takes samples' 'nor is a program by another name'

# -D that is too long.
rm -f gmon.*
profsup -D 1h ./count 5 2>err
is "$? $(said err) $(calls count "$(the_file)" leaf)" '0 profsup: -D: the run ended before the profile was to begin: nothing was counted 0' \
	'a delay longer than the run' || diag_file err
profsup -q -D 1h ./count 5 2>err
is "$(cat err)" '' 'not with -q'
profsup -D -1 ./count 5 2>err
is "$(said err)" '' 'nor if nobody was to begin it'

# One profsup under another: the inner one profiles.
rm -f gmon.*
profsup profsup ./count 5 >out 2>err
is "$? $(said err) $(calls count "$(the_file)" leaf)" '0 profsup: profsup: another profsup, which profiles what it starts: this one does not 5' \
	'profsup under profsup: the inner one does it' || diag_file err

# A program that ignores the signal that is to end it.
cat >ignores <<'END'
trap '' TERM
echo ready
read -r x
exit 5
END
mkfifo in out.fifo
profsup sh ignores <in >out.fifo 2>err &
front=$!
exec 3>in 4<out.fifo
read -r line <&4
kill -TERM $front
wait_until 60 grep -q SIGTERM err
is "$line $(sed -n 's/process [0-9]*/process N/p' err)" 'ready profsup: SIGTERM is passed on to sh, process N, which ignores it' \
	'a program that ignores SIGTERM is told of'
kill -USR1 $front
exec 3>&-
wait $front 2>wait.err
is "$(grep -c 'passed on' err)" 1 'a signal that ends it is not' || diag_file err
exec 4<&-

# INT to a -p in the background of a shell without job control, which ignores it.
./hold 7 <in >/dev/null &
pid=$!
exec 3>in
wait_until 60 test "/proc/$pid/exe" -ef hold
(
	trap '' INT
	exec profsup -v -p "$pid" 2>err
) &
front=$!
wait_until 60 grep -q attached err
kill -INT $front
wait_until 60 grep -q '^profsup: SIGINT is ignored, as by the caller, a shell that has started this in the background: SIGTERM ends the profile$' err
ok $? '-p: a SIGINT that is ignored' || diag_file err
kill -TERM $front
wait $front
is $? 0 'which SIGTERM ends, as it says'
exec 3>&-
wait $pid
done_testing
