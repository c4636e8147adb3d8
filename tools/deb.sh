#!/bin/sh
# deb.sh VERSION DIR (make deb): Debian packages in DIR, built by dpkg-buildpackage from the tarball that make dist makes
# and from nothing else here.  What lintian finds is a failure.
set -eu
export LC_ALL=C

version=$1
top=$(cd "$(dirname "$0")/.." && pwd)
rm -rf "$2"
mkdir -p "$2"
cd "$2"
"$top/tools/dist.sh" "$version" "profsup_$version.orig.tar.gz"
tar -xf "profsup_$version.orig.tar.gz"
cd "profsup-$version"
# The caller's make has nothing to say to the package's.
unset MAKEFLAGS MFLAGS MAKELEVEL
dpkg-buildpackage --no-sign >../build.log 2>&1 || {
	tail -n 30 ../build.log >&2
	echo "deb: dpkg-buildpackage failed" >&2
	exit 1
}
cd ..
# Debian 13's policy is newer than 12's, whose lintian refuses a newer version.
lintian --suppress-tags out-of-date-standards-version --allow-root --pedantic --fail-on error,warning,info,pedantic --display-info ./*.changes
ls "$PWD"/*.deb
