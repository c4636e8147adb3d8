#!/bin/sh
# profsup-cc as the compiler of Meson projects: as they are, with shared libraries, and with static ones.
# check-all: needs Meson
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/cclib.sh"

for tool in meson ninja g++; do
	command -v $tool >path || skip_all "$tool is not installed"
done
mkdir project
cp main.c work.c project
sed 's/extern int/extern "C" int/' main.c >project/main.cc
cat >project/meson.build <<'END'
project('project', 'c', 'cpp', default_options: ['buildtype=debugoptimized', 'warning_level=2'])
cc = meson.get_compiler('c')
assert(cc.get_id() == 'gcc', 'the compiler is ' + cc.get_id())
assert(cc.has_function('setresuid') and not cc.has_function('no_such_function'), 'a function')
assert(cc.has_header('poll.h') and not cc.has_header('no/such.h'), 'a header')
assert(cc.sizeof('long') == 8, 'a size')
assert(cc.run('int main(void) { return 3; }').returncode() == 3, 'a program that is run')
assert(not cc.has_argument('-fno-such-option'), 'an option')
m = cc.find_library('m')
work = library('work', 'work.c')
executable('prog', 'main.c', link_with: work, dependencies: [m, dependency('threads')])
executable('progxx', 'main.cc', link_with: work)
test('calls', executable('tried', 'main.c', link_with: work))
shared_module('plugin', 'work.c')
END

# built DIRECTORY OPTION...
built() {
	dir=$1
	shift
	(CC=profsup-cc CXX=profsup-c++ meson setup "$@" "$dir" project && ninja -C "$dir") >out 2>&1
	ok $? "meson ${*:-as it is} builds a project of C and C++" || diag_file out
}

# What profsup-cc(1) advises.
built static -Ddefault_library=static
profiled static/prog 'whose program is profiled'
profiled static/progxx 'in C++, too'
mkdir prof
profsup -q --sum -d prof meson test -C static >out 2>&1
is "$? $(calls static/tried prof/gmon.tried.out work) $(ls prof)" '0 1000 gmon.tried.out' 'meson test under profsup leaves the profile of each test' || diag_file out
! has_note static/libplugin.so
ok $? 'and whose module is left alone'
built static-lto -Ddefault_library=static -Db_lto=true
is_ours static-lto/prog && profsup -q static-lto/prog
ok $? 'whose program is one of ours'
built shared
is "$(grep -c 'prog is not profiled: it needs libwork.so' out) $(grep -c 'libwork.so is a shared library, and is not profiled' out)" '1 1' \
	'where Meson makes shared libraries, that is said' || diag_file out
shared/prog && shared/progxx
ok $? 'and the programs run'
done_testing
