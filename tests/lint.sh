#!/bin/sh
# Every static check there is, on every file that git knows or would add.  A tool that is missing is
# a failure that names its package; the others still run.  From `make lint` are WARN, what our own code is
# compiled with, and OBJECTS, where the supervisor's objects are.
set -u
: "${WARN:?it is run by make lint}" "${OBJECTS:?}"
cd "$(dirname "$0")/.." || exit 1

failed=0
jobs=$(nproc)
lists=$(mktemp -d) || exit 1
trap 'rm -rf "$lists"' EXIT
trap 'exit 1' INT TERM HUP

# have TOOL PACKAGE
have() {
	command -v "$1" >/dev/null && return
	echo "lint: $1 is missing: apt-get install $2" >&2
	failed=1
	return 1
}

# check WHAT COMMAND...
check() {
	echo "lint: $1"
	shift
	"$@" || failed=1
}

# Files that exist, of those git knows.
files() {
	git ls-files -co --exclude-standard -- "$@" | sort -u | while read -r f; do
		[ ! -f "$f" ] || printf '%s\n' "$f"
	done
}

# The include paths and the like of one C file.
flags_of() {
	flags='-std=gnu11 -D_GNU_SOURCE -DPROFSUP_VERSION=\"0\" -Iproto'
	case $1 in
	tools/cc/*) ;;
	tools/*) flags="$flags -Icommon -Itools/model -Ibuild/tools/model" ;;
	shim/*) flags="$flags -Ishim -Ishim/arch/$(uname -m) -ffreestanding -mgeneral-regs-only" ;;
	supervisor/* | proto/*) flags="$flags -DPROFSUP_LIBDIR=\\\"lib\\\" -Icommon -Isupervisor" ;;
	common/*) flags="$flags -Icommon" ;;
	tests/fuzz/readers.c | tests/fuzz/inlines.c) flags="$flags -Icommon -Itools/model" ;;
	tests/unit/model/*) flags="$flags -Icommon -Itools/model -Itests/lib" ;;
	tests/*) flags="$flags -Icommon -Isupervisor -Itests/lib" ;;
	esac
	case $1 in
	tests/*) flags="$flags -Wno-unknown-attributes" ;; # noipa is gcc's
	*) flags="$flags $WARN" ;; # nor does clang find anything to warn of
	esac
	printf '%s' "$flags"
}

# The flags come behind "--", so each file has an invocation of its own.
tidy() {
	while read -r f; do
		printf '%s -- %s\n' "$f" "$(flags_of "$f")"
	done <"$lists/tidied" >"$lists/commands"
	xargs -P "$jobs" -L 1 clang-tidy --quiet <"$lists/commands" 2>"$lists/noise"
}

# gcc's own analyzer.  malloc-leak: it loses track of what realloc has given, and of what a struct that is handed on
# holds; valgrind and the address sanitizer look for leaks.
analyze() {
	analyze_failed=0
	while read -r f; do
		# shellcheck disable=SC2046 # words
		gcc $(flags_of "$f" | tr -d '\134') -O1 -fanalyzer -Wno-analyzer-malloc-leak -Werror -c -o /dev/null "$f" ||
			analyze_failed=1
	done <"$lists/analyzed"
	return "$analyze_failed"
}

# What gcc 12 does not even warn of under the -w of the tests' programs, and gcc 14 does not compile.
declared() {
	undeclared=0
	for f in tests/targets/*/*.c; do
		# shellcheck disable=SC2046 # words
		gcc -fsyntax-only -O2 -Ishim $(sed -n 's|^// CFLAGS: ||p' "$f") -Werror=implicit-function-declaration \
			-Werror=int-conversion -Werror=incompatible-pointer-types "$f" 2>&1 | grep 'error:' && undeclared=1
	done
	return "$undeclared"
}

run_cppcheck() {
	cppcheck --quiet -j "$jobs" --enable=warning,performance,portability,style \
		--inline-suppr --suppressions-list=tests/lint.cppcheck --error-exitcode=1 \
		--std=c11 -D_GNU_SOURCE -D"__$(uname -m)__" \
		-Iproto -Isupervisor -Itools/model -Ishim -Ishim/arch/"$(uname -m)" -Itests/lib \
		--file-list="$lists/tidied"
}

# Whether a referenced page is installed here is nothing about ours.
run_mandoc() {
	# In one pipe its two outputs would break each other's lines.
	xargs mandoc -T lint <"$lists/man" >"$lists/lint" 2>"$lists/complaints"
	cat "$lists/lint" "$lists/complaints" | grep -Ev 'referenced manual not found|outdated mandoc.db' >"$lists/said"
	cat "$lists/said"
	[ ! -s "$lists/said" ]
}

# What the supervisor keeps for more than one process is keyed by what nobody can forge: SECURITY.md has the list.
kept() {
	kept_failed=0
	grep -lE '^static (struct [a-z_]+|uint8_t) (\*+[a-z]+|[a-z]+\[[A-Z_]+\]);|^\} \*+ ?[a-z]+;' \
		supervisor/sampler/*.c supervisor/code/*.c supervisor/memory/*.c supervisor/process/*.c supervisor/output/*.c supervisor/trace/*.c >"$lists/tables"
	while read -r f; do
		sed -n '/^## What is kept across/,/^## How it is tested/p' SECURITY.md | grep -q "^| .*\`${f##*/}\`.* |" && continue
		echo "$f: a table that SECURITY.md, \"What is kept across processes\", does not name"
		kept_failed=1
	done <"$lists/tables"
	return "$kept_failed"
}

format() {
	xargs clang-format --dry-run -Werror <"$lists/c"
}

# SC2317: functions are called by name, through `check`, `wait_until` and the like.
run_shellcheck() {
	xargs shellcheck -x -P SCRIPTDIR -e SC2317 -s sh <"$lists/shell"
}

is_shell() {
	read -r first <"$1"
	case $first in
	'#!/bin/sh'*) return 0 ;;
	esac
	return 1
}

files '*.c' '*.h' >"$lists/c"
# Targets misbehave on purpose.
grep '\.c$' "$lists/c" | grep -Ev '^tests/(targets|toolchain)/' >"$lists/tidied"
grep -E '^(supervisor|tools)/' "$lists/tidied" >"$lists/analyzed"
files 'man/*' >"$lists/man"
files | while read -r f; do
	! is_shell "$f" 2>/dev/null || printf '%s\n' "$f"
done >"$lists/shell"
files 'tests/lib/*.sh' >>"$lists/shell"

have clang-format clang-format && check clang-format format
have clang-tidy clang-tidy && check clang-tidy tidy
have gcc gcc && check 'gcc -fanalyzer' analyze
have gcc gcc && check "gcc: the tests' programs declare what they call" declared
have cppcheck cppcheck && check cppcheck run_cppcheck
have shellcheck shellcheck && check shellcheck run_shellcheck
have perl perl && check 'rooms of the supervisor' perl tests/rooms.pl "$OBJECTS"
have perl perl && check 'names that are printed' perl tests/said.pl
check 'tables that are kept across processes' kept
have mandoc mandoc && check 'mandoc -Tlint' run_mandoc
[ "$failed" -eq 0 ] && echo 'lint: clean'
exit "$failed"
