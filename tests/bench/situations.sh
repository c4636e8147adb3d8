#!/bin/sh
# situations.sh: what docs/situations.md says, measured anew: five profilers side by side on the same program, in a chroot,
# in a container of podman's defaults, linked with musl, in Rust, attached to while it runs, and on Debian's nginx.  As
# root; some minutes; needs what tests/setup.sh check-all installs.  For each pair it prints a line: the time that the work took, as
# a multiple of an undisturbed run's, elapsed and CPU time of all (medians of three, each beside a run without), the share that dear() has (two thirds by
# construction; on nginx deflate()'s), how many samples there are, and the first line that says why there is nothing.
#
# ONLY=SITUATION and TOOL=TOOL run a part of it.  valgrind's programs do a twentieth of the work, and its times are compared with that.
set -u
. "$(dirname "$0")/by-hand.sh"
. "$top/tests/lib/podman.sh"
podman_prepare "$dir"
clean_up() {
	podman_clean_up
}

gcc -O2 -o took "$top/tests/bench/run.c" || exit 1
cat >prog.c <<'END'
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define OUT __attribute__((noinline, noclone))
static volatile unsigned long sink;
OUT unsigned long turn(unsigned long x, long n) { while (n-- > 0) x = x * 6364136223846793005UL + 1442695040888963407UL; return x; }
OUT void cheap(void) { sink = turn(sink, 10000) + 1; }
OUT void dear(void) { sink = turn(sink, 20000) + 1; }
int main(int argc, char **argv)
{
	if (argc > 2 && (chroot(argv[2]) != 0 || chdir("/") != 0 || setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0)) {
		perror("prog");
		return 1;
	}
	for (long n = atol(argv[1]); n > 0; n--) {
		cheap();
		dear();
	}
	return 0;
}
END
cat >prog.rs <<'END'
use std::hint::black_box;
#[inline(never)] fn turn(mut x: u64, n: u64) -> u64 { for _ in 0..n { x = black_box(x).wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); } x }
#[inline(never)] fn cheap(x: u64) -> u64 { turn(x, 10000) + 1 }
#[inline(never)] fn dear(x: u64) -> u64 { turn(x, 20000) + 1 }
fn main() { let n: u64 = std::env::args().nth(1).unwrap().parse().unwrap(); let mut x = 1; for _ in 0..n { x = cheap(x); x = dear(x); } std::process::exit((x == 7) as i32); }
END
flags='-O2 -g -fno-optimize-sibling-calls'
# shellcheck disable=SC2086 # words
{
	gcc $flags -o dynamic prog.c && gcc $flags -static -o static prog.c && gcc $flags -pg -o pg prog.c &&
		profsup-cc $flags -o ours prog.c && musl-gcc $flags -static -o musl prog.c && rustc -O -g -o rust prog.rs
} || exit 1
mkdir -m 755 jail
mkdir -m 1777 work

# The container: the machine's /usr, and ./work.
podman_root root
cp dynamic pg rust work
# inside DIRECTORY COMMAND...: there; ./work/DIRECTORY is the current one.
inside() {
	inside_dir=$1
	shift
	timeout 300 podman run --rm --network=none --user 65534:65534 --cap-drop=ALL -v /usr:/usr:ro -v "$stage:/stage:ro" \
		-v "$dir/work:/work" -w "/work/$inside_dir" --env LC_ALL=C --env PATH=/stage/bin:/usr/bin:/usr/sbin --env HOME=/tmp --rootfs "$dir/root" "$@"
}

# sampled-by-gdb COMMAND...: a stack five times a second at the most, until it has ended.
cat >sampled-by-gdb <<'END'
#!/bin/sh
"$@" &
while kill -0 $! 2>/dev/null && [ "$(cut -d' ' -f3 /proc/$!/stat)" != Z ]; do
	gdb -nx -q -batch -p $! -ex 'thread apply all bt' >>gdb.out 2>>gdb.err
	sleep 0.2
done
wait $!
END
# attached SECONDS TOOL-COMMAND with PID for the process: beside ./dynamic (or what PROG is)
cat >attached <<'END'
#!/bin/sh
$PROG &
target=$!
sleep 0.1
sh -c "$(echo "$1" | sed "s/PID/$target/g")" >attach.out 2>attach.err
echo $? >attach.status
wait $target
END
chmod 755 sampled-by-gdb attached
cp sampled-by-gdb attached work
PATH=$dir:$PATH

# took COMMAND...: seconds until it was done, and of CPU time, of its own and of all that it has left behind; its status is
# in ./status.
took() {
	"$dir/took" "$@" 2>>err >>out
	sed -n 's/^run.status //p' out >status
	sed -n 's/^run.\(wall\|cpu\) //p' out | tr '\n' ' '
}

