#!/bin/sh
# bare.sh [bookworm | trixie] [COMMAND...]: runs `make demo` and `make check`, or a shell's COMMAND, of this checkout's HEAD on
# a fresh Debian machine that has only make and a compiler.  Needs root, and installs debootstrap.
#
# The machine is a tree that debootstrap makes, the root of mount, pid and IPC namespaces of its own, with /proc, /dev, /sys
# and /tmp as on a real machine.  It gets there by pivot_root, since in a chroot nobody may make a user namespace.  Kernel,
# network and control groups are this machine's, and so are apt's mirrors and proxies.  When the command ends, whatever it has
# left running is killed, and the tree is removed.
#
# $PROFSUP_BARE (/var/tmp/profsup-bare) keeps the trees as debootstrap made them: remove one, and the next run makes it anew.
set -eu
export LC_ALL=C

# What a machine has on which README's commands are typed.
packages=make,gcc,libc6-dev

say() {
	printf 'bare: %s\n' "$*" >&2
}

fail() {
	say "$*"
	exit 1
}

# The first process of the namespaces.
if [ "${1:-}" = --inside ]; then
	root=$2
	mount --bind "$root" "$root"
	mount -t proc proc "$root/proc"
	mount --rbind /dev "$root/dev"
	mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
	mount -t sysfs sysfs "$root/sys"
	mount --rbind /sys/fs/cgroup "$root/sys/fs/cgroup"
	mount -t tmpfs -o mode=755 run "$root/run"
	mkdir -m 1777 "$root/run/lock"
	# From Debian 13 on /tmp is in memory.
	[ "$3" = bookworm ] || mount -t tmpfs -o mode=1777 tmp "$root/tmp"
	cd "$root"
	pivot_root . mnt
	cd /usr/src/profsup
	umount -l /mnt
	# This process stays, to collect those whose parents end before them.
	sh -c "$4" || exit
	exit 0
fi

suite=trixie
case ${1:-} in
bookworm | trixie)
	suite=$1
	shift
	;;
-*) fail 'usage: tests/bare.sh [bookworm | trixie] [COMMAND...]' ;;
esac
[ "$(id -u)" -eq 0 ] || fail 'needs root'
top=$(cd "$(dirname "$0")/.." && pwd)
cache=${PROFSUP_BARE:-/var/tmp/profsup-bare}
mkdir -p "$cache"
work=$(mktemp -d "$cache/run.XXXXXX")
unshared=
# The namespaces end with their first process, and unshare when all in them have ended.
clean_up() {
	[ -z "$unshared" ] || { pkill -KILL -P "$unshared" && wait "$unshared"; } || true
	rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# sources: what this machine has of Debian, for $suite, as lines of a sources.list.
sources() {
	# shellcheck disable=SC2016 # the names are apt's
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
		awk -v own="$(. /etc/os-release && echo "$VERSION_CODENAME")" -v suite="$suite" '
			index($2, own) == 1 && !seen[$0]++ { print "deb", $1, suite substr($2, length(own) + 1), $3 }'
}

# The one of them that debootstrap needs: not a release's updates.
mirror() {
	sources | awk -v suite="$suite" '$3 == suite { print $2; exit }'
}

make_tree() {
	if [ -z "$(mirror)" ] || ! command -v debootstrap >/dev/null; then
		apt-get -qq update
		command -v debootstrap >/dev/null ||
			DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends debootstrap >/dev/null
		[ -n "$(mirror)" ] || fail 'apt knows no mirror of Debian'
	fi
	say "making a bare $suite from $(mirror), to be kept in $cache/$suite"
	debootstrap --variant=minbase --include="$packages" "$suite" "$work/new" "$(mirror)" >"$work/log" 2>&1 || {
		tail -n 20 "$work/log" >&2
		fail 'debootstrap failed'
	}
	sources >"$work/new/etc/apt/sources.list"
	# Proxies, and how far the mirrors are to be believed.
	apt-config dump | grep -E '^Acquire::([^ ]*::)?(Proxy|Check-|Retries|Timeout|Verify-)' >"$work/new/etc/apt/apt.conf.d/90bare" || true
	cp -r /etc/apt/auth.conf /etc/apt/auth.conf.d "$work/new/etc/apt" 2>/dev/null || true
	cp /etc/hosts "$work/new/etc/hosts"
	rm -f "$work/new/var/cache/apt/archives"/*.deb
	# Another run may have made it meanwhile.
	mv -T "$work/new" "$cache/$suite" 2>/dev/null || [ -d "$cache/$suite" ]
}

# packages_now: "NUMBER KILOBYTES" of the packages in the tree.
packages_now() {
	# shellcheck disable=SC2016 # dpkg's
	dpkg-query --admindir="$work/root/var/lib/dpkg" -W -f '${db:Status-Abbrev} ${Installed-Size}\n' |
		awk '$1 == "ii" { n++; kb += $2 } END { print n, kb }'
}

# inside COMMAND: runs it in the tree, and says how that ended and what it has installed since the tree was bare.
inside() {
	say "$suite, $(git -C "$top" log -1 --format='%h %s'): $1"
	started=$(date +%s)
	status=0
	# shellcheck disable=SC2046 # words
	unshare --mount --pid --ipc --fork --kill-child --propagation private \
		env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM="${TERM:-dumb}" \
		$(env | grep -E '^((https?|no)_proxy|PROFSUP_TEST_[A-Z]*|MAKEFLAGS)=[^ ]*$') \
		sh "$top/tests/bare.sh" --inside "$work/root" "$suite" "$1" <&0 &
	unshared=$!
	wait "$unshared" || status=$?
	unshared=
	say "$1: exit status $status after $(($(date +%s) - started)) s, load $(cut -d ' ' -f 1-3 /proc/loadavg)"
	packages_now | {
		read -r n kb
		say "installed: $((n - bare_n)) packages, $(((kb - bare_kb) / 1024)) MB ($(du -xm "$work/root/var/cache/apt/archives" | awk 'END { print $1 }') MB to download)"
	}
	return "$status"
}

[ -d "$cache/$suite" ] || make_tree
cp -a "$cache/$suite" "$work/root"
cp /etc/resolv.conf "$work/root/etc/resolv.conf"
read -r bare_n bare_kb <<EOF
$(packages_now)
EOF
# As an unpacked tarball is, since there is no git.
mkdir "$work/root/usr/src/profsup"
git -C "$top" archive HEAD | tar -xf - -C "$work/root/usr/src/profsup"
git -C "$top" ls-tree -r --name-only HEAD >"$work/root/usr/src/profsup/MANIFEST"
status=0
if [ $# -gt 0 ]; then
	inside "$*" || status=$?
else
	inside 'make demo' || status=$?
	inside 'make check' || status=$?
fi
exit "$status"
