# An installation with file capabilities, in a prefix and with a group of its own.  Source it instead of testlib.sh:
#
#	. "$(dirname "$0")/../lib/capslib.sh"
#
# $caps is the installed program, $plain the same file without capabilities, ./ is where a member of the group can
# write.  `member COMMAND...` runs it as one, with no capability at all.
#
# shellcheck shell=sh
# shellcheck disable=SC2034 # variables are for the tests

. "$(dirname "$0")/../lib/testlib.sh"
need_root
for tool in getcap groupadd groupdel setcap setpriv; do
	command -v $tool >/dev/null || skip_all "needs $tool"
done

caps_group=profsup-test-$$
caps_place=
caps_clean_up() {
	cd /
	groupdel "$caps_group" 2>/dev/null
	[ -z "$caps_place" ] || rm -rf "$caps_place"
	rm -rf "$scratch"
}
trap caps_clean_up EXIT

# nobody COMMAND...: the env in between takes what setpriv leaves in the permitted set.
nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups env "$@"
}

# Not where files can't have capabilities, or are mounted with nosuid.
caps_work_in() {
	cp "$(command -v cat)" "$1/cat" && chmod 755 "$1/cat" && setcap cap_sys_nice=p "$1/cat" 2>/dev/null &&
		nobody "$1/cat" /proc/self/status | grep -q '^CapPrm:.*[1-9a-f]'
}

for dir in "$scratch" /var/tmp "$top"; do
	caps_place=$(mktemp -d "$dir/caps.XXXXXX") && chmod 755 "$caps_place" && caps_work_in "$caps_place" && break
	rm -rf "$caps_place"
	caps_place=
done
[ -n "$caps_place" ] || skip_all 'needs a directory where programs with file capabilities have them'

# The names are what `make install` would give; the programs are those under test.
install_prefix() {
	mkdir -p "$1/bin" "$1/lib/profsup" && install -m 755 "$stage/bin/profsup" "$1/bin"
}

# caps_make TARGET PREFIX
caps_make() {
	make -s -C "$top" "$1" PREFIX="$2" DESTDIR= CAPS_GROUP="$caps_group"
}

# With -j of an outer make in its environment it would wait for that.
unset MAKEFLAGS MFLAGS MAKELEVEL
caps=$caps_place/bin/profsup
plain=$caps_place/plain
install_prefix "$caps_place" || bail 'no profsup'
cp "$stage/bin/profsup" "$plain"
caps_make install-caps "$caps_place" >"$scratch/make.out" 2>&1 || bail "make install-caps: $(cat "$scratch/make.out")"
rm -f "$scratch/make.out"
caps_gid=$(getent group "$caps_group" | cut -d: -f3)

member() {
	setpriv --reuid 65534 --regid 65534 --groups "$caps_gid" env "$@"
}

# status_of PID NAME: what stands there in /proc/PID/status.
status_of() {
	awk -v name="$2:" '$1 == name { $1 = ""; print substr($0, 2) }' "/proc/$1/status"
}

# member PROGRAM of /proc/PID/stat: 1 is SCHED_FIFO.
policy_of() {
	sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f39
}

# held_by PROFSUP OPTION...: it runs ./prog wait, and $supervisor and $front are set; `detach` ends the program.
held_by() {
	rm -f out err
	[ -p line ] || mkfifo line
	member timeout -k 1 60 "$@" ./prog wait <line >out 2>err &
	job=$!
	exec 9>line
	pid=$(ready_pid out)
	supervisor=$(supervisor_of "$pid")
	front=$(stat_field "$pid" 2)
}
detach() {
	echo >&9
	exec 9>&-
	wait "$job"
}