# share TOOL: "PERCENT SAMPLES" of $function, in the current directory.
share() {
	case $1 in
	profsup) perl "$top/tests/lib/stacks.pl" folded stacks.* 2>/dev/null | awk -v f="$function" '
		{ n = $NF; all += n; sub(/ [0-9]+$/, ""); if ((";" $0 ";") ~ "[;:]" f "[;:]") part += n; if (/(^|;)(main|__libc_start_main|_start);/) whole += n }
		END { if (all) printf "%.1f %d %.0f\n", 100 * part / all, all, 100 * whole / all }' ;;
	perf) perf script --no-inline -F ip,sym -i perf.data 2>/dev/null | awk -v f="$function" '
		!NF && seen { all++; part += hit; whole += main; seen = hit = main = 0 }
		NF { seen = 1; sub(/@.*/, "", $2); if ((":" $2 ":") ~ "[:]" f "[:]") hit = 1; if ($2 ~ /^(main|__libc_start_main|_start)$/) main = 1 }
		END { if (all) printf "%.1f %d %.0f\n", 100 * part / all, all, 100 * whole / all }' ;;
	gdb) cat gdb.out attach.out 2>/dev/null | awk -v f="$function" '/^Thread .*:$/ { all++; fresh = frames = 1 } $0 ~ "^#.*[ :]" f " " && fresh { part++; fresh = 0 } /^#.*[ :]main / { whole++ }
		END { if (all) printf "%.1f %d %.0f\n", 100 * part / all, all, 100 * whole / all }' ;;
	valgrind) callgrind_annotate --inclusive=yes --threshold=100 callgrind.out.* 2>/dev/null |
		awk -v f="$function" '/PROGRAM TOTALS/ && !n { n = $1; gsub(/,/, "", n) } $0 ~ ":(.*:)?" f "[^a-z_0-9]" && !hit { hit = $1; gsub(/,/, "", hit) }
		END { if (n && hit) printf "%.1f exact -\n", 100 * hit / n }' ;;
	uftrace) uftrace report -d uftrace.data -f total --sort-column=total 2>/dev/null | awk -v f="$function" '
		function us(n, u) { return n * (u == "s" ? 1e6 : u == "ms" ? 1e3 : u == "us" ? 1 : u == "m" ? 6e7 : 1e-3) }
		$NF ~ "(^|:)main$" { n = us($1, $2) } $NF ~ "(^|:)" f "$" { hit = us($1, $2) } END { if (n && hit) printf "%.1f exact -\n", 100 * hit / n }' ;;
	esac
}

# cell TOOL SITUATION WHERE BARE -- PROFILED: each a command for sh, in a directory of its own; WHERE is "in" or "out" of the
# container.
cell() {
	# shellcheck disable=SC2034 # by eval
	tool=$1 situation=$2 where=$3 bare=$4 with=$5
	[ -z "${TOOL:-}" ] || [ "$TOOL" = "$tool" ] || return 0
	for round in 1 2 3; do
		for which in $([ $((round % 2)) = 0 ] && echo bare with || echo with bare); do
			rm -rf work/cell && mkdir -m 1777 work/cell
			eval "command=\$$which"
			# shellcheck disable=SC2154 # by eval
			if [ "$where" = in ]; then
				took=$(cd work/cell && took sh -c ". ../../inside.sh; inside cell sh -c '$command'")
			else
				took=$(cd work/cell && took sh -c "$command")
			fi
			[ "$which" = bare ] && bare_took=$took
			[ "$which" = with ] && {
				with_took=$took
				[ "$where" = in ] && chmod -R a+rX work/cell
				found=$(cd work/cell && share "$tool")
				why=$(cd work/cell && cat attach.err gdb.err err 2>/dev/null | grep -v -e '^$' -e '^profsup: ' -e '^==' -e '\[error\]' -e '^Warning: .*auto-load' | head -n 1 | cut -c 1-150)
				[ -n "$found" ] || why="$why $(cd work/cell && grep -h -i -e denied -e permi -e "can't" -e cannot -e not attach.err gdb.err err out 2>/dev/null | head -n 1 | cut -c 1-150)"
			}
		done
		echo "$with_took $bare_took" >>"$dir/$tool.$situation"
	done
	# shellcheck disable=SC2086 # words
	set -- $found
	printf '%s | %s | %.2f x elapsed, %.2f x CPU time | %s %% of %s, whole %s %% | %s\n' "$situation" "$tool" \
		"$(awk '{ print $1 / $3 }' "$dir/$tool.$situation" | sort -n | sed -n 2p)" \
		"$(awk '{ print $2 / $4 }' "$dir/$tool.$situation" | sort -n | sed -n 2p)" "${1:--}" "${2:-0}" "${3:--}" \
		"$([ -n "$found" ] || echo "$why")"
}
cat >inside.sh <<END
dir=$dir stage=$stage
$(sed -n '/^inside() {$/,/^}$/p' "$top/tests/bench/situations.sh")
END

