/*
 * What profsup --top tells profsup-report --top every second.
 *
 * The reader has one end of a socket of whole messages (SOCK_SEQPACKET) as its standard input.  A
 * message is texts, each with a NUL byte behind it, and comes with files in memory:
 *
 *	"HIDE", if the terminal is another's now, or
 *	"AT TOOK HZ PERIOD PROCESSES FRESH ENDED", and for each process that is to be shown
 *	"PID FRESH TICKS BARE STACKS", its name, and the path of its program ("": not known).
 *
 * AT and TOOK are ns since the first view and the last one, PERIOD is that of a tick in ns, and
 * PROCESSES how many are profiled.  Ticks are FRESH since the last view; ENDED are those of
 * processes that have ended since.  BARE is 1 if no calls are counted.  Each process has a gmon
 * file, and if STACKS is 1 its file of stacks behind that.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_VIEW_H
#define PROFSUP_VIEW_H

#define VIEW_HIDE "HIDE"

/* The most of a message: processes, files and bytes. */
enum { VIEW_PROCESSES = 8, VIEW_FILES = 2 * VIEW_PROCESSES, VIEW_TEXT = 4096 };

#endif
