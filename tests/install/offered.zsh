# zsh -f offered.zsh DIRECTORY LINE: what zsh offers at the end of that line, one a line, by the completions in DIRECTORY.
#
# Completion works in the line editor only, so there is a second shell with a terminal of its own.  What it offers is
# caught where it is handed over to the editor, in a file in the working directory.
zmodload zsh/zpty
found=$PWD/offered.$$
: >$found
export TERM=dumb
zpty editor zsh -f -i
zpty -w editor "stty -echo; unset zle_bracketed_paste; PROMPT=; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w editor 'compadd() {
	local -a offered
	[[ " $* " == *" -"[OAD]" "* ]] || { builtin compadd -A offered "$@"; print -rl -- $offered >>'$found' }
	builtin compadd "$@"
}'
zpty -w editor 'complete-and-end() { zle list-choices; print -r -- the" "end }; zle -N complete-and-end; bindkey "^T" complete-and-end'
zpty -w editor 'print re"ady"'
zpty -r editor said '*ready*'
zpty -w -n editor "$2"$'\C-t'
zpty -r editor said '*the end*'
zpty -d editor
grep . $found | sort -u
