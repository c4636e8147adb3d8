#!/bin/sh
# A program and files that don't belong together are refused, by name; the program is found if it is not named; what
# profsup says at the end of a run works as it stands.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/tools.sh"

cat >prog.c <<'X'
volatile unsigned long sink, build = BUILD;
__attribute__((noinline)) void burn(void) { for (long i = 0; i < 30000000; i++) sink += i; }
int main(void) { burn(); return build > 1; }
X
for build in 0 1; do
	mkdir "$build"
	profsup-cc -O1 -g -DBUILD="$build" -o "$build/prog" prog.c || bail 'no program'
	(cd "$build" && profsup -g -F 1000 ./prog 2>../"err.$build") || bail 'the program fails'
	mv "$build"/gmon.prog.*.out "$build/gmon.prog.7.out" || bail 'no gmon file'
	mv "$build"/stacks.prog.*.pb.gz "$build/stacks.prog.7.pb.gz" || bail 'no file of stacks'
done
build_id=$(readelf -n 1/prog | awk '/Build ID/ { print $3 }')
begins=$(readelf -n 0/prog | awk '/Build ID/ { print substr($3, 1, 24) }')

# The line that ends a run.
is "$(sed -n 's/gmon\.prog\.[0-9]*\.out/FILE/; /to look at/p' err.0)" 'profsup: to look at it: profsup-report prog FILE' 'the last line says how to look at the file'
(cd 0 && profsup-report gmon.prog.7.out) >out 2>err
is "$? $(cat err) $(grep -c ' burn$' out) $(head -n 1 out | cut -d : -f 1)" '0  1 ./prog' 'and that works'
mkdir from
(cd from && profsup ../0/prog 2>err && sed -n 's/^profsup: to look at it: //p' err >words && sh <words >out 2>err)
is "$? $(cat from/err) $(head -n 1 from/out | cut -d : -f 1)" "0  $PWD/0/prog" 'a program that is elsewhere is named, and that works, too'
rm -f from/gmon.*
(cd from && profsup sh -c 'exec ../0/prog' 2>err && sed -n 's/^profsup: to look at it: //p' err >words && sh <words >out 2>err)
is "$? $(cat from/err) $(head -n 1 from/out | cut -d : -f 1)" "0  $PWD/0/prog" 'and so is one that a shell has run' || diag_file from/words
rm -f from/gmon.*
cp 0/prog from/again
(cd from && profsup sh -c './again; ./again' 2>err; sed -n 's/^profsup: to look at them: //p' err >words; sh <words >out 2>err)
is "$? $(cut -d '*' -f 2- from/words)" '0 .out' 'a pattern, if there are several' || diag_file from/words
is "$(grep -c ' burn$' from/out) $(sed 's/.* are/are/' from/err)" '1 are added up, of 2 runs of the program (calls of main)' \
	'which has all of them' || diag_file from/err
(cd from && profsup -q ./again) 2>err
is "$(cat err)" '' '-q says nothing'

# Which program it is.
profsup-export --format=folded 1/gmon.prog.7.out >out 2>err && profsup-export --format=folded 1/prog 1/gmon.prog.7.out >named 2>>err
is "$? $(grep -vc 'no room' err) $(cmp out named 2>&1)" '0 0 ' 'profsup-export finds it, too' || diag_file err
profsup-report 1/gmon.prog.7.out >out 2>err
is "$? $(cat err) $(head -n 1 out | cut -d : -f 1)" '0  1/prog' 'the program beside the file is found'
(cd 1 && profsup-report ../0/gmon.prog.7.out) >out 2>err
is "$? $(cat err) $(head -n 1 out | cut -d : -f 1)" '0  ../0/prog' 'not one of the same name and another build'
mv 0/prog away
(cd 1 && profsup-report ../0/gmon.prog.7.out) >out 2>err
is "$? $(cat out err)" '1 profsup-report: ../0/gmon.prog.7.out: no prog of its build ID is in . or ../0: name the program before the files' \
	'without the right one, none is taken'
