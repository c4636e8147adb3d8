#!/bin/sh
# -a: programs that were not linked for us have samples and call stacks, through all that they have mapped.
# check-all: shares of CPU time, as measured; needs Go and musl
. "$(dirname "$0")/../lib/testlib.sh"

source="$top/tests/targets/plain/stacks.c"

read_stacks() {
	perl "$top/tests/lib/stacks.pl" "$@"
}

# under FRAMES: the share of the ticks of `tree` whose stack has them one below the other.
under() {
	awk -v want="$1" '{ n = $NF; all += n; if (index($0, want)) part += n } END { print all ? 100 * part / all : "none" }' tree
}

percent_cut() {
	awk -v cut="$(statistic cut_stack_ticks stats)" -v all="$(statistic ticks stats)" 'BEGIN { print all ? 100 * cut / all : "none" }'
}

# all_under PROGRAM FRAMES PERCENT WHAT DESCRIPTION: so much of its ticks, and more, by each sampler.
all_under() {
	for sampler in $(samplers); do
		rm -f gmon.* stacks.*
		profsup -a --timeline --sampler="$sampler" -F 1000 "./$1" 2>err
		is $? 0 "$sampler, $4: it runs"
		read_stacks folded ./stacks.* >tree
		drawn stacks.*
		likely "$(under "$2")" "$3" 100 "$sampler, $4: $5" || diag_file tree
	done
}

gcc -D_GNU_SOURCE -O2 -g -pthread -o pie "$source" || bail 'gcc'
gcc -D_GNU_SOURCE -O2 -pthread -no-pie -o no-pie "$source" || bail 'gcc -no-pie'
gcc -D_GNU_SOURCE -O2 -pthread -static -o static "$source" || bail 'gcc -static'
gcc -D_GNU_SOURCE -O2 -pthread -static-pie -o static-pie "$source" || bail 'gcc -static-pie'
musl-gcc -D_GNU_SOURCE -O2 -static -o musl "$source" || bail 'musl-gcc'
clang -D_GNU_SOURCE -O2 -pthread -o clang "$source" || bail 'clang'
gcc -D_GNU_SOURCE -O2 -pthread -s -o stripped "$source" || bail 'gcc -s'

for sampler in $(samplers); do
	for prog in pie no-pie static static-pie musl clang stripped; do
		rm -f gmon.* stacks.*
		profsup -a --timeline --sampler="$sampler" -F 1000 --stats=stats "./$prog" sort >out 2>err
		is "$? $(said err)" '0 ' "$sampler, $prog: it runs" || diag_file err
		read_stacks folded ./stacks.* >tree
		drawn stacks.*
		is "$(read_stacks ticks stacks.*)" "$(statistic ticks stats)" "$sampler, $prog: the stacks have all ticks"
		likely "$(percent_cut)" 0 5 "$sampler, $prog: and nearly none is cut" ||
			diag_file tree
		case $prog in
		stripped) likely "$(under 'qsort')" 50 100 "$sampler, $prog: libraries have their names" ;;
		musl) likely "$(under 'sorting;')" 90 100 "$sampler, $prog: under what has called qsort" ;;
		*) likely "$(awk '/main;.*sorting;.*;compare;burn/ { n += $NF } { all += $NF } END { print 100 * n / all }' tree)" 75 100 \
			"$sampler, $prog: through libc's qsort" || diag_file tree ;;
		esac
	done
	rm -f gmon.* stacks.*
	profsup -a --timeline --sampler="$sampler" -F 1000 ./pie thread >out 2>err
	read_stacks folded ./stacks.* >tree
	drawn stacks.*
	likely "$(under ';thread;burn')" 85 100 "$sampler: a thread, to its start"
	rm -f gmon.* stacks.*
	profsup -a --sampler="$sampler" -F 1000 --stats=stats ./pie fork >out 2>err
	is "$(statistic samples_only_processes stats)" "$(statistic processes stats)" "$sampler: forked children are followed"
	is "$(find . -name 'gmon.pie.*.out' | wc -l)" "$(find . -name 'stacks.pie.*' | wc -l)" "$sampler: each file has its stacks"
