#!/bin/sh
# read-code, which reads the files of targets for -g: what it has of the supervisor, and what there is without it.
# san: no room
. "$(dirname "$0")/../lib/testlib.sh"

# It says what it has, writes no table, and answers no more.
cat >said.c <<'X'
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv)
{
	char line[256], path[64], target[256];
	FILE *out = fopen(SAID, "w"), *status = fopen("/proc/self/status", "r");
	DIR *fds = opendir("/proc/self/fd");
	struct dirent *e;

	while (fgets(line, sizeof(line), status) != NULL)
		if (strncmp(line, "CapPrm", 6) == 0 || strncmp(line, "CapEff", 6) == 0 || strncmp(line, "NoNewPrivs", 10) == 0)
			fputs(line, out);
	for (char **at = environ; *at != NULL; at++)
		fprintf(out, "env %s\n", *at);
	while ((e = readdir(fds)) != NULL) {
		snprintf(path, sizeof(path), "/proc/self/fd/%s", e->d_name);
		ssize_t n = readlink(path, target, sizeof(target) - 1);
		int fd = atoi(e->d_name);

		if (n > 0 && fd != dirfd(fds) && fd != fileno(out) && fd != fileno(status))
			fprintf(out, "fd %.*s\n", (int)n, target);
	}
	fprintf(out, "%s\n", argc == 5 ? argv[1] : "?");
	fclose(out);
	return 0;
}
X
mkdir -p bin lib/profsup
cp "$stage/bin/profsup" bin
cp "$(target work)" prog

bin/profsup -q -g ./prog busy 100 >out 2>err
is "$? $(sed 's,: [^ ]*/\(read-code:\),: .../\1,' err)" '125 profsup: .../read-code: No such file or directory (it belongs to profsup)' \
	'without it -g is refused before the program runs'
: >lib/profsup/read-code
bin/profsup -q -g ./prog busy 100 >out 2>err
is "$? $(sed 's,: [^ ]*/\(read-code:\),: .../\1,' err)" '125 profsup: .../read-code: Permission denied (it belongs to profsup)' \
	'so it is if that may not be executed'
rm lib/profsup/read-code
bin/profsup -q ./prog busy 100 >out 2>err
is "$? $(cat err)" '0 ' 'what has no stacks needs none'

cc -w -include stdlib.h -DSAID="\"$PWD/said\"" -o lib/profsup/read-code said.c || bail 'no program'
rm -f gmon.*
LD_LIBRARY_PATH=/nowhere LD_PRELOAD=/no/such.so SECRET=1 bin/profsup -g -F 1000 ./prog busy 300 >out 2>err
is "$?/$(grep -c 'read-code has written nothing: ' err)" 0/1 'one that writes no table: the program runs, and a line says so'
is "$(grep -v '^fd' said | tr '\t\n' ' /')" 'CapPrm: 0000000000000000/CapEff: 0000000000000000/NoNewPrivs: 1/all/' \
	'it has no capabilities, gains none, and no environment' || diag_file said
is "$(sed -n "s,^fd $PWD/,fd ,; s/^\(fd pipe\).*/\1/; /^fd/p" said | sort | tr '\n' ' ')" 'fd pipe fd prog ' \
	'and of the descriptors the file, and where the table goes'
is "$(profsup-export -q --format=folded "$(the_file prog)" | sed 's/;.*//' | sort -u)" '[cut]' 'without a table the stacks are cut, and told as such'

# profsup-report, which --report starts as our caller, once the program may have filled directories of LD_LIBRARY_PATH.
cp lib/profsup/read-code bin/profsup-report
LD_LIBRARY_PATH=/nowhere LD_PRELOAD=/no/such.so SECRET=1 TERM=dumb bin/profsup --report ./prog busy 100 >out 2>err
is "$(sed -n 's/^env \([A-Z_]*=\).*/\1/p' said | sort | tr '\n' ' ')" 'PATH= TERM= ' 'profsup-report has no environment but PATH and TERM' ||
	diag_file said err

# The real one, by hand.
read_code=$stage/lib/profsup/read-code
mkfifo in
"$read_code" map 0 -1 1 <in >table &
reader=$!
exec 3>in
printf '1000 10 made\n' >&3
# A container's programs have one, too.
filters() {
	sed -n 's/^Seccomp_filters:	//p' "/proc/$1/status"
}
has_filter() {
	test "/proc/$reader/exe" -ef "$read_code" && [ "$(filters "$reader")" != "$(filters $$)" ]
}
wait_until 60 has_filter
ok $? 'it has a filter of system calls'
exec 3>&-
wait $reader
is "$?/$(tail -c 15 table | tr '\0' ' ')" '0/[unknown] made ' 'and reads a map all the same'
# Versions of symbols have an @, and so have paths of JavaScript's files.
echo '1000 10 JS:*next file:///app/express@4.18.2/index.js:12' | "$read_code" map 0 -1 1 >table
is "$(tr '\0' '\n' <table | tail -n 1)" 'JS:*next file:///app/express@4.18.2/index.js:12' 'a name of a map stays whole'
# What it may do without, told by strace: nothing.
if command -v strace >/dev/null; then
	strace -qq -o trace "$read_code" all 0 -1 1 <"$stage/bin/profsup" >table
	is "$?/$(grep -c SECCOMP_MODE_FILTER trace)/$(sed '1,/SECCOMP_MODE_FILTER/d' trace | grep -c EPERM)" 0/1/0 'no call that it makes is refused'
else
	skip 'strace is not installed'
fi
done_testing
