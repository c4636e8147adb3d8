#!/bin/sh
# packaging/profsup.spec: rpmbuild makes packages of the tarball, and what is in them works, with the libraries in lib64.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/cc/cclib.sh"

unset MAKEFLAGS MFLAGS MAKELEVEL
"$top/tests/setup.sh" rpm || skip_all 'rpmbuild is not installed, and apt-get has failed'
version=$(profsup -V | sed 's/.* //')
is "$(sed -n 's/^Version: *//p' "$top/packaging/profsup.spec")" "$version" 'the spec is of this version'
mkdir -p rpm/SOURCES
cp "$(make -s -C "$top" dist B="$scratch/dist" 2>dist.err | tail -n 1)" rpm/SOURCES || bail "$(cat dist.err)"
# --nodeps: rpm knows nothing of Debian's packages.  As Fedora has it, and not Debian's rpm: lib64.
rpmbuild --quiet --nodeps --define "_topdir $scratch/rpm" --define '_libdir %{_prefix}/lib64' --define 'debug_package %{nil}' \
	-bb "$top/packaging/profsup.spec" >rpmbuild.log 2>&1
ok $? 'rpmbuild makes the packages' || { tail -n 20 rpmbuild.log >end && diag_file end; }
is "$(cd rpm/RPMS/* && echo ./*.rpm | sed 's/\.[a-z0-9_]*\.rpm//g')" "./profsup-$version-1 ./profsup-devel-$version-1" 'two of them'
mkdir root
for rpm in rpm/RPMS/*/*.rpm; do
	rpm2cpio "$rpm" | (cd root && cpio -idm --quiet)
done
root/usr/bin/profsup-cc -O1 -o p main.c work.c && is_ours p
ok $? 'profsup-cc links with the runtime in lib64'
root/usr/bin/profsup -q ./p
is "$? $(calls p "$(the_file)" work)" '0 1000' 'and profsup profiles it'
is "$(rpm -qp --nosignature --recommends rpm/RPMS/*/profsup-"$version"-1*.rpm | sort | tr '\n' ' ')" 'binutils profsup-devel ' 'they know of each other'
is "$(rpm -qpl --nosignature rpm/RPMS/*/*.rpm | grep -c 'man[1235]/')" "$(($(find "$top/man" -type f | wc -l) + 3))" 'with all pages'
done_testing
