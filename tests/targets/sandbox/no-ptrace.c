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
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kcmp ? SYS_kcmp : SYS_ptrace, 0, 1),
		BPF_STMT(BPF_RET | BPF_K,
		         kills ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no_new_privs");
	must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0, "seccomp");
	argv += kills || kcmp ? 2 : 1;
	execvp(argv[0], argv);
	return 99;
}
