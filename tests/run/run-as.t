#!/bin/sh
# -u and -E: as whom, and with which environment, the program runs.
# shellcheck disable=SC2016 # inner shells expand their own
. "$(dirname "$0")/../lib/sandbox.sh"

[ "$(id -u)" = 0 ] || skip_all 'needs root'
cp "$(target count)" count
ids='id -u; id -g; id -G'

# ids_of SPEC: what the program sees; run without profsup's summary.
ids_of() {
	profsup -q -u "$1" sh -c "$ids" 2>&1 | paste -sd ' '
}

is "$(ids_of nobody)" "$(id -u nobody) $(id -g nobody) $(id -G nobody)" 'a user by name, with his groups'
is "$(ids_of "$(id -u daemon)")" "$(id -u daemon) $(id -g daemon) $(id -G daemon)" 'or by number'
is "$(ids_of nobody:daemon)" "$(id -u nobody) $(id -g daemon) $(id -g daemon)" 'with a group, that is the only one'
is "$(ids_of 54321)" '54321 54321 54321' 'a number without a name is its own group'
is "$(ids_of 54321:76)" '54321 76 76' 'or has the one that is given'
is "$(profsup -q -u nobody perl -e 'open F, "<", "/proc/self/status"; /^(Cap(Prm|Eff)|[UG]id):\s+(.*)/ and print $3 =~ s/\s+/ /gr, ";" while <F>')" \
	"$(setpriv --reuid nobody --regid "$(id -g nobody)" --init-groups perl -e 'open F, "<", "/proc/self/status"; /^(Cap(Prm|Eff)|[UG]id):\s+(.*)/ and print $3 =~ s/\s+/ /gr, ";" while <F>')" \
	'all its ids and capabilities are as setpriv(1) makes them'
is "$(profsup -q -u nobody prlimit --nofile -o HARD --noheadings)" "$(prlimit --nofile -o HARD --noheadings)" 'limits are the caller'"'"'s'

fresh here count
cp count here/count
(cd here && profsup -u nobody ./count 7 >out 2>err)
is $? 0 'a profiled program as somebody else ends well'
is "$(said here/err)" '' 'nothing is said'
is "$(stat -c '%u %a' here/gmon.count.*.out)" "$(id -u nobody) 600" 'its file is that user'"'"'s'
is "$(calls here/count here/gmon.count.*.out leaf)" 7 'and whole'
fresh here count
cp count here/count
chmod 755 here
(cd here && mkdir d && profsup -d d -u nobody ./count 7 >out 2>err)
is "$(stat -c '%u %a' here/d/gmon.count.*.out)" '0 600' 'with -d it is the caller'"'"'s'

for spec in no-such-user nobody:no-such-group '' :daemon nobody: 4294967295 -1 nobody:4294967295; do
	profsup -q -u "$spec" true 2>err
	is "$? $(cat err)" "125 profsup: -u $spec: no such user or group" "-u '$spec' is refused"
done
fresh here count
cp count here/count
(cd here && setpriv --reuid 65534 --regid 65534 --clear-groups profsup -u root sh -c "$ids" >out 2>err)
is "$? $(cat here/err here/out)" '125 profsup: -u root: Operation not permitted' 'nobody may become root'

is "$(profsup -q -E A=1 -E B= -E HOME -E A=2=3 sh -c 'echo "$A/${B-unset}/${HOME-unset}"')" '2=3//unset' \
	'-E sets and removes, in order'
is "$(PATH=$PATH profsup -q -E PATH=/nowhere true 2>&1; echo $?)" "profsup: true: No such file or directory
127" 'a PATH that is set so is where the program is looked for'
is "$(profsup -q -E A=1 env | grep -c '^A=1$')" 1 'a variable is there once'
for word in '' =x; do
	profsup -E "$word" true 2>err
	is "$? $(head -n 1 err)" "125 profsup: -E $word: must be a variable's name, or name=value (--help shows the options)" "-E '$word' is refused"
done
done_testing
