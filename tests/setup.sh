#!/bin/sh
# setup.sh [build | demo | tutorial | check | check-all | readers | bench | performance | fuzz | lint | deb | rpm | containers | all]:
# installs the Debian packages that the machine lacks for it.  `check`, the default, is what building and `make check` need,
# and `readers` are those that only their own tests need, and that are large.  --list before it: only prints their names.
# --speedscope, --firefox: prints where `readers` puts that program, which is no Debian package.
set -eu
cd "$(dirname "$0")/.."

# Python's packages are named by its version, which is the system's; Debian 13 has no ClickHouse.
case $(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release 2>/dev/null) in
bookworm) python_minor=11 clickhouse=clickhouse-server ;;
*) python_minor=13 clickhouse= ;;
esac

build='
	binutils
	gcc
	libc6-dev
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
# gprof is in binutils, prove in perl; procps has pgrep, libcap2-bin setcap.  The shells: what the completions are for.
# flamegraph.pl is in libdevel-nytprof-perl, pprof's profile.proto for protoc in golang-github-google-pprof-dev.
check="$build
	bash-completion
	bubblewrap
	g++
	golang-github-google-pprof-dev
	groff-base
	jq
	libcap2-bin
	libdevel-nytprof-perl
	perl
	procps
	protobuf-compiler
	strace
	zsh
"
# callgrind (the count of calls that we compare with) is in valgrind.  qemu, busybox and cpio: virtual machines with other
# kernels.  The compilers and makers of makefiles: what profsup-cc serves; the cross compiler and qemu-user: the runtime
# on another machine.  What reads profsup-export's formats: callgrind_annotate in valgrind, graphviz, xmllint in
# libxml2-utils, perf in linux-perf, ld.lld, chromium, pdftotext in poppler-utils.  rustc and golang-go: their programs
# are linked by profsup-cc, too.  systemd: to run the units of docs/systemd.md.  linux-perf, uftrace: who else knows the
# time below a function.  podman, sqlite3, what nginx needs: tests/real/containers.t.  Python's tests:
# tests/others/python.t.  clickhouse-server: tests/real/clickhouse.t.  cmark-gfm: what GitHub makes of profsup-diff's Markdown.
check_all="$check $tutorial
	autoconf
	automake
	busybox-static
	chromium
	clang
	$clickhouse
	cmake
	cmark-gfm
	cpio
	gcc-aarch64-linux-gnu
	gdb
	golang-go
	graphviz
	libc6-dev-arm64-cross
	libcap-dev
	libpython3.$python_minor-testsuite
	libtool
	libpcre2-8-0
	libssl3
	libxml2-utils
	linux-perf
	lld
	meson
	musl-tools
	ninja-build
	podman
	poppler-utils
	qemu-system-x86
	qemu-user-static
	runc
	rustc
	sqlite3
	systemd
	uftrace
	valgrind
"
# Programs that read what profsup-export writes.  speedscope and the Firefox Profiler's reader (its version 0.10.0 reads
# versions up to 75 of the format) come from npm; the latter runs by node.
readers='
	hotspot
	nodejs
'
speedscope=1.25.0
speedscope_sum=7297fd1d64d97f58a32d7049ae4f3b55eff9e2d9d8c7aae57f48144e1be7de8a24ea1eb784b5d539088c7f8e0f4fe5e8579d3770f7ef7e24f980fe6fa23a7a02
speedscope_dir=$PWD/tests/.speedscope/$speedscope
firefox=0.10.0
firefox_sum=7fd7ea74787b07a75d40862bc2b12ce051390fc04c3ac5d2a2b605e0d4457f03da1a2915065868ac1c474fbceb6fa58c80980a4181c2f646b39118db22d2f1f1
firefox_dir=$PWD/tests/.firefox/$firefox
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

[ "${1:-}" != --firefox ] || { echo "$firefox_dir/package/dist/profiler-cli.js" && exit; }
[ "${1:-}" != --speedscope ] || { echo "$speedscope_dir/package/dist/release/index.html" && exit; }
list=
[ "${1:-}" != --list ] || { list=yes && shift; }
case ${1:-check} in
build) packages=$build ;;
performance) packages=$performance ;;
demo) packages=$demo ;;
tutorial) packages=$tutorial ;;
check) packages=$check ;;
check-all) packages=$check_all ;;
readers) packages=$readers ;;
bench) packages=$bench ;;
fuzz) packages=$fuzz ;;
deb) packages=$deb ;;
rpm) packages=$rpm ;;
containers) packages=$containers ;;
lint) packages="$build $lint" ;;
all) packages="$check_all $readers $bench $fuzz $lint $deb" ;;
*)
	echo 'usage: setup.sh [build | demo | tutorial | check | check-all | readers | bench | performance | fuzz | lint | deb | rpm | containers | all]' >&2
	exit 2
	;;
esac

missing=
for p in $packages; do
	dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
from_npm=
case ${1:-check} in
readers | all) [ -d "$speedscope_dir" ] && [ -d "$firefox_dir" ] || from_npm=yes ;;
esac
# npm may be there without being Debian's.
[ -z "$from_npm" ] || command -v npm >/dev/null || missing="$missing npm"
if [ -n "$list" ]; then
	echo "${missing# }"
	exit
fi

# With no questions asked, and patient with another apt-get that is at work.
apt() {
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@"
}

# how_much PACKAGE...: says what is going to be installed, with all that they need.
how_much() {
	$as_root env LC_ALL=C apt-get -o DPkg::Lock::Timeout=300 --assume-no --no-install-recommends install "$@" | awk -v names="$*" '
		/ newly installed/ { n = $3 }
		/^After this operation, .* will be used/ { size = ", " $4 " " $5 }
		END { printf "profsup: installing %d packages%s: %s\n", n, size, names }' >&3
}

install_missing() {
	as_root=
	if [ "$(id -u)" -ne 0 ]; then
		as_root=sudo
		command -v sudo >/dev/null || {
			echo "profsup: as root, run: apt-get install$missing" >&2
			exit 1
		}
	fi
	log=$(mktemp)
	trap 'rm -f "$log"' EXIT
	# shellcheck disable=SC2086 # a list of names
	if ! { apt update && how_much $missing && apt install -y --no-install-recommends $missing; } </dev/null >"$log" 3>&2 2>&1; then
		tail -n 20 "$log" >&2
		echo "profsup: can't install$missing" >&2
		exit 1
	fi
	rm -f "$log"
}

# get_from_npm DIR PACKAGE VERSION SUM: the package as it is, without what it depends on: these need nothing.
get_from_npm() {
	[ ! -d "$1" ] || return 0
	mkdir -p "${1%/*}"
	new=$(mktemp -d "$1.XXXXXX")
	trap 'rm -rf "$new"' EXIT
	(cd "$new" && npm pack --silent "$2@$3" >/dev/null && echo "$4  $(echo ./*.tgz)" | sha512sum --quiet -c && tar -xzf ./*.tgz) || {
		echo "profsup: can't get $2 $3 from npm" >&2
		exit 1
	}
	chmod 755 "$new"
	mv -T "$new" "$1"
}

[ -z "$missing" ] || install_missing
if [ -n "$from_npm" ]; then
	get_from_npm "$speedscope_dir" speedscope $speedscope $speedscope_sum
	get_from_npm "$firefox_dir" @firefox-devtools/profiler-cli $firefox $firefox_sum
fi
