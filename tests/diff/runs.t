#!/bin/sh
# Which files are of one run is in them: a line says so where processes of one run count as runs, or several runs as one.
. "$(dirname "$0")/../lib/testlib.sh"

cat >prog.c <<'Y'
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noipa)) static void work(void) { __asm__ volatile(""); }

int
main(void)
{
	work();
	if (fork() == 0) {
		work();
		_exit(0);
	}
	return wait(NULL) < 0;
}
Y
profsup-cc -O1 -g -o prog prog.c 2>cc.err || bail "$(cat cc.err)"
mkdir one two
for dir in one two; do
	profsup -q -d $dir ./prog || bail 'the program fails'
done
set -- one/gmon.*.out
is $# 2 'each process has a file'

# said WANT COMMAND...: it passes, with that and no more on stderr
said() {
	said_want=$1
	shift
	"$@" >out 2>err
	is "$? $(grep -v 'may have half or twice' err)" "0 ${said_want:+$1: $said_want}" "$*"
}
apart="$1 and $2 are of one run of profsup, and each counts as a run: name their directory, or give --one-run"
said '' profsup-export --format=calls -o base one two
said "$apart" profsup-export --format=calls -o apart one/*
said '' profsup-export -q --format=calls -o apart one/*
said '' profsup-export --one-run --format=calls -o added one/*
said '' profsup-diff --gate=base two
said "$apart" profsup-diff --gate=apart one/*
said "$apart" profsup-diff one/* -- two
said "$apart" profsup-diff --growth ./prog n=2 one/* n=4 two

profsup -q -d two ./prog || bail 'the program fails'
said 'two: it has files of 2 runs of profsup, and counts as one run' profsup-export --format=calls -o both one two
said '' profsup-export -q --format=calls -o both two
said '' profsup-export --one-run --format=calls -o both one two
done_testing