done

# Go has no call frame information that is loaded, and no build id before 1.24.  A goroutine's stack ends where no call has led to.
if command -v go >/dev/null; then
	cat >goroutines.go <<'END'
package main

import "sync"

var sink [8]uint64

//go:noinline
func burn(k int, n uint64) {
	for i := uint64(0); i < n; i++ {
		sink[k] += i
	}
}

//go:noinline
func deep(k, depth int) {
	if depth > 0 {
		deep(k, depth-1)
	} else {
		burn(k, 100000000)
	}
}

//go:noinline
func grow(n int) int {
	m := map[int][]byte{}
	for i := 0; i < n; i++ {
		m[i%1000] = append(m[i%1000], make([]byte, 100)...)
	}
	return len(m)
}

func main() {
	var all sync.WaitGroup
	for k := 0; k < 4; k++ {
		all.Add(1)
		go func(k int) { defer all.Done(); grow(5000); deep(k, 10) }(k)
	}
	all.Wait()
}
END
	HOME=$scratch GOCACHE=$scratch/cache GO111MODULE=off go build -o goroutines goroutines.go || bail 'go build'
	for sampler in $(samplers); do
		rm -f gmon.* stacks.*
		profsup -a --timeline --sampler="$sampler" -F 1000 ./goroutines >out 2>err
		is $? 0 "$sampler, go: it runs" || diag_file err
		read_stacks folded ./stacks.* >tree
		drawn stacks.*
		likely "$(awk '{ all += $NF } /^runtime.goexit.abi0;(main.main.gowrap1;)?main.main.func[^ ]*;main.deep;.*;main.deep;main.burn / { n += $NF }
			END { print 100 * n / all }' tree)" 80 100 "$sampler, go: stacks are whole, to where each goroutine begins" || diag_file tree
		sed -n 's/^profsup: to look at it: //p' err >words && reader sh <words >out 2>err
		is "$? $(grep -c ' main.burn$' out)" '0 1' "$sampler, go: the last line names the program, which no build id tells" || diag_file words
	done
	# What was initialized before main.main has left return addresses where that has its frame.
	cat >initialized.go <<'END'
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

//go:noinline
func spin(n int) (s int) {
	for i := 0; i < n; i++ {
		s += i ^ (s << 1)
	}
	return
}

//go:noinline
func loop(d time.Duration, m map[string]int) {
	end := time.Now().Add(d)
	for i := 0; time.Now().Before(end); i++ {
		m[strconv.Itoa(i%1000)] += spin(2000)
	}
}

func main() {
	m := map[string]int{}
	loop(700*time.Millisecond, m)
	fmt.Fprintln(os.Stderr, len(m))
}
END
	HOME=$scratch GOCACHE=$scratch/cache GO111MODULE=off go build -o initialized initialized.go || bail 'go build'
	rm -f gmon.* stacks.*
	profsup -a --timeline -F 1000 ./initialized >out 2>err
	read_stacks folded ./stacks.* >tree
	drawn stacks.*
	likely "$(awk '{ all += $NF } /^runtime.goexit.abi0;runtime.main;main.main;main.loop;main.spin / { n += $NF } END { print 100 * n / all }' tree)" 80 100 \
		'go: no function that was called before is a caller' || diag_file tree
else
	skip 'no go here'
fi

# Code that a program has made at run time, of which it tells as perf has it.
gcc -D_GNU_SOURCE -O2 -fno-omit-frame-pointer -w -o jit "$top/tests/targets/plain/jit.c" || bail 'jit.c'
for sampler in $(samplers); do
	rm -f gmon.* stacks.*
	profsup -a --timeline --sampler="$sampler" -F 1000 --report ./jit 400 >out 2>err
	is $? 0 "$sampler, made code: it runs"
	rm -f "/tmp/perf-$(echo gmon.jit.*.out | tr -dc 0-9).map"
	read_stacks folded ./stacks.* >tree
	drawn stacks.*
	likely "$(under 'main;run;made_here')" 90 100 "$sampler, made code: it has its name, and its callers" || diag_file tree
	grep -q ' made_here \[made at run time\]$' err
	ok $? "$sampler, made code: --report says what it is" || diag_file err
	grep -q ', [0-9]* outside of the text' err
	ok $? "$sampler, made code: to the summary it is in no library" || diag_file err
	rm -f gmon.* stacks.*
	profsup -q -a --sampler="$sampler" -F 1000 ./jit 200 thread >out 2>err
	read_stacks folded ./stacks.* >tree
	rm -f "/tmp/perf-$(echo gmon.jit.*.out | tr -dc 0-9).map"
	likely "$(under 'run;made_here')" 90 100 "$sampler, made code: where the first thread has ended before, too" || diag_file tree
