#!/bin/sh
# Signal handlers that interrupt mcount, at each of its instructions: nothing is lost and nothing spoiled.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/exact.sh"

# steps FILE LOW: the stepped call had at least so many instructions, so mcount was among them.
steps() {
	between "$(awk '$1 == "instructions" { print $2 }' "$1")" "$2" 999 "$3: $2 instructions or more"
}

cp "$(target rt-step)" mcount
cp "$(target rt-timer)" timer
# shellcheck disable=SC2046 # flags
for source in step timer; do
	profsup-cc -O2 -w -mfentry $(sed -n 's|^// CFLAGS: ||p' "$top/tests/targets/runtime/rt-$source.c") \
		-o $source-fentry "$top/tests/targets/runtime/rt-$source.c"
done
mv step-fentry fentry

for how in mcount fentry; do
	exact "$how: a handler with new calls at every instruction" ./$how every
	# The half in C is the same for both.
	[ $how = fentry ] || exact "$how: tables made in a handler at each instruction of a first call" ./$how grow 0
	exact "$how: tables that grow in a handler at each instruction" ./$how grow 150

	# A child's calls are those it made; the one it was in the middle of is its own as well if it
	# was not counted yet.
	for first in 0 1; do
		[ "$how$first" != fentry1 ] || continue
		rm -f gmon.*
		profsup ./$how fork $first >out 2>err
		is "$?$(said err)" 0 "$how, fork in a handler at each instruction, first=$first: it ends well"
		steps out "$((20 + 80 * first))" "$how: fork"
		{
			echo 'child_work t_child 20'
			awk 'BEGIN { for (i = 3000; i < 3120; i++) printf "call_in_handler t_n%04o 2\n", i }'
		} | sort >want
		truth out >parents
		"$top/tests/lib/arcs.pl" -f $how gmon.$how.*.out | awk '$3 ~ /^t_/ { f = $1; sub(/^[^ ]* /, ""); print >f ".arcs" }'
		bad=0
		good=0
		for f in gmon."$how".*.arcs; do
			if cmp -s "$f" parents; then
				continue
			fi
			grep -v call_step "$f" >rest
			if cmp -s rest want && [ "$(grep -c call_step "$f")" -le 1 ] && ! grep call_step "$f" | grep -qv ' 1$'; then
				good=$((good + 1))
			else
				bad=$((bad + 1))
				diff rest want | sed 's/^/# /'
			fi
		done
		is "$bad" 0 "$how, fork in a handler, first=$first: each of $good children has its own calls only"
		is "$good" "$(awk '$1 == "instructions" { print $2 }' out)" 'and there are as many as instructions'
	done
done

for program in timer timer-fentry; do
	exact "$program: signals at a high rate to 4 threads" ./$program return
	exact "$program: on alternate stacks" ./$program altstack
	rm -f gmon.*
	profsup ./$program jump >out 2>err
	is "$?$(said err)" 0 "$program: siglongjmp out of handlers at a high rate: it ends well"
	arcs_of $program "$(the_file $program)" >got
	truth out | grep -v t_left >want
	grep -v t_left got >rest
	same_arcs rest want "$program: the handler's calls have their exact count"
	done=$(awk '$1 == "done" { print $2 }' out)
	jumps=$(awk '$1 == "jumps" { print $2 }' out)
	between "$jumps" 100 1000000000 "$program: there are many jumps"
	between "$(awk '/t_left/ { print $3 }' got)" "$done" "$((done + jumps))" "$program: no call is lost that came to its end"
done
done_testing
