#!/bin/sh
# fetch-source.sh PACKAGE DIR: unpacks the source of a Debian package, with Debian's patches, into DIR (a new one).
#
# The machine's own list of sources mostly names binary packages only (no deb-src), and is not ours to change:
# apt-get is run with a list, indexes and cache of our own below build/sources, derived from the machine's list
# with all its options, so mirrors, proxies and the check of signatures stay the same.  What was downloaded
# once is used again.  Needs apt-get, dpkg-source and no privilege.
set -eu
export LC_ALL=C

[ $# -eq 2 ] || {
	echo 'usage: fetch-source.sh package dir' >&2
	exit 2
}
package=$1 dir=$2
# A mirror may have lost a file of the old release; then the next release's package has to do.
later='trixie'

fail() {
	echo "fetch-source: $package: $*" >&2
	exit 1
}

top=$(cd "$(dirname "$0")/.." && pwd)
cache=${PROFSUP_SOURCES:-$top/build/sources}
command -v apt-get >/dev/null || fail 'there is no apt-get here'
command -v dpkg-source >/dev/null || fail 'there is no dpkg-source here (package dpkg-dev)'
[ ! -e "$dir" ] || fail "$dir is there already"
mkdir -p "$cache" 2>/dev/null || fail "can't make $cache"
[ -w "$cache" ] || fail "can't write to $cache"

# own_apt NAME: a configuration for apt-get in $cache/apt-NAME, without the machine's hooks; its list is the
# caller's to fill.
own_apt() {
	own=$cache/apt-$1
	mkdir -p "$own/list" "$own/index/partial" "$own/archives/partial"
	cat >"$own/conf" <<-EOF
		Dir::Etc::sourcelist "/dev/null";
		Dir::Etc::sourceparts "$own/list";
		Dir::State::Lists "$own/index";
		Dir::Cache "$own";
		Dir::Cache::pkgcache "";
		Dir::Cache::srcpkgcache "";
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Acquire::Retries "2";
		Acquire::http::Timeout "30";
		Acquire::https::Timeout "30";
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
	EOF
}

# The machine's list, with deb-src for deb.
sources_of_machine() {
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ -r "$f" ] || continue
		sed -n -E 's/^[[:space:]]*deb(-src)?[[:space:]]/deb-src /p' "$f" | sort -u \
			>"$own/list/$(basename "$f" .list).list"
	done
	for f in /etc/apt/sources.list.d/*.sources; do
		[ -r "$f" ] || continue
		sed -E 's/^types[[:space:]]*:.*/Types: deb-src/I' "$f" >"$own/list/$(basename "$f")"
	done
}

# A later release, from the mirror that the machine has its own release from.
sources_of_later() {
	release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	# shellcheck disable=SC2016 # the names are apt's
	mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 2>/dev/null |
		awk -v r="$release" '$2 == r { print $1; exit }')
	[ -n "$mirror" ] && echo "deb-src $mirror $1 main" >"$own/list/later.list"
}

# Some other source that has no index does no harm, so only the download itself is judged.
update() {
	apt-get -c "$own/conf" -q update >"$own/update.log" 2>&1 || true
}

download_once() {
	rm -rf "$got.part"
	mkdir "$got.part"
	(cd "$got.part" && apt-get -c "$own/conf" -q --only-source --download-only source "$1") >"$log" 2>&1
}

# Indexes of an earlier day may name files that have been replaced since.
download() {
	if [ -f "$own/updated" ]; then
		download_once "$1" && return
		rm "$own/updated"
	fi
	update
	download_once "$1" && touch "$own/updated"
}

# The line of apt-get's that tells most: without an index no package is found.
reason() {
	if grep -q -e 'Unable to find a source package' -e deb-src "$log.first"; then
		set -- "$cache/apt-machine/update.log" "$log.first"
	else
		set -- "$log.first"
	fi
	grep -h '^[EW]: ' "$@" | head -n 1
}

# One at a time: tests run in parallel.
exec 9>"$cache/lock"
flock 9

got=$cache/$package log=$cache/$package.log
if [ ! -d "$got" ]; then
	release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	found=
	own_apt machine
	sources_of_machine
	# The second: of two with the same version, apt may prefer one in an archive that has lost it.
	if download "$package" || { [ -n "$release" ] && download_once "$package/$release"; }; then
		found=yes
	else
		mv "$log" "$log.first"
		for r in $later; do
			own_apt "$r"
			if sources_of_later "$r" && download "$package"; then
				found=yes
				break
			fi
		done
	fi
	[ -n "$found" ] || fail "can't be downloaded: $(reason)"
	mv "$got.part" "$got"
fi

set -- "$got"/*.dsc
[ $# -eq 1 ] || fail "$got does not hold one .dsc"
# Signature and sums were apt's to check; dpkg-source checks the sums again.
dpkg-source --no-copy -x "$1" "$dir" >"$log" 2>&1 || fail "can't be unpacked: $(tail -n 1 "$log")"
