#!/bin/sh
# -a -g: a library that is loaded at the address of one that has been unloaded, of another file or of a new one with its name,
# has its own time.
. "$(dirname "$0")/../lib/testlib.sh"

cat >library.c <<'END'
#include <time.h>

static volatile unsigned long n;

static double
used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Returns the CPU time that it has used, s. */
double
WORK(double seconds)
{
	const double began = used();

	while (used() < began + seconds)
		for (int i = 0; i < 5000; i++)
			n++;
	return used() - began;
}
END
cat >loads.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *address;
static int moved;

static double
work(const char *library, const char *function, double seconds)
{
	void *handle = dlopen(library, RTLD_NOW);
	double (*call)(double) = handle == NULL ? NULL : (double (*)(double))dlsym(handle, function);

	if (call == NULL) {
		puts(dlerror());
		exit(3);
	}
	moved |= address != NULL && address != (void *)call;
	address = (void *)call;
	seconds = call(seconds);
	dlclose(handle);
	return seconds;
}

/* It is written over: the file stays the same one. */
static int
write_over(const char *library)
{
	static char data[1 << 20];
	FILE *from = fopen(library, "r"), *to = fopen("first.so", "w");
	const size_t len = fread(data, 1, sizeof(data), from);

	fclose(from);
	return fwrite(data, 1, len, to) == len ? fclose(to) : -1;
}

static int
replace(const char *library)
{
	return *library == '=' ? write_over(library + 1) : rename(library, "first.so");
}

/* loads ROUNDS SECONDS [[=]LIBRARY]: LIBRARY has the place of the first one afterwards.  Prints the second one's share. */
int
main(int argc, char **argv)
{
	const double seconds = atof(argv[2]);
	double first = 0, second = 0;

	for (int i = 0; i < atoi(argv[1]); i++) {
		first += work("./first.so", "work_first", seconds);
		if (argc > 3 && replace(argv[3]) < 0)
			return 4;
		second += work(argc > 3 ? "./first.so" : "./second.so", "work_second", 2 * seconds);
	}
	printf("%d %.4f\n", moved, 100 * second / (first + second));
	return 0;
}
END
for library in first second; do
	gcc -O1 -shared -fPIC -Wl,--build-id -DWORK=work_$library -o $library.so library.c || bail 'no compiler'
done
gcc -O1 -Wl,--build-id -o loads loads.c -ldl || bail 'no compiler'

# loads LOST DESCRIPTION ARGS...: the second library's share, of which LOST s may be the first one's, or the other way round.
loads() {
	lost=$1 what=$2
	shift 2
	rm -f gmon.* stacks.*
	profsup -a -g --timeline --sampler="$sampler" -F 1000 ./loads "$@" >out 2>err
	is $? 0 "$what: it runs" || diag_file err
	read -r moved share <out
	if [ "$moved" -ne 0 ]; then
		skip "$what: the libraries have not had the same address"
		return
	fi
	profsup-export -q --format=folded ./loads gmon.loads.*.out >tree
	drawn stacks.loads.*.pb.gz
	got=$(awk '{ n[$0 ~ /work_second/] += $NF } END { print 100 * n[1] / (n[0] + n[1]) }' tree)
	part=$(awk -v lost="$lost" -v all="$(awk -v s="$2" -v n="$1" 'BEGIN { print 3 * s * n }')" 'BEGIN { print 100 * lost / all }')
	likely "$got" "$(awk -v s="$share" -v p="$part" 'BEGIN { print s - p }')" "$(awk -v s="$share" -v p="$part" 'BEGIN { print s + p }')" \
		"$what: each library has its time" || diag_file tree
}

# The kernel can be asked what is mapped at an address since 6.11.
[ "$(printf '6.11\n%s\n' "$(uname -r)" | sort -V | head -n 1)" != 6.11 ]
asked=$?

for sampler in $(samplers); do
	cp first.so old.so && cp second.so new.so
	# Of perf's samples, and where the kernel can't be asked, the mappings are read again after a tenth of a second, or a
	# thousand times the CPU time that reading them takes: under a sanitizer, half a second.
	lost=1
	[ $asked -eq 0 ] || [ "$sampler" != ptrace ] || lost=0.3
	loads $lost "$sampler, a new file" 1 1 new.so
	cp old.so first.so
	loads 1 "$sampler, the same file, written over" 1 1 =second.so
	cp old.so first.so
done
if [ $asked -eq 1 ]; then
	sampler=ptrace
	loads 0.02 'ptrace, by turns' 60 0.003
	# A table is read after the next library has come.
	rm -f gmon.* stacks.*
	profsup -q -a -g --sampler=ptrace ./loads 120 0.003 >out
	profsup-export -q --format=folded ./loads gmon.loads.*.out >tree
	grep -v '^\[cut\]' tree | grep -q 'main;work;work_first' && grep -v '^\[cut\]' tree | grep -q 'main;work;work_second'
	ok $? 'ptrace, by turns at 100 Hz: both have callers' || diag_file tree
else
	skip 'this kernel can not be asked what is mapped at an address'
fi
done_testing
