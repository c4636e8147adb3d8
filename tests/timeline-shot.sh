#!/bin/sh
# timeline-shot.sh DIR, as root or where user namespaces are allowed: docs/timeline.png, what the Firefox Profiler shows of
# --format=firefox for a run of Debian's pigz.  DIR is a build of its front end, as a web server would have it: index.html and
# what that needs.  Run by hand; needs what tests/setup.sh check-all installs.
set -eu
export LC_ALL=C

top=$(cd "$(dirname "$0")/.." && pwd)
front=$(cd "${1:?the directory of a front end}" && pwd)
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

make -s -C "$top"
PATH=$top/build/bin:$PATH
cd "$work"
for name in zlib pigz; do
	"$top/tests/fetch-source.sh" $name $name
done
{
	(cd zlib && CC=profsup-cc CFLAGS='-O2 -g' ./configure --static && make libz.a OBJG=)
	profsup-cc -O2 -g -DNOZOPFLI -Izlib -o pigz-prog pigz/pigz.c pigz/yarn.c pigz/try.c zlib/libz.a -lm -lpthread
} >make.log 2>&1 || {
	tail -n 20 make.log >&2
	exit 1
}
mv pigz-prog prog && mkdir bin && mv prog bin/pigz
find /usr/include /usr/share/perl -type f \( -name '*.h' -o -name '*.p[lm]' \) -print0 | sort -z | xargs -0 cat 2>/dev/null |
	head -c 12000000 >text
profsup -q --wall --timeline -F 1000 bin/pigz -p3 -c text >text.gz
mkdir site
cp -r "$front/." site
profsup-export -q --format=firefox -o site/run.json bin/pigz gmon.pigz.*.out

# What is no file is the front end's to show.
cat >serve.py <<'END'
import http.server, os
os.chdir('site')
class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if not os.path.isfile('.' + self.path.split('?')[0]):
            self.path = '/index.html'
        super().do_GET()
    def log_message(self, *args):
        pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
END
python3 serve.py >port &
server=$!
until [ -s port ]; do sleep 0.1; done
at=http://127.0.0.1:$(cat port)
HOME=$work "$top/tests/lib/browse.pl" <<END
size 1200 620
open $at/from-url/$(printf %s "$at/run.json" | jq -sRr @uri)/stack-chart/?v=10
await document.querySelectorAll('.timelineTrackLocal').length > 3
click .timelineTrackLocal:nth-child(2) .timelineTrackNameButton
await document.querySelector('.stackChartCanvas') !== null
point .stackChartCanvas
await document.querySelector('.tooltip') !== null
print drawn new Promise((r) => setTimeout(() => r(true), 1000))
shot $top/docs/timeline.png
END
ls -l "$top/docs/timeline.png"
