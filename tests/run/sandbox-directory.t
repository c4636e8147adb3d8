#!/bin/sh
# A starting directory that can't be written, or is removed: one line, and -d is the way out.
. "$(dirname "$0")/../lib/sandbox.sh"

need_userns

# Read-only, for the program alone: bound so in a mount namespace.
# shellcheck disable=SC2016 # for the shell inside
read_only='mount --bind . . && mount -o remount,bind,ro . && cd "$PWD" && exec ./prog'
namespace='unshare -m'
[ "$(id -u)" -eq 0 ] || namespace='unshare -Urm'

check_read_only() {
	fresh alone "$(target sandbox-none)"
	fresh here "$(target sandbox-none)"
	$as mkdir here/out
	# shellcheck disable=SC2086 # words
	run alone $as $namespace sh -c "$read_only"
	is "$(cat alone.status alone.err)" 'exit 0' "${who}read-only: alone it runs"
	# shellcheck disable=SC2086 # words
	supervised here $namespace sh -c "$read_only"
	is "$(cat here.status)" 'exit 0' "${who}read-only: it ends as it does alone"
	is "$(cat here.out)" "$(cat alone.out)" "${who}read-only: it prints the same"
	one_line here.err 'gmon\.prog\.[0-9]*\.out' 'Read-only file system' '-d'
	is "$(find here -name '*gmon*')" '' "${who}read-only: there is no file"
	# shellcheck disable=SC2086 # words
	supervised here -d out $namespace sh -c "$read_only"
	is "$(said here.status here.err)" 'exit 0' "${who}read-only: with -d there is nothing to say"
	whole here/prog "$(the_file_in here/out)"
}

# Removed while it runs.
check_removed() {
	fresh alone "$(target sandbox-rmdir)"
	fresh here "$(target sandbox-rmdir)"
	$as mkdir alone/gone here/gone here/out
	# shellcheck disable=SC2016 # for the shell inside
	inside='cd gone && exec ../prog "$OLDPWD/gone"'
	# shellcheck disable=SC2086 # words
	run alone $as sh -c "$inside"
	is "$(cat alone.status alone.err)" 'exit 0' "${who}removed: alone it runs"
	supervised here sh -c "$inside"
	is "$(cat here.status)" 'exit 0' "${who}removed: it ends as it does alone"
	is "$(cat here.out)" "$(cat alone.out)" "${who}removed: it prints the same"
	one_line here.err 'gmon\.prog\.[0-9]*\.out' 'No such file or directory' '-d'
	is "$(find here -name '*gmon*')" '' "${who}removed: there is no file"
	$as mkdir here/gone
	supervised here -d out sh -c "$inside"
	is "$(said here.status here.err)" 'exit 0' "${who}removed: with -d there is nothing to say"
	whole here/prog "$(the_file_in here/out)"

	# Before it starts, profsup's own working directory with it.
	fresh here "$(target sandbox-none)"
	$as mkdir here/gone here/out
	# shellcheck disable=SC2016 # for the shell inside
	# shellcheck disable=SC2086 # words
	run here $as sh -c 'cd gone && rmdir ../gone && exec profsup -F 1000 "$OLDPWD/prog"'
	is "$(cat here.status)" 'exit 0' "${who}removed before: it runs"
	one_line here.err 'gmon\.prog\.[0-9]*\.out' 'No such file or directory' '-d'
	# shellcheck disable=SC2016 # for the shell inside
	# shellcheck disable=SC2086 # words
	run here $as sh -c 'mkdir gone && cd gone && rmdir ../gone &&
		exec profsup -F 1000 -d "$OLDPWD/out" "$OLDPWD/prog"'
	is "$(said here.status here.err)" 'exit 0' "${who}removed before: with -d there is nothing to say"
	whole here/prog "$(the_file_in here/out)"
}

check_read_only
check_removed
build_plain sandbox-rmdir
fresh alone "$(target sandbox-rmdir)"
calls_alike sandbox-rmdir sh -c 'mkdir gone && cd gone && exec ../prog ../gone'
if [ "$(id -u)" -eq 0 ]; then
	as_nobody
	namespace='unshare -Urm'
	check_read_only
	check_removed
fi
done_testing
