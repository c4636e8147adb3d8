#!/bin/sh
# A machine that lacks something is told what, and nothing else.
. "$(dirname "$0")/../lib/testlib.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL

# Only what make itself calls, and a dpkg that knows of two packages less.
mkdir bin
for tool in sh dash make gcc g++ uname /bin/echo realpath cat dirname grep sed awk id mkdir ln rm; do
	path=$(command -v $tool) && ln -s "$path" bin
done
cat >bin/dpkg-query <<'END'
#!/bin/sh
case $* in
*pkg-config | *libdw-dev) exit 1 ;;
esac
echo 'install ok installed'
END
chmod 755 bin/dpkg-query

made() {
	env -i PATH="$scratch/bin" make -s -C "$top" B="$scratch/b" -n 2>&1 | grep -v '^make' | sed 's/^GNUmakefile:[0-9]*: //; s/\.  Stop\.$//'
}
is "$(made)" '*** pkg-config not found, which tells where the libraries are: "tests/setup.sh build" installs it, or: apt-get install libdw-dev pkg-config' \
	'make without pkg-config says so, and which packages the build lacks'
cat >bin/pkg-config <<'END'
#!/bin/sh
case $* in
*exists*libdw*) exit 1 ;;
esac
END
chmod 755 bin/pkg-config
is "$(made)" '*** libdw not found by pkg-config: "tests/setup.sh build" installs what is lacking, or: apt-get install libdw-dev pkg-config' \
	'make without a library names that one'
is "$(env -i PATH="$scratch/bin" make -s -C "$top" help | grep -c '^make ')" "$(make -s -C "$top" help | grep -c '^make ')" \
	'make help needs neither'

# chroot(8) and the like of a user whose PATH has no sbin.
is "$(PATH=/usr/bin:/bin sh -c '. "$1" && command -v chroot' "$testdir/x.t" "$top/tests/lib/testlib.sh" 2>&1 | sed 's,/usr,,')" /sbin/chroot \
	'tests find what is in sbin'
done_testing
