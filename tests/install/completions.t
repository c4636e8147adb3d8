#!/bin/sh
# Page, -h, command line and the completions for bash and zsh have the same options, so that none of them falls behind.
. "$(dirname "$0")/../lib/testlib.sh"

for tool in bash zsh; do
	command -v $tool >/dev/null || skip_all "no $tool"
done
[ -f /usr/share/bash-completion/bash_completion ] || skip_all 'no bash-completion'
mkdir home
HOME=$scratch/home
export HOME

# in_bash WORD..., in_zsh WORD...: what is offered for the last word, or at the end of them.
in_bash() {
	timeout 120 bash --norc "$testdir/offered.bash" "$stage/share/bash-completion/completions/$1" "$@" </dev/null
}
in_zsh() {
	timeout 120 zsh -f "$testdir/offered.zsh" "$stage/share/zsh/site-functions" "$*" </dev/null
}

# The headings of the page that are options, "Fl x", "Fl x | y" and "Fl -long", and those of its synopsis.
described() {
	sed 's/| Fl/Fl/' "$top/man/$1.1" | perl -ne '
		next unless /^\.It (Fl .*)/;
		my $heading = $1;
		print "-$1\n" while $heading =~ /Fl (-?[A-Za-z0-9][-a-z0-9]*)/g' | sort -u
}
in_synopsis() {
	sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "$top/man/$1.1" | perl -ne '
		next unless /\bFl (.*)/;
		print "-$_\n" for grep { /^-?[A-Za-z0-9][-a-z0-9]*$/ } map { s/ .*//r } split / \| (?:Fl )?/, $1;' | sort -u
}
# As -h lists them, one or two forms in a line.
helped() {
	"$1" -h | sed -n 's/^  -/-/p' | sed 's/  .*//' | perl -ne 'print "$_\n" for map { /^(-[-\w]+)/ } split /, /' | sort -u
}

for tool in profsup profsup-export profsup-diff profsup-report; do
	described $tool >page
	in_synopsis $tool >synopsis
	helped $tool >help
	[ "$(wc -l <page)" -ge 5 ]
	ok $? "$tool's page has options: $(tr '\n' ' ' <page)"
	is "$(comm -13 page synopsis | tr '\n' ' ')" '' "the page of $tool describes each option of its synopsis"
	is "$(comm -3 page help | tr -d '\t' | tr '\n' ' ')" '' "$tool -h lists the options of the page, and no other"
	in_bash $tool - | sed 's/=$//' | sort -u >bash
	is "$(comm -3 page bash | tr -d '\t' | tr '\n' ' ')" '' "bash offers the options of $tool, and nothing else"
	in_zsh "$tool -" | sort -u >zsh
	is "$(comm -3 page zsh | tr -d '\t' | tr '\n' ' ')" '' "zsh offers the options of $tool, and nothing else"
done

# A letter that the program takes is one that it does not call unknown.
for c in a b c d e f g h i j k l m n o p q r s t u v w x y z A B C D E F G H I J K L M N O P Q R S T U V W X Y Z; do
	profsup "-$c" </dev/null 2>&1 | grep -q 'unknown option' || echo "-$c"
done | sort >taken
described profsup | grep '^-[^-]' >page
is "$(comm -3 page taken | tr -d '\t' | tr '\n' ' ')" '' 'profsup takes the letters of its page, and no other'
sed -n 's/^[[:space:]]*{ "\([a-z-]*\)", [a-z]*_argument, .*/--\1/p' "$top/supervisor/start/options.c" | sort >taken
described profsup | grep '^--' >page
is "$(comm -3 page taken | tr -d '\t' | tr '\n' ' ')" '' 'and its long options are those of its page'

is "$(in_bash profsup --sampler = | tr '\n' ' ')" 'auto perf ptrace ' 'bash knows the samplers'
is "$(in_bash profsup-export -o x --format = callg)" callgrind 'bash completes a format'
is "$(in_bash profsup-diff --format = js)" json 'and that of profsup-diff'
is "$(in_bash profsup -qu roo)" root 'bash completes a user'
is "$(in_bash profsup -d /us)" /usr 'bash completes a directory'
is "$(in_bash profsup --sampler = perf -E a = b gprof --file-inf)" --file-info \
	"bash completes the program's own options"
is "$(in_bash profsup-cc -pedantic-er)" -pedantic-errors "bash offers profsup-cc what it offers the compiler"

is "$(in_zsh profsup --sampler= | tr '\n' ' ')" 'auto perf ptrace ' 'zsh knows the samplers'
is "$(in_zsh profsup-export -o x --format=callg)" callgrind 'zsh completes a format'
is "$(in_zsh profsup-diff --format=js)" json 'and that of profsup-diff'
is "$(in_zsh profsup-diff prog gmon -- /us)" usr 'and a file on its second side'
is "$(in_zsh profsup -qu roo)" root 'zsh completes a user'
is "$(in_zsh profsup -q --sampler=perf -d / grep --line-n)" --line-number "zsh completes the program's own options"
in_zsh profsup-cc -pedantic-er | grep -qx -e -pedantic-errors
ok $? 'zsh offers profsup-cc what it offers the compiler'
done_testing
