#!/bin/sh
# dist.sh VERSION FILE.tar.gz (make dist): the sources as a tarball, whose bytes depend on nothing but the files and one
# date: not on who makes it, when, where or with which umask.
#
# What belongs to it is said by git, or in an unpacked tarball by its MANIFEST.  The date of all files is
# SOURCE_DATE_EPOCH, if that is not set the last commit's, or the MANIFEST's.
set -eu
export LC_ALL=C

version=$1
mkdir -p "$(dirname "$2")"
out=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# Not a repository that somebody has unpacked us in.
if [ -e .git ] && ! command -v git >/dev/null; then
	echo 'dist: git is not installed, which knows the files' >&2
	exit 1
elif [ -e .git ]; then
	git ls-files >"$work/MANIFEST"
	git diff --quiet HEAD || echo 'dist: with changes that are not committed' >&2
	epoch=$(git log -1 --format=%ct)
elif [ -f MANIFEST ]; then
	cp MANIFEST "$work"
	epoch=$(stat -c %Y MANIFEST)
else
	echo 'dist: there is no git repository here and no MANIFEST' >&2
	exit 1
fi

tar --create --format=ustar --no-recursion --owner=0 --group=0 --numeric-owner --mode='u=rwX,go=rX' \
	--mtime="@${SOURCE_DATE_EPOCH:-$epoch}" --transform="s,^,profsup-$version/," --file="$work/tar" \
	-C "$work" MANIFEST -C "$PWD" --verbatim-files-from -T "$work/MANIFEST"
gzip -9 --no-name <"$work/tar" >"$out.part"
mv "$out.part" "$out"
