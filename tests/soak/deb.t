#!/bin/sh
# The Debian packages: lintian finds nothing, they have the same bytes each time, and in a fresh Debian that holds nothing
# else, a program is built by profsup-cc, locks itself in under profsup, and gprof reads what it did.
. "$(dirname "$0")/../lib/testlib.sh"
need_root

unset MAKEFLAGS MFLAGS MAKELEVEL
"$top/tests/setup.sh" deb || skip_all 'what make deb needs is not installed, and apt-get has failed'
make -s -C "$top" deb B="$scratch/one" >make.log 2>&1
ok $? 'make deb makes packages, and lintian finds nothing wrong' || { diag_file make.log && done_testing; }
(umask 077 && TZ=Asia/Tokyo make -s -C "$top" deb B="$scratch/another") >>make.log 2>&1
changed=
for deb in one/deb/*.deb; do
	cmp "$deb" "another/deb/${deb##*/}" || changed=yes
done
is "$changed" '' 'they have the same bytes each time, wherever they are built'

# The machine's own release, from the mirror that the machine has it from.
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
# shellcheck disable=SC2016 # the names are apt's
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 2>/dev/null |
	awk -v r="$release" '$2 == r { print $1; exit }')
[ -n "$mirror" ] || skip_all 'apt-get names no mirror of a Debian release here'
timeout 600 debootstrap --variant=minbase "$release" root "$mirror" >debootstrap.log 2>&1 </dev/null ||
	skip_all "debootstrap can't make a Debian $release from $mirror: $(grep '^E' debootstrap.log | tail -n 1)"

# inside COMMAND...: in the new system, which sees no process but its own; what it leaves running is killed.
inside() {
	# shellcheck disable=SC2016 # the other shell's
	timeout 600 env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive \
		${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
		unshare --mount --pid --fork --kill-child sh -c '
			mount -t proc proc root/proc && exec chroot root "$@"' inside "$@" </dev/null
}
as_user() {
	inside setpriv --reuid=1000 --regid=1000 --clear-groups --no-new-privs env -C /home "$@"
}

mkdir root/debs root/home/user
cp one/deb/*.deb root/debs
rm root/debs/*-dbgsym_*
chown 1000:1000 root/home
inside sh -c 'apt-get -q update && apt-get -q -y --no-install-recommends install /debs/*.deb' >install.log 2>&1
ok $? 'apt-get installs both with what they depend on' || { tail -n 20 install.log >install.end && diag_file install.end; }
# shellcheck disable=SC2016 # dpkg's
is "$(inside dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' profsup libprofil-dev)" 'libprofil-dev ii 
profsup ii ' 'both are installed and set up'
is "$(inside dpkg --verify profsup libprofil-dev)" '' 'with the files that the packages have'
is "$(inside profsup -V)" "$(profsup -V)" 'profsup starts'
missing=
for page in man1/profsup.1 man1/profsup-cc.1 man1/profsup-export.1 man2/profil.2 man3/moncontrol.3 man3/monstartup.3 man5/gmon.out.5; do
	[ -s "root/usr/share/man/$page.gz" ] || missing="$missing $page"
done
is "$missing" '' 'the pages are where man(1) looks for them'

# It may do nothing but read, write and exit.
cat >root/home/prog.c <<'END'
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile long sum;
static void __attribute__((noinline)) leaf(void)
{
	for (int i = 0; i < 20000; i++)
		sum += i;
}
static void __attribute__((noinline)) branch(void)
{
	for (int i = 0; i < 10; i++)
		leaf();
}
int
main(void)
{
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
		return 1;
	for (int i = 0; i < 300; i++)
		branch();
	syscall(SYS_exit, 7);
}
END
as_user profsup-cc -O1 -g -o prog prog.c >cc.log 2>&1
ok $? 'profsup-cc builds a program' || diag_file cc.log
as_user profsup -F 1000 ./prog >run.log 2>&1
is $? 7 'which ends under profsup as it does alone'
(cd root/home && the_file prog) >name
is "$(stat -c '%u %g %a' "root/home/$(cat name)")" '1000 1000 600' 'its profile belongs to who ran it'
as_user gprof -b -p prog "$(cat name)" >flat.txt 2>gprof.err
is "$(awk '$NF == "leaf" || $NF == "branch" { print $NF, $4 }' flat.txt | sort)" 'branch 300
leaf 3000' 'gprof has the exact number of calls'
between "$(awk '$NF == "leaf" { print $1 }' flat.txt)" 90 100 'and the time where it was spent'
is "$(as_user profsup-export -q --format=folded prog "$(cat name)" | grep -c 'main;branch;leaf [0-9]')" 1 \
	'profsup-export reads it too'

# What autopkgtest runs.
mkdir root/home/tests root/home/work
chown 1000:1000 root/home/work
cp "$top/debian/tests/sandboxed" root/home/tests
inside apt-get -q -y --no-install-recommends install pkgconf >pkgconf.log 2>&1
as_user env AUTOPKGTEST_TMP=/home/work tests/sandboxed >smoke.log 2>&1
ok $? 'debian/tests/sandboxed, by profsup-cc and by the flags of pkg-config' || diag_file smoke.log
sed -n 's/^Tests: //p' "$top/debian/tests/control" | tr ' ' '\n' >tests
is "$(cd "$top/debian/tests" && find . -type f ! -name control -printf '%f\n')" "$(cat tests)" 'which are all that there are'

inside apt-get -q -y purge profsup libprofil-dev >purge.log 2>&1
ok $? 'both can be removed' || diag_file purge.log
is "$(find root -xdev -path root/debs -prune -o -path root/var/cache -prune -o -path root/home -prune -o \
	\( -name '*profsup*' -o -path '*/include/profil.h' -o -name profil.pc -o -name 'profil.2*' \
	-o -name 'libprofil*' \) -print | tr '\n' ' ')" '' 'and leave nothing'
done_testing
