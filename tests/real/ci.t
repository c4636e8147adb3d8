#!/bin/sh
# docs/ci.md: its commands do what it says, and both jobs pass and fail as it says, in a container of podman's without any
# capability.
# check-all: needs podman
. "$(dirname "$0")/../lib/testlib.sh"
need_root
for f in podman runc; do
	command -v "$f" >/dev/null || skip_all "needs $f"
done
perl -MCPAN::Meta::YAML -e 1 2>/dev/null || skip_all 'perl has no CPAN::Meta::YAML'

. "$top/tests/lib/podman.sh"
podman_prepare "$scratch"
cleanup() {
	podman_clean_up
	cd / && rm -rf "$scratch"
}
trap cleanup EXIT
page=$top/docs/ci.md

# The commands of the page.
mkdir page
# shellcheck disable=SC2016 # that is Markdown
sed -n '/^```c$/,/^```$/p' "$page" | grep -v '^```' >words.c
cp words.c page
perl "$top/tests/lib/console.pl" script "$page" >commands
(cd page && bash ../commands) >output 2>&1 </dev/null
is $? 0 'all commands of the page were run'
perl "$top/tests/lib/console.pl" compare "$page" output >differences
is "$(cat differences)" '' 'each succeeds and says what is shown' || diag_file output

# A work tree of a commit that changes nothing, and one of one that makes the table smaller.
podman_root root
for tree in same smaller; do
	mkdir $tree
	cp words.c page/words.txt $tree
	(cd $tree && profsup-cc -O1 -g -o words words.c && profsup -q -o run ./words <words.txt &&
		profsup-export --format=calls -o words.calls ./words run && rm words run) || bail 'no baseline'
done
sed -i 's/64/8/' smaller/words.c

# container TREE OPTIONS COMMAND...: as the user to whom the tree belongs
container() {
	container_tree=$1 container_options=$2
	shift 2
	# shellcheck disable=SC2086 # the options are words
	timeout 120 podman run --rm --network=none $container_options -v /usr:/usr:ro -v "$stage:/stage:ro" -v "$scratch/$container_tree:/work" \
		-w /work --env PATH=/stage/bin:/usr/bin:/bin --env PROFSUP_CC=gcc --env GITHUB_STEP_SUMMARY=/work/summary --rootfs "$scratch/root" "$@"
}

# job TREE FIRST-LINE OPTIONS: runs the steps of the job in the page that begins with this line, one after the other until one
# fails, and those that are for always; their names and statuses to `statuses`
job() {
	perl "$testdir/ci.pl" "$page" "$2" >steps || bail 'no such job'
	job_options="$3 $(head -n 1 steps)" job_failed='' job_step=0
	chown -R 1001 "$1"
	: >statuses
	sed 1d steps | while read -r job_name; do
		cp "step.$job_step" "$1/step.sh"
		job_step=$((job_step + 1))
		case $job_failed$job_name in
		yesalways*) ;;
		yes*) continue ;;
		esac
		container "$1" "$job_options" sh -e step.sh >log 2>&1 </dev/null
		job_status=$?
		[ $job_status -eq 0 ] || job_failed=yes
		echo "$job_name $job_status" >>statuses
		[ $job_status -eq 0 ] || sed 's/^/# /' log
	done
}
container same '--user 1001 --cap-drop=ALL' /bin/true 2>podman.err || {
	diag_file podman.err
	skip_all 'podman runs no container here'
}

github='# .github/workflows/calls.yml' gitlab='# .gitlab-ci.yml'
for tree in same smaller; do
	case $tree in
	same) status=0 said='are those' ;;
	*) status=1 said='are not those' ;;
	esac
	job $tree "$github" ''
	is "$(cat statuses)" "build and run 0
gate $status
always summary 0" "GitHub: the gate's status is $status if the table is the $tree"
	grep -q "^\*\*Calls of \`words\` $said of \`words.calls\`" $tree/summary
	ok $? 'GitHub: and that is in the summary' || diag_file $tree/summary
	rm $tree/run.? $tree/words
	job $tree "$gitlab" '--user 1001 --cap-drop=ALL --security-opt=no-new-privileges'
	is "$(cat statuses)" "script $status" "GitLab: the gate's status is $status if the table is the $tree"
	grep -q "^words: calls $said of words.calls: " $tree/calls.txt
	ok $? 'GitLab: and that is in the file' || diag_file $tree/calls.txt
done
# shellcheck disable=SC2016 # that is Markdown
grep -q '^| `same` | 51432 | 249008 | +384.1 % |$' smaller/summary
ok $? 'GitHub: with what has changed' || diag_file smaller/summary
is "$(container same "$(head -n 1 steps) --user 1001 --cap-drop=ALL" grep -E '^(Uid|CapBnd|Seccomp):' /proc/self/status | tr -s '\t\n' ' ')" \
	'Uid: 1001 1001 1001 1001 CapBnd: 0000000000000000 Seccomp: 2 ' "the containers have podman's filter, and no capability"
done_testing
