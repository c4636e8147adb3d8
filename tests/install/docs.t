#!/bin/sh
# What the pages of man/ leave to docs/ is there.
. "$(dirname "$0")/../lib/testlib.sh"

grep -oh 'docs/[-a-z]*\.[a-z]*' "$top"/man/* "$top/README.md" | sort -u >named
between "$(wc -l <named)" 8 100 'the pages name files of docs/'
is "$(while read -r file; do [ -s "$top/$file" ] || echo "$file"; done <named)" '' 'all of which exist'

grep -on '](\([-a-z]*\.md\))' "$top"/docs/*.md | sed 's/.*(//; s/)//' | sort -u >linked
is "$(while read -r file; do [ -s "$top/docs/$file" ] || echo "$file"; done <linked)" '' 'and so do those that they link to each other'

profsup -q --stats=stats -d . sh -c :
grep -o '^	"[a-z_]*"' stats | tr -d '\t"' >members
between "$(wc -l <members)" 20 100 '--stats has many members'
is "$(while read -r name; do grep -q "\`$name\`" "$top/docs/summary.md" || echo "$name"; done <members)" '' \
	'each of which docs/summary.md describes'
done_testing
