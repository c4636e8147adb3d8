#!/bin/sh
# make-page.sh FILE.c: the page of profsup-export's format html as two C strings, which go before and behind the data.
# Scripts and styles are put into it as they stand here and in vendor/, which says whose they are; the page's
# Content-Security-Policy permits these alone, by their SHA-256.
set -eu
export LC_ALL=C

out=$1
case $out in
/*) ;;
*) out=$PWD/$out ;;
esac
cd "$(dirname "$0")"
trap 'rm -f "$out.script" "$out.style" "$out.page"' EXIT
trap 'exit 1' INT TERM HUP

# Each after those that it needs.
libraries='d3-array d3-color d3-dispatch d3-ease d3-format d3-timer d3-interpolate d3-hierarchy d3-scale d3-selection
	d3-transition d3-flame-graph'
scripts='profile.js words.js graph.js tables.js page.js'

# vendored NAME: its version and licence, as a comment, and its code.  d3-flame-graph comes as a module: what it imports is in
# the object d3, or a style sheet that the page does without; the one function that the page needs becomes global.
vendored() {
	version=$(sed -n 's/^ *"version": "\(.*\)",$/\1/p' "vendor/$1/package.json")
	printf '/*\n%s %s\n\n' "$1" "$version"
	cat "vendor/$1/LICENSE"
	case $1 in
	d3-flame-graph)
		printf '\nChanged for this page: import and export have become what a script in a page can have.\n*/\n'
		echo 'const flamegraph = (() => {'
		sed -e 's/^import \({.*}\) from "d3-[a-z]*";$/const \1 = d3;/' -e '/^import "d3-[a-z]*";$/d' -e "s/^import '[^']*\.css';//" \
			-e '/^export {$/,/^};$/d' "vendor/$1/dist/d3-flamegraph.es.js"
		echo 'return flamegraph;'
		echo '})();'
		;;
	*)
		printf '*/\n'
		cat "vendor/$1/dist/$1.js"
		;;
	esac
}

# What a policy calls a text.
sha256() {
	# shellcheck disable=SC2059 # the format is octal escapes
	printf "$(sha256sum <"$1" | awk '{
		for (i = 1; i < 64; i += 2)
			printf "\\%03o", 16 * digit(substr($1, i, 1)) + digit(substr($1, i + 1, 1))
	}
	function digit(c) { return index("0123456789abcdef", c) - 1 }')" | base64
}

# as_c NAME: stdin as a C string.
as_c() {
	printf '\nextern const char %s[];\nconst char %s[] =\n' "$1" "$1"
	sed 's/[\\"]/\\&/g; s/??/?\\?/g; s/^/"/; s/$/\\n"/'
	echo ';'
}

{
	echo
	for library in $libraries; do
		vendored "$library"
	done
	echo '(() => {'
	echo '"use strict";'
	# shellcheck disable=SC2086 # names
	cat $scripts
	echo '})();'
} >"$out.script"
{
	echo
	cat page.css
} >"$out.style"
for file in "$out.script" "$out.style"; do
	if grep -qi '</s[ct]\|<!--' "$file" || grep -q "$(printf '\r')" "$file"; then
		echo "make-page: $file: it would not stay as it is in an HTML page" >&2
		exit 1
	fi
done

awk -v script="$out.script" -v style="$out.style" -v script_hash="$(sha256 "$out.script")" -v style_hash="$(sha256 "$out.style")" '
	function put(before, file, after,  line) {
		printf "%s", before
		while ((getline line <file) > 0)
			print line
		print after
	}
	{
		sub(/@SCRIPT_HASH@/, script_hash)
		sub(/@STYLE_HASH@/, style_hash)
	}
	/@SCRIPT@/ { put("<script>", script, "</script>"); next }
	/@STYLE@/ { put("<style>", style, "</style>"); next }
	{ print }' page.html >"$out.page"
{
	echo '/* Made by make-page.sh. */'
	sed '/^@DATA@$/,$d' "$out.page" | as_c html_before_data
	sed '1,/^@DATA@$/d' "$out.page" | as_c html_after_data
} >"$out"
