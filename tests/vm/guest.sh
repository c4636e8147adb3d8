# Runs a test again in a virtual machine with Debian's kernel, for what the kernel here lacks (Landlock,
# Yama) or must not be made to do (a sysctl that can't be taken back).  Source it behind testlib.sh, then
#
#	in_guest TARGET...
#
# Outside, this boots the guest, runs the same test file there as root, passes its TAP on and exits;
# inside, it returns at once.  The guest has busybox and the tools below, tests/ and the named targets,
# and nothing else.  It is emulated without KVM, so it works wherever qemu does, as any user.
#
# The kernel is fetched once, from Debian's archive, to build/vm.
#
# shellcheck shell=sh
# shellcheck disable=SC2154 # testlib.sh's variables

guest_kernel_package=linux-image-cloud-amd64
guest_tools='gprof perl setpriv'
guest_seconds=300

# Only the name of the package that it depends on has the version.
guest_package_name() {
	apt-cache depends "$guest_kernel_package" 2>/dev/null |
		sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1
}

# Into the current directory, out of the archive; nothing is installed.
guest_download() (
	name=$(guest_package_name)
	if [ -z "$name" ] && [ "$(id -u)" -eq 0 ]; then
		apt-get update -qq
		name=$(guest_package_name)
	fi
	[ -n "$name" ] || exit 1
	apt-get -qq -o APT::Sandbox::User= download "$name" || {
		# The lists may be older than the archive.
		[ "$(id -u)" -eq 0 ] && apt-get update -qq && name=$(guest_package_name) &&
			apt-get -qq -o APT::Sandbox::User= download "$name"
	}
)

