/*
 * no-ptrace [-k | -c] COMMAND...: runs it under a seccomp filter, as a container's, that answers
 * ptrace with EPERM, or with -k, as a service's, kills the process that calls it.  With -c it is
 * kcmp that is answered so.
 */
#include "sandbox.h"

int
main(int argc, char **argv)
{
	const int kills = strcmp(argv[1], "-k") == 0, kcmp = strcmp(argv[1], "-c") == 0;

	must(filter_call(kcmp ? SYS_kcmp : SYS_ptrace,
	                 kills ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM, 0) == 0,
	     "seccomp");
	argv += kills || kcmp ? 2 : 1;
	execvp(argv[0], argv);
	return 99;
}
