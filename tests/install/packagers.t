#!/bin/sh
# What packagers of a distribution do: they unpack the tarball and build from it, and what they set in the environment is
# honoured: flags, compiler and directories; and V=0 is quiet.
# check-all: builds everything three times
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/cc/cclib.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL

[ ! -e "$top/.git" ] || command -v git >git.path || skip_all 'git is not installed, which knows the files of a tarball'
tar -xf "$(make -s -C "$top" dist B="$scratch/dist" 2>dist.err | tail -n 1)" || bail "$(cat dist.err)"
src=$scratch/$(profsup -V | tr ' ' -)

in_env() {
	env PREFIX=/usr LIBDIR=/usr/lib64/tools MANDIR=/usr/share/their-man CFLAGS='-O0 -DTHEIRS' DESTDIR="$scratch/root" "$@"
}
in_env make -s -C "$src" B="$scratch/b" -n all >lines
is "$(grep -c -- '-O0 -DTHEIRS' lines) $(grep -c -- '-O2' lines)" "$(grep -cE -- '-c -o |-o [^ ]*/(bin/profsup|read-code)' lines) 0" \
	'CFLAGS of the environment are in each line of the compiler' || diag_file lines
is "$(CC=cc make -s -C "$src" B="$scratch/b" -n all | grep -c '^cc ')" "$(grep -cE -- '^gcc ' lines)" \
	'so is CC'
is "$(make -s -C "$src" B="$scratch/b" -n all | grep -c -- '-O2 -g')" "$(grep -c -- '-O0 -DTHEIRS' lines)" 'without them there are those of the house'

# What installs pkg-config, and what needs no library, runs without it.
for goal in help demo deps clean; do
	make -s -n -C "$src" B="$scratch/none" PKG_CONFIG=no-such-command $goal 2>&1 >out | sed "s/^/make $goal: /"
done >err
is "$(cat err)" '' 'make without pkg-config says nothing of it before it is needed'

in_env make -C "$src" B="$scratch/b" V=0 -j2 all >out 2>&1
ok $? 'V=0: it builds from the tarball' || diag_file out
is "$(grep -v '^make' out | grep -vcE '^  (CC|LINK)	[^ ]*$')" 0 'V=0: a word and a file in each line' || diag_file out
grep -q '^  LINK	.*/bin/profsup$' out
ok $? 'V=0: of each file that is made'
in_env make -s -C "$src" B="$scratch/b" install >out 2>&1
ok $? 'make install puts it where they want' || diag_file out
is "$(cd root && find . ! -type d | sed 's,/[^/]*$,,' | sort -u | tr '\n' ' ')" \
	'./usr/bin ./usr/include ./usr/lib64/tools/pkgconfig ./usr/lib64/tools/profsup ./usr/lib64/tools/profsup/include ./usr/share/bash-completion/completions ./usr/share/doc/profsup ./usr/share/doc/profsup/docs ./usr/share/their-man/man1 ./usr/share/their-man/man2 ./usr/share/their-man/man3 ./usr/share/their-man/man5 ./usr/share/zsh/site-functions ' \
	'and nowhere else'
# rpmbuild refuses a spec that leaves out a file; it runs in tests/soak/rpm.t only.
sed -n '/^%files/,$s/^%{_\([a-z]*\)}/\1/p' "$src/packaging/profsup.spec" |
	sed 's,^bindir,./usr/bin,; s,^includedir,./usr/include,; s,^libdir,./usr/lib64/tools,; s,^mandir,./usr/share/their-man,; s,^datadir,./usr/share,; s,^docdir,./usr/share/doc,' >spec
(cd root && find . ! -type d) >installed
while read -r file; do
	while read -r pattern; do
		# shellcheck disable=SC2254 # patterns
		case $file in
		$pattern | $pattern/*) continue 2 ;;
		esac
	done <spec
	echo "$file"
done <installed >unlisted
is "$(cat unlisted)" '' 'the spec of the RPM packages has each file'
printf 'int main(void) { return 7; }\n' >seven.c
root/usr/bin/profsup-cc -o seven seven.c && root/usr/bin/profsup -q ./seven
is $? 7 'and what it has installed works'
root/usr/bin/profsup-cc -o p main.c work.c 2>err
ok $? 'profsup-cc finds the runtime there' || diag_file err
profiled ./p 'and its program is profiled'
root/usr/bin/profsup -q -g ./p 2>err
is "$(cat err)" '' 'with its callers'
mv root/usr moved
moved/bin/profsup-cc -o p main.c work.c && is_ours p
ok $? 'also when all is moved'
if command -v pkg-config >path; then
	# shellcheck disable=SC2046 # words
	PKG_CONFIG_LIBDIR=moved/lib64/tools/pkgconfig cc -o q main.c work.c \
		$(PKG_CONFIG_LIBDIR=moved/lib64/tools/pkgconfig pkg-config --static --cflags --libs profil) 2>err
	is_ours q
	ok $? 'so does pkg-config' || diag_file err
else
	skip 'no pkg-config here'
fi
mv moved root/usr
in_env make -s -C "$src" B="$scratch/b" uninstall >out 2>&1
is "$(find root ! -type d)" '' 'make uninstall leaves nothing'
in_env make -s -C "$src" B="$scratch/b" "$scratch/b/stage/.installed" >out 2>&1
[ -s b/stage/lib/profsup/gcrt0.o ] && [ -s b/stage/share/man/man1/profsup.1 ] && [ -z "$(find root ! -type d)" ]
ok $? 'the installation that tests use is where it always is' || diag_file out
done_testing
