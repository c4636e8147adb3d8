#!/bin/sh
# The priority that an installation with file capabilities lends is given up where it is used much; by many supervisors
# together, too: an ordinary program on the same CPU has its share of it.
. "$(dirname "$0")/../tap/capslib.sh"
# shellcheck source=tests/tap/realtime.sh
. "$top/tests/tap/realtime.sh"
command -v taskset >/dev/null || skip_all 'needs taskset'

cp "$(target hostile-calls)" "$caps_place/calls"
cp "$(target hostile-bomb)" "$caps_place/bomb"
perl "$top/tests/tap/fat.pl" "$caps_place/bomb" "$caps_place/fat" 256 || bail fat.pl
chmod 755 "$caps_place"/*
trap 'end_all_of "$caps_place"; caps_clean_up' EXIT
as_member="setpriv --reuid 65534 --regid 65534 --groups $caps_gid"
alone_as="$as_member env"
seconds=$(rounds 1.5 3)

# As much as each may use for ever.
# shellcheck disable=SC2086 # words
for n in $(rounds "8" "1 4 8"); do
	left_alone "$n whose calls are watched" "$seconds" "$n" "$caps_place" $as_member "$caps" -q -- "$caps_place/calls" 60
done
# shellcheck disable=SC2086 # words
left_alone '1 whose many threads exit' "$seconds" 1 "$caps_place" $as_member "$caps" -q -- "$caps_place/fat" exits 1 272
is "$(who_is_there "$caps_place")" '' 'nobody is left'
done_testing