done

# In a pid namespace the program's own number is another one, by which it names its map.
if unshare -pfm true 2>/dev/null; then
	rm -f gmon.* stacks.*
	# shellcheck disable=SC2016 # the inner shell expands its own
	profsup -a --timeline -d . -F 1000 unshare -pfm sh -c 'mount --bind "$0" /mnt && mount -t tmpfs none /tmp && /mnt/jit 400; exit $?' \
		"$PWD" >out 2>err
	is $? 0 'made code in a pid namespace: it runs' || diag_file err
	read_stacks folded ./stacks.jit.* >tree
	drawn stacks.jit.*
	likely "$(under 'main;run;made_here')" 90 100 'made code in a pid namespace: it has its name' || diag_file tree
else
	skip 'needs the right to make pid namespaces'
fi

# In a chroot its /tmp may lead elsewhere, where the program finds it.
if [ "$(id -u)" -eq 0 ]; then
	rm -f gmon.* stacks.*
	mkdir -p cage/elsewhere
	gcc -D_GNU_SOURCE -O2 -static -fno-omit-frame-pointer -w -o cage/jit "$top/tests/targets/plain/jit.c" || bail 'jit.c'
	ln -s /elsewhere cage/tmp
	profsup -a --timeline -d . -F 1000 --only=jit chroot cage /jit 400 >out 2>err
	is $? 0 'made code in a chroot: it runs' || diag_file err
	read_stacks folded ./stacks.jit.* >tree
	drawn stacks.jit.*
	likely "$(under 'main;run;made_here')" 90 100 'made code in a chroot: it has its name' || diag_file tree
else
	skip 'chroot needs root'
fi

# Functions that have a frame pointer and nothing else, as those that node's compiler has made.
framed="$top/tests/targets/plain/framed.c"
# shellcheck disable=SC2046 # words
gcc $(sed -n 's|^// CFLAGS: ||p' "$framed") -o framed "$framed" || bail 'framed.c'
all_under framed 'main;outer;misled;work' 95 'frame pointers' 'a false return address is not taken'

# A library's functions are called by the linker's stubs, of which call frame information tells in a way of its own.
cat >leaf.c <<'EOS'
long leaf(long x) { return x + 1; }
EOS
cat >calls.c <<'EOS'
long leaf(long);
__attribute__((noinline)) static long calls(long n) { long x = 0; while (n-- > 0) x = leaf(leaf(leaf(leaf(x)))); return x; }
int main(void) { return calls(60000000) != 240000000; }
EOS
gcc -O2 -shared -fPIC -o libleaf.so leaf.c || bail 'gcc -shared'
gcc -O2 -Wl,-z,lazy -o calls calls.c -L. -lleaf -Wl,-rpath,"$PWD" || bail 'gcc calls.c'
all_under calls 'main;calls' 97 'stubs' 'and what they are called by'

# To bind such a function the dynamic linker's frame is found by a register of its own.
for i in $(seq 0 1499); do
	name=a_function_of_the_library_with_a_long_name_$i
	echo "void $name(void) { }" >&3
	echo "	$name();" >&4
	echo "void $name(void);"
