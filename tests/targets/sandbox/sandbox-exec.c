/*
 * sandbox-exec PROGRAM ARG...: runs PROGRAM under a filter with KILL_PROCESS default that knows
 * what a small static program does, and none of profsup's.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sandbox.h"

int
main(int argc, char **argv)
{
	static const int allowed[] = {
		SYS_execve,       SYS_brk,       SYS_set_tid_address, SYS_set_robust_list,
		SYS_rseq,         SYS_prlimit64, SYS_readlinkat,      SYS_getrandom,
		SYS_mprotect,     SYS_write,     SYS_exit_group,      SYS_getitimer,
		SYS_rt_sigaction, SYS_prctl,     SYS_newfstatat,
#ifdef __x86_64__
		SYS_arch_prctl,   SYS_readlink,
#endif
	};

	must(argc > 1, "usage");
	filter(allowed, sizeof(allowed) / sizeof(allowed[0]), NULL, 0);
	execv(argv[1], argv + 1);
	return 99;
}
