# Completions of profsup-cc and profsup-c++ for bash: it takes what the compiler takes.   -*- shell-script -*-
#
# SPDX-License-Identifier: ISC

_profsup_cc()
{
	declare -F _gcc >/dev/null || _completion_loader gcc
	_gcc "$@"
}

complete -F _profsup_cc -o default profsup-cc profsup-c++
