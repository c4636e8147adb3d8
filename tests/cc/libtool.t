#!/bin/sh
# profsup-cc as CC of a project that uses automake and libtool.
# check-all: needs automake and libtool
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/cclib.sh"

for tool in autoreconf automake libtoolize; do
	command -v $tool >path || skip_all "$tool is not installed"
done
mkdir project
cp main.c work.c project
cat >project/configure.ac <<'END'
AC_INIT([project], [1])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
AM_PROG_AR
LT_INIT
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat >project/Makefile.am <<'END'
lib_LTLIBRARIES = libwork.la
libwork_la_SOURCES = work.c
bin_PROGRAMS = prog
prog_SOURCES = main.c
prog_LDADD = libwork.la
END
(cd project && autoreconf -i) >out 2>&1 || bail "$(tail -n 3 out)"

# made DIRECTORY OPTION...  What the first configure has found out of the compiler is good for the others.
made() {
	mkdir "$1"
	cd "$1" || bail "$1"
	shift
	(../project/configure --cache-file=../config.cache CC=profsup-cc --prefix="$PWD/root" "$@" && make && make install) >../out 2>&1
	ok $? "configure $* && make install" || diag_file ../out
	cd "$scratch" || bail cd
}

made static --disable-shared
profiled static/prog 'the program is profiled'
profiled static/root/bin/prog 'also where it is installed'
made as-it-is
is "$(grep -c 'profsup-cc: .*libwork.so.* is a shared library' out)" 1 'with shared libraries: they are told of' || diag_file out
profiled as-it-is/root/bin/prog 'and the program is profiled all the same, as libtool makes an archive, too'
made only-shared --disable-static
is "$(grep -c 'prog is not profiled: it needs .*libwork.so' out)" 1 'without an archive the program is said not to be profiled' || diag_file out
only-shared/root/bin/prog
ok $? 'and runs'
done_testing
