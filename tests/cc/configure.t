#!/bin/sh
# profsup-cc as CC of an autoconf project: ./configure finds what it finds with the plain compiler, and make's
# program is profiled.
# check-all: needs autoconf
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/cclib.sh"

command -v autoconf >autoconf.path || skip_all 'autoconf is not installed'

mkdir project
cp main.c work.c project
cat >project/configure.ac <<'END'
AC_INIT([project], [1])
AC_CONFIG_HEADERS([config.h])
AC_USE_SYSTEM_EXTENSIONS
AC_PROG_CC
AC_PROG_CPP
AC_C_INLINE
AC_C_BIGENDIAN
AC_CHECK_SIZEOF([long])
AC_CHECK_HEADERS([poll.h sys/prctl.h no/such.h])
AC_CHECK_FUNCS([setresuid strlcpy no_such_function])
AC_CHECK_DECLS([environ, profil])
AC_SEARCH_LIBS([cos], [m])
AC_CHECK_LIB([nosuchlibrary], [nothing])
AC_CACHE_CHECK([for -fno-such-option], [project_cv_option],
	[saved=$CFLAGS; CFLAGS="$CFLAGS -fno-such-option"
	AC_LINK_IFELSE([AC_LANG_PROGRAM], [project_cv_option=yes], [project_cv_option=no]); CFLAGS=$saved])
AC_CACHE_CHECK([what a program says], [project_cv_run],
	[AC_RUN_IFELSE([AC_LANG_PROGRAM([], [return 0;])], [project_cv_run=yes], [project_cv_run=no], [project_cv_run=cross])])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat >project/Makefile.in <<'END'
CC = @CC@
CFLAGS = @CFLAGS@
CPPFLAGS = @CPPFLAGS@ -I.
LDFLAGS = @LDFLAGS@
LIBS = @LIBS@

prog: main.o work.o
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ main.o work.o $(LIBS)
.c.o:
	$(CC) $(CPPFLAGS) @DEFS@ $(CFLAGS) -MD -c -o $@ $<
END
(cd project && autoconf && autoheader) >out 2>&1 || diag_file out

for cc in cc profsup-cc; do
	mkdir "with-$cc"
	(cd "with-$cc" && cp ../project/*.c . && ../project/configure CC=$cc CFLAGS='-O2 -g') >"$cc.out" 2>&1
	ok $? "./configure CC=$cc goes through"
	grep '^checking' "$cc.out" | grep -v '^checking for.*gcc\|^checking how to run' |
		sed "s/profsup-cc/cc/g" >"$cc.checks"
done
between "$(wc -l <cc.checks)" 30 200 'it made its checks'
cmp -s cc.checks profsup-cc.checks
ok $? 'each check has the answer that the plain compiler gives' || diff cc.checks profsup-cc.checks | diag_file /dev/stdin
grep -q 'define SIZEOF_LONG 8' with-profsup-cc/config.h
ok $? 'config.h holds the answers'
cmp -s with-cc/config.h with-profsup-cc/config.h
ok $? 'config.h is the same'
make -s -C with-profsup-cc >out 2>&1
ok $? 'make builds it' || diag_file out
profiled with-profsup-cc/prog 'the program is profiled'
done_testing
