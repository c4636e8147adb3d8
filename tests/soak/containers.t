#!/bin/sh
# docs/containers.md: its commands are run by podman as they stand there, and say what it says; so do those of which it
# says that they do not work.
. "$(dirname "$0")/../lib/testlib.sh"
need_root
"$top/tests/setup.sh" containers || skip_all 'podman is not installed, and apt-get has failed'

. "$top/tests/lib/podman.sh"
podman_prepare "$scratch"
cleanup() {
	podman_clean_up
	cd / && rm -rf "$scratch"
}
trap cleanup EXIT
printf 'FROM scratch\n' >Containerfile
timeout 60 podman build -q . >podman.log 2>&1 || {
	diag_file podman.log
	skip_all 'podman makes no image here'
}

mkdir home work
ln -s "$top" home/profsup
# shellcheck disable=SC2016 # that is Markdown
sed -n '/^```dockerfile$/,/^```$/p' "$top/docs/containers.md" | grep -v '^```' >work/Containerfile
perl "$top/tests/lib/console.pl" script "$top/docs/containers.md" >commands
unset MAKEFLAGS MFLAGS MAKELEVEL
(cd work && umask 022 && HOME=$scratch/home timeout 300 bash ../commands) >output 2>&1 </dev/null
is $? 0 'all commands of the page were run'
perl "$top/tests/lib/console.pl" compare "$top/docs/containers.md" output >differences
is "$(cat differences)" '' 'each succeeds and says what is shown' || diag_file output
owners=$(cd work && stat -c '%n %u' ./*/gmon.* | sed 's|^./||; s|/gmon.hellod.[0-9]*.out||' | sort | tr '\n' ' ')
is "$owners" 'jail 0 least 4711 mapped 100000 outside 0 perf 0 profiles 0 user 0 ' 'each has a file, which belongs to who ran it'

# refused TEXT FLAG...
refused() {
	text=$1
	shift
	timeout --foreground --preserve-status 5 podman run --rm --network=none -v "$scratch/work/profiles:/profiles" "$@" >said 2>&1
	grep -q "$text" said
	ok $? "$text" || diag_file said
}
cat >deny.json <<END
{"defaultAction": "SCMP_ACT_ALLOW",
 "syscalls": [{"names": ["ptrace"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1}]}
END
refused "can't trace the program.*: Operation not permitted" --security-opt=seccomp=deny.json hello
cat >work/forks.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
static void work(void)
{
	for (volatile int i = 0; i < 20000000; i++)
		;
}
int main(void)
{
	if (setuid(4711) != 0)
		return 1;
	if (fork() == 0) {
		work();
		_exit(0);
	}
	return wait(NULL) < 0;
}
END
profsup-cc -O1 -o work/forks work/forks.c || bail 'no program that forks'
refused "its calls can't be read: Permission denied: only earlier calls are included (.*--cap-add=SYS_PTRACE" \
	-v "$scratch/work/forks:/forks" hello /forks
refused "its file can't be read as an ELF file" hello -u 4711 /hellod
refused "its runtime's state can't be reached" --cap-add=SYS_PTRACE --cap-drop=DAC_OVERRIDE hello -u 4711 /hellod
refused 'perf_event_open: Operation not permitted' --cap-add=PERFMON hello --sampler=perf /hellod
chmod 755 work/profiles
refused 'gmon.hellod.[0-9]*.out: Permission denied' --user 4711:4711 hello
done_testing
