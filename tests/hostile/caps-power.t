#!/bin/sh
# Installed with file capabilities: nobody gets hold of them, and what they are for is done with the caller's rights.
. "$(dirname "$0")/../lib/capslib.sh"

cp "$(target hostile-caps)" prog
caps_none=0000000000000000

samplers=ptrace
member "$caps" -q --sampler=perf true 2>/dev/null && samplers='ptrace perf'
for sampler in $samplers; do
	held_by "$caps" --sampler="$sampler"
	for who in supervisor front; do
		which=$supervisor
		[ $who = supervisor ] || which=$front
		is "$(status_of "$which" CapPrm) $(status_of "$which" CapEff) $(status_of "$which" CapAmb)" \
			"$caps_none $caps_none $caps_none" "$sampler: the $who holds no capability while the program runs"
		is "$(stat -c %u "/proc/$which/mem")" 0 "$sampler: the $who is not for its user to look into"
	done
	is "$(status_of "$pid" CapPrm) $(status_of "$pid" CapEff)" "$caps_none $caps_none" "$sampler: nor does the program"
	detach
	is $? 0 "$sampler: the program ends well"
done

# The attack's own test: it succeeds where there is nothing to be had.
member timeout -k 1 120 "$plain" -q ./prog attack >out 2>err
is "$(grep -c ': done$' out)" 10 'who has no more than the program is partly at its mercy: the front is' || diag_file out
for sampler in $samplers; do
	member timeout -k 1 120 "$caps" -q --sampler="$sampler" ./prog attack >out 2>err
	is "$? $(grep -c . out) $(grep -vc ': refused$' out)" '0 22 0' \
		"$sampler: the program can't look into the supervisor or the front, nor change or trace them" || diag_file out
done

# A directory and a file of root's.
mkdir -m 755 roots
member "$caps" -q -d roots ./prog show x >out 2>err
is $? 0 '-d of a directory of root'"'"'s: the program runs'
is "$(ls -A roots)" '' 'and no file is made there'
grep -q 'Permission denied' err
ok $? 'which is said' || diag_file err
mkdir -m 700 closed
member "$caps" -q -d closed/. true 2>err
is "$? $(cat err)" '125 profsup: -d closed/.: Permission denied' '-d is opened with the caller'"'"'s rights'
: >file
member "$caps" -q --stats=file true 2>err
is "$? $(cat err)" '125 profsup: --stats=file: Permission denied' 'so is the file of --stats'
for user in root daemon; do
	member "$caps" -q -u $user touch ran 2>err
	is "$? $(cat err)" "125 profsup: -u $user: Operation not permitted" "-u $user is beyond the caller"
done
member "$caps" -q -u nobody-there touch ran 2>err
is "$? $(cat err)" '125 profsup: -u nobody-there: no such user or group' 'an unknown user is one line'
[ ! -e ran ]
ok $? 'none of them ran'
cp prog closed/prog
member "$caps" -q closed/prog show x 2>err
is "$? $(sed 's/ (.*//' err)" '126 profsup: closed/prog: Permission denied' 'the program is executed with the caller'"'"'s rights'

# If the kernel, or who answers for it, does not let go of them.
mkdir -m 755 filter && cp prog filter/
for error in 0 1 12; do
	rm -f ran
	setpriv --groups "$caps_gid" filter/prog capset $error "$caps" touch ran >out 2>err
	is "$? $(wc -l <err) $(grep -c "^profsup: can't give up capabilities: " err)" '125 1 1' \
		"capset(2) that answers $error and does nothing: one line" || diag_file err
	[ ! -e ran ]
	ok $? 'and the program is not run'
done
done_testing
