#!/bin/sh
# --report: the flat profile at the end is gprof's of the same files, for each program, on stderr.
# san: threads
. "$(dirname "$0")/../lib/testlib.sh"
# shellcheck source=tests/lib/proclib.sh
. "$top/tests/lib/proclib.sh"

for t in work family threads count sandbox-strict; do
	cp "$(target $t)" .
done

# rows FILE [PROGRAM]: "SHARE SELF CALLS NAME" of the report's first program, or of that one.
rows() {
	perl -ne '
		$in = $1 eq ($wanted //= $ENV{PROGRAM} || $1) if /^profsup: (\S+): [\d.]+ s of CPU time/;
		print "$1 $2 $3 $4\n" if $in && /^profsup: +([\d.]+)% +([\d.]+) +(\d+) +\S+  (.*)$/' "$1"
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

for sampler in $(samplers); do
	for how in 'threads 300 2' 'tree 300'; do
		rm -f gmon.*
		# shellcheck disable=SC2086 # words
		profsup --sampler="$sampler" --report -F 1000 ./work $how >out 2>err
		like_gprof "$sampler, $how" work
		is "$(rows err | awk '{ print $2 }')" "$(rows err | awk '{ print $2 }' | sort -rn)" "$sampler, $how: sorted by time"
	done
	is "$(sed -n 's/^profsup: work: .* calls, \(4 processes\)$/\1/p' err)" '4 processes' "$sampler: processes of one executable are added up"
	is "$(grep -c 'function$' err)/$(wc -l <out)" 1/4 "$sampler: in one table, and stdout is the program's"
	rm -f gmon.*
	profsup --sampler="$sampler" --report -F 1000 ./sandbox-strict >out 2>err
	like_gprof "$sampler, in seccomp's strict mode" sandbox-strict
done

PROFSUP_CC=g++ profsup-cc -O1 -g -static-pie -o moved "$top/tests/export/shapes.cc" >cc.out 2>&1 || bail "$(cat cc.out)"
rm -f gmon.*
profsup --report -F 1000 ./moved >out 2>err
like_gprof 'loaded anywhere, in C++' moved
grep -q '  shapes::leaf(int)$' err
ok $? 'names are demangled'

rm -f gmon.*
profsup -q --report sh -c './count 5; ./count 6; ./threads 2 10 >/dev/null' >out 2>err
is "$(sed -n 's/^profsup: \([a-z]*\): .*, \([0-9]* process\)e*s*$/\1 \2/p' err | sort | tr '\n' ';')" 'count 2 process;threads 1 process;' 'each program has a table, also with -q'
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
is "$(sed -n 's/.* s of CPU time, \([0-9]* calls\),.*/\1/p' err) $(awk '/  fib$/ { print $(NF - 2) }' err) $(awk '/  fib$/ { print $(NF - 3) }' out)" '21892 calls 1+21890 1+21890' \
	'recursion is shown as in gprof'\''s graph' || diag_file err out
# What only leads to main() tells nothing, and callers without time of their own are no more than what has some.
cat >deep.c <<'X'
static volatile unsigned n;
__attribute__((noipa)) static void burn(void) { for (int i = 0; i < 200000000; i++) n++; }
#define CALLER(name, callee) __attribute__((noipa)) static void name(void) { callee(); n++; }
CALLER(a, burn)
CALLER(b, a)
CALLER(c, b)
CALLER(d, c)
int main(void) { d(); return 0; }
X
cc -O1 -o deep deep.c || bail 'no program'
rm -f gmon.* stacks.*
profsup -a -g -q --report -F 1000 ./deep >out 2>err
# A tick may be in a library's start-up, too.
is "$(awk '/^profsup: *[0-9.]+% *[0-9.]+% *[0-9.]+  / {
	if ($4 == "0.000") none++; else some++
	start += / (_start|__libc_start[a-z_]*)$/ && $4 == "0.000"
	burn += / burn$/
} END { print burn, start + 0, none == (some > 3 ? some : 3) }' err) $(grep -c '^profsup: *and [0-9]* more functions' err)" '1 0 1 1' \
	'-a -g: no start-up code, and of functions without time as many as have some, or three' || diag_file err
profsup-report -q -a "$(the_file deep)" | grep -q '  _start$' && ! profsup-report -q "$(the_file deep)" | grep -q '  _start$'
ok $? 'profsup-report -a has it'
strip deep -o nameless
profsup -a -q --report ./nameless 2>err
is "$(grep -c 'as if stripped' err) $(grep -c 'functions whose names are not known have 100.0 %' err)" '0 1' 'that functions have no names is said once' || diag_file err
rm -f gmon.* stacks.*
profsup ./count 5 2>err
is "$(grep -c 'function' err)" 0 'nothing without --report'

# Where nothing says what the file system is, the file is read by another process.
# Where our own root is no mount point, either, unshare can't make its mounts private.
if [ "$(id -u)" -eq 0 ] && command -v ldd >/dev/null && unshare -m --propagation private true 2>/dev/null; then
	mkdir -p root/bin root/proc root/dev
	cp "$(command -v profsup)" root/bin/profsup
	cp moved root/moved
	mknod -m 666 root/dev/null c 1 3
	for lib in $(ldd root/bin/profsup | grep -o '/[^ ]*'); do
		mkdir -p "root${lib%/*}"
		cp -L "$lib" "root$lib"
	done
	rm -f gmon.*
	unshare -m --propagation private sh -c 'mount -t proc proc root/proc && exec "$@"' - \
		chroot root /bin/profsup --report -F 1000 /moved >out 2>err
	mv root/gmon.* .
	like_gprof 'in a root that is no mount point' moved
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
	is "$?/$(grep -c '100.0% .*  \[\(.text\|unknown\)\]$' err)" 0/1 "a symbol table with a wrong $t has no names" || diag_file err
done

# check_costs: each row's cost of a call is its time by its calls; with "-g" in two ways.
check_costs() {
	perl -ne '
		BEGIN { %unit = (ns => 1e-9, us => 1e-6, ms => 1e-3, s => 1) }
		$all = $1 if /^profsup: \S+: ([\d.]+) s of CPU time/;
		my ($totals, $self, $calls, @cost) = /^profsup: +[\d.]+% +(?:([\d.]+)% +)?([\d.]+) +(\d+) +(\S+) +(?:(\S+) +)?\S+$/ or next;
		for my $time ($self, defined $totals ? $totals / 100 * $all : ()) {
			my $cost = shift @cost;
			my $want = $calls ? $time / $calls : 0;
			my $off = $calls ? (defined $totals ? 0.0006 * $all + 0.0006 : 0.0006) / $calls : 0;
			my ($n, $unit) = $cost =~ /^([\d.]+)([mnu]?s)$/ or ($cost eq ($calls ? "0" : "-") ? next : die "cost $cost\n");
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
said=$(sed -n 's/^profsup: \([0-9.]* s more were spent in counting calls\)$/\1/p' err)
is "$said" "$(profsup-report -q ./often gmon.often.*.out | sed -n 2p)" 'the time of counting calls is said, as profsup-report says it' || diag_file err
perl -ne '
	$sum += $1 if /^profsup: (?:often: )?([\d.]+) s (?:of|more)/;
	$all = $1 if /; ([\d.]+) s of CPU time at/;
	END { exit !($all > 0.1 && abs($sum - $all) < 0.0015) }' err
ok $? 'with it the time of all functions is that of the run' || diag_file err

# With call stacks.
cp "$(target stacks)" .
for sampler in $(samplers); do
	profsup -g --sampler="$sampler" --report -F 1000 ./stacks dear >out 2>err
	is "$(check_costs)" '' "$sampler, -g: each function has the cost of a call" || diag_file err
done
profsup --report -F 1000 ./stacks dear >out 2>err
is "$(check_costs)" '' 'without -g each function has the cost of itself' || diag_file err

# The head has all calls, a function's of itself, too.
cat >fib.c <<'X'
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { return fib(20) != 6765; }
X
profsup-cc -O0 -o fib fib.c || bail 'no program'
profsup --report ./fib 2>err
is "$(sed -n 's/^profsup: fib: .* CPU time, \([0-9]* calls\),.*/\1/p' err)" '21892 calls' 'calls of itself count' || diag_file err

# Attached to, a program that sleeps has no stacks; its calls have names.
cat >naps.c <<'X'
#include <unistd.h>
__attribute__((noinline)) void nap(void) { usleep(50000); }
int main(void) { for (int i = 0; i < 40; i++) nap(); return 0; }
X
profsup-cc -O1 -o naps naps.c || bail 'no program'
./naps &
profsup -g --report --since-start -p $! 2>err
grep -qE '^profsup: naps: .* CPU time, [1-9][0-9]* calls, 1 process$' err
ok $? '-p, -g: calls have names where there was no tick' || diag_file err

# More executables than tables.
mkdir copies
# shellcheck disable=SC2046 # numbers
(cd copies && tee $(seq 520) <../count >/dev/null && chmod +x ./*)
profsup --report --sum find copies -type f -exec {} 1 ';' >out 2>err
is "$?/$(grep -c 'too many executables' err)" 0/1 'one line says that not all programs have names' || diag_file err
is "$(grep -c '  leaf$' err)" 1 'but the first ones have' || diag_file err
done_testing
