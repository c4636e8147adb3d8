# Completions of profsup-cc and profsup-c++ for bash: it takes what the compiler takes.   -*- shell-script -*-
#
# SPDX-License-Identifier: ISC

# The function for gcc is called _gcc or, in bash-completion 2.12 and later, _comp_cmd_gcc.
_profsup_cc()
{
	local spec

	spec=$(complete -p gcc 2>/dev/null) || {
		if declare -F _comp_load >/dev/null; then
			_comp_load gcc
		else
			_completion_loader gcc
		fi
		spec=$(complete -p gcc 2>/dev/null)
	}
	[[ $spec =~ ' -F '([^ ]+) ]] && "${BASH_REMATCH[1]}" "$@"
}

complete -F _profsup_cc -o default profsup-cc profsup-c++
