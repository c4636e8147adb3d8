#!/bin/sh
# The other names of profsup-cc: profsup-c++, and ar and ranlib for what is compiled with -flto.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/cclib.sh"

command -v g++ >gxx.path || skip_all 'g++ is not installed'
unset PROFSUP_CXX
# Compilers and archivers that print their names.
cat >named <<'END'
#!/bin/sh
echo "${0##*/} $*"
END
chmod 755 named
mkdir bin
for name in c++ cc clang clang-99 g++-99 gcc-99 gcc-ar gcc-ar-99 gcc-ranlib-99 llvm-ar llvm-ar-99 llvm-ranlib-99 tcc; do
	cp named bin/$name
done
first() {
	PATH=$stage/bin:$scratch/bin:$PATH "$@" | cut -d ' ' -f 1
}
is "$(first profsup-cc -v)/$(first profsup-c++ -v)" cc/c++ 'profsup-c++ calls c++'
is "$(first env PROFSUP_CC=gcc-99 PROFSUP_CXX=g++-99 profsup-cc -v)/$(first env PROFSUP_CC=gcc-99 PROFSUP_CXX=g++-99 profsup-c++ -v)" \
	gcc-99/g++-99 'or what PROFSUP_CXX names'
ln -s "$stage/bin/profsup-cc" clang++-14
is "$(first env PROFSUP_CC=gcc-99 PROFSUP_CXX=g++-99 ./clang++-14 -v)" g++-99 'a link named clang++-14 is a compiler of C++'
is "$(first profsup-gcc-ar)" gcc-ar 'ar is that of gcc'
is "$(first env PROFSUP_CC='env gcc-99' profsup-gcc-ar rc x)/$(first env PROFSUP_CC="$scratch/bin/gcc-99" profsup-gcc-ranlib)" \
	gcc-ar-99/gcc-ranlib-99 'of the gcc that is called'
is "$(first env PROFSUP_CC='gcc-99 -m64' profsup-gcc-ar)/$(first env PROFSUP_CC='gcc-99 -B /gcc-ld' profsup-gcc-ar)" gcc-ar-99/gcc-ar-99 'whatever its options are'
is "$(first env PROFSUP_CC=tcc profsup-gcc-ar)" gcc-ar "or any, of another compiler's"
is "$(first env PROFSUP_CC=clang profsup-gcc-ar)/$(first env PROFSUP_CC=clang-99 profsup-llvm-ar)/$(first env PROFSUP_CC="$scratch/bin/clang-99" profsup-llvm-ranlib)" \
	llvm-ar/llvm-ar-99/llvm-ranlib-99 "those of clang are LLVM's"
is "$(first env PROFSUP_CC=gcc-99 profsup-llvm-ar)" llvm-ar 'also where only the name says that the compiler is clang'
mkdir gnu
cp named gnu/clang
cp named gnu/gcc-ar
is "$(PATH=$scratch/gnu PROFSUP_CC=clang "$stage/bin/profsup-llvm-ar" x 2>&1 | cut -d ' ' -f 1)" gcc-ar "if LLVM's are not installed, gcc's do"
PROFSUP_CXX=profsup-cc profsup-c++ -c x.cc 2>err
is "$? $(cat err)" '127 profsup-c++: profsup-cc: no compiler of this name in PATH but profsup-cc itself' 'a circle is seen'
PROFSUP_CXX=' ' profsup-c++ -c x.cc 2>err
is "$? $(cat err)" '125 profsup-c++: PROFSUP_CXX names no compiler' 'and named by its variable'
is "$(PROFSUP_CXX=$scratch/show profsup-c++ -c a.cc | sed "s|$stage|PREFIX|" | tr '\n' ' ')" '<-pg> <-idirafter> <PREFIX/lib/profsup/include> <-c> <a.cc> ' 'what it adds is the same'

sed 's/extern int/extern "C" int/' main.c >main.cc
profsup-c++ -O2 -c main.cc && profsup-cc -O2 -c work.c && profsup-c++ -o p main.o work.o
profiled ./p 'C++ and C are linked'
profsup-cc -O2 -flto -c work.c -o lto.o && profsup-gcc-ar rcs libwork.a lto.o && profsup-gcc-ranlib libwork.a &&
	nm libwork.a >nm.out 2>&1
ok $? 'an archive of what is compiled with -flto is made' || diag_file nm.out
profsup-cc -O2 -flto -o p main.c libwork.a
is_ours p && profsup -q ./p
ok $? 'and linked'

if command -v cmake >cmake.path; then
	mkdir mixed
	cp work.c mixed
	cp main.cc mixed/main.cpp
	cat >mixed/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.14)
project(mixed C CXX)
include(CheckIPOSupported)
check_ipo_supported(RESULT ipo OUTPUT why LANGUAGES C CXX)
if(NOT ipo)
	message(FATAL_ERROR "no IPO: ${why}")
endif()
add_library(work work.c)
add_executable(prog main.cpp)
target_link_libraries(prog work)
option(IPO "" OFF)
if(IPO)
	set_property(TARGET prog work PROPERTY INTERPROCEDURAL_OPTIMIZATION ON)
endif()
END
	CC=profsup-cc CXX=profsup-c++ cmake -S mixed -B plain >out 2>&1 && make -s -C plain >>out 2>&1
	ok $? 'CMake: C and C++ in one project, and check_ipo_supported has yes' || diag_file out
	profiled plain/prog 'CMake: which is profiled'
	CC=profsup-cc CXX=profsup-c++ cmake -S mixed -B ipo -DIPO=ON >out 2>&1 && make -s -C ipo >>out 2>&1
	ok $? 'CMake: with interprocedural optimisation' || diag_file out
	is_ours ipo/prog && profsup -q ipo/prog
	ok $? 'CMake: which is one of ours'
	if command -v ld.lld >lld.path && command -v llvm-ar >llvm-ar.path && command -v clang++ >clang.path; then
		(
			PROFSUP_CC='clang -fuse-ld=lld' PROFSUP_CXX='clang++ -fuse-ld=lld'
			export PROFSUP_CC PROFSUP_CXX
			CC=profsup-cc CXX=profsup-c++ cmake -S mixed -B clang -DIPO=ON && make -s -C clang
		) >out 2>&1
		ok $? 'CMake: with that of clang' || diag_file out
		profiled clang/prog 'CMake: which is profiled'
	else
		skip 'no clang, lld or llvm-ar here'
	fi
	CC=profsup-cc CXX=profsup-c++ cmake -S mixed -B shared -DBUILD_SHARED_LIBS=ON >out 2>&1 && make -s -C shared >>out 2>&1
	is "$? $(grep -c 'prog is not profiled: it needs libwork.so' out) $(grep -c 'libwork.so is a shared library' out)" '0 1 1' \
		'CMake: BUILD_SHARED_LIBS=ON is built, and said not to be profiled' || diag_file out
	shared/prog
	ok $? 'CMake: and it runs'
else
	skip 'no cmake here'
fi
done_testing
