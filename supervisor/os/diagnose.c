/*
 * Why a program can't be run, or not be traced, and what to do instead: words for the two errors
 * that users meet first.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* False for anything but a regular file; O_NONBLOCK because opening a FIFO would wait. */
bool
diagnose_is_elf(const char *path)
{
	struct stat st;
	char magic[4];
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool is = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	          read(fd, magic, 4) == 4 && memcmp(magic, "\177ELF", 4) == 0;

	fds_close(fd);
	return is;
}

/* Says what an ELF file that is not for this machine was built for, and what to do.  What
 * profsup-cc makes with -m32 has no runtime, but users take it for a program of ours. */
const char *
diagnose_machine(unsigned machine, bool is_64)
{
#define FOREIGN(kind, how)                                                                         \
	"built for " kind ", another kind of machine; build it with profsup-cc for this one" how
	switch (machine) {
	case EM_386:
		return FOREIGN("i386", ", without -m32");
	case EM_X86_64:
		return is_64 ? FOREIGN("x86-64", "") : FOREIGN("x32", ", without -mx32");
	case EM_AARCH64:
		return FOREIGN("aarch64", "");
	case EM_ARM:
		return FOREIGN("32-bit ARM", "");
	case EM_RISCV:
		return FOREIGN("RISC-V", "");
	case EM_PPC64:
		return FOREIGN("POWER", "");
	case EM_S390:
		return FOREIGN("S/390", "");
	default:
		return "built for another kind of machine; build it with profsup-cc for this one";
	}
#undef FOREIGN
}

/* The same of a file that the kernel does not run. */
static const char *
why_no_exec(const char *path)
{
	static char words[128];
	Elf64_Ehdr eh; /* the first fields are those of 32 bits */
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	const bool is_known =
	    fd >= 0 && read(fd, &eh, sizeof(Elf32_Ehdr)) == (ssize_t)sizeof(Elf32_Ehdr);

	fds_close(fd);
	snprintf(words, sizeof(words), " (%s)",
	         diagnose_machine(is_known ? eh.e_machine : EM_NONE,
	                          is_known && eh.e_ident[EI_CLASS] == ELFCLASS64));
	return words;
}

/* Explains why exec has failed; `name` is as the user gave it. */
const char *
diagnose_exec(const char *name, int error)
{
	const bool is_path = strchr(name, '/') != NULL;
	struct stat st;
	const bool is_there = stat(name, &st) == 0;

	/* Of ".", a shell's search in PATH finds one in each directory. */
	if ((error == EACCES || error == ENOENT) && is_there && S_ISDIR(st.st_mode))
		return " (it is a directory)";
	if (error == ENOENT && *name != '\0' && access(name, F_OK) == 0)
		return is_path
		           ? " (the interpreter that it names is missing)"
		           : " (it is in this directory, which is not in PATH: put ./ before it)";
	if (error == EACCES && is_path && !is_there)
		return " (one of the directories on its path does not let you through)";
	if (error == EACCES && is_path)
		return (st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) == 0
		           ? " (it is not executable: build a program of it with profsup-cc, or "
		             "chmod +x)"
		           : " (you may not execute it: see its mode, and whether it is on a "
		             "noexec mount)";
	if (error == ENOEXEC)
		return why_no_exec(name);
	return "";
}

static const char forbidden[] = " (a seccomp filter forbids it: a container needs another "
				"profile or --cap-add=SYS_PTRACE, a unit SystemCallFilter=@debug)";

/* The usual reasons why perf_event_open(2) is not to be had: the kernel's own answer is EACCES. */
const char *
diagnose_perf(int error)
{
	if (error == EPERM && procfs_has_filter(getpid()))
		return " (a seccomp filter forbids it: start the container with another seccomp "
		       "profile, and --cap-add=PERFMON)";
	if (error == EACCES || error == EPERM)
		return " (kernel.perf_event_paranoid is above 1 and there is no CAP_PERFMON?)";
	return "";
}

/* Why root may not read another user's process that it traces already. */
const char *
diagnose_read(int error)
{
	if (error == EMFILE)
		return " (see ulimit -H -n)";
	return (error == EACCES || error == EPERM) && geteuid() == 0 && !priv_may_trace_any()
	           ? " (it is another user's, and there is no CAP_SYS_PTRACE: a container needs "
	             "--cap-add=SYS_PTRACE, a unit CapabilityBoundingSet=CAP_SYS_PTRACE)"
	           : "";
}

/* The usual reasons why a running process can't be traced. */
const char *
diagnose_attach(pid_t pid)
{
	const char scope = procfs_yama_scope();
	struct identity theirs = { 0 };
	const bool known = procfs_identity(pid, &theirs) == 0;
	const uid_t uid = theirs.uid;
	const char *hint = known && uid != 0 ? diagnose_read(EPERM) : "";

	identity_free(&theirs);
	if (*hint != '\0')
		return hint;
	if (known && geteuid() != 0 && uid != geteuid())
		return " (it is another user's: run profsup as that user, or as root)";
	if (scope == '1' && geteuid() != 0)
		return " (kernel.yama.ptrace_scope is 1: only root may, or set that to 0)";
	if (scope == '2' && geteuid() != 0)
		return " (kernel.yama.ptrace_scope is 2: only root may)";
	if (scope == '3')
		return " (kernel.yama.ptrace_scope is 3: nobody may until the next boot)";
	if (procfs_has_filter(getpid()))
		return forbidden;
	if (geteuid() != 0)
		return " (it has or had more privileges than you, or is not dumpable: run profsup "
		       "as root)";
	return "";
}

/* The usual reasons why a child of ours can't be traced. */
const char *
diagnose_trace(pid_t target)
{
	const char scope = procfs_yama_scope();

	if (procfs_tracer(target) > 0)
		return " (it is traced already: profsup can't run under strace -f or a debugger)";
	if (scope == '2')
		return " (kernel.yama.ptrace_scope is 2: it needs CAP_SYS_PTRACE, so run it as "
		       "root, with -u, or set that to 1)";
	if (scope == '3')
		return " (kernel.yama.ptrace_scope is 3: nobody may until the next boot)";
	if (procfs_has_filter(getpid()))
		return forbidden;
	return "";
}
