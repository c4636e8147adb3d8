#!/bin/sh
# profsup-cc as a program is linked: whatever the order of the words, the result is profiled; messages and
# exit status are the compiler's.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/cclib.sh"

profsup-cc main.c work.c
profiled ./a.out 'sources alone become a.out'
profsup-cc -o p main.c work.c
profiled ./p '-o comes first'
profsup-cc main.c -o q work.c
profiled ./q '-o stands in the middle'
profsup-cc main.c work.c -o r
profiled ./r '-o comes last'
profsup-cc main.c work.c -os
profiled ./s '-o is joined to its file'
profsup-cc main.c work.c --output t
profiled ./t '-o is --output'
profsup-cc main.c work.c -o -c
profiled ./-c 'a program may be called -c'
profsup-cc -c work.c
profsup-cc main.c work.o -o u
profiled ./u 'a source and an object are mixed'
profsup-cc -c main.c -o main.o
profsup-cc main.o work.o -o v
profiled ./v 'objects alone are linked'
ar rc libwork.a work.o
profsup-cc main.o libwork.a -o w
profiled ./w 'an archive is linked'
profsup-cc -L. -o x main.o -lwork
profiled ./x 'an archive is found by -l'
profsup-cc -L . -o y main.o -l work
profiled ./y '-L and -l take the next word'
profsup-cc -o z -x c main.c work.c
profiled ./z '-x names the language of all that follow'
cat main.c work.c | profsup-cc -xc - -o stdin
profiled ./stdin 'a program may come from stdin'
mkdir 'a dir'
cp main.c 'a dir/the main.c'
profsup-cc -o 'a dir/the program' 'a dir/the main.c' work.c
profiled './a dir/the program' \
	'names may have spaces in them'
profsup-cc -v -o aa main.c work.c 2>err && grep -q collect2 err
profiled ./aa '-v shows the steps and links'

cat >cos.c <<'END'
#include <math.h>
#include <unistd.h>

extern int work(int x);

int
main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < 1000; i++)
		work(i);
	return cos(argc - 1) != 1 || getpid() < 2;
}
END
profsup-cc cos.c work.c -lm -o bb
profiled ./bb 'a library comes behind the sources'
profsup-cc -o cc -lm cos.c work.c -lm -lc
profiled ./cc 'libraries come on both sides, -lc among them'
profsup-cc -o dd cos.c -lc -lm work.c -lc -lm
profiled ./dd '-lc comes before the libraries and objects'
# Shared libraries may name each other, and stand in any order.
echo 'int down(int); int up(int x) { return x > 9 ? x : down(x + 1); }' >up.c
echo 'int up(int); int down(int x) { return up(x); }' >down.c
echo 'int up(int); int cosine(int x) { return up(x); }' >above.c
profsup-cc -c up.c down.c above.c
ar rc libup.a up.o
ar rc libdown.a down.o
ar rc libabove.a above.o
sed 's/cos(argc - 1) != 1/cosine(argc - 1) != 10/; s/^extern int work.*/&\nextern int cosine(int x);/' cos.c >above-main.c
profsup-cc -w -L. above-main.c work.c -lup -ldown -labove -o any
profiled ./any 'a library stands before one that needs it, and two need each other'
profsup-cc -w -L. -l above -l down -l up above-main.c work.c -o any-first
profiled ./any-first 'all libraries come first'
profsup-cc -w -L. above-main.c work.c -Wl,--start-group -lup -ldown -labove -Wl,--end-group -o any-group
profiled ./any-group 'they are a group already'
echo '-ldown -l up above-main.c work.c' >any.rsp
profsup-cc -w -L. @any.rsp -labove -o any-rsp
profiled ./any-rsp 'some come in a response file'
profsup-cc -o ee cos.c work.c -Wl,-Bstatic -lm -Wl,-Bdynamic -lc -lm
profiled ./ee \
	'-Bdynamic doesn'"'"'t bring shared libraries in'
profsup-cc -o ff cos.c work.c -Xlinker -Bdynamic -lm
profiled ./ff 'nor after -Xlinker'
profsup-cc -o gg main.c -Wl,--whole-archive libwork.a
profiled ./gg \
	'an open --whole-archive doesn'"'"'t reach libc'

# Side files are called as they would be without us: gcc names them by the number of inputs.
mkdir theirs ours
for cc in 'theirs gcc' 'ours profsup-cc'; do
	(cd "${cc% *}" && cat ../main.c ../work.c >one.c && "${cc#* }" -static -pg -MD -save-temps -o prog one.c)
done
is "$(ls ours)" "$(ls theirs)" 'files beside the program have the compiler'"'"'s names'

# Words for the compiler only.
for word in --version -dumpmachine -dumpversion -print-file-name=libc.a -print-prog-name=ld -print-search-dirs \
	-v -Wl,--version '-E -v -x c /dev/null' '-Q --help=target' '-Wl,--version -o none'; do
	# shellcheck disable=SC2086 # words
	profsup-cc $word >ours.out 2>ours.err
	a=$?
	# shellcheck disable=SC2086
	cc $word >theirs.out 2>theirs.err
	b=$?
	# collect2's temporary names differ; the header directory is ours.
	sed -i "s|/tmp/cc[A-Za-z0-9]*|TEMP|g; /idirafter/d; \| $stage/lib/profsup/include|d" ours.err theirs.err
	sed -i '/cc1 -E/d; /COLLECT_GCC_OPTIONS/d' ours.err theirs.err
	[ $a -eq $b ] && cmp -s ours.out theirs.out && cmp -s ours.err theirs.err
	ok $? "$word passes through" || diff theirs.err ours.err | diag_file /dev/stdin
