#!/bin/sh
# san: no room
# make install-caps: two capabilities, for the members of one group, and `make uninstall` takes all of it away.
. "$(dirname "$0")/../lib/capslib.sh"

is "$(stat -c '%U %G %a' "$caps")" "root $caps_group 750" 'it is root'"'"'s, for the group, and nobody else can run it'
is "$(getcap "$caps" | sed 's/.* //')" 'cap_sys_nice,cap_perfmon=p' 'it is permitted two capabilities, none in effect'
member "$caps" -V >out 2>&1
is "$? $(cut -d' ' -f1 out)" '0 profsup' 'a member of the group can run it'
nobody "$caps" -V >out 2>&1
is $? 126 'others can not'

# Again, over itself: a new file has no capabilities until then.
install -m 755 "$stage/bin/profsup" "$caps_place/bin"
is "$(getcap "$caps")" '' 'installed anew it has none'
caps_make install-caps "$caps_place" >out 2>&1
is "$? $(getcap "$caps" | sed 's/.* //')" '0 cap_sys_nice,cap_perfmon=p' 'until install-caps is run again'

# Where files can't have any.
if unshare -m sh -c 'mkdir ram && mount -t ramfs none ram' 2>/dev/null; then
	export top caps_group
	# shellcheck disable=SC2016 # its own
	unshare -m sh -c 'mount -t ramfs none ram && mkdir -p ram/bin ram/lib/profsup && cp "$1" ram/bin/profsup &&
		! setcap cap_sys_nice=p ram/bin/profsup 2>/dev/null || exit 77
		make -s -C "$top" install-caps PREFIX="$PWD/ram" DESTDIR= CAPS_GROUP="$caps_group"
		echo "$? $(stat -c "%U %G %a" ram/bin/profsup)"' sh "$plain" >out 2>err
	case $? in
	77) skip 'ramfs takes file capabilities here' ;;
	*) is "$(cat out)" '2 root root 755' 'where files have no capabilities it fails, and leaves it to everybody without' ||
		diag_file err ;;
	esac
else
	skip 'needs to mount a ramfs'
fi

caps_make uninstall "$caps_place" >out 2>&1
is $? 0 'make uninstall works' || diag_file out
[ ! -e "$caps" ] && [ ! -e "$caps_place/lib/profsup" ]
ok $? 'the program is gone'
getent group "$caps_group" >/dev/null
is $? 2 'and so is the group that was made for it'

groupadd -r "$caps_group" || bail 'groupadd'
install_prefix "$caps_place"
caps_make install-caps "$caps_place" >out 2>&1 && caps_make uninstall "$caps_place" >>out 2>&1
is $? 0 'with a group that was there before' || diag_file out
getent group "$caps_group" >/dev/null
is $? 0 'that stays'

# The other way to give power by a file is refused.
for bits in 4755 2755; do
	cp "$stage/bin/profsup" "$caps_place/set-id"
	chmod $bits "$caps_place/set-id"
	nobody "$caps_place/set-id" touch ran >out 2>err
	is "$? $(cat err)" '125 profsup: installed set-user-ID or set-group-ID: not supported' "with mode $bits it refuses to run"
	[ ! -e ran ]
	ok $? 'and runs nothing'
	"$caps_place/set-id" -q true
	is $? 0 'where it gains nothing so, for root, it runs'
done
done_testing
