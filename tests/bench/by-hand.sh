# What the benches that are run by hand begin with; to be sourced.  They need root, and `make tests-built`.  It leaves $top,
# the repository; $stage, the installation, whose commands are found first; and $dir, a new directory, which is the current
# one and is gone at the end, after clean_up(), which a bench may define anew.
#
# shellcheck shell=sh

top=$(cd "$(dirname "$0")/../.." && pwd)
stage=${PROFSUP_STAGE:-$top/build/stage}
PATH=$stage/bin:$PATH
export LC_ALL=C
[ "$(id -u)" -eq 0 ] || { echo "${0##*/}: needs root" >&2 && exit 1; }
dir=$(mktemp -d /tmp/profsup-bench.XXXXXX) || exit 1
clean_up() { :; }
trap 'clean_up; cd / && rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM HUP
chmod 755 "$dir"
cd "$dir" || exit 1