done
profsup-cc >out 2>&1
is "$? $(cat out)" "1 $(cc 2>&1)" 'no word at all is the compiler'"'"'s error'

# Errors of all stages.
echo 'int main(void) { return x }' >syntax.c
echo 'extern int nowhere(void); int main(void) { return nowhere(); }' >undefined.c
for words in '-c syntax.c' 'syntax.c -o nope' '-c missing.c' 'main.c work.c missing.o -o nope' '-c main.c -fno-such' \
	'main.c work.c -lnosuchlibrary -o nope' 'main.c work.c -o' '-c main.c -x' 'main.c -o /nonexistent/p -c' \
	'-c main.c work.c -o both.o' '@missing -c main.c' '-E missing.c' '-Wall -Werror -c unused.c'; do
	echo 'static int unused;' >unused.c
	# shellcheck disable=SC2086 # words
	profsup-cc $words >ours.out 2>ours.err
	a=$?
	# shellcheck disable=SC2086
	cc -static $words >theirs.out 2>theirs.err
	b=$?
	[ $a -ne 0 ] && [ $a -eq $b ] && cmp -s ours.out theirs.out && cmp -s ours.err theirs.err
	ok $? "error and exit status are the compiler's: $words" || diff theirs.err ours.err | diag_file /dev/stdin
done
profsup-cc undefined.c -o nope 2>err
is "$? $(grep -c 'undefined reference to .nowhere' err)" '1 1' 'the linker'"'"'s message and status come through'
[ ! -e nope ]
ok $? 'and there is no program'
printf '#!/bin/sh\nkill -TERM $$\n' >dies
chmod 755 dies
PROFSUP_CC=./dies sh -c 'profsup-cc -c main.c; exit $?' 2>/dev/null
is $? 143 'a compiler killed by a signal is seen to be'
printf '#!/bin/sh\nexit 77\n' >dies
PROFSUP_CC=./dies profsup-cc -c main.c
is $? 77 'any exit status of the compiler is kept'

profsup-cc --help >ours.out
cc --help >theirs.out
is "$(head -n 1 ours.out | cut -d : -f 1)" "$(profsup -V | sed 's/profsup/profsup-cc/')" '--help says what it is, and its version'
tail -n "$(wc -l <theirs.out)" ours.out | cmp -s - theirs.out
ok $? 'before the help of the compiler'

# PROFSUP_CC.
PROFSUP_CC='gcc -O3 -DWORD="a b"' profsup-cc -o hh main.c work.c
profiled ./hh 'PROFSUP_CC may have options'
is "$(PROFSUP_CC="$scratch/show first 'second word'" profsup-cc -v | tr '\n' ' ')" '<first> <second word> <-v> ' \
	'PROFSUP_CC is split into words, with quotes'
is "$(PROFSUP_CC="$scratch/show -shared" profsup-cc a.o 2>err | tr '\n' ' ')" "<-shared> <a.o> <-Xlinker> <$stage/lib/profsup/libuncounted.a> " \
	'options in PROFSUP_CC count as any others'
cp show 'show me'
is "$(PROFSUP_CC="'./show me'" profsup-cc -v)" '<-v>' 'a compiler may have a space in its path'
is "$(PROFSUP_CC='' profsup-cc -dumpmachine)" "$(cc -dumpmachine)" 'an empty PROFSUP_CC is none'
PROFSUP_CC=no-such-compiler profsup-cc -c main.c 2>err
is "$? $(cat err)" '127 profsup-cc: no-such-compiler: No such file or directory' \
	'a compiler that is not found is 127 and one line'
PATH=$PATH:/nonexistent:$scratch/main.c PROFSUP_CC=no-such-compiler profsup-cc -c main.c 2>err
is "$? $(cat err)" '127 profsup-cc: no-such-compiler: No such file or directory' \
	'also when PATH names what can'"'"'t be searched'
cp main.c no-compiler
PATH=$PATH:$scratch PROFSUP_CC=no-compiler profsup-cc -c main.c 2>err
is "$? $(cat err)" '126 profsup-cc: no-compiler: Permission denied' 'one in PATH that can'"'"'t be executed is 126'
PROFSUP_CC=./main.c profsup-cc -c main.c 2>err
is "$? $(cat err)" '126 profsup-cc: ./main.c: Permission denied' 'one that can'"'"'t be executed is 126 and one line'
PROFSUP_CC='  ' profsup-cc -c main.c 2>err
is "$? $(wc -l <err)" '125 1' 'a PROFSUP_CC of blanks is 125 and one line'
PROFSUP_CC=$stage/bin/profsup-cc timeout 20 profsup-cc -c main.c 2>err
is "$? $(wc -l <err)" '125 1' 'profsup-cc doesn'"'"'t call itself'
mkdir bin
ln -s "$stage/bin/profsup-cc" bin/cc
PATH=$scratch/bin:$PATH timeout 20 cc -flto -O2 -o ii main.c work.c
profiled ./ii 'a link named cc in PATH finds the real cc'
PATH=$scratch/bin:$PATH PROFSUP_CC='env cc' timeout 20 profsup-cc -o jj main.c work.c
profiled ./jj 'also if another command calls it, as ccache does'
PROFSUP_CC=cc PATH=$scratch/bin /usr/bin/timeout 20 "$stage/bin/profsup-cc" -c main.c 2>/dev/null
is $? 127 'if there is no other cc, it is not found'
done_testing
