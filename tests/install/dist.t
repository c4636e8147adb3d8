#!/bin/sh
# make dist: the same bytes each time, from the repository and from an unpacked tarball.  That all can be built from it is a
# matter of packagers.t.
. "$(dirname "$0")/../lib/testlib.sh"

[ ! -e "$top/.git" ] || command -v git >git.path || skip_all 'git is not installed, which knows the files'

# make check's make has nothing to say to these.
unset MAKEFLAGS MFLAGS MAKELEVEL

# dist DIR B: the tarball that make dist in DIR makes, below B.
dist() {
	make -s -C "$1" dist B="$2" 2>>"$scratch/dist.err" | tail -n 1
}

one=$(cd "$top" && umask 022 && TZ=UTC dist "$top" "$scratch/one")
two=$(cd "$top" && umask 077 && TZ=Asia/Tokyo dist "$top" "$scratch/two")
[ -s "$one" ]
ok $? 'make dist makes a tarball' || bail "$(cat dist.err)"
cmp "$one" "$two"
ok $? 'it has the same bytes each time, whatever the umask and the time zone'

version=$(profsup -V | tr ' ' -)
tar -xf "$one"
is "$(echo profsup-*)" "$version" 'it holds one directory, named for the version'
(cd "$version" && find . -type f ! -name MANIFEST) | sed 's|^\./||' | sort >held
if [ -e "$top/.git" ]; then
	git -C "$top" ls-files | sort >files
else
	sort "$top/MANIFEST" >files
fi
is "$(comm -3 files held)" '' 'and in it each file that git knows, and no other'
is "$(cd "$top" && xargs -d '\n' sha256sum <"$scratch/files" 2>&1 | (cd "$scratch/$version" && sha256sum --quiet -c 2>&1))" '' 'with the bytes that it has here'

# Another machine: other dates and rights.  That of the MANIFEST is the one that counts.
find "$version" -type f ! -name MANIFEST -exec touch {} +
chmod -R go-rwx "$version"
three=$(dist "$version" "$scratch/three")
cmp "$one" "$three"
ok $? 'the unpacked tarball makes the same bytes again'
four=$(SOURCE_DATE_EPOCH=86400 dist "$version" "$scratch/four")
is "$(TZ=UTC tar -tvf "$four" | awk '{ print $2, $4, $5 }' | sort -u)" '0/0 1970-01-02 00:00' \
	'SOURCE_DATE_EPOCH is the date of all files'
done_testing
