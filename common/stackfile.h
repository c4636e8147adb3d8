/*
 * What the supervisor, which writes files of call stacks, and profsup-export, which reads them,
 * both know of them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef STACKFILE_H
#define STACKFILE_H

#include <stddef.h>

/* Functions that stand for frames which are not known: outer ones, and whole stacks for which there
 * was no room. */
#define STACKFILE_CUT     "[cut]"
#define STACKFILE_NO_ROOM "[no room]"
/* Innermost frames of --wall beside the names of system calls, "[read]" or "[syscall 999]". */
#define STACKFILE_NO_CALL "[blocked outside of system calls]"
#define STACKFILE_UNSEEN  "[blocked, not seen]"
#define STACKFILE_FOR_CPU "[waiting for a CPU]"

/* Writes the name of the file of stacks beside a gmon file.  gmon.PROG.PID.out has
 * stacks.PROG.PID.pb.gz beside it, so that gmon.* is for gprof; another name gets .pb.gz at its
 * end. */
void stackfile_name(const char *gmon, char *name, size_t size);

#endif
