#!/bin/sh
# push-profiles.sh DIR URL SERVICE [TABLE]: sends what profsup has put into DIR to a server, and removes it when the server has
# taken it: each file of call stacks to Pyroscope or, if a TABLE is named, the rows of all files to ClickHouse.  Runs until it
# is ended.  See fleet.md.
#
# PUSH_CONFIG: a file of options for curl, such as 'header = "X-Scope-OrgID: tenant"' or 'user = "id:token"'.
# PUSH_HOST: what this host is called there.  PUSH_BATCH: how many files a request to ClickHouse has.
set -u
[ $# -eq 3 ] || [ $# -eq 4 ] || { echo 'usage: push-profiles.sh DIR URL SERVICE [TABLE]' >&2; exit 2; }
url=${2%/} service=$3 table=${4:-} pause=${PUSH_PAUSE:-5} oldest=${PUSH_OLDEST_MINUTES:-50}
host=${PUSH_HOST:-$(uname -n)} batch=${PUSH_BATCH:-500}
cd "$1" || exit 1

# Two loops would send files twice.
exec 9<.
if ! flock -n 9; then
	echo "$1: another loop sends these files: waiting for its end" >&2
	flock 9
fi

# The program of a file stacks.PROGRAM.PID.TIME.snapN.pb.gz, without what would end a label.
program_of() {
	printf '%s' "${1#stacks.}" | sed 's/\(\.[0-9][0-9]*\)*\(\.snap[0-9]*\)\{0,1\}\(\.[0-9]*\)\{0,1\}\.pb\.gz$//' | tr -c 'A-Za-z0-9_.-' _
}

# What the server answers to a file, the status in the last line; 000: no answer.
push() {
	curl -K "${PUSH_CONFIG:-/dev/null}" --silent --show-error --max-time 60 --write-out '\n%{http_code}' \
		-H 'Content-Type: application/octet-stream' --data-binary "@$1" --url-query format=pprof --url-query spyName=profsup \
		--url-query "name=$service{hostname=$host,program=$(program_of "$1")}" "$url/ingest" 2>&1
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

# Prints the gmon files that are to be sent next, each with a NUL behind it: the file of stacks comes later, if one comes.
ready_files() {
	{
		find . -maxdepth 1 -type f -name 'gmon.*.out' -mmin +0.2 -print0
		find . -maxdepth 1 -type f -name 'stacks.*.pb.gz' -print0 | sed -z 's/^\.\/stacks/.\/gmon/; s/\.pb\.gz$/.out/'
	} | sort -zu | head -zn "$1"
}

# Has the server take the rows, in $answer: its status, and what it says.  A server of another kind may say anything, without an
# end, or nothing; ClickHouse says who it is, and nothing else when it has them.
post_rows() {
	: >"$temp/answer"
	answer=$(
		trap '' XFSZ
		ulimit -f 2048
		curl -K "${PUSH_CONFIG:-/dev/null}" --silent --show-error --max-time 60 -o "$temp/answer" \
			--write-out '%{http_code} %header{x-clickhouse-server-display-name}' \
			-H 'Content-Type: application/octet-stream' -H 'Content-Encoding: gzip' --data-binary "@$temp/rows.gz" \
			--url-query "query=INSERT INTO $table FORMAT JSONEachRow" --url-query insert_distributed_sync=1 "$url/" 2>&1
	)
	case $answer in
	'200 ') answer='200 of a server that is no ClickHouse:' ;;
	[0-9][0-9][0-9]' '*) answer=${answer%% *} ;;
	esac
	answer=$(printf '%s ' "${answer% }" && head -c 300 "$temp/answer")
	answer=$(printf '%s' "$answer" | tr -c '[:print:]' ' ')
}

# Removes the files of a list; a gmon file first, since without stacks it would be sent again.
remove_listed() {
	perl -0 -ne 'print; s/^\.\/gmon/.\/stacks/; s/\.out\0/.pb.gz\0/; print' "$1" | xargs -0 rm -f --
}

# refuse_rows FILE WHY: keeps both files out of the way.
refuse_rows() {
	stacks=stacks.${1#./gmon.}
	stacks=${stacks%.out}.pb.gz
	echo "${1#./}: given up: $2" >&2
	mkdir -p refused || return
	for file in "$1" "$stacks"; do
		[ ! -e "$file" ] || mv -- "$file" refused/
	done
}

# push_rows_of LIST: fails if it is better to wait.
push_rows_of() {
	answer='200 '
	xargs -0r profsup-export -q --format=rows --intervals --label="service=$service" --label="host=$host" <"$1" >"$temp/rows" 2>"$temp/said"
	case $? in
	0)
		if [ -s "$temp/rows" ]; then # idle processes have none
			if gzip -1f "$temp/rows"; then post_rows; else answer="000 no rows.gz in $temp"; fi
		fi
		;;
	123 | 125) # a file is bad, or ends who reads it; or there is no room in $temp
		said=$(head -n 1 "$temp/said")
		case $said in
		'' | *': standard output: '*) answer="000 $temp: $said" ;;
		*) answer="413 $said" ;;
		esac
		;;
	*) answer="000 $(head -n 1 "$temp/said")" ;;
	esac
	case $answer in
	'200 ')
		remove_listed "$1"
		;;
	413*)
		[ "$(tr -dc '\0' <"$1" | wc -c)" -eq 1 ] || { push_rows_one_by_one "$1"; return; }
		refuse_rows "$(tr -d '\0' <"$1")" "${answer#413 }"
		;;
	*)
		echo "$(tr -dc '\0' <"$1" | wc -c) files stay: $url: $answer" >&2
		return 1
		;;
	esac
}

push_rows_one_by_one() {
	n=$(tr -dc '\0' <"$1" | wc -c)
	while [ "$n" -gt 0 ]; do
		tail -zn "$n" "$1" | head -zn 1 >"$temp/one" || return
		push_rows_of "$temp/one" || return
		n=$((n - 1))
	done
}

push_all_rows() {
	while ready_files "$batch" >"$temp/list" && [ -s "$temp/list" ]; do
		push_rows_of "$temp/list" || return
	done
}

if [ -n "$table" ]; then
	command -v profsup-export >/dev/null || { echo 'push-profiles.sh: no profsup-export' >&2; exit 1; }
	temp=$(mktemp -d) || exit 1
	trap 'rm -rf "$temp"' EXIT
	trap 'exit 1' HUP INT TERM
	push=push_all_rows
else
	push=push_all
fi
while :; do
	$push
	sleep "$pause"
done
