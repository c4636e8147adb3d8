#!/bin/sh
# -o: what the files are called, in whichever directory they belong, and that none of a run is lost to another.
# shellcheck disable=SC2016 # $A is the inner shell's
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target family)" family
cp "$(target threads)" threads
cp "$(target count)" count

names() {
	find . -mindepth 1 -type f ! -name family ! -name threads ! -name count ! -name 'out' ! -name err -printf '%P\n' |
		sort | tr '\n' ' '
}

# all NAME FILE...: how often NAME was called, in all of them together.
all() {
	name=$1
	shift
	for file; do
		calls family "$file" "$name"
	done | awk '{ n += $1 } END { print n }'
}

before=$(date +%s)
profsup -q -o '%h+%t+%P+%p+%n+%%' ./family fork >out 2>err
after=$(date +%s)
is "$?$(cat err)" 0 'each field is taken'
parent=$(awk '$1 == "parent" { print $2 }' out)
child=$(awk '$1 == "child3" { print $2 }' out)
for file in *+%; do
	IFS=+ read -r host start ppid pid prog percent <<-END
		$file
	END
	case $pid in
	"$parent") is "$host/$prog/$percent" "$(uname -n)/family/%" 'host, program and percent sign are right' ;;
	"$child")
		is "$ppid" "$parent" 'the parent of a child is its parent'
		is "$(calls family "$file" child_work)" 300 'and the file is that of the process of its number'
		;;
	esac
	between "$start" "$before" "$after" "$pid: and so is the start"
done
is "$(set -- *+%; echo $#)" 5 'each process has a file'
rm -f -- *+%

# No %p: the later ones have a number.
for round in first second; do
	profsup -q -o '%n.gmon' ./family fork >out 2>err
	is "$?$(cat err)" 0 "$round run: one name for all is no error"
	is "$(names)" 'family.2.gmon family.3.gmon family.4.gmon family.5.gmon family.gmon ' \
		"$round run: each process has its file, with a number behind the name"
	is "$(all child_work family*gmon)/$(all parent_work family*gmon)" 1000/1500 "$round run: with all calls"
done
rm -f -- *.gmon

profsup -q -o same sh -c './count 5; ./count 6; ./threads 2 10 >/dev/null' 2>err
is "$(names)" 'same same.2 same.3 ' 'programs of other names are namesakes, too, where no name is in the template'
rm -f same*

# A number behind a name that may end with one: x1 of process 201, and x of process 1201.
if unshare -Urpf --mount-proc sh -c 'echo 99 >/proc/sys/kernel/ns_last_pid' 2>/dev/null; then
	cp count x
	cp count x1
	cat >two.sh <<-'X'
		echo 200 >/proc/sys/kernel/ns_last_pid; ./x1 5
		echo 1200 >/proc/sys/kernel/ns_last_pid; ./x 6
	X
	unshare -Urpf --mount-proc profsup -q -o '%n%p' sh two.sh 2>err
	is "$(calls count x1201 leaf)/$(calls count x1201.2 leaf)$(cat err)" 5/6 'two programs whose names and IDs make one word have a file each'
	rm -f x* two.sh
else
	skip 'needs user and PID namespaces'
fi

# Where it belongs.
mkdir dir prof
profsup -q -d dir -o '%n.x' ./count 5
PROFDIR=prof profsup -q -o '%n.y' ./count 6
is "$(names)" 'dir/count.x prof/count.y ' 'it is a name in the directory of -d, or the one that PROFDIR gives'
is "$(calls count dir/count.x leaf)/$(calls count prof/count.y leaf)" 5/6 'with the calls of its process'
rm -r dir prof

# What the program calls itself leads nowhere.
mkdir -p 'a b' deep/er
cp count 'a b/c d'
profsup -q -o '%n' './a b/c d' 7
is "$(names)" 'a b/c d c_d ' 'a name has no slash and no space of the program'
rm -rf 'a b' c_d
for bad in %q % a/b /tmp/x ../x . .. ''; do
	profsup -o "$bad" sh -c 'echo ran >ran' 2>err
	is "$?/$(grep -c "^profsup: -o $bad: [a-z]" err)" 125/1 "-o '$bad' is refused at the start, and said why" || diag_file err
done
is "$(ls ran 2>/dev/null)" '' 'and nothing is run'

# In a file's way: as with the name of all days.
echo precious >count.out
profsup -o %n.out ./count 5 2>err
is "$(said err)" "profsup: $scratch/count.out: File exists (try -d)" 'what somebody else may read is not replaced'
is "$(cat count.out)" precious 'and is unharmed'

# ENV=VAL before the program.
is "$(profsup -q A=1 B='2 3' sh -c 'echo "$A/$B"')" '1/2 3' 'var=value before the program sets variables'
is "$(profsup -q -E A=0 -- A=1 sh -c 'echo "$A"')" 1 'also behind --, and a later one counts'
is "$(profsup -q sh -c 'echo "${1}"' A=1 B=2)" B=2 'behind the program they are its own'
cp count ./x=y
profsup -q -o taken ./x=y 8
is "$(calls count taken leaf)" 8 'a path with a = in it is a program'
mkdir bin
cp count bin/only-here
profsup -q PATH="$PWD/bin" only-here 9
is "$(calls count "$(the_file only-here)" leaf)" 9 'a PATH that is set so is where the program is looked for'
profsup A=1 2>err
is "$?/$(cat err)" '125/profsup: no program to run (--help shows the options)' 'variables alone are no program'
done_testing
