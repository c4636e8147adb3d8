# bash --norc offered.bash FILE WORD...: what bash offers for the last word, one a line, by the completions in FILE.  A
# word that has "=" in it is given in three, as readline does.
. /usr/share/bash-completion/bash_completion
. "$1" || exit
shift
# It has a meaning only inside of the line editor.
compopt() { :; }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
COMP_POINT=${#COMP_LINE}
COMPREPLY=()
function=$(complete -p "$1") || exit
function=${function##*-F }
${function%% *} "$1" "${@: -1}" "${@: -2:1}"
printf '%s\n' "${COMPREPLY[@]}" | sort -u
