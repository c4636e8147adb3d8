# Completions of profsup and of what reads its files, for bash.       -*- shell-script -*-
#
# What options there are, and what their arguments are, is read from what -h prints: a new one is offered by itself.
#
# SPDX-License-Identifier: ISC

# _profsup_options COMMAND: a line "OPTION ARGUMENT" for each that its -h lists; ARGUMENT is empty if it takes none, and
# "?..." if it may be left out.  Of "-D ms, --delay=ms  ..." that is two lines.
_profsup_options()
{
	"${1/#\~/$HOME}" -h 2>/dev/null | command awk '
		/^  -/ {
			sub(/^ +/, "")
			sub(/  .*/, "")
			n = split($0, form, ", ")
			arg = ""
			for (i = 1; i <= n; i++)
				if (match(form[i], /[[= ]/)) {
					arg = substr(form[i], RSTART)
					sub(arg ~ /^\[=/ ? "\\[=" : "[= ]", arg ~ /^\[=/ ? "?" : "", arg)
					form[i] = substr(form[i], 1, RSTART - 1) (form[i] ~ /^--/ ? "=" : "")
				}
			for (i = 1; i <= n; i++)
				print form[i], arg
		}'
}

# _profsup_reply COMPGEN-ARGUMENT...
_profsup_reply()
{
	mapfile -t COMPREPLY < <(compgen "$@")
}

# _profsup_argument ARGUMENT CUR: its name in the help says what it can be.
_profsup_argument()
{
	case $1 in
	*'|'*) _profsup_reply -W "${1//|/ }" -- "$2" ;;
	dir) compopt -o filenames && _profsup_reply -d -- "$2" ;;
	file) compopt -o filenames && _profsup_reply -f -- "$2" ;;
	pid*) _profsup_reply -W "$(command ps -eo pid=)" -- "$2" ;;
	user*) _profsup_reply -u -- "$2" ;;
	var*) _profsup_reply -v -- "$2" ;;
	esac
}

# COMP_WORDS has "=" and ":" as words of their own: they and what comes after belong to the word before.
_profsup()
{
	local -A argument=()
	local option arg word i cur=${COMP_WORDS[COMP_CWORD]} pending='' first=0

	while read -r option arg; do
		argument[$option]=$arg
	done < <(_profsup_options "$1")
	for ((i = 1; i < COMP_CWORD && first == 0; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $word == [=:] ]]; then
			((i + 1 < COMP_CWORD)) && ((i++))
			continue
		fi
		if [[ -n $pending ]]; then
			pending=
		elif [[ $word == -- ]]; then
			first=$((i + 1))
		elif [[ $word == --* && ${COMP_WORDS[i + 1]} == = ]]; then
			# Its argument comes behind the "=".
			((i + 1 == COMP_CWORD || i + 2 == COMP_CWORD)) && pending=${argument[$word=]-}
		elif [[ $word == --* ]]; then
			pending=${argument[$word=]-}
			[[ $pending == \?* ]] && pending=
		elif [[ $word == -?* ]]; then
			# The last of "-qF" may want the next word.
			pending=${argument[-${word: -1}]-}
			[[ -n $pending && $word != -? && ${word:1:${#word} - 2} == *[!a-zA-Z]* ]] && pending=
		elif [[ ${COMP_WORDS[i + 1]} != = ]]; then
			first=$i
		fi
	done

	COMPREPLY=()
	if ((first > 0)); then
		if [[ ${1##*/} == profsup ]] && declare -F _command_offset >/dev/null; then
			_command_offset "$first"
		else
			compopt -o filenames
			_profsup_reply -f -- "$cur"
		fi
		return
	fi
	[[ $cur == [=:] ]] && cur=
	if [[ -n $pending ]]; then
		_profsup_argument "${pending#\?}" "$cur"
	elif [[ $cur == -* ]]; then
		_profsup_reply -W "${!argument[*]}" -- "$cur"
		[[ ${COMPREPLY-} == *= ]] && compopt -o nospace
	elif [[ ${1##*/} == profsup ]]; then
		compopt -o filenames
		_profsup_reply -A command -A directory -- "$cur"
	else
		compopt -o filenames
		_profsup_reply -f -- "$cur"
	fi
}

complete -F _profsup profsup profsup-export profsup-diff profsup-report
