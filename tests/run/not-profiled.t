#!/bin/sh
# Programs that can't be profiled: they run as alone, and one line says why there is no file.
. "$(dirname "$0")/../lib/testlib.sh"

cat >plain.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	puts("ran");
	return argc > 1 ? atoi(argv[1]) : 0;
}
EOF
cc -O2 -o dynamic plain.c
cc -O2 -static -o static plain.c
cc -O2 -pg -o relink plain.c "$stage/lib/profsup/gcrt0.o" ||
	bail 'no dynamic program with the runtime can be linked'

# runs PROGRAM LINE: what it prints and its status, and what we say.
runs() {
	rm -f gmon.*
	is "$(how_it_ended profsup ./"$1" 7 2>err)" "$(printf 'ran\nexit 7')" "$1: runs, and its exit status is kept"
	is "$(grep -c "$2" err)/$(said err | wc -l)" 1/1 "$1: one line says that: $2" || diag_file err
	is "$(the_file)" no-file "$1: there is no file"
	profsup -q ./"$1" 7 >/dev/null 2>err
	is "$?$(cat err)" 7 "$1: -q says nothing"
}

runs dynamic 'nothing was profiled'
runs static 'nothing was profiled'
rm -f gmon.*
is "$(how_it_ended profsup ./relink 7 2>err)" "$(printf 'ran\nexit 7')" 'a dynamic program with the runtime runs'
is "$(said err | grep -v 'nothing was profiled')" 'profsup: relink: dynamically linked; relink with profsup-cc, or -a takes samples' \
	'a dynamic program with the runtime: a line says what to do'
is "$(the_file)" no-file 'a dynamic program with the runtime: there is no file'
profsup -q ./relink 7 >out 2>err
is "$?$(cat err)" 7 'a dynamic program with the runtime: -q says nothing'
is "$(how_it_ended ./relink 7 2>&1)" "$(printf 'ran\nexit 7')" 'and it runs alone'

cp "$(target count)" count
profsup sh -c './dynamic 0 && ./relink 0 && ./count 55' >out 2>err
is $? 0 'one that can be profiled among others that can'"'"'t'
is "$(calls count "$(the_file)" leaf)" 55 'is profiled'
is "$(said err)" 'profsup: relink: dynamically linked; relink with profsup-cc, or -a takes samples' 'and the line that nothing was profiled is not there'

printf '#!/bin/sh\nexec ./count 56\n' >script
printf 'exec ./count 57\n' >naked
chmod 755 script naked
for s in script naked; do
	rm -f gmon.*
	profsup ./$s 2>err
	is "$?$(said err)" 0 "$s: a script is run"
	between "$(calls count "$(the_file)" leaf)" 56 57 "$s: the program that it execs is profiled"
done
is "$(how_it_ended profsup sh -c 'kill -9 $$' 2>err)" 'signal 9' 'a shell that kills itself is seen to'
done_testing
