#!/bin/sh
# profsup-cc as the compiler of CMake projects.
# check-all: needs CMake
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/cclib.sh"

command -v cmake >cmake.path || skip_all 'cmake is not installed'

mkdir 'a project'
cp main.c work.c 'a project'
cat >'a project/CMakeLists.txt' <<'END'
cmake_minimum_required(VERSION 3.14)
project(project C)
include(CheckFunctionExists)
include(CheckIncludeFile)
include(CheckCSourceRuns)
include(CheckPIESupported)
include(CheckCCompilerFlag)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
check_function_exists(setresuid HAVE_SETRESUID)
check_function_exists(no_such_function HAVE_NO_SUCH)
check_include_file(poll.h HAVE_POLL_H)
check_c_source_runs("int main(void) { return 0; }" RUNS)
check_c_compiler_flag(-fno-such-option HAVE_NO_OPTION)
check_pie_supported()
if(NOT HAVE_SETRESUID OR HAVE_NO_SUCH OR NOT HAVE_POLL_H OR NOT RUNS)
	message(FATAL_ERROR "a check has the wrong answer")
endif()
add_library(work STATIC work.c)
add_library(objects OBJECT work.c)
add_library(shared SHARED work.c)
add_executable(prog main.c)
target_link_libraries(prog work m Threads::Threads)
add_executable(pie main.c $<TARGET_OBJECTS:objects>)
set_target_properties(pie objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_precompile_headers(pie PRIVATE <stdio.h>)
END
(cd 'a project' && CC=profsup-cc cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo) >out 2>&1
ok $? 'CC=profsup-cc cmake configures' || diag_file out
grep -q 'C compiler identification is GNU' out
ok $? 'it sees the compiler behind'
make -s -j2 -C 'a project/build' >out 2>&1
ok $? 'make builds it' || diag_file out
profiled 'a project/build/prog' 'a program with a static library is profiled'
cp 'a project/build/pie' .
profiled ./pie 'so is one with an object library and position-independent code'
! has_note 'a project/build/libshared.so' && readelf -dW 'a project/build/libshared.so' | grep -q SONAME
ok $? 'the shared library is one and is left alone'

# C++ with exceptions, optimised over files if the compiler can, and tests of its own.
command -v g++ >path || skip_all 'g++ is not installed'
mkdir cxx
cat >cxx/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.14)
project(cxx C CXX)
include(CheckIPOSupported)
check_ipo_supported()
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
add_library(work work.c)
add_library(parse parse.cc)
add_executable(prog main.cc)
target_link_libraries(prog parse work)
enable_testing()
add_executable(good main.cc)
target_link_libraries(good parse work)
add_test(NAME good COMMAND good)
END
cat >cxx/work.c <<'END'
__attribute__((noipa)) int work(int i) { return i + 1; }
END
cat >cxx/parse.cc <<'END'
#include <stdexcept>
extern "C" int work(int);
__attribute__((noipa)) int parse(int i)
{
	if (i % 3 == 0)
		throw std::runtime_error("three");
	return work(i);
}
END
cat >cxx/main.cc <<'END'
#include <stdexcept>
int parse(int);
int main()
{
	int caught = 0;
	for (int i = 0; i < 300; i++)
		try { parse(i); } catch (const std::exception &) { caught++; }
	return caught != 100;
}
END
(cd cxx && CC=profsup-cc CXX=profsup-c++ cmake -S . -B build -DBUILD_SHARED_LIBS=OFF -DCMAKE_BUILD_TYPE=Release && cmake --build build) >out 2>&1
ok $? 'C++ with exceptions and optimisation over files is built, as check_ipo_supported allows' || diag_file out
mkdir prof
(cd cxx/build && profsup -q --sum -d "$scratch/prof" ctest) >out 2>&1
is "$? $(calls cxx/build/good prof/gmon.good.out work) $(ls prof)" '0 200 gmon.good.out' 'ctest under profsup leaves the profile of each test' || diag_file out

done_testing
