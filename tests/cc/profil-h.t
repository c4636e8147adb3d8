#!/bin/sh
# <profil.h> declares the six-argument profil and moncontrol, and lives with <unistd.h>, whose profil has four
# arguments, in either order.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/cclib.sh"

cat >body <<'END'

/* Types other than these don't compile. */
int (*six)(void *, size_t, size_t, unsigned long, unsigned int, int) = profil;
void (*one)(int) = moncontrol;

int
main(void)
{
	moncontrol(0);
	moncontrol(1);
	return profil(0, 0, 0, 0, 0, -1) + (getpid() < 1) + (six == 0) + (one == 0);
}
END
n=0
for headers in 'profil.h' 'profil.h unistd.h' 'unistd.h profil.h' 'profil.h profil.h' 'sys/gmon.h profil.h unistd.h' \
	'profil.h sys/gmon.h' 'unistd.h stdlib.h sys/gmon.h profil.h stdio.h'; do
	n=$((n + 1))
	for header in $headers; do
		echo "#include <$header>"
	done | cat - body >"$n.c"
	cp "$n.c" "$n.cc"
	failed=
	for std in c99 c11 gnu11 c17 gnu17 gnu2x 'c11 -D_GNU_SOURCE' 'c11 -D_POSIX_C_SOURCE=200809L'; do
		# shellcheck disable=SC2086 # words
		PROFSUP_CC=gcc profsup-cc -std=$std -Wall -Wextra -Wpedantic -Wredundant-decls -Wstrict-prototypes \
			-Wshadow -Wundef -Werror -c "$n.c" 2>>err || failed="$failed $std"
	done
	is "$failed" '' "in C: $headers" || diag_file err
	if ! command -v g++ >gxx.path; then
		skip 'no g++ here'
		continue
	fi
	for std in c++11 c++17 gnu++17 gnu++20; do
		PROFSUP_CC=g++ profsup-cc -std=$std -Wall -Wextra -Wpedantic -Wredundant-decls -Wshadow -Werror \
			-c "$n.cc" 2>>err || failed="$failed $std"
	done
	is "$failed" '' "in C++: $headers" || diag_file err
done

# With the prefix /usr, the C library's headers stand beside it: musl-gcc and -nostdinc are not to find those.
mkdir -p usr/bin
cp "$stage/bin/profsup-cc" usr/bin
cp -R "$stage/lib" "$stage/include" usr
echo '#error another header of the prefix' >usr/include/other.h
printf '#include <profil.h>\n#if __has_include(<other.h>)\n#include <other.h>\n#endif\n' >beside.c
usr/bin/profsup-cc -c beside.c
ok $? 'no other header of the prefix comes with it'

profsup-cc -o p 3.c
is_ours p
ok $? 'a program in C links'
profsup -q ./p
is $? 0 'and its profil is the six-argument one, which stops a profile without an error'
if command -v g++ >gxx.path; then
	PROFSUP_CC=g++ profsup-cc -o p 3.cc && profsup -q ./p
	ok $? 'so it is in C++'
else
	skip 'no g++ here'
fi
cat >four.c <<'END'
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static unsigned short bins[64];

int
main(void)
{
	struct itimerval timer;

	if (profil(bins, sizeof(bins), 0, 65536) != 0)
		return 1;
	getitimer(ITIMER_PROF, &timer);
	return timer.it_interval.tv_sec == 0 && timer.it_interval.tv_usec == 0;
}
END
profsup-cc -Wall -Werror -o p four.c && ./p
ok $? 'without <profil.h> libc'"'"'s four-argument profil links, and sets its timer alone'
sed 's/^#include <unistd.h>/#include <profil.h>/' four.c >wrong.c
! profsup-cc -c wrong.c 2>err && grep -q 'too few arguments' err
ok $? 'with it four arguments are an error of the compiler'
sed 's/^	return.*/	return profil(0, 0, 0, 0, 65536, -1) != -1 || errno != ENOSYS;/; 1s/^/#include <errno.h>\n/' 3.c >nosys.c
profsup-cc -o p nosys.c && ./p
is $? 0 'unsupervised, it is a call that the system doesn'"'"'t have'
done_testing
