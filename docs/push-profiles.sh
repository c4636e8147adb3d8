#!/bin/sh
# push-profiles.sh DIR URL SERVICE: sends each file of call stacks that profsup has put into DIR to a Pyroscope server, and
# removes it, and the gmon file beside it, when the server has taken it.  Runs until it is ended.  See fleet.md.
#
# PUSH_CONFIG: a file of options for curl, such as 'header = "X-Scope-OrgID: tenant"' or 'user = "id:token"'.
set -u
[ $# -eq 3 ] || { echo 'usage: push-profiles.sh DIR URL SERVICE' >&2; exit 2; }
url=${2%/} service=$3 pause=${PUSH_PAUSE:-5} oldest=${PUSH_OLDEST_MINUTES:-50}
cd "$1" || exit 1

# The program of a file stacks.PROGRAM.PID.TIME.snapN.pb.gz, without what would end a label.
program_of() {
	printf '%s' "${1#stacks.}" | sed 's/\(\.[0-9][0-9]*\)*\(\.snap[0-9]*\)\{0,1\}\(\.[0-9]*\)\{0,1\}\.pb\.gz$//' | tr -c 'A-Za-z0-9_.-' _
}

# What the server answers to a file, the status in the last line; 000: no answer.
push() {
	curl -K "${PUSH_CONFIG:-/dev/null}" --silent --show-error --max-time 60 --write-out '\n%{http_code}' \
		-H 'Content-Type: application/octet-stream' --data-binary "@$1" --url-query format=pprof --url-query spyName=profsup \
		--url-query "name=$service{hostname=$(uname -n),program=$(program_of "$1")}" "$url/ingest" 2>&1
}

gmon_of() {
	gmon=gmon.${1#stacks.}
	echo "${gmon%.pb.gz}.out"
}

# Keeps what the server does not want, or has not taken in time, out of the way.
refuse() {
	echo "$1: given up: $2" >&2
	mkdir -p refused && mv -- "$1" refused/
	gmon=$(gmon_of "$1")
	[ ! -e "$gmon" ] || mv -- "$gmon" refused/
}

push_all() {
	for file in stacks.*.pb.gz; do
		[ -f "$file" ] || continue
		answer=$(push "$file")
		case $answer in
		*2[0-9][0-9]) rm -f -- "$file" "$(gmon_of "$file")" ;;
		*400 | *413) refuse "$file" "$answer" ;;
		*)
			echo "$file: $answer" >&2
			[ -z "$(find "$file" -mmin "+$oldest")" ] || refuse "$file" 'too old'
			case $answer in
			*000 | *429 | *5[0-9][0-9]) return ;; # the next would fare no better
			esac
			;;
		esac
	done
}

while :; do
	push_all
	sleep "$pause"
done
