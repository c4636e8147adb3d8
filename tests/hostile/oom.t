#!/bin/sh
# A process that is killed for want of memory loses that before its end: calls that can't be read any more are told, and
# nothing else is said of them.
# check-all: a limit of memory, which the kernel counts in its own time
. "$(dirname "$0")/../lib/testlib.sh"
need_root

for group in /sys/fs/cgroup/memory/profsup-test.$$ /sys/fs/cgroup/profsup-test.$$; do
	mkdir "$group" 2>/dev/null && { echo $((80 << 20)) >"$group/memory.limit_in_bytes" || echo $((80 << 20)) >"$group/memory.max"; } 2>/dev/null && break
	rmdir "$group" 2>/dev/null
	group=
done
[ -n "$group" ] || skip_all 'no control group for memory can be made here'
trap 'rmdir "$group"; cd /; rm -rf "$scratch"' EXIT

cat >eater.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile unsigned *calls;

__attribute__((noinline)) void
work(void)
{
	++*calls;
}

static void *
nap(void *arg)
{
	for (;; usleep(1000))
		work();
	return arg;
}

int
main(void)
{
	const int fd = open("calls", O_RDWR | O_CREAT | O_TRUNC, 0600);
	pthread_t thread;

	if (ftruncate(fd, 4096) != 0)
		return 1;
	calls = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (int i = 0; i < 20000000; i++) /* the first reading finds no calls */
		__asm__("");
	for (int i = 0; i < 1000; i++)
		work();
	pthread_create(&thread, NULL, nap, NULL);
	for (;; usleep(300))
		memset(malloc(1 << 20), 1, 1 << 20);
}
END
profsup-cc -O1 -pthread -o eater eater.c || bail 'profsup-cc'

# eaten SAMPLER: it is killed; its calls are all there but those of a moment, or what is lost is told.
eaten() {
	rm -f gmon.*
	# shellcheck disable=SC2016 # an inner shell expands its own
	sh -c 'echo 0 >"$1/cgroup.procs" && exec profsup --sampler="$2" -F 1000 ./eater' - "$group" "$1" 2>err
	status="$status $?"
	counted=$(calls eater "$(the_file eater)" work)
	lost=$(($(perl -e 'open my $f, "<", "calls"; read $f, my $n, 4; print unpack "I", $n') - ${counted:-0}))
	[ "$lost" -le 1 ] || grep -q "calls can't be read: .*: only earlier calls are included" err || untold="$untold $lost"
	grep -q 'no calls were counted' err && untold="$untold objects"
}

for sampler in ptrace perf; do
	status='' untold=''
	for _ in 1 2 3 4 5 6; do
		eaten $sampler
	done
	is "$status" ' 137 137 137 137 137 137' "$sampler: each is killed" || diag_file err
	is "$untold" '' "$sampler: calls that are lost are told as that"
done
done_testing
