#!/bin/sh
# What --help says first: commands that work as they stand, and the questions that profsup(1) answers, too.
. "$(dirname "$0")/../lib/testlib.sh"

# "OPTION: QUESTION", of --help and of the page.
asked() {
	profsup --help | sed -n '/^Which option/,/^$/s/^  \(.*?\)  *\(-.*\)$/\2: \1/p'
}
answered() {
	perl -ne '
		next unless /^The options answer/ .. /^\.El/;
		if (s/^\.It //) {
			s/ Ns //g, s/\b(?:Ar|Cm) ?//g, s/\bFl /-/g, s/ ,/,/g, s/= /=/g;
			chomp($option = $_);
		} elsif (!/^\./ && $option) {
			print "$option: $_";
		}' "$top/man/profsup.1"
}
asked >help
answered >page
between "$(wc -l <help)" 8 16 '--help says which option answers which question'
is "$(cat help)" "$(cat page)" 'and so does the page, in the same words' || diff help page | while read -r line; do diag "$line"; done

examples_of() {
	"$1" --help | sed -n '1{/^Examples:$/!q}; /^Examples:/,/^$/s/^  \([^ ].*\)/\1/p'
}
examples_of profsup >examples
is "$(wc -l <examples)" 4 '--help begins with four examples'

# They are run where there is what they name.
cat >prog.c <<'C'
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t ended;
static volatile long sum;

static void
on_term(int sig)
{
	ended = sig;
}

static void __attribute__((noinline)) parse(void)
{
	for (int i = 0; i < 200000; i++)
		sum += i;
}

int
main(int argc, char **argv)
{
	(void)argv;
	signal(SIGTERM, on_term);
	for (int i = 0; argc > 1 ? !ended : i < 1000; i++)
		parse();
	return 0;
}
C
mkdir prof
cc -O2 -o any-program prog.c
profsup-cc -O2 -o daemon prog.c
./any-program forever &
running=$!
while read -r example; do
	rm -f out
	case $example in
	*' PID') (wait_until 20 grep -q parse out; kill "$running") & ;;
	esac
	sh -c "$(echo "$example" | sed "s,PID,$running,; s,/var/prof,prof,")" </dev/null >out 2>&1
	is "$? $(grep -c 'profsup: 1 process.*, 1 file' out)" '0 1' "it works: $example" || diag_file out
done <examples
wait
is "$(find prof -name 'gmon.daemon.*.out' | wc -l)" 1 'and the file is where it should be'

# A copy: of two runs one may be slower.
profsup -q -o gmon.old.1.out ./prog
cp gmon.old.1.out gmon.new.1.out
for tool in profsup-report profsup-export profsup-diff; do
	examples_of $tool >examples
	is "$(wc -l <examples)" 3 "$tool --help begins with three examples"
	while read -r example; do
		sh -c "$example" >out 2>&1
		ok $? "it works: $example" || diag_file out
	done <examples
done
done_testing