done >names.h 3>bound.c 4>names.c
cat >binds.c <<'EOS'
#include "names.h"
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static void binds(void)
{
#include "names.c"
}
int main(void) { for (int i = 0; i < 100; i++) { if (fork() == 0) { binds(); _exit(0); } wait(0); } return 0; }
EOS
gcc -shared -fPIC -o libbound.so bound.c || bail 'gcc -shared'
gcc -O2 -Wl,-z,lazy -o binds binds.c -L. -lbound -Wl,-rpath,"$PWD" || bail 'gcc binds.c'
for sampler in $(samplers); do
	rm -f gmon.* stacks.*
	profsup -a -q --timeline --sampler="$sampler" -F 10000 ./binds
	read_stacks folded ./stacks.* | grep '_dl_fixup' >tree
	drawn --with=_dl_fixup stacks.*
	# There are some 20 to 60 ticks, and on a crowded machine more processes end too soon than are waited for; of others libc's own
	# table, by which main's caller is known, is not read yet.
	likely "$(under 'main;')" 60 100 "$sampler: where a function is bound, it is known who has called it" || diag_file tree
done

# A program that has ended before what is to be read of it has been: libLLVM alone takes most of a second.
ticks=0
samples=0
cut=0
for _ in 1 2 3; do
	rm -f gmon.* stacks.*
	profsup -q -a -g -F 2000 --stats=stats clang -x c -fsyntax-only /dev/null 2>err
	ticks=$((ticks + $(statistic ticks stats)))
	samples=$((samples + $(statistic samples stats)))
	cut=$((cut + $(statistic cut_stack_ticks stats)))
done
# What the exec has cost us must not keep us from samples: at worst the program had ended before there was one.
between $samples $((ticks / 10)) $((ticks + 100)) "a short run of a large program: it is sampled ($samples of $ticks)"
between $cut 0 $((ticks / 5)) "a short run of a large program: its stacks are whole ($cut of $ticks cut)"

# What is said of them, and the file: one mapping for each object, with its build id.
rm -f gmon.* stacks.*
profsup -a -F 1000 --report ./pie sort >out 2>err
grep -q '/pie: [0-9.]* s of CPU time at 1000 Hz, samples only; 1 file of' err
ok $? '--report says that there are samples only' || diag_file err
is "$(grep -cE '^ +self +total +self s  function$' err)/$(grep -cE '^ +[0-9.]+% +[0-9.]+% +[0-9.]+  burn$' err)" 1/1 \
	'and has no columns of calls' || diag_file err
for views in --flat --graph --lines '--annotate=burn'; do
	reader profsup-report -a $views ./pie gmon.pie.* >out 2>said
	is "$?/$(grep -cE 'calls|/call| - ' out)" 0/0 "profsup-report $views: there are no columns of calls" || diag_file out said
done
grep -q ' 1 process has samples only' err
ok $? 'and so does the summary'
gzip -dc stacks.* | protoc --decode=perftools.profiles.Profile -I "$top/tools/model" profile.proto >decoded
is "$(grep -c '^mapping' decoded)" "$(grep -c '^  memory_limit' decoded)" 'the file has mappings'
libc=$(ldd ./pie | awk '/libc.so/ { print $3 }')
id=$(readelf -n "$(readlink -f "$libc")" | awk '/Build ID/ { print $3 }')
grep -q "$id" decoded
ok $? "libc's has its build id"
profsup-export --format=folded ./pie gmon.pie.* 2>/dev/null >folded
grep -q 'libc.so' folded
ok $? 'profsup-export names libraries' || diag_file folded
ticks=$(awk '/ \[(libc|ld-linux)[^;]*\] [0-9]+$/ { n += $NF } END { print n + 0 }' folded)
told=$(sed -n 's/^profsup: 1 process.*, \([0-9]*\) in libraries.*/\1/p' err)
is "${told:-0}" "$ticks" 'the summary tells how many ticks were in libraries' ||
	diag_file err
profsup-export --format=perf -o perf.data ./pie gmon.pie.* 2>err
is "$(sed -n 's/.*no room for functions without an address in a file: they have \([0-9]*\) of .*/\1/p' err)" \
	"$(awk '/ \[vdso\] [0-9]+$/ { n += $NF } END { print n }' folded)" 'what perf has no address for is said' || diag_file folded