n=${ROUNDS:-50000}
few=$((n / 20))
perf="perf record -q -e cpu-clock -F 100 --call-graph dwarf,16384 -o perf.data"
echo "$(date '+%F %R'), $(nproc) CPUs, Linux $(uname -r), load $(cut -d' ' -f1 /proc/loadavg)"
function=dear
want() { [ -z "${ONLY:-}" ] || [ "$ONLY" = "$1" ]; }
valgrind='valgrind -q --tool=callgrind'
if want chroot; then
	cell profsup chroot out "$dir/static $n $dir/jail" "profsup -g -d . $dir/ours $n $dir/jail"
	cell perf chroot out "$dir/static $n $dir/jail" "$perf $dir/static $n $dir/jail"
	cell gdb chroot out "$dir/static $n $dir/jail" "sampled-by-gdb $dir/static $n $dir/jail"
	cell valgrind chroot out "$dir/static $few $dir/jail" "$valgrind $dir/static $few $dir/jail"
	cell uftrace chroot out "$dir/pg $n $dir/jail" "uftrace record --no-libcall $dir/pg $n $dir/jail"
fi
if want container; then
	cell profsup container in "../dynamic $n" "profsup -a -g ../dynamic $n"
	cell perf container in "../dynamic $n" "$perf ../dynamic $n"
	cell gdb container in "../dynamic $n" "../sampled-by-gdb ../dynamic $n"
	cell valgrind container in "../dynamic $few" "$valgrind ../dynamic $few"
	cell uftrace container in "../pg $n" "uftrace record --no-libcall ../pg $n"
fi
for f in rust musl; do
	want $f || continue
	cell profsup $f out "$dir/$f $n" "profsup -a -g -d . $dir/$f $n"
	cell perf $f out "$dir/$f $n" "$perf $dir/$f $n"
	cell gdb $f out "$dir/$f $n" "sampled-by-gdb $dir/$f $n"
	cell valgrind $f out "$dir/$f $few" "$valgrind $dir/$f $few"
	cell uftrace $f out "$dir/$f $n" "uftrace record --no-libcall -P . $dir/$f $n"
done
if want attach; then
	PROG="$dir/dynamic $n"
	export PROG
	cell profsup attach out "$PROG" "attached 'profsup -a -g -d . -p PID'"
	cell perf attach out "$PROG" "attached '$perf -p PID'"
	cell gdb attach out "$PROG" "attached 'while kill -0 PID; do gdb -nx -q -batch -p PID -ex \"thread apply all bt\"; sleep 0.2; done'"
	cell valgrind attach out "$PROG" "attached '$valgrind -p PID'"
	cell uftrace attach out "$PROG" "attached 'uftrace record -p PID'"
fi
want nginx || exit 0
if ! command -v nginx >/dev/null; then
	(mkdir got && chmod 777 got && cd got && apt-get -q download nginx >/dev/null 2>&1 && dpkg-deb -x nginx_*.deb ..)
	cp usr/sbin/nginx . || exit 0
fi
function=deflate
mkdir -m 755 www
head -c 4000000 "$(command -v gdb)" >www/input
cat >nginx.conf <<END
daemon off; master_process off; worker_processes 1; pid $dir/pid; error_log stderr; events { }
http { access_log off; gzip on; gzip_types application/octet-stream; default_type application/octet-stream;
client_body_temp_path /tmp/1; proxy_temp_path /tmp/2; fastcgi_temp_path /tmp/3; uwsgi_temp_path /tmp/4; scgi_temp_path /tmp/5;
server { listen 127.0.0.1:8089; root $dir/www; } }
END
cat >serve <<END
#!/bin/sh
# serve N TOOL...: N answers
n=\$1
shift
"\$@" $dir/nginx -e stderr -c $dir/nginx.conf &
until curl -s -o /dev/null http://127.0.0.1:8089/none; do sleep 0.05; done
curl -s --compressed -o /dev/null "http://127.0.0.1:8089/input?[1-\$n]"
kill -QUIT \$(cat $dir/pid)
wait \$!
END
chmod 755 serve
cell profsup nginx out 'serve 20 env' 'serve 20 profsup -a -g -d .'
cell perf nginx out 'serve 20 env' "serve 20 $perf"
cell gdb nginx out 'serve 20 env' 'serve 20 sampled-by-gdb'
cell valgrind nginx out 'serve 1 env' "serve 1 $valgrind"
cell uftrace nginx out 'serve 20 env' 'serve 20 uftrace record --no-libcall -P .'
