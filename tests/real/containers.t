#!/bin/sh
# Debian's own xz, sqlite3 and nginx as they are installed, in a container of podman's defaults, as a user without any
# capability: there is no perf there.  profsup -a has them with their stacks, and of the same work it says what perf says
# of it to root, outside.
# check-all: needs podman
. "$(dirname "$0")/../lib/testlib.sh"
need_root
for f in podman runc sqlite3 xz curl dpkg-deb; do
	command -v "$f" >/dev/null || skip_all "needs $f"
done
perf=$(command -v perf || find /usr/bin -name 'perf_[0-9]*' | head -n 1)
[ -n "$perf" ] || skip_all 'needs perf'

. "$top/tests/lib/podman.sh"
podman_prepare "$scratch"
cleanup() {
	podman_clean_up
	cd / && rm -rf "$scratch"
}
trap cleanup EXIT

podman_root root
mkdir -m 1777 work
cp "$(command -v gdb || command -v podman)" work/text
head -c 6000000 work/text >work/input
rm work/text
cat >work/query.sql <<'END'
PRAGMA temp_store = MEMORY;
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500000)
	INSERT INTO t SELECT i, 'row ' || (i * 7919 % 100003), i * 31 % 1009 FROM n;
SELECT count(*), sum(length(b)) FROM t WHERE b LIKE '%99%';
SELECT c, count(DISTINCT b) FROM t GROUP BY c ORDER BY 2 DESC, 1 LIMIT 3;
SELECT count(*) FROM t x JOIN t y ON y.a = x.c WHERE y.b > x.b;
SELECT b FROM t ORDER BY b, c LIMIT 2 OFFSET 200000;
END
chmod 644 work/*

# inside COMMAND...: in the container; its directory is ./work.
inside() {
	timeout 120 podman run --rm --network=none --user 65534:65534 --cap-drop=ALL -v /usr:/usr:ro -v "$stage:/stage:ro" \
		-v "$scratch/work:/work" -w /work --env LC_ALL=C --rootfs "$scratch/root" "$@"
}

inside /bin/true 2>podman.err || {
	diag_file podman.err
	skip_all 'podman runs no container here'
}
is "$(inside grep -E '^(Uid|CapBnd|Seccomp):' /proc/self/status | tr -s '\t\n' ' ')" \
	'Uid: 65534 65534 65534 65534 CapBnd: 0000000000000000 Seccomp: 2 ' "the container has podman's filter, and no capability"
diag "perf_event_paranoid is $(cat /proc/sys/kernel/perf_event_paranoid)"
inside "$perf" record -q -e cpu-clock -o /work/perf.data true >perf.out 2>&1
is "$? $(grep -q -i -e 'not permitted' -e 'no permission' -e 'access to performance' perf.out; echo $?)" '255 0' 'perf record is refused there' ||
	diag_file perf.out

# as_perf_says NAME COMMAND...: ./work/NAME has profsup's files of it.  Where two shares of the samples differ by more
# than chance and 2 % of all, it is printed.
as_perf_says() {
	name=$1
	shift
	(cd work && "$perf" record -q -e cpu-clock -F 1000 --call-graph dwarf,32768 -o ../perf.data "$@" >/dev/null 2>../perf.err) ||
		bail "perf: $(cat perf.err)"
	"$perf" script --no-inline -F ip,sym,dso -i perf.data 2>perf.err >perf.script
	perl "$top/tests/lib/stacks.pl" shares "work/$name"/stacks.* >ours
	perl "$testdir/shares.pl" ours perf.script >compared
	sed 's/^/# /' compared
	is "$(grep -c '^self' compared)/$(grep '!' compared)" "$(grep -c '^self' compared)/" \
		"$name: the shares of functions and libraries are perf's"
	between "$(grep -c '^total' compared)" 3 9999 "$name: and there are some"
}

# whole NAME PATTERN: stacks are so, all but some at the start: while the libraries' tables are read, 16 KiB of a stack are
# kept, and sqlite3's main has more.
whole() {
	perl "$top/tests/lib/stacks.pl" folded "work/$1"/stacks.* >tree
	awk -v want="$2" '{ all += $NF } $0 !~ want { n += $NF }
		END { print "# '"$1"': " all " samples, " n + 0 " not whole"; exit !(all > 100 && n <= all * 0.03 + 4 * sqrt(all * 0.03)) }' tree
	ok $? "$1: the stacks are whole" || diag_file tree
}

mkdir -m 1777 work/xz work/sqlite3 work/nginx
inside /stage/bin/profsup -a -g -F 1000 -d xz --stats=xz/stats xz -T1 -2 -c input >packed 2>err
is "$? $(said err)" '0 ' 'xz: it runs' || diag_file err
xz -dc packed | cmp -s - work/input
ok $? 'xz: and packs'
is "$(stat -c %u work/xz/gmon.*)" 65534 'xz: the files are its'
is "$(perl "$top/tests/lib/stacks.pl" ticks work/xz/stacks.*)" "$(statistic ticks work/xz/stats)" 'xz: each tick has a stack'
whole xz '^\[[^;]*;__libc_start_main;.*;lzma_code;'
as_perf_says xz xz -T1 -2 -c input

inside /stage/bin/profsup -a -g -F 1000 -d sqlite3 --stats=sqlite3/stats sqlite3 -bail :memory: '.read query.sql' >answer 2>err
is "$? $(said err)" '0 ' 'sqlite3: it runs' || diag_file err
sqlite3 -bail :memory: '.read work/query.sql' >want
is "$(cat answer)" "$(cat want)" 'sqlite3: and answers'
is "$(perl "$top/tests/lib/stacks.pl" ticks work/sqlite3/stacks.*)" "$(statistic ticks work/sqlite3/stats)" \
	'sqlite3: each tick has a stack'
whole sqlite3 '^\[[^;]*;__libc_start_main;.*;'
as_perf_says sqlite3 sqlite3 -bail :memory: '.read query.sql'

# nginx is not installed, since that would start it; the package is enough.
cache=${PROFSUP_SOURCES:-$top/build/sources}
mkdir -p "$cache"
if ! ls "$cache"/nginx_*.deb >/dev/null 2>&1; then
	mkdir got && chmod 777 got
	(cd got && { apt-get -q download nginx || { apt-get -q update && apt-get -q download nginx; }; } >../apt.log 2>&1)
	mv got/nginx_*.deb "$cache" 2>/dev/null
fi
mkdir work/sbin
dpkg-deb -x "$cache"/nginx_*.deb unpacked 2>>apt.log
cp unpacked/usr/sbin/nginx work/sbin 2>>apt.log || {
	diag_file apt.log
	skip 'there is no nginx'
	done_testing
}
cat >work/nginx.conf <<'END'
daemon off;
worker_processes 1;
pid /work/nginx/pid;
error_log stderr;
events { }
http {
	access_log off;
	gzip on;
	gzip_types application/octet-stream;
	default_type application/octet-stream;
	client_body_temp_path /tmp/1; proxy_temp_path /tmp/2; fastcgi_temp_path /tmp/3; uwsgi_temp_path /tmp/4; scgi_temp_path /tmp/5;
	server { listen 127.0.0.1:8080; root /work; }
}
END
cat >work/serve.sh <<'END'
/stage/bin/profsup -a -g -F 1000 -d nginx --stats=nginx/stats sbin/nginx -e stderr -c /work/nginx.conf 2>nginx/err &
until curl -s -o nginx/got 'http://127.0.0.1:8080/query.sql' || ! kill -0 $!; do sleep 0.1; done
curl -s --compressed -o nginx/got -w '%{http_code}\n' 'http://127.0.0.1:8080/input?[1-12]' | sort | uniq -c
kill -QUIT $(cat nginx/pid)
wait $!
END
inside sh serve.sh >answer
is "$? $(tr -s ' \n' ' ' <answer)$(said work/nginx/err)" '0  12 200 ' 'nginx: it answers and ends' || diag_file work/nginx/err
cmp work/nginx/got work/input
ok $? 'nginx: and sends what it should'
whole nginx '^_start;__libc_start_main;.*;main;'
between "$(awk '{ all += $NF } /;ngx_master_process_cycle;.*;ngx_http_.*;deflate;/ { n += $NF } END { print 100 * n / all }' tree)" 50 100 \
	'nginx: through its modules and zlib' || diag_file tree
done_testing
