#!/bin/sh
# profsup-cc as CC of projects with a makefile: make's own rules, an archive, a shared library beside the
# program, and objects of the plain compiler.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/cclib.sh"

mkdir implicit archive
cp main.c work.c implicit
cp main.c work.c archive
echo 'main: work.o' >implicit/Makefile
make -s -C implicit CC=profsup-cc CFLAGS='-O2 -Wall -Werror'
ok $? 'make with its own rules builds a program'
profiled implicit/main 'which is profiled'
cat >archive/Makefile <<'END'
CFLAGS = -O2 -fPIC
ARFLAGS = rc
LDFLAGS = -Wl,-O1
all: prog plugin.so
prog: main.o libwork.a
	$(CC) $(CFLAGS) $(LDFLAGS) $(OUTPUT_OPTION) main.o -L. -lwork -lm
libwork.a: libwork.a(work.o)
plugin.so: work.c
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -o $@ work.c
%.d: %.c
	$(CC) -MM -MT '$*.o $@' -MF $@ $<
include main.d work.d
END
make -s -j2 -C archive CC=profsup-cc 2>err
ok $? 'make builds program, archive, rules and shared library' || diag_file err
profiled archive/prog 'the program is profiled'
! has_note archive/plugin.so && ! calls_mcount archive/plugin.so
ok $? 'the shared library is left alone'
grep -q '^work.o work.d: work.c' archive/work.d
ok $? 'the rules are right'
rm -f archive/work.o archive/libwork.a
(cd archive && cc -O2 -c work.c && make -s -o work.o CC=profsup-cc OUTPUT_OPTION='-o mixed' prog)
profsup -q archive/mixed
is_ours archive/mixed && [ "$(calls archive/mixed "$(the_file mixed)" main)" = 1 ]
ok $? 'objects of the plain compiler go into the same program'
make -s -C implicit -B CC="$stage/bin/profsup-cc" LDFLAGS=-static-pie LDLIBS='-lm -lc'
ok $? 'CC may be a path'
profiled implicit/main 'the program is profiled then'
done_testing
