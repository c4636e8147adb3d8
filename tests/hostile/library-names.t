#!/bin/sh
# What a program maps may have any name, and so may its functions and its threads: what would move, hide or reorder what a
# terminal shows does not come to it, nor into an exported file, in any message.
. "$(dirname "$0")/../lib/testlib.sh"

. "$top/tests/lib/terminal.sh"

# loads MS LIBRARY...: works for so long in a function of each, under a thread name with escapes.
cat >loads.c <<'EOS'
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
int main(int argc, char **argv) {
	prctl(PR_SET_NAME, "a\033[31m\n\xc2\x9b" "b");
	for (int i = 2; i < argc; i++) {
		void *h = dlopen(argv[i], RTLD_NOW);
		void (*work)(void) = h == NULL ? NULL : (void (*)(void))dlsym(h, "work");
		clock_t end = clock() + atoi(argv[1]) * (CLOCKS_PER_SEC / 1000);
		if (work == NULL) return 3;
		while (clock() < end) work();
	}
	return 0;
}
EOS
cat >library.c <<'EOS'
static __attribute__((noinline)) void hot_in_its_place(void) { for (volatile int i = 0; i < 100000; i++) ; }
void work(void) { hot_in_its_place(); __asm__ volatile(""); }
EOS
gcc -O1 -o loads loads.c || bail 'no compiler'
gcc -O1 -shared -fPIC -o plain.so library.c || bail 'no compiler'
perl -pi -e 's/hot_in_its_place/hot\033]0;x\a\033[2J\xc2\x9b_/' plain.so
strip -o stripped.so plain.so || bail 'no strip'

# unfit FILE: what is no UTF-8 in it, or not fit to be shown.
unfit() {
	perl -MEncode -0777 -ne '
		my $text = eval { decode("UTF-8", $_, Encode::FB_CROAK) } // (print("no UTF-8\n"), exit);
		printf "U+%04X\n", ord for $text =~ /[^\n\P{Cc}]|\p{Cf}|\p{Zl}|\p{Zp}|\p{Cn}/g' "$1" | sort | uniq -c
}

escapes=$(printf 'esc\033]0;owned\007\033[2J\033[31m')
bidi=$(printf 'bidi\342\200\256txt\342\200\254\302\2331m')
lines=$(printf 'line\nprofsup: all is well\r')
marks=$(printf 'mark\314\201\314\201\314\201\314\201\314\201\314\201\314\201')
bytes=$(printf 'byte\377\376\302')
long=$(printf 'long\033[31m'; head -c 200 /dev/zero | tr '\0' x)
mkdir "dir$escapes"
for name in "$escapes" "$bidi" "$lines" "$marks" "$bytes" "$long"; do
	cp plain.so "dir$escapes/lib$name.so"
	cp stripped.so "dir$escapes/lib$name.s.so"
done

# Letters are no escapes: whoever reads the file is to find the library.
mkdir 'jörg'
cp plain.so 'jörg/lib.so'
profsup -a -F 500 -d . ./loads 150 "$PWD/jörg/lib.so" >out 2>err </dev/null
is "$(zcat stacks.loads.*.pb.gz | grep -ac 'jörg/lib.so')" 1 'the file of stacks has the path of a library as it is' || diag_file err
rm -f gmon.* stacks.*

# clean FILE WHAT: what was said is fit for a terminal, in whole lines of the command's own.
clean() {
	is "$(unfit "$1")" '' "$2: what is printed is fit for a terminal"
}

# run OPTIONS LIBRARY...
run() {
	options=$1
	shift
	# shellcheck disable=SC2086 # words
	profsup -a -F 500 $options ./loads 150 "$@" >out 2>err </dev/null
	is "$?" 0 "$options: it ends as it would alone"
	clean err "$options"
	is "$(grep -vacE '^(profsup(-report)?: |/[^ ]*loads: .* 1 file of |total: | +self +total | +[0-9.]+% +[0-9.]+% | +and [0-9]+ more|$)' err)" 0 \
		"$options: all lines are ours"
}

last=$(samplers | tr ' ' '\n' | tail -n 1)
for kind in .so .s.so; do
	for options in --report --top '--report --top -v -g' "-g --report --sampler=$last"; do
		run "$options" ./"dir$escapes"/lib*[!s]"$kind"
	done
done
is "$(grep -acE '\[lib(esc|bidi|line|mark|byte|long)' err | awk '{ print ($1 > 2) }')" 1 'libraries are named' || diag_file err
run --report "./dir$escapes/lib$escapes.s.so"
ok "$(grep -aq 'debugging symbols.*libesc\|libesc.*debug' err; echo $?)" 'and the hint names one' || diag_file err

# On a terminal.
cat >start.sh <<'EOS'
stty rows 30 cols 70
profsup -a -g -T -F 500 ./loads 700 ./dir*/libesc*.so ./dir*/libbidi*.so ./dir*/libline*.so
EOS
TERM=xterm timeout 60 perl "$top/tests/lib/pty.pl" keys screen sh start.sh
perl -pe 's/\e7\e\[\d+;1H|\e\[K\e8|\e\d?[78D]|\e\[[?\d;]*[A-Za-z]/\n/g' screen | tr -d '\r' >drawn
clean drawn '--top on a terminal'
is "$(grep -aE '^profsup: [0-9]+ process' drawn | awk 'END { print (NR > 0) }')" 1 'it has drawn' || diag_file drawn

# Errors: of options, of a directory, of a program.
for words in "--$escapes" "-F$escapes" "-d $bidi/none /bin/true" "./$lines" "--control=fifo:$escapes /bin/true" "--stats=$long/x /bin/true" "-u $bidi /bin/true"; do
	IFS='
'
	# shellcheck disable=SC2086 # words
	(IFS=' ' && set -f && set -- $words && profsup "$@") >out 2>err
	unset IFS
	is "$(unfit err)$([ -s err ] || echo nothing)" '' "$(printf %.5s "$words"): what is said of wrong words is fit for a terminal"
done

# What reads the files.
rm -f gmon.* stacks.*
profsup -q -a -g -F 500 ./loads 150 ./"dir$escapes"/lib*.so 2>err
mkdir "in$escapes$bidi"
mv gmon.* stacks.* "in$escapes$bidi"
cp loads "in$escapes$bidi/prog"
set -- ./"in$escapes$bidi"/gmon.*
for command in profsup-report 'profsup-report --graph --all' 'profsup-report --lines' 'profsup-report --annotate=work' \
	'profsup-export --format=callgrind' 'profsup-export --format=folded' 'profsup-export --format=json' 'profsup-export --format=call-graph-order' \
	'profsup-diff' 'profsup-diff --format=json'; do
	case $command in
	profsup-diff*) set -- "$1" -- "$1" ;;
	*) set -- "$1" ;;
	esac
	$command "./in$escapes$bidi/prog" "$@" >out 2>err </dev/null
	cat err >>out
	clean out "$command"
	$command "./in$escapes/none$lines" "$@" >out 2>err </dev/null
	clean err "$command without a program"
	$command "./in$escapes$bidi/prog" "./$lines" >out 2>err </dev/null
	clean err "$command without a file"
	$command "--$escapes$bidi" >out 2>err </dev/null
	clean err "$command with an option that is none"
	cp library.c "./in$escapes$bidi/gmon"
	$command "./in$escapes$bidi/prog" "./in$escapes$bidi/gmon" >out 2>err </dev/null
	clean err "$command with a file that is none"
	$command -o "./in$escapes$bidi/no/$lines" "./in$escapes$bidi/prog" "$1" >out 2>err </dev/null
	clean err "$command to where nothing can be"
done
done_testing
