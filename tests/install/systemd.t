#!/bin/sh
# docs/systemd.md: its units are right, and profile what they say, under a systemd that is process 1 of namespaces of its
# own; what the page says of failures is so.
# check-all: needs systemd
. "$(dirname "$0")/../lib/testlib.sh"
others_begin
need_root
command -v systemd-analyze >/dev/null || skip_all 'no systemd here'

mkdir -p files/etc/systemd/system files/usr/bin files/usr/local/sbin files/srv/jail out
chmod 755 files files/srv files/srv/jail
cp "$stage/bin/profsup" files/usr/bin
{ cat /etc/passwd && echo 'hello:x:4711:4711::/:/bin/false'; } >files/etc/passwd
{ cat /etc/group && echo 'hello:x:4711:'; } >files/etc/group
cp "$(target service)" files/usr/local/sbin/hellod
cp "$(target service)" files/usr/local/sbin/jaild

# A block's first line says which file it is.
perl -e '
	my ($in, $out);
	while (<>) {
		if (/^```(.*)/) { $in = $1 eq "ini"; $out = undef }
		elsif ($in && !$out && m{^# (/\S+)$}) {
			my $file = "files$1";
			my $dir = $file =~ s{/[^/]*$}{}r;
			system("mkdir", "-p", $dir) == 0 or die;
			open $out, ">", $file or die "$file: $!";
		} elsif ($out) { print $out $_ }
	}' "$top/docs/systemd.md"
units=files/etc/systemd/system
is "$(cd $units && find . -type f | sort | tr '\n' ' ')" \
	'./hello.service ./hello.service.d/profile.conf ./jail.service ./jail.service.d/profile.conf ' \
	'the page has the units' || done_testing

# like NEW OLD: the unit once more, with what stdin has added.
like() {
	sed "s|$2-profile|$1-profile|g" "$units/$2.service" "$units/$2.service.d/profile.conf" | sed 's/^\[Unit\]$/&\n/' \
		>"$units/$1.service"
	cat >>"$units/$1.service"
}
like group hello <<-END
	StateDirectory=group-profile
	KillMode=control-group
END
like dynamic hello <<-END
	DynamicUser=yes
	User=dynamic
END
like notify hello <<-END
	Type=notify
	ExecStart=
	ExecStart=/usr/bin/profsup -d /var/lib/notify-profile sh -c 'systemd-notify --ready; exec /usr/local/sbin/hellod'
END
like killed hello <<-END
	SystemCallFilter=~ptrace
END
like refused hello <<-END
	SystemCallFilter=~ptrace
	SystemCallErrorNumber=EPERM
END
like readonly hello <<-END
	ExecStart=
	ExecStart=/usr/bin/profsup -d /srv /usr/local/sbin/hellod
END
like unread jail <<-END
	CapabilityBoundingSet=
	CapabilityBoundingSet=CAP_SYS_CHROOT CAP_SETUID CAP_SETGID CAP_KILL
END
like user jail <<-END
	ExecStart=
	ExecStart=/usr/bin/profsup -d /var/lib/user-profile -u nobody /usr/local/sbin/hellod
	CapabilityBoundingSet=CAP_DAC_READ_SEARCH
END
like unkilled jail <<-END
	CapabilityBoundingSet=
	CapabilityBoundingSet=CAP_SYS_CHROOT CAP_SETUID CAP_SETGID CAP_SYS_PTRACE
	TimeoutStopSec=2
END
all='hello jail group dynamic notify killed refused readonly unread user unkilled'

# Of the rest of the machine nothing is to be started, no journal either.
for unit in $all; do
	mkdir -p "$units/$unit.service.d"
	printf '[Unit]\nDefaultDependencies=no\n[Service]\nStandardOutput=append:%s\nStandardError=append:%s\n' \
		"/run/out/$unit.log" "/run/out/$unit.log" >"$units/$unit.service.d/test.conf"
done
cat >files/usr/local/sbin/all <<END
#!/bin/sh
cd /run/out || exit
systemd-analyze verify --man=no hello.service jail.service >verify 2>&1
echo \$? >>verify
systemctl start $all >start 2>&1
# Until each is ready, or has failed.
for unit in $all; do
	while [ \$(systemctl is-active \$unit) = active ] && ! grep -q ready \$unit.log; do sleep 0.05; done
done
systemctl stop $all >stop 2>&1
for unit in $all; do
	systemctl show -p Result --value \$unit >\$unit.result
	cp -a /var/lib/\$unit-profile/. \$unit 2>/dev/null
done
echo done >done
END
chmod 755 files/usr/local/sbin/all
cat >$units/all.service <<END
[Unit]
DefaultDependencies=no
[Service]
Type=oneshot
ExecStart=/usr/local/sbin/all
ExecStopPost=/bin/systemctl --force --force poweroff
END
unshare --mount "$testdir/boot.sh" "$scratch" all.service >boot.log 2>&1 </dev/null
[ -f out/done ] || {
	diag_file boot.log
	skip_all 'systemd does not come up as process 1 of namespaces here'
}

is "$(cat out/verify)" 0 'systemd-analyze verify finds nothing wrong with them'

# profiled UNIT PROGRAM OWNER: one file, with all that the program has done, and nobody has had to kill it.
profiled() {
	file=$(echo "out/$1/"gmon.*)
	is "$(cat "out/$1.result") $(stat -c '%u %a' "$file")" "success $3 600" "$1 ends well, its file belongs to $3" ||
		diag_file "out/$1.log"
	is "$(calls "files/usr/local/sbin/$2" "$file" work)" "$(sed -n 's/.*work //p' "out/$1.log")" \
		"$1: with all the calls that it has made"
	# It has used 20 ticks at least by then.  A few of a service without priority may be where it asks for the time, in the vDSO.
	outside=$(sed -n 's/.* \([0-9]*\) outside of the text.*/\1/p' "out/$1.log")
	between_others $(($(ticks "$file") + ${outside:-0} + $(not_seen "out/$1.log"))) 15 1000 "$1: and its time" || diag_file "out/$1.log"
}
profiled hello hellod 4711
profiled jail jaild 0
profiled group hellod 4711
is "$(grep -c 'SIGTERM 1,' out/hello.log out/jail.log | tr '\n' ' ')" 'out/hello.log:1 out/jail.log:1 ' \
	'with KillMode=mixed the program gets SIGTERM once'
file=$(echo out/dynamic/gmon.*)
is "$(cat out/dynamic.result) $(calls "$(target service)" "$file" work)" \
	"success $(sed -n 's/.*work //p' out/dynamic.log)" 'a DynamicUser= is as good'
profiled notify hellod 4711
profiled user hellod 0

# fails_with UNIT TEXT: it has no profile, or not all of it, and says why.
fails_with() {
	grep -q "$2" "out/$1.log"
	ok $? "$1: $2" || diag_file "out/$1.log"
}
fails_with killed 'the supervisor was killed by signal 31 (SIGSYS): the program was not run'
fails_with refused "can't trace the program.*: Operation not permitted"
fails_with readonly 'gmon.hellod.*: Read-only file system'
! grep -q "can't be read" out/unread.log
ok $? 'unread: without CAP_SYS_PTRACE it is whole: its memory was opened when it started' || diag_file out/unread.log
is "$(cat out/unkilled.result)" timeout 'unkilled: without CAP_KILL it is killed when the time is over'
done_testing