profsup-export -q --format=json -o json ./pie gmon.pie.*
is "$(jq '[.functions[].calls // 0] | add' json)" 0 'and there are no calls'
gprof -b -p ./pie gmon.pie.* >flat 2>/dev/null
is "$?/$(awk '$NF == "burn" { print "burn" }' flat)" 0/burn 'gprof reads the program'"'"'s own part'

# Real programs, as a user without any right.
chmod 755 .
mkdir -m 777 user
cat >fill.pl <<'EOS'
my %h;
$h{$_ % 1000} .= "x" for 1 .. 1500000;
EOS
setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs \
	sh -c 'cd user && profsup -a -F 1000 --report perl ../fill.pl >out 2>err'
is $? 0 'perl, as nobody: it runs' || diag_file user/err
grep -q ' Perl_hv_common$' user/err
ok $? 'and its functions have names' || diag_file user/err
is "$(stat -c %u user/gmon.perl.*)" 65534 'the file is its'

# Unlike what was linked for us, a process of nearly no time leaves nothing.
mkdir short
profsup -a -d short sh -c 'for i in 1 2 3; do true; done; exit 5' 2>err
is "$? $(find short -type f | wc -l)" '5 0' 'a process without a tick has no file'
profsup -a -d short -E A=1 ./pie dear 2>err
is "$(find short -name 'gmon.*' | wc -l)" 1 'what only executes another program has none, either'

# Attached, with the window shut and opened, and chosen by name.
rm -f gmon.* stacks.*
./pie deep >out 2>&1 &
profsup -a --timeline -p $! -F 1000 2>err
wait $!
is $? 0 '-p: it goes on' || diag_file err
read_stacks folded ./stacks.* >tree
drawn stacks.*
likely "$(under ';deep;deep;')" 80 100 '-p: and has stacks'
rm -f gmon.* stacks.*
profsup -a -D -1 -F 1000 --stats=stats ./pie dear 2>err
is "$(statistic ticks stats)" 0 '-D -1: nothing is profiled'
rm -f gmon.* stacks.*
profsup -a --only='no*' --stats=stats sh -c './pie dear; ./no-pie dear' 2>err
is "$(find . -maxdepth 1 -name "gmon.*" | wc -l)" 1 '--only: by name' || diag_file err

# As many libraries as a large program has; those that are mapped last have the lowest addresses.
echo 'void used(void) { for (volatile int i = 0; i < 100000; i++) ; }' >used.c
cat >many.c <<'EOS'
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
int main(void) {
	char name[32];
	void (*used[300])(void);
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "./many/%d.so", i);
		void *lib = dlopen(name, RTLD_NOW);
		if (lib == NULL || !(used[i] = dlsym(lib, "used"))) return 1;
	}
	for (int i = 0; clock() < CLOCKS_PER_SEC / 2; i++) used[i % 300]();
	return 0;
}
EOS
mkdir many
gcc -O1 -shared -fPIC -o many/0.so used.c || bail 'no compiler'
gcc -O1 -o many/prog many.c -ldl || bail 'no compiler'
# shellcheck disable=SC2046 # names
tee $(seq -f 'many/%g.so' 299) <many/0.so >/dev/null
rm -f gmon.* stacks.*
profsup -a --timeline -F 1000 --stats=stats ./many/prog 2>err
is $? 0 '300 libraries: it runs' || diag_file err
grep -q 'too many executables' err
is $? 1 '300 libraries: there is room for them'
drawn stacks.*
likely "$(percent_cut)" 0 25 '300 libraries: stacks lead through them to main'

# What has used no tick leaves no file, and why is said.
rm -f gmon.* stacks.*
profsup -a -F 1 sleep 0 2>err
is "$(find . -maxdepth 1 -name 'gmon.*' | wc -l) $(grep -c '^profsup: no file, since no tick of CPU time was used: ' err)" '0 1' 'no tick, no file: that is said' ||
	diag_file err

# Without -a they are not profiled.
profsup ./pie dear 2>err
grep -q 'dynamically linked; relink with profsup-cc, or -a takes samples' err
ok $? 'without -a there is advice' || diag_file err
done_testing
