#!/bin/sh
# setup.sh [build | demo | tutorial | check | bench | performance | fuzz | lint | deb | rpm | containers | all]: installs the Debian packages that the machine lacks for it.
# `check`, the default, is what building and all tests need.  --list before it: only prints their names.
set -eu

build='
	binutils
	gcc
	libc6-dev
	libcap-dev
	libdw-dev
	libelf-dev
	libiberty-dev
	libprotobuf-c-dev
	make
	pkg-config
	protobuf-c-compiler
	uthash-dev
	zlib1g-dev
'
# dpkg-dev, patch, xz-utils: to unpack source packages.
demo="$build
	dpkg-dev
	patch
	xz-utils
"
# docs/tutorial.md.
tutorial="$demo
	curl
"
# gprof is in binutils, prove in perl, callgrind (the count of calls that we compare with) in valgrind.  qemu, busybox
# and cpio: virtual machines with other kernels.  The compilers and makers of makefiles: what profsup-cc serves; the
# cross compiler and qemu-user: the runtime on another machine.  What reads profsup-export's formats: callgrind_annotate
# in valgrind, flamegraph.pl in libdevel-nytprof-perl, pprof's profile.proto in golang-github-google-pprof-dev for
# protoc, graphviz, jq, xmllint in libxml2-utils, perf in linux-perf, ld.lld, chromium, pdftotext in poppler-utils.
# rustc and golang-go: their programs are linked by profsup-cc, too.  The shells: what the completions are for.
# systemd: to run the units of docs/systemd.md.  linux-perf, uftrace: who else knows the time below a function.
# podman, sqlite3, what nginx needs: tests/real/containers.t.
check="$tutorial
	autoconf
	automake
	bash-completion
	bubblewrap
	busybox-static
	chromium
	clang
	cmake
	cpio
	g++
	gcc-aarch64-linux-gnu
	gdb
	golang-github-google-pprof-dev
	golang-go
	graphviz
	groff-base
	jq
	libc6-dev-arm64-cross
	libcap2-bin
	libdevel-nytprof-perl
	libtool
	libpcre2-8-0
	libssl3
	libxml2-utils
	linux-perf
	lld
	meson
	musl-tools
	ninja-build
	perl
	podman
	poppler-utils
	procps
	protobuf-compiler
	qemu-system-x86
	qemu-user-static
	runc
	rustc
	sqlite3
	strace
	systemd
	uftrace
	valgrind
	zsh
"
# The profilers that the bench sets beside ours.
bench="$build
	libgoogle-perftools-dev
	linux-perf
	perl
	util-linux
"
fuzz="$build
	clang
	libclang-rt-dev
	perl
"
# The plot in docs/.
performance='
	gnuplot-nox
	perl
'
# To make packages (lintian looks for what is wrong with them) and to try them in a system of their own.
deb="$build
	build-essential
	debhelper
	debootstrap
	dpkg-dev
	fakeroot
	git
	lintian
	perl
"
rpm="$build
	cpio
	rpm
"
containers='
	podman
	runc
'
lint='
	clang-format
	clang-tidy
	cppcheck
	mandoc
	shellcheck
'

list=
[ "${1:-}" != --list ] || { list=yes && shift; }
case ${1:-check} in
build) packages=$build ;;
performance) packages=$performance ;;
demo) packages=$demo ;;
tutorial) packages=$tutorial ;;
check) packages=$check ;;
bench) packages=$bench ;;
fuzz) packages=$fuzz ;;
deb) packages=$deb ;;
rpm) packages=$rpm ;;
containers) packages=$containers ;;
lint) packages="$build $lint" ;;
all) packages="$check $bench $fuzz $lint $deb" ;;
*)
	echo 'usage: setup.sh [build | demo | tutorial | check | bench | performance | fuzz | lint | deb | rpm | containers | all]' >&2
	exit 2
	;;
esac

missing=
for p in $packages; do
	dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
if [ -n "$list" ]; then
	echo "${missing# }"
	exit
fi
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
	as_root=sudo
	command -v sudo >/dev/null || {
		echo "profsup: as root, run: apt-get install$missing" >&2
		exit 1
	}
fi
echo "profsup: installing$missing" >&2

# With no questions asked, and patient with another apt-get that is at work.
apt() {
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@"
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # a list of names
if ! { apt update && apt install -y --no-install-recommends $missing; } </dev/null >"$log" 2>&1; then
	tail -n 20 "$log" >&2
	echo "profsup: can't install$missing" >&2
	exit 1
fi