# Two tests may come here at once: one fetches, and the file has its name only when it is whole.
guest_fetch() (
	exec 9>"$1/lock" || exit 1
	flock 9
	[ ! -f "$1/vmlinuz" ] || exit 0
	dir=$(mktemp -d "$1/fetch.XXXXXX") || exit 1
	trap 'rm -rf "$dir"' EXIT
	cd "$dir" || exit 1
	guest_download >&2 || exit 1
	dpkg-deb --fsys-tarfile ./*.deb | tar -xO --wildcards './boot/vmlinuz-*' >vmlinuz || exit 1
	[ -s vmlinuz ] && mv vmlinuz "$1/vmlinuz"
)

# Prints the kernel's path.  Somebody who can neither find nor keep one gets it for this test alone.
guest_kernel() {
	guest_cache=$top/build/vm
	if [ ! -f "$guest_cache/vmlinuz" ]; then
		mkdir -p "$guest_cache" 2>/dev/null
		[ -w "$guest_cache" ] || guest_cache=$scratch
		guest_fetch "$guest_cache" || return 1
	fi
	printf '%s\n' "$guest_cache/vmlinuz"
}

# The libraries that a program loads, one path per line.
guest_libraries() {
	ldd "$1" 2>/dev/null | sed -n 's/^[^/]*\(\/[^ ]*\) (0x[0-9a-f]*)$/\1/p'
}

# guest_program FILE TO: with its libraries, where it expects them.
guest_program() {
	cp -L "$1" "root$2/" || return 1
	guest_libraries "$1" | while read -r guest_library; do
		[ -f "root$guest_library" ] || cp -L --parents "$guest_library" root/ || return 1
	done
}

# The initial file system, in root/.  Everything in it is root's.
guest_root() {
	mkdir -p root/bin root/usr/local/bin root/t/build/stage/bin root/t/build/tests/targets || return 1
	cp "$(command -v busybox)" root/bin/ || return 1
	# Not busybox's shell: that one takes busybox's commands for those in PATH.
	guest_program "$(command -v dash)" /bin && mv root/bin/dash root/bin/sh || return 1
	for guest_tool in profsup profsup-export; do
		guest_program "$stage/bin/$guest_tool" /t/build/stage/bin || return 1
	done
	mkdir -p root/t/build/stage/lib/profsup && guest_program "$stage/lib/profsup/read-code" /t/build/stage/lib/profsup || return 1
	for guest_tool in $guest_tools; do
		guest_program "$(command -v "$guest_tool")" /usr/local/bin || return 1
	done
	perl -e 'use strict; use warnings; print map { "$_\n" } values %INC' |
		xargs -I '{}' cp -L --parents '{}' root/ || return 1
	cp "$top/GNUmakefile" root/t/ || return 1
	(cd "$top" && tar -cf - tests) | tar -xf - -C root/t || return 1
	for guest_target; do
		cp "$(target "$guest_target")" root/t/build/tests/targets/ || return 1
	done
}

# Test results leave by the second serial port; kernel messages and stderr by the first.
guest_init() {
	cat <<-EOF
		#!/bin/sh
		export PATH=/usr/local/bin:/bin:/sbin:/usr/bin:/usr/sbin
		/bin/busybox mkdir -p /proc /sys /dev /tmp /etc /root /usr/bin /usr/sbin /sbin
		/bin/busybox --install -s 2>/dev/null
		mount -t proc proc /proc
		mount -t sysfs sysfs /sys
		mount -t securityfs securityfs /sys/kernel/security
		mount -t devtmpfs dev /dev
		mount -t tmpfs -o mode=1777 tmp /tmp
		echo 'root:x:0:0::/root:/bin/sh' >/etc/passwd
		exec </dev/null 2>/dev/ttyS0 3>/dev/ttyS1
		stty raw <&3
		cd /t
		PROFSUP_GUEST=1 PROFSUP_TEST_MUST_RUN=${PROFSUP_TEST_MUST_RUN:-0} /bin/sh '$1' >&3
		echo "guest exit \$?" >&3
		stty raw <&3 # and wait for the line to be quiet
		poweroff -f
	EOF
}

guest_pack() (
	chmod 755 root/init && cd root && find . | cpio -o -H newc -R 0:0 --quiet >../initrd
)

guest_boot() {
	touch console results
	timeout -k 5 "$guest_seconds" qemu-system-x86_64 -accel tcg -M pc -m 256 -nodefaults -no-user-config \
		-no-reboot -display none -serial file:console -serial file:results \
		-kernel "$1" -initrd initrd -append 'console=ttyS0 panic=-1 quiet' </dev/null >qemu 2>&1
}

# What the guest said, and its exit status.
guest_report() {
	if guest_status=$(sed -n '$s/^guest exit \([0-9]*\)$/\1/p' results) && [ -n "$guest_status" ]; then
		sed '$d' results
	else
		guest_status=1
		grep -v '^1\.\.' results
		tap_count=$(grep -c -E '^(not )?ok ' results)
		ok 1 "the guest has run the test to its end within $guest_seconds s"
		printf '1..%d\n' "$tap_count"
	fi
	if [ "$guest_status" -ne 0 ]; then
		diag_file qemu
		diag "the guest's console:"
		tail -n 40 console | sed 's/^/# /'
	fi
	exit "$guest_status"
}

in_guest() {
	[ -z "${PROFSUP_GUEST:-}" ] || return 0
	[ "$(uname -m)" = x86_64 ] || skip_all 'the virtual machine is for x86-64'
	for guest_tool in qemu-system-x86_64 busybox cpio $guest_tools; do
		command -v "$guest_tool" >/dev/null || skip_all "a virtual machine needs $guest_tool"
	done
	guest_vmlinuz=$(guest_kernel) ||
		skip_all "a virtual machine needs $guest_kernel_package, which apt-get could not download"
	if ! guest_root "$@" || ! guest_init "${testdir#"$top"/}/$(basename "$0")" >root/init ||
		! guest_pack; then
		bail 'no initial file system'
	fi
	guest_boot "$guest_vmlinuz"
	guest_report
}
