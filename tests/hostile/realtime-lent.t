#!/bin/sh
# The priority that an installation with file capabilities lends is given up where it is used much; by many supervisors
# together, too: an ordinary program on the same CPU has its share of it.
# check-all: how long others wait for a CPU
. "$(dirname "$0")/../lib/capslib.sh"
. "$top/tests/lib/realtime.sh"
command -v taskset >/dev/null || skip_all 'needs taskset'

cp "$(target hostile-calls)" "$caps_place/calls"
cp "$(target hostile-bomb)" "$caps_place/bomb"
chmod 755 "$caps_place"/*
trap 'end_all_of "$caps_place"; caps_clean_up' EXIT
as_member="setpriv --reuid 65534 --regid 65534 --groups $caps_gid"
alone_as="$as_member env"
seconds=$(rounds 1.5 3)

# One for itself is beyond what it may use; of many each may use its part for ever.
for n in $(rounds "1 8" "1 4 8"); do
	# shellcheck disable=SC2086 # words
	left_alone "$n whose threads exit" "$seconds" "$n" "$caps_place" $as_member "$caps" -q -- "$caps_place/bomb" exits 1 20
done
[ "$seconds" = 1.5 ] || for n in 1 4 8; do
	# shellcheck disable=SC2086 # words
	left_alone "$n whose calls are watched" "$seconds" "$n" "$caps_place" $as_member "$caps" -q -- "$caps_place/calls" 60
done
is "$(who_is_there "$caps_place")" '' 'nobody is left'
done_testing
