#!/bin/sh
# page.sh NAME SCRIPT STYLE...: C for both, and for the policy of a page with them: nothing else may run or be loaded.
set -eu

# as_c NAME FILE...
as_c() {
	printf 'const char %s[] =\n' "$1"
	shift
	cat "$@" | sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/\t"&\\n"/'
	echo '	"";'
}

# In base64, of the hash's bytes.
hash_of() {
	for byte in $(cat "$@" | sha256sum | cut -c -64 | sed 's/../& /g'); do
		printf '%b' "\\0$(printf %03o "0x$byte")"
	done | base64 | tr -d '\n'
}

name=$1 script=$2
shift 2
printf '#include "diff.h"\n\n'
as_c "${name}_script" "$script"
as_c "${name}_style" "$@"
printf 'const char %s_policy[] = "default-src '\''none'\''; script-src '\''sha256-%s'\''; style-src '\''sha256-%s'\''; "\n' \
	"$name" "$(hash_of "$script")" "$(hash_of "$@")"
printf '\t"base-uri '\''none'\''; form-action '\''none'\''";\n'
