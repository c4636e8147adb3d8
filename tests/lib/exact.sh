# Call counts checked for equality, arc by arc.  Source it after testlib.sh.
#
# A target prints each arc into a function named t_... as a line "arc CALLER CALLEE COUNT", and the arcs of
# its file whose callee is such a function must be those lines, no more and no fewer.
#
# shellcheck shell=sh

# arcs_of PROGRAM FILE...: "caller callee count" lines of all arcs into a function t_...
arcs_of() {
	# shellcheck disable=SC2154 # testlib.sh sets it
	"$top/tests/lib/arcs.pl" "$@" | awk '$2 ~ /^t_/'
}

# truth FILE: the same of what the program printed, equal ones added up, those of no call left out.
truth() {
	awk '$1 == "arc" { n[$2 " " $3] += $4 } END { for (a in n) if (n[a]) printf "%s %.0f\n", a, n[a] }' "$1" | sort
}

# same_arcs GOT WANT DESCRIPTION: two files of lines, not empty
same_arcs() {
	[ -s "$2" ] && cmp -s "$1" "$2"
	ok $? "$3" || diag "$(diff "$1" "$2" | head -n 20)"
}

# exact DESCRIPTION COMMAND...: it runs under profsup to its end, quietly, and each arc is what it says.
# The output stays in out, the messages in err.  exact_file: the program, if it isn't the command's first word;
# exact_files=all: all its files together.
exact() {
	exact_what=$1
	shift
	rm -f gmon.*
	profsup "$@" >out 2>err
	exact_status=$?
	[ "$exact_status" -eq 0 ] && [ -z "$(said err)" ]
	ok $? "$exact_what: it ends well and nothing is said" || { diag "status $exact_status"; diag_file err; }
	exact_program=${exact_file:-$(basename "$1")}
	if [ "${exact_files:-one}" = one ]; then
		arcs_of "$exact_program" "$(the_file "$exact_program")" >got 2>&1
	else
		arcs_of "$exact_program" gmon."$exact_program".*.out >got 2>&1
	fi
	truth out >want
	same_arcs got want "$exact_what: each arc has its exact count"
}
