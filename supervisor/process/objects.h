/*
 * The files that have the code of a run's processes.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_OBJECTS_H
#define PROFSUP_OBJECTS_H

#include "code/code.h"

struct proc;
struct profsup;

/* objects.c: the files that have the code of all processes of a run */
void objects_step(void);
unsigned objects_serial(void);
void objects_ask_program(const struct profsup *ps, struct proc *proc);
void objects_note_program(const struct profsup *ps, struct proc *proc);
/* Who has started a process, and whose its profile is. */
struct objects_for {
	uid_t user;
	unsigned owner;
};
uint32_t objects_note_mapped(struct objects_for whom, const struct code_map *map);
uint32_t objects_note_made(const struct proc *proc, struct objects_for whom);
void objects_ask_made(const struct proc *proc);
bool objects_is_made_awaited(const struct proc *proc);
void objects_ask_mapped(const struct proc *proc, uint32_t number, uint64_t low, uint64_t high);
bool objects_is_awaited(const struct proc *proc, uint32_t number);
const struct symtab *objects_table(const struct image_id *program, uint32_t number);
const char *objects_path(uint32_t number);
bool objects_wait(void);

#endif
