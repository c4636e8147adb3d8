#!/bin/sh
# page.sh SCRIPT STYLE: C for both, and for the policy of a page with them: nothing else may run or be loaded.
set -eu

# as_c NAME FILE
as_c() {
	printf 'const char %s[] =\n' "$1"
	sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/\t"&\\n"/' "$2"
	echo '	"";'
}

# In base64, of the hash's bytes.
hash_of() {
	for byte in $(sha256sum "$1" | cut -c -64 | sed 's/../& /g'); do
		printf '%b' "\\0$(printf %03o "0x$byte")"
	done | base64 | tr -d '\n'
}

printf '#include "diff.h"\n\n'
as_c page_script "$1"
as_c page_style "$2"
printf 'const char page_policy[] = "default-src '\''none'\''; script-src '\''sha256-%s'\''; style-src '\''sha256-%s'\''; "\n' \
	"$(hash_of "$1")" "$(hash_of "$2")"
printf '\t"base-uri '\''none'\''; form-action '\''none'\''";\n'
