#!/bin/sh
# --report: the report at the end is profsup-report's of the same files, and gprof's, for each program, on stderr.
. "$(dirname "$0")/../lib/testlib.sh"
# Libraries of these tests come before that of the sanitizers.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
. "$top/tests/lib/terminal.sh"

for t in work family threads count sandbox-strict; do
	cp "$(target $t)" .
done

# rows FILE [PROGRAM]: "SHARE SELF CALLS NAME" of the report's first program, or of that one.
rows() {
	perl -ne '
		$in = $1 eq ($wanted //= $ENV{PROGRAM} || $1) if /^(?:\S*\/)?(\S+): [\d.]+ s of CPU time/;
		print "$1 $2 ", $3 || 0, " $4\n" if $in && /^ +([\d.]+)% +[\d.]+% +([\d.]+) +(?:(\d+)[+\d]*|-) +\S+ +\S+  (.*)$/' "$1"
}

# by_gprof PROGRAM FILE...: the same of gprof's table.
by_gprof() {
	gprof -b -p -z "$@" 2>/dev/null | perl -ne '
		print "$1 $2 ", $3 // 0, " $4\n" if /^ *([\d.]+) +[\d.]+ +([\d.]+) +(?:(\d+) +[\d.]+ +[\d.]+ +)?(\S.*?) *$/'
}

# like_gprof WHAT PROGRAM: the rows of err and gprof's of all the files here.  gprof prints hundredths, and of
# several names that libc has for a function it may choose another; nobody counts calls of those.  A bin on the border
# of two functions it divides in another way.
like_gprof() {
	rows err >ours
	by_gprof "$2" gmon.* >theirs
	perl -e '
		my ($bad, $n, %gprof) = (0, 0);
		open my $f, "<", "theirs"; my @t = map { [split / /, $_, 4] } <$f>;
		$gprof{$_->[3]} //= $_ for @t; # the one with more to it comes first
		open $f, "<", "ours";
		while (<$f>) {
			my ($share, $self, $calls, $name) = split / /, $_, 4;
			my $g = $gprof{$name};
			next if !$g && $calls == 0;
			($bad++, print("# gprof has no $name"), next) if !$g;
			$n++;
			# Of a short run the two ticks of such a bin are much.
			my $two_ticks = $self > 0 ? 0.002 * $share / $self : 2;
			($bad++, print("# $_# gprof: @$g")) if abs($share - $g->[0]) > 0.5 + $two_ticks || abs($self - $g->[1]) > 0.0101 || $calls != $g->[2];
		}
		exit !($n >= 2 && !$bad)'
	ok $? "$1: share, seconds and calls of each function are gprof's" || diag_file err
}

# like_reader WHAT PROGRAM: err has what profsup-report says of the files here, but for paths.
like_reader() {
	sed -n '/ s of CPU time at .*;/,$p' err | tail -n +2 >ours
	profsup-report -q -n 10 "$2" gmon.* | tail -n +2 | perl -0pe 's/\n\n--graph .*//s; s/\n?$/\n/' >theirs
	diff ours theirs >differs
	ok $? "$1: it says what profsup-report says" || diag_file differs
}

for sampler in $(samplers); do
	for how in 'threads 300 2' 'tree 300'; do
		rm -f gmon.*
		# shellcheck disable=SC2086 # words
		profsup --sampler="$sampler" --report -F 1000 ./work $how >out 2>err
		like_gprof "$sampler, $how" work
		is "$(rows err | awk '{ print $2 }')" "$(rows err | awk '{ print $2 }' | sort -rn)" "$sampler, $how: sorted by time"
	done
	is "$(sed -n 's/^[^ ]*work: .* calls; \(4 files\) .*/\1/p' err)" '4 files' "$sampler: processes of one executable are added up"
	is "$(grep -c 'function$' err)/$(wc -l <out)" 1/4 "$sampler: in one table, and stdout is the program's"
	rm -f gmon.*
	profsup --sampler="$sampler" --report -F 1000 ./sandbox-strict >out 2>err
	like_gprof "$sampler, in seccomp's strict mode" sandbox-strict
done

PROFSUP_CC=g++ profsup-cc -O1 -g -static-pie -o moved "$top/tests/export/shapes.cc" >cc.out 2>&1 || bail "$(cat cc.out)"
rm -f gmon.*
profsup --report -F 1000 ./moved >out 2>err
like_reader 'loaded anywhere, in C++' moved
grep -q '  shapes::leaf(int)$' err
ok $? 'names are demangled'

rm -f gmon.*
profsup -q --report sh -c './count 5; ./count 6; ./threads 2 10 >/dev/null' >out 2>err
is "$(sed -n 's/^\.*\(.*\/\)*\([a-z]*\): .*; \([0-9]* file\)s* .*/\2 \3/p' err | sort | tr '\n' ';')" 'count 2 file;threads 1 file;' 'each program has a table, also with -q'
is "$(PROGRAM=count rows err | awk '$4 == "leaf" { print $3 }')" 11 'calls of two processes are added'
# Calls by others and by itself, as in gprof's call graph; the head has all.
cat >fib.c <<'X'
__attribute__((noipa)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { return fib(20) != 6765; }
X
profsup-cc -O1 -o fib fib.c || bail 'no program'
rm -f gmon.*
profsup --report -q ./fib 2>err
profsup-report -q "$(the_file fib)" >out
is "$(sed -n 's/.* s of CPU time at 100 Hz, \([0-9]* calls\);.*/\1/p' err) $(awk '/  fib$/ { print $(NF - 3) }' err) $(awk '/  fib$/ { print $(NF - 3) }' out)" '21892 calls 1+21890 1+21890' \
	'recursion is shown as in gprof'\''s graph' || diag_file err out
# What only leads to main() tells nothing.
cat >deep.c <<'X'
static volatile unsigned n;
__attribute__((noipa)) static void burn(void) { for (int i = 0; i < 200000000; i++) n++; }
#define CALLER(name, callee) __attribute__((noipa)) static void name(void) { callee(); n++; }
CALLER(a, burn)
CALLER(b, a)
int main(void) { b(); return 0; }
X
cc -O1 -o deep deep.c || bail 'no program'
rm -f gmon.* stacks.*
profsup -a -g -q --report -F 1000 ./deep >out 2>err
is "$(awk '$3 != "0.000" && / burn$/ { print "burn" } / (_start|__libc_start[a-z_]*)$/ && $3 == "0.000"' err)" burn \
	'-a -g: no start-up code' || diag_file err
profsup-report -q -a "$(the_file deep)" | grep -q '  _start$' && ! profsup-report -q "$(the_file deep)" | grep -q '  _start$'
ok $? 'profsup-report -a has it'
strip deep -o nameless
profsup -a -q --report ./nameless 2>err
is "$(grep -c 'its functions no names' err) $(grep -c 'functions whose names are not known' err)" '1 0' 'that functions have no names is said once' || diag_file err
rm -f gmon.* stacks.*
profsup ./count 5 2>err
is "$(grep -c 'function' err)" 0 'nothing without --report'

# Where nothing says what the file system is, the file is read by another process.
# Where our own root is no mount point, either, unshare can't make its mounts private.
if [ "$(id -u)" -eq 0 ] && command -v ldd >/dev/null && unshare -m --propagation private true 2>/dev/null; then
	mkdir -p root/bin root/proc root/dev
	cp "$(command -v profsup)" "$(command -v profsup-report)" root/bin
	cp moved root/moved
	mknod -m 666 root/dev/null c 1 3
	for lib in $(ldd root/bin/* | grep "=>\|ld-linux" | grep -o '/[^ ]*'); do
		mkdir -p "root${lib%/*}"
		cp -L "$lib" "root$lib"
	done
	rm -f gmon.*
	unshare -m --propagation private sh -c 'mount -t proc proc root/proc && exec "$@"' - \
		chroot root /bin/profsup --report -F 1000 /moved >out 2>err
	mv root/gmon.* .
	like_reader 'in a root that is no mount point' moved
	rm -rf root
else
	skip 'a root that is no mount point: needs root, ldd, and mounts of its own'
fi

cp work stripped
strip stripped
profsup --report -F 1000 ./stripped busy 300 >out 2>err
is "$?/$(grep -c '  \[.text\]$' err)" 0/1 'code without symbols is under the name of its section' || diag_file err
# The name of a function as an attacker has it.
perl -0pe 's/leaf\0/\e[m\x07\0/g' count >hostile
chmod +x hostile
profsup --report ./hostile 5 2>err
LC_ALL=C grep -q '[^ -~]' err
is "$?/$(grep -c '  ?\[m?$' err)" 1/1 'what is not printable in a name is not printed' || diag_file err

# Tables that claim to be elsewhere, or larger than anything.
perl -e '
	local $/; open my $f, "<", "work"; my $elf = <$f>;
	my ($at, $n) = (unpack("Q<", substr $elf, 0x28, 8), unpack("S<", substr $elf, 0x3c, 2));
	my ($symtab) = grep { unpack("L<", substr $elf, $_ + 4, 4) == 2 } map { $at + 64 * $_ } 0 .. $n - 1;
	for (["size", 0x20, pack "Q<", 1 << 40], ["link", 0x28, pack "L<", 9999], ["offset", 0x18, pack "Q<", 1 << 62]) {
		my ($name, $where, $what) = @$_;
		my $copy = $elf;
		substr($copy, $symtab + $where, length $what) = $what;
		open my $out, ">", $name; print $out $copy; chmod 0755, $name
	}'
for t in size link offset; do
	profsup --report -F 1000 "./$t" busy 200 >out 2>err
	is "$?/$(grep -c "^profsup-report: .*/$t: .*symbol" err)" 0/1 "a symbol table with a wrong $t: a line says so" || diag_file err
done

# check_costs: each row's cost of a call is its time by its calls; with "-g" in two ways.
check_costs() {
	perl -ne '
		BEGIN { %unit = (ns => 1e-9, us => 1e-6, ms => 1e-3, s => 1) }
		$all = $1 if /^\S+: ([\d.]+) s of CPU time/;
		my ($total, $self, $calls, @cost) = /^ +[\d.]+% +([\d.]+)% +([\d.]+) +(\d+) +(\S+) +(\S+) +\S+$/ or next;
		for my $time ($self, $total / 100 * $all) {
			my $cost = shift @cost;
			my $want = $time / $calls;
			my $off = (0.0006 * $all + 0.0006) / $calls;
			my ($n, $unit) = $cost =~ /^([\d.]+)([mnu]?s)$/ or ($cost eq "0" ? next : die "cost $cost\n");
			print "# $_" if abs($n * $unit{$unit} - $want) > $off + 0.006 * $want;
		}
		$n++;
		END { print "# nothing\n" if !$n }' err
}

# Counting calls takes time, which is no function's.
cat >often.c <<'X'
static volatile unsigned n;
__attribute__((noipa)) void often(void) { n++; }
int main(void) { for (int i = 0; i < 60000000; i++) often(); return 0; }
X
profsup-cc -O1 -o often often.c || bail 'no program'
rm -f gmon.*
profsup --report -F 1000 ./often 2>err
like_reader 'with the time of counting calls' often
perl -ne '
	$sum += $1 if /^(?:\S*often: )?([\d.]+) s (?:of|more)/;
	$all = $1 if /; ([\d.]+) s of CPU time at/;
	END { exit !($all > 0.01 && abs($sum - $all) < 0.0015) }' err
ok $? 'with that of counting calls the time of all functions is that of the run' || diag_file err

# With call stacks.
cp "$(target stacks)" .
for sampler in $(samplers); do
	profsup -g --sampler="$sampler" --report -F 1000 ./stacks dear >out 2>err
	is "$(check_costs)" '' "$sampler, -g: each function has the cost of a call" || diag_file err
done
profsup --report -F 1000 ./stacks dear >out 2>err
is "$(check_costs)" '' 'without -g each function has the cost of itself' || diag_file err

# Attached to, a program that sleeps has no stacks; its calls have names.
cat >naps.c <<'X'
#include <unistd.h>
__attribute__((noinline)) void nap(void) { usleep(50000); }
int main(void) { for (int i = 0; i < 1200; i++) nap(); return 0; }
X
profsup-cc -O1 -o naps naps.c || bail 'no program'
./naps &
wait_until 60 test "/proc/$!/exe" -ef naps
profsup -g --report --since-start --duration=1s -p $! 2>err
kill $!
grep -qE '/naps: .* CPU time at 100 Hz, [1-9][0-9]* calls; 1 file of' err && grep -q '  nap$' err
ok $? '-p, -g: calls have names where there was no tick' || diag_file err

# A program that ends by a signal has its report, and one that is gone is named.
mkdir there
cp often there
rm -f gmon.*
profsup -q --report sh -c "there/often; rm there/often often; kill -9 \$\$" 2>err
is "$? $(grep -c '^profsup-report: .*: no often of its build ID is in .*: name the program' err)" '137 1' 'a program that is gone is named' || diag_file err

# More programs than are shown.
profsup-cc -O1 -c -o fib.o fib.c
for n in 10 11 12 13 14 15 16 17 18 19 20 21 22; do
	profsup-cc -o "fib-$n" fib.o "-Wl,--build-id=0x${n}0102030405060708090a0b0c0d0e0f10111213" || bail 'no program'
done
profsup -q --report --sum sh -c "for p in fib-*; do ./\$p; done" >out 2>err
is "$?/$(grep -c '  fib$' err)/$(tail -n 1 err)" '0/10/and 3 more programs' 'ten programs are shown' || diag_file err

# Without the reader.
mkdir alone
cp "$(command -v profsup)" alone
alone/profsup -q --report ./count 5 >out 2>err
is "$? $(sed 's/: [^ ]*profsup-report:/: REPORT:/' err)" '0 profsup: REPORT: No such file or directory (it belongs beside profsup)' \
	'without profsup-report a line says so'

# What ends jobs ends the report, and all of it, but not what the caller has had us ignore.
cat >alone/profsup-report <<'X'
#!/bin/sh
echo "reader $$" >&2
until [ -e go ]; do sleep 0.05; done
echo done >&2
X
chmod +x alone/profsup-report
# shellcheck disable=SC2016 # it is for that shell
sh -c 'trap "" HUP; exec "$@"' - alone/profsup -q --report ./count 5 >out 2>err &
front=$!
wait_until 60 grep -q '^reader ' err
kill -HUP $front
none_waits() {
	grep -qE '^ShdPnd:[[:space:]]*0+$' "/proc/$front/status"
}
wait_until 60 none_waits
: >go
wait $front
is "$? $(sed 's/reader .*/reader/' err | tr '\n' ' ')" '0 reader done ' 'SIGHUP that is ignored does not end the report' || diag_file err
cat >slow.c <<'X'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
/* Called in each process that makes a report. */
int access(const char *path, int how)
{
	if (strcmp(program_invocation_short_name, "profsup-report") == 0) {
		dprintf(STDERR_FILENO, "report %d\n", getpid());
		pause();
	}
	return faccessat(AT_FDCWD, path, how, 0);
}
X
cc -shared -fPIC -o slow.so slow.c || bail 'no library'
# profsup starts the one beside it, with no LD_PRELOAD of ours.
mkdir slow
cp "$stage/bin/profsup" slow
cat >slow/profsup-report <<X
#!/bin/sh
ASAN_OPTIONS=$ASAN_OPTIONS LD_PRELOAD=$PWD/slow.so exec "$stage/bin/profsup-report" "\$@"
X
chmod +x slow/profsup-report
slow/profsup -q --report ./count 5 >out 2>err &
wait_until 60 grep -q '^report ' err
kill -TERM $!
wait $!
status=$?
wait_until 60 is_gone "$(sed -n 's/^report //p' err)"
is "$?/$status" 0/0 'a report that is ended leaves no process' || diag_file err

# In the background, of a program that prints nothing.
terminal bash --norc -i -m
type_line 'stty tostop; profsup -q --report ./count 5 >out & wait $!; echo status $?; echo'
shows '^status' && on_screen '^status 0' && on_screen 's of CPU time'
ok $? 'a terminal that stops what writes in the background does not stop the report' || diag_file screen
leave

# Where nobody reads it, it does not wait for ever; seconds are short here.
cat >short.c <<'X'
#include <errno.h>
#include <signal.h>
#include <unistd.h>
int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *most)
{
	(void)set, (void)info, (void)most;
	usleep(10000);
	errno = EAGAIN;
	return -1;
}
X
cc -shared -fPIC -o short.so short.c || bail 'no library'
rm -f gmon.*
profsup -q ./count 5 >out
printf './count\0%s\0' "$(the_file count)" >list
LD_PRELOAD=./short.so perl -e '
	pipe my $r, my $w;
	$w->blocking(0);
	1 while syswrite $w, "x" x 4096;
	$w->blocking(1);
	open STDOUT, ">&", $w;
	open STDERR, ">&", $w;
	open STDIN, "<", "list";
	$SIG{ALRM} = sub { exit 99 };
	alarm 60;
	exit(system("profsup-report", "--list") >> 8)'
is $? 1 'a report that nobody reads ends'

# The list that the reader gets.
printf 'count' | profsup-report --list 2>err
is "$? $(cat err)" '1 profsup-report: --list: no list of files, each with a NUL byte behind it' 'a list that is none is refused'
printf './count\0nothing\0./count\0%s\0' "$(the_file count)" | profsup-report --list >out 2>err
is "$? $(sed 's/:.*:/:/' err) $(grep -c 's of CPU time' out)" '0 profsup-report: No such file or directory 1' 'what is wrong with one file costs one report' || diag_file err out
profsup-report --list count <out 2>err
is "$? $(cat err)" '2 profsup-report: --list: the files are read from standard input (--help shows the options)' 'a list and files are refused'

# It may read and no more: what takes it over writes no file, runs nothing, and has no power over other processes.
cat >over.c <<'X'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
/* Called for each program of the list, and for files of stacks. */
int access(const char *path, int how)
{
	char line[256], *said = "";
	FILE *f = fopen("/proc/self/status", "r");

	if (strcmp(path, "./fib") != 0)
		return faccessat(AT_FDCWD, path, how, 0);
	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "NoNewPrivs:", 11) == 0 || strncmp(line, "CapPrm:", 7) == 0)
			fputs(line, stderr);
	if (open("made", O_CREAT | O_WRONLY, 0600) >= 0 || open(path, O_WRONLY) >= 0)
		said = "wrote";
	/* Landlock of Linux 6.2 knows of that. */
	if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) >= 3 && truncate("whole", 0) == 0)
		said = "truncated";
	execl("/bin/echo", "echo", "ran", NULL);
	fprintf(stderr, "%s", said);
	return 0;
}
X
cc -shared -fPIC -o over.so over.c || bail 'no library'
echo whole >whole
rm -f gmon.*
profsup -q ./fib
printf './fib\0%s\0' "$(the_file fib)" | LD_PRELOAD=./over.so profsup-report --list >out 2>err
is "$(tr -s '\t\n' '  ' <err)" "$([ "$(id -u)" -eq 0 ] && echo CapPrm: 0000000000000004 NoNewPrivs: 1 || echo CapPrm: 0000000000000000 NoNewPrivs: 1) " \
	'with a list, it only reads' || diag_file out err

# A directory may have any name.
odd=$(printf 'd\377\342\200\215x')
mkdir "$odd"
cp work "$odd"
(cd "$odd" && profsup --report ./work 1000 20 >out 2>err)
is "$? $(rows "$odd/err" | awk '$4 == "main" { print $3 }')" '0 1' 'in a directory whose name is not fit for a terminal, too' || diag_file "$odd/err"
done_testing