(cd 1 && profsup-report --force ../0/gmon.prog.7.out) >out 2>err
is "$? $(head -n 1 out | cut -d : -f 1)" '0 ./prog' '--force takes it'
is "$(cat err)" 'profsup-report: ./prog: not the program that ran: names, lines and calls may be wrong' 'with a warning'
mkdir bin
cp away bin/prog
PATH=$PWD/bin:$PATH profsup-report 0/gmon.prog.7.out >out 2>err
is "$? $(cat err) $(head -n 1 out | cut -d : -f 1)" "0  $PWD/bin/prog" 'one in PATH is found'
mv away 0/prog
cp 0/gmon.prog.7.out renamed.out
cp 0/stacks.prog.7.pb.gz renamed.out.pb.gz
(cd 0 && profsup-report ../renamed.out) >out 2>err
is "$? $(cat err) $(head -n 1 out | cut -d : -f 1)" '0  ./prog' 'the file of stacks has its name, whatever the gmon file is called'
mv 0/stacks.prog.7.pb.gz away
cp 0/gmon.prog.7.out 0/b
(cd 0 && cp prog 'another name' && rm prog && mkfifo -m 755 fifo && profsup-report b; mv 'another name' prog && rm fifo) >out 2>err
is "$? $(cat err) $(head -n 1 out | cut -d : -f 1)" '0  ./another name' 'and if nothing has its name, its build ID alone tells'
(cd 1 && profsup-report ../0/b) >out 2>err
is "$? $(cat err) $(head -n 1 out | cut -d : -f 1)" '0  ../0/prog' 'beside the file, too'
mv 0/b b
profsup-report b >out 2>err
is "$? $(cat err)" '1 profsup-report: b: no program of its build ID is in .: name the program before the files' 'nowhere else' || diag_file out
mv away 0/stacks.prog.7.pb.gz
mkdir own
for how in './prog' 'prog' '../bin/prog'; do
	rm -rf own/* && cp 0/prog own
	[ "$how" = ./prog ] || rm own/prog
	(cd own && PATH=$OLDPWD/bin:$PATH && profsup -o mine "$how" 2>err &&
		sed -n 's/^profsup: to look at it: //p' err >words && sh <words >out 2>err)
	is "$? $(cat own/err) $(grep -c ' burn$' own/out)" '0  1' "$how: the last line's words work for a file of another name, too" || diag_file own/words
done

# What does not fit.  All tools that read gmon files say the same.
refused() {
	tool=$1
	shift
	told 1 "$@"
}
other="1/prog: not the program that ran: its build ID is $build_id, that of 0/gmon.prog.7.out begins with $begins (--force takes it)"
two='0/gmon.prog.7.out and 1/gmon.prog.7.out: they are of different programs or builds, which can'\''t be added up'
refused profsup-report "$other" 1/prog 0/gmon.prog.7.out
refused profsup-export "$other" --format=json 1/prog 0/gmon.prog.7.out
refused profsup-diff "$other" 1/prog 0/gmon.prog.7.out -- 1/prog 1/gmon.prog.7.out
how=': name one program before the files, or compare two builds by profsup-diff'
refused profsup-report "$two$how" 0/gmon.prog.7.out 1/gmon.prog.7.out
refused profsup-export "$two$how" --format=json 0/gmon.prog.7.out 1/gmon.prog.7.out
refused profsup-diff "$two" --one-run 0/prog 0/gmon.prog.7.out 1/gmon.prog.7.out -- 1/prog 1/gmon.prog.7.out

# Built again and run again: the files of older builds are left out, whichever comes first.
mkdir again
cp 0/gmon.prog.7.out again/gmon.prog.9.out
cp 1/gmon.prog.7.out again/gmon.prog.8.out
cp 1/prog again
for tool in profsup-report 'profsup-export --format=json'; do
	(cd again && $tool gmon.prog.*.out >out 2>err)
	is "$? $(head -n 1 again/err)" "0 ${tool%% *}: gmon.prog.9.out is left out: it is of another build (profsup-diff compares builds)" \
		"$tool: the file of an older build is left out" || diag_file again/err
done
(cd again && profsup-report -q gmon.prog.*.out >out 2>err)
is "$? $(cat again/err) $(head -n 1 again/out | grep -c '; 1 file of ')" '0  1' '-q says nothing of it'
cp 0/gmon.prog.7.out again/gmon.prog.1.out
for named in '' prog; do
	# shellcheck disable=SC2086 # no word, or one
	(cd again && profsup-report $named gmon.prog.*.out >out 2>err)
	is "$? $(head -n 1 again/err)" '0 profsup-report: 2 files, such as gmon.prog.1.out, are left out: they are of other builds (profsup-diff compares builds)' \
		"${named:-no program named}: several are counted" || diag_file again/err
done
rm again/prog again/gmon.prog.8.out
cp 1/gmon.prog.7.out again/gmon.prog.0.out
(cd again && profsup-report gmon.prog.*.out) >out 2>err
is "$? $(cat out err)" '1 profsup-report: gmon.prog.0.out: no prog of its build ID is in .: name the program before the files' \
	'without any of the programs, none is taken'
cc -o again/other prog.c -DBUILD=7 -Wl,--build-id || bail 'no compiler'
(cd again && profsup-report other gmon.prog.*.out) >out 2>err
is "$? $(cat out err)" '1 profsup-report: other: not the program that ran: none of the 3 files is of its build' \
	'nor by a program that is none of theirs'
profsup-report --force 0/prog 0/gmon.prog.7.out 1/gmon.prog.7.out >out 2>err
is "$? $(head -n 1 err)" '0 profsup-report: 0/gmon.prog.7.out and 1/gmon.prog.7.out: they are of different programs or builds' \
	'--force adds them up, with a warning'
profsup-diff -q --force 1/prog 0/gmon.prog.7.out -- 1/prog 1/gmon.prog.7.out >out 2>err
is "$? $(cat err)" '0 ' 'profsup-diff has --force, too'

# What is added up.
cp 0/gmon.prog.7.out 0/gmon.prog.8.out
cp 0/stacks.prog.7.pb.gz 0/stacks.prog.8.pb.gz
profsup-report 0/gmon.prog.*.out >out 2>err
is "$(sed 's/from .* are/from TIMES are/' err)" 'profsup-report: 2 files from TIMES are added up, of 2 runs of the program (calls of main)' \
	'files of two runs are said to be'
profsup-report -q 0/gmon.prog.*.out >out 2>err
is "$(cat err)" '' 'but not with -q'
cp 0/gmon.prog.7.out 0/gmon.prog.7.snap1.out
profsup-report --no-stacks 0/prog 0/gmon.prog.7.out 0/gmon.prog.7.snap1.out >out 2>err
is "$(cat err)" 'profsup-report: 0/gmon.prog.7.snap1.out is left out: a later file of the same process has what is in it (if profsup had --intervals it has not: give --intervals here, too)' \
	'a snapshot of the same process is not added'

# The newest run, with all of its files, also if an older one has ended later.
mkdir runs
cp 0/prog runs
(cd runs && for run in 1 2; do
	profsup -o "$run.%p" sh -c './prog; ./prog' 2>err || exit
done) || bail 'the program fails'
touch runs/1.* && touch -d '1 hour ago' runs/2.*
profsup-report runs/[12].* >out 2>err
is "$(sed 's/from .* are/from TIMES are/' err)" 'profsup-report: 4 files from TIMES are added up, of 2 runs of profsup (--last takes the newest)' \
	'files of two runs of profsup are said to be'
for tool in profsup-report 'profsup-export --format=json'; do
	$tool --last runs/[12].* >last 2>err && $tool runs/2.* >out 2>>err
	is "$? $(cmp last out 2>&1)" '0 ' "$tool --last takes all files of the run that began last" || diag_file err
done
is "$(gprof runs/prog runs/[12].* | awk '$NF == "burn" { print $4; exit }')" 4 'gprof adds up all of them'
# A run of another profiler says nothing of itself: it is one file, of its time.
for run in 1 2; do
	(cd runs && profsup-export --format=gprof-inclusive 2>err -o "other.$run" ../0/gmon.prog.7.out && touch -d "$run hour" "other.$run")
done
profsup-report --last runs/prog runs/[12].* runs/other.[12] >last 2>err && profsup-report runs/prog runs/other.2 >out 2>>err
is "$? $(cmp last out 2>&1)" '0 ' 'a file that does not say so is a run of its own' || diag_file err

# Files of several programs: that of the newest run is meant, unless one is named.
mkdir several
cp 0/prog several/older && cp 1/prog several/newer
(cd several && profsup -q ./older && profsup -q ./newer) || bail 'the programs fail'
for tool in profsup-report 'profsup-export --format=json'; do
	(cd several && $tool --last gmon.*.out >../last 2>../err && $tool ./newer gmon.newer.*.out >../out 2>>../err)
	is "$? $(cmp last out 2>&1)" '0 ' "$tool --last, with files of two programs: those of the one that ran last" || diag_file err
	(cd several && $tool -q --last older gmon.*.out >../last 2>../err && $tool older gmon.older.*.out >../out 2>>../err)
	is "$? $(cmp last out 2>&1)" '0 ' "$tool --last PROGRAM, with files of two: the last run of this one" || diag_file err
done
several="$(echo several/gmon.newer.*.out) and $(echo several/gmon.older.*.out): they are of different programs or builds, which can't be added up$how"
refused profsup-report "$several" several/gmon.*.out

# The command line.
tool=profsup-report
misused 'no gmon file'
misused 'no gmon file of 0/prog' 0/prog
misused '0: not a number of rows' -n 0
misused '--percent=x: not a number from 0 to 100' --percent=x
misused 'unknown option -x' -x
misused 'unknown option --grpah=main: did you mean --graph?' --grpah=main
misused 'unknown option --anotate: did you mean --annotate?' --anotate
misused 'unknown option --f: did you mean --flat?' --f
misused 'unknown option --everything' --everything
misused '--last: options come before the program and the files' prog good --last
for tool in profsup-export profsup-diff; do
	misused '--format=jsno: no such format: did you mean json?' --format=jsno
	misused '--format=xml: no such format' --format=xml
done
refused profsup-report 'none: No such file or directory' none
refused profsup-report 'prog.c: no gmon file of GNU'\''s format' prog.c

done_testing
