#!/bin/sh
# The runtime owns the whole set of libc's profiling symbols: nothing of libc's own runtime gets into a program,
# whichever of the names it uses.
. "$(dirname "$0")/../lib/testlib.sh"

libc=$(cc -print-file-name=libc.a)
theirs='libc\.a\((gmon|mcount|_mcount|prof-freq|profil|sprofil)\.o\)'
symbols=$(sed '/^#/d; /^$/d' "$top/shim/symbols.txt")

cat >main.c <<'END'
#include <stdio.h>
int main(void) { puts("hello"); return 0; }
END

# clean MAP DESCRIPTION: it shows a link with libc.a, and with our runtime, and without libc's.
clean() {
	grep -q 'libc\.a(' "$1" 2>found && grep -q 'profsup/gcrt0\.o' "$1" && ! grep -Eo "$theirs" "$1" >found
	ok $? "$2" || { diag_file found; return 1; }
}

cc -pg -static -Wl,-Map,map -o p main.c
is "$(grep -Eo "$theirs" map | sort -u | wc -l)" 5 'a link without us has the objects of libc'"'"'s profiling'
profsup-cc -Wl,-Map,map -o p main.c
clean map 'a link with us has none'
profsup-cc -static-pie -Wl,-Map,map -o p main.c
clean map 'nor has a static PIE'
profsup-cc -flto -O2 -Wl,-Map,map -o p main.c
clean map 'nor a program optimised at link time'
profsup-cc -mfentry -Wl,-Map,map -o p main.c
clean map 'nor one with calls of __fentry__'
profsup-cc -lc -Wl,-Map,map -o p main.c -lc
clean map 'nor one that names libc itself'
profsup-cc -c main.c
ar rc libmain.a main.o
profsup-cc -Wl,-Map,map -o p libmain.a
clean map 'nor one whose objects are all in an archive'

# symbols.txt against our files, and against libc's.
nm --defined-only -g "$stage/lib/profsup/gcrt0.o" "$stage/lib/profsup/libprofil.a" | awk 'NF == 3 { print $3 }' |
	sort >ours
printf '%s\n' "$symbols" | sort >owned
is "$(comm -13 ours owned)" '' 'each symbol of symbols.txt is defined by gcrt0.o or libprofil.a'
is "$(grep -v '^__profsup_' ours | comm -23 - owned)" '' 'nothing else is defined but names of our own'
is "$(sort ours | uniq -d)" '' 'none is defined twice'
for object in gmon mcount _mcount profil sprofil prof-freq; do
	ar x "$libc" $object.o
done
nm --defined-only -g gmon.o mcount.o _mcount.o profil.o sprofil.o prof-freq.o | awk 'NF == 3 { print $3 }' |
	grep -vx __mcount_internal | sort >libc.symbols
between "$(wc -l <libc.symbols)" 15 30 'libc.a defines what we think'
is "$(comm -23 libc.symbols owned)" '' 'each symbol that libc'"'"'s objects define is in symbols.txt'
readelf -sW "$stage/lib/profsup/gcrt0.o" | awk '$5 != "LOCAL" && $8 ~ /^__profsup_/ && $6 != "HIDDEN"' >visible
is "$(cat visible)" '' 'our own names are hidden'

# Each of them alone, and all.
for symbol in $symbols; do
	printf 'extern char %s[];\nchar *volatile use = %s;\nint main(void) { return use == 0; }\n' "$symbol" "$symbol" >use.c
	rm -f p map
	if ! profsup-cc -w -fno-builtin -Wl,-Map,map -o p use.c || ! ./p; then
		rm -f map
	fi
	clean map "a program may use $symbol"
done
cat >all.c <<'END'
#include <stddef.h>
#include <sys/gmon.h>
#include <sys/time.h>
#include <unistd.h>

struct prof;
extern void moncontrol(int mode);
extern void __write_profiling(void);
extern int sprofil(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags);
extern struct gmonparam _gmonparam;

int
main(int argc, char **argv)
{
	static unsigned short bins[16];
	extern char __executable_start[], etext[];

	/* Unsupervised, nothing is set up. */
	(void)argv;
	if (_gmonparam.lowpc != (argc > 1 ? (unsigned long)__executable_start : 0))
		return 1;
	moncontrol(0);
	monstartup((unsigned long)__executable_start, (unsigned long)etext);
	moncontrol(1);
	/* The four-argument ones are the supervisor's to answer; alone they are as libc's. */
	if (profil(bins, sizeof(bins), 0, 1) != 0 || sprofil(NULL, 0, NULL, 0) != 0)
		return 2;
	__write_profiling();
	_mcleanup();
	return 0;
}
END
profsup-cc -D_GNU_SOURCE -Wall -Werror -Wl,-Map,map -o all all.c
clean map 'a program that calls all of them has none of libc'"'"'s'
./all
is $? 0 'it runs'
[ ! -e gmon.out ]
ok $? 'and writes no gmon.out'
profsup -q ./all supervised
is $? 0 'it runs under profsup'
is "$(calls all "$(the_file all)" main)" 1 'and is profiled'
done_testing
