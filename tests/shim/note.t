#!/bin/sh
# The ELF note that permits profil: in a PT_NOTE segment of every program linked with our runtime, whatever is
# done to the file later, and in no other.
. "$(dirname "$0")/../lib/testlib.sh"

cat >main.c <<'END'
static void unused(void) { }
void (*use)(void);
int main(int argc, char **argv) { (void)argv; if (argc > 1) use = unused; return 0; }
END

# bare FILE: takes its section headers away, so that readelf reads what the kernel and we read: segments.
bare() {
	perl -e 'open F, "+<", shift or die; binmode F; seek F, 40, 0; print F "\0" x 8; seek F, 58, 0; print F "\0" x 6' "$1"
}

# note FILE: "VERSION OFFSET" of our note in a PT_NOTE segment; several lines if there are more.
note() {
	cp "$1" headerless
	bare headerless
	readelf -nW headerless 2>err | awk '
		$1 == "profsup" && sub(/.*data: /, "") { print $4 $3 $2 $1, $8 $7 $6 $5 }'
}

# leads_to_state PROGRAM: the note's second word leads from where it stands to the state.
leads_to_state() {
	perl -e '
		my ($file, $note) = @ARGV;
		my ($at) = map { /\.note\.profsup\s+NOTE\s+(\S+)/ ? hex $1 : () } `readelf -SW $file`;
		my ($state) = map { /^(\S+) . __profsup_state$/ ? hex $1 : () } `nm $file`;
		my ($offset) = $note =~ /^00000002 (\S{8})$/ or exit 1;
		# Behind the header, the name and the version.
		exit(($at + 12 + 8 + 4 + unpack("l", pack("L", hex $offset))) != $state);' "$1" "$(note "$1")"
}

for words in -O2 -static-pie '-ffunction-sections -fdata-sections -Wl,--gc-sections' '-flto -O2' -Wl,-z,separate-code \
	-Wl,-z,noseparate-code -Wl,--build-id=none '-Wl,-z,norelro'; do
	rm -f p
	# shellcheck disable=SC2086 # words
	profsup-cc $words -o p main.c
	leads_to_state ./p
	ok $? "$words: one note in a PT_NOTE segment, which leads to the state"
	readelf -SW p | grep -q '\.note\.profsup *NOTE .* AR\{0,1\}  *[0-9]'
	ok $? "$words: it is not writable"
done
profsup-cc -o p main.c
before=$(note p)
cp p q
strip q
is "$(note q)" "$before" 'strip leaves it as it was'
cp p q
objcopy --strip-all --remove-section=.comment q r
is "$(note r)" "$before" 'so does objcopy --strip-all'
profsup-cc -s -Wl,--gc-sections -o q main.c
is "$(note q | wc -l)" 1 'so does a link with -s'
bare q
profsup -q ./q
[ -f "$(the_file q)" ]
ok $? 'a program without section headers is profiled'
printf '#include <profil.h>\nint main(void) { return profil(0, 0, 0, 0, 0, -1); }\n' >caller.c
profsup-cc -o caller caller.c
is "$(note caller | awk '{ print $1 }' | tr '\n' ' ')" '00000002 00000002 ' 'a program that calls profil has a second note'

for words in -static '-static -pg' '-static-pie -pg' -O2 -pg; do
	# shellcheck disable=SC2086 # words
	cc $words -o plain main.c
	is "$(note plain)" '' "a program linked without us has none: cc $words"
done
profsup-cc -c main.c
cc -static main.o -o plain
is "$(note plain)" '' 'nor has one of our objects, linked without us'
profsup ./plain 2>err
is "$(the_file plain)" 'no-file' 'and it is not profiled'
done_testing
