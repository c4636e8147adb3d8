#!/bin/sh
# C++ and C in one program: exceptions through counted functions, objects made before main() and in each thread.
#
# What g++ moves out of a function (thrower(int) [clone .cold], the part that runs when an exception passes) has a name
# that gprof ignores; without that it can be seen who called what.
# check-all: other compilers
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/matrix.sh"

for compiler in g++ clang++; do
	command -v $compiler >/dev/null || {
		skip "$compiler is not installed"
		continue
	}
	PROFSUP_CC=$compiler
	export PROFSUP_CC
	whole=-fno-reorder-blocks-and-partition
	[ $compiler = g++ ] || whole=
	every="-O0
		-O1
		-O2 -DTHE_STANDARD
		-O3
		-O2 -static-pie
		-O2 -mfentry
		-O2 -DTHE_STANDARD -fuse-ld=gold
		-O2 -DTHE_STANDARD -fuse-ld=lld
		-O2 -ffunction-sections -Wl,--gc-sections"
	# Each of the words with either compiler, except that levels and -static-pie are other compilations of the same.
	case $compiler in
	g++) few=$(echo "$every" | grep -v static-pie) ;;
	*) few=$(echo "$every" | grep -Ev -e '-O[13]|static-pie|gc-sections') ;;
	esac
	rounds "$few" "$every" >variants
	while read -r words; do
		# shellcheck disable=SC2086 # words
		cxx $words $whole </dev/null
	done <variants
done
PROFSUP_CC=g++
cxx -O2 -flto -fno-reorder-blocks-and-partition
PROFSUP_CC=clang++
cxx -O2 -flto -fuse-ld=lld
PROFSUP_C=clang PROFSUP_CC=g++
cxx -O1
cxx -O1 -static-pie
PROFSUP_C=gcc PROFSUP_CC=clang++
cxx -O2
cxx -O2 -static-pie

# What profsup-cc(1) advises for names that gprof ignores.
PROFSUP_CC=g++ profsup-cc -O2 -o cold "$testdir/known.cc" "$cxx_other" || bail 'cold'
rm -f gmon.*.out
profsup -q ./cold
nm cold | awk '$3 ~ /\./ { n = $3; gsub(/\./, "_", n); print $3, n }' | sort -u >names
objcopy --redefine-syms=names cold cold.gprof
tallied cold.gprof "$(the_file cold)" >renamed
is "$(grep -F '> Guard::~Guard()' renamed)" '_Z7throweri_cold > Guard::~Guard() 100' 'gprof knows the caller in a cold part when dots in names are replaced'
done_testing
