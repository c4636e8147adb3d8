#!/bin/sh
# The pages as man(1) finds and shows them, which Debian's does by groff: each row of a table is a line.
. "$(dirname "$0")/../lib/testlib.sh"

command -v groff >path || skip_all 'groff is not installed'

for page in "$top"/man/*.[1-9]; do
	groff -Tascii -P-c -mandoc "$page" 2>groff.err >shown
	is "$(cat groff.err)" '' "${page##*/}: groff has no complaint"
done

# What a page is said to be of, man(1) finds it by: each name in its heading is a file.
for page in "$top"/man/*.[1-9]; do
	section=${page##*.}
	sed -n '/^\.Sh NAME/,/^\.Nd/s/^\.Nm \([^ ]*\).*/\1/p' "$page" | while read -r name; do
		cmp -s "$stage/share/man/man$section/$name.$section" "$page" || echo "$name($section)"
	done
done >missing
is "$(cat missing)" '' 'each name of a page is installed as one'

# The only table that is nearly as wide as a page, as patterns.
groff -Tascii -P-c -P-b -P-o -P-u -mandoc "$top/man/profil.2" >shown 2>groff.err
perl -ne '
	next unless /^\.Bl -column/ .. /^\.El/;
	next unless s/^\.It //;
	chomp;
	print join("\\s+", map { quotemeta } grep { $_ ne "" } split /\s*\bTa\s*/), "\n"' "$top/man/profil.2" >rows
between "$(wc -l <rows)" 15 100 'profil(2) has a table'
is "$(while read -r row; do grep -Pq -- "^ *$row *$" shown || echo "$row"; done <rows)" '' 'of which each row is a line' || diag_file shown
done_testing
