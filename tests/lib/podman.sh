# podman with storage of one's own, and no more from the machine than it may have here: its runtime has to do with any kind of
# cgroups, and not to raise limits.
#
# shellcheck shell=sh

# podman_prepare DIRECTORY
podman_prepare() {
	cat >"$1/containers.conf" <<END
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "none"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
END
	cat >"$1/storage.conf" <<END
[storage]
driver = "vfs"
graphroot = "$1/storage"
runroot = "$1/run"
END
	CONTAINERS_CONF=$1/containers.conf
	CONTAINERS_STORAGE_CONF=$1/storage.conf
	# Each command of podman 5 warns of the older kind.
	PODMAN_IGNORE_CGROUPSV1_WARNING=yes
	export CONTAINERS_CONF CONTAINERS_STORAGE_CONF PODMAN_IGNORE_CGROUPSV1_WARNING
	podman_had=$(find /sys/fs/cgroup -maxdepth 2 -name libpod_parent)
}

# podman_root DIRECTORY: a root for containers that have of the machine /usr, to be read, and no more.
podman_root() {
	mkdir -p "$1/usr" "$1/proc" "$1/dev" "$1/sys" "$1/tmp" "$1/etc" "$1/stage" "$1/work"
	chmod 1777 "$1/tmp"
	for podman_name in bin sbin lib lib64; do
		[ ! -e "/usr/$podman_name" ] || ln -s "usr/$podman_name" "$1/$podman_name"
	done
}

podman_clean_up() {
	podman rm -fa >/dev/null 2>&1
	# podman's cgroup stays empty behind it.
	[ -n "$podman_had" ] || find /sys/fs/cgroup -depth -type d -path '*/libpod_parent*' -exec rmdir {} + 2>/dev/null
}
