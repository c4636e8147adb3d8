#!/bin/sh
# -g: at each sample the call stack, in a file beside the other.
# check-all: shares of CPU time, as measured
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target stacks)" prog
cp "$(target family)" "$(target work)" .

read_stacks() {
	perl "$top/tests/lib/stacks.pl" "$@"
}

# percent_under FRAMES: the share of the ticks whose stack has them one below the other, after the run's own frames.
percent_under() {
	awk -v want="$1" '{ n = $NF; all += n; if (index($0, want)) part += n } END { print all ? 100 * part / all : "none" }' tree
}

# sampled WORDS...: a run of prog; one stack for each line of `tree`.
sampled() {
	rm -f gmon.* stacks.*
	# shellcheck disable=SC2154 # below
	profsup -g --timeline --sampler="$sampler" -F 1000 --stats=stats ./prog "$@" >out 2>err
	is "$? $(said err)" '0 ' "$sampler, $1: it runs"
	read_stacks folded ./stacks.* >tree
	drawn stacks.*
	is "$(read_stacks ticks stacks.*)" "$(statistic ticks stats)" "$sampler, $1: the stacks have all ticks"
}

percent_cut() {
	awk -v cut="$(statistic cut_stack_ticks stats)" -v all="$(statistic ticks stats)" 'BEGIN { print all ? 100 * cut / all : "none" }'
}

# nearly_all FRAMES: that is where the time is, but for what a run begins and ends with.
nearly_all() {
	likely "$(percent_under "$1")" 95 100 "$sampler: the time is under $1" || diag_file tree
}

for sampler in $(samplers); do
	sampled dear
	likely "$(awk '/;cheap;burn/ { c += $NF } /;dear;burn/ { d += $NF } END { print 100 * d / (c + d) }' tree)" 99 100 \
		"$sampler: what is dear is dear, and not divided by calls"
	nearly_all 'main;dear;burn'
	likely "$(percent_cut)" 0 0.5 "$sampler: and nearly no stack is cut"
	is "$(read_stacks types stacks.*)" 'samples/count cpu/nanoseconds 1000000 prog' "$sampler: the file says what its values are"
	is "$(stat -c '%a %u %g' stacks.*)" "$(stat -c '%a %u %g' gmon.*)" "$sampler: it belongs to whom the other belongs"
	file=$(the_file prog)
	is "$(echo stacks.*)" "stacks.$(echo "${file#gmon.}" | sed 's/\.out$/.pb.gz/')" "$sampler: it is named after the other"
	grep -q '1 process, 1 file and its stacks: ' err
	ok $? "$sampler: and the summary tells of it"

	sampled sort
	nearly_all 'main;sorting;'
	likely "$(awk '/sorting;.*;compare;burn/ { n += $NF } { all += $NF } END { print 100 * n / all }' tree)" 80 100 \
		"$sampler: through libc's qsort"

	sampled signal
	nearly_all ';handler;burn'
	case $sampler in
	# While the rows are read, what is on a signal's own stack is all that is kept of a sample.
	ptrace) likely "$(percent_under ';interrupted;')" 75 100 "$sampler: and what it has interrupted" || diag_file tree ;;
	*) likely "$(percent_under '[cut];')" 80 100 "$sampler: a signal's own stack is all that the kernel copies" ;;
	esac

	sampled thread
	nearly_all ';thread;burn'
	likely "$(percent_cut)" 0 2 "$sampler: a thread's stack ends where it began"

	sampled fork
	is "$(find . -maxdepth 1 -name 'stacks.*' | wc -l)" "$(find . -maxdepth 1 -name 'gmon.*' | wc -l)" "$sampler: each process has both"
	nearly_all 'main;child;burn'

	sampled deep
	deep=deep
	for _ in $(seq 29); do deep="$deep;deep"; done
	likely "$(percent_under "main;$deep;burn")" 25 75 "$sampler: thirty calls deep"
	likely "$(percent_under '[cut];deep;deep')" 25 75 "$sampler: deeper than 127 frames, it is cut"
	between "$(awk '{ print gsub(/;/, ";") }' tree | sort -n | tail -n 1)" 127 127 "$sampler: at the 127th"
	grep -q ' with a cut stack' err
	ok $? "$sampler: and that is told"

	sampled exec
	nearly_all 'main;dear;burn'

	# Several processes in one file; another name; another directory.
	rm -f gmon.* stacks.*
	profsup -q -g --sampler="$sampler" --sum -F 1000 --stats=stats ./work tree 300 >out 2>err
	is "$? $(cat err)" '0 ' "$sampler: --sum"
	is "$(echo stacks.*)" stacks.work.pb.gz "$sampler: --sum: one file"
	is "$(read_stacks ticks stacks.*)" "$(statistic ticks stats)" "$sampler: --sum: with all ticks"
	rm -f gmon.* stacks.*
	mkdir dir
	profsup -q -g --sampler="$sampler" -d dir -o '%n.profile' -F 1000 ./prog dear 2>err
	is "$(cat err)$(ls dir)" "$(printf 'prog.profile\nprog.profile.pb.gz')" "$sampler: -d and -o"
	rm -r dir

	# Of a program that locks itself in.
	if [ "$(id -u)" -eq 0 ]; then
		mkdir -m 700 empty
		sampled sandbox
		nearly_all 'main;child;burn'
		is "$(ls -A empty)" '' "$sampler: nothing is left in its jail"
		rmdir empty
	fi
done

# Without -g there are none.
rm -f gmon.* stacks.*
profsup -q ./prog dear
is "$(echo stacks.*)" 'stacks.*' 'without -g there is no such file'

# Each sampler while the program runs already: its runtime has started if it has used CPU time for a while.
has_worked() {
	[ "$(stat_field "$1" 12)" -gt 3 ]
}
for sampler in $(samplers); do
	rm -f gmon.* stacks.*
	./work busy 60000 >out &
	pid=$!
	wait_until 60 has_worked "$pid"
	profsup --timeline --sampler="$sampler" -F 1000 --duration=1 -p $pid >told 2>&1
	is $? 0 "$sampler, -p: it runs" || diag_file told
	kill $pid
	wait $pid 2>/dev/null
	read_stacks folded ./stacks.* >tree
	drawn stacks.*
	nearly_all 'main;'
done

# Where its file can't be, the other is.
mkdir -p "stacks.prog.$$.pb.gz"
rm -f gmon.*
profsup -v -g -o gmon.prog.$$.out ./prog dear 2>err
is $? 0 'a file of stacks that can'"'"'t be made: the exit status is the program'"'"'s'
grep -q '1 process, 1 file: ' err
ok $? 'the summary does not count it' || diag_file err
is "$(grep 'stacks\.' err)" "profsup: $scratch/stacks.prog.$$.pb.gz: File exists (try -d)" 'one line says so'
is "$(echo gmon.*)" "gmon.prog.$$.out" 'and the other file is there'
rm -rf stacks.*
rm -f gmon.*
profsup -v -g ./prog dear 2>err
is "$(sed -n 's/^profsup: wrote //p' err)" "$(printf '%s\n%s' stacks.prog.*.pb.gz gmon.prog.*.out)" '-v names both files'
done_testing
