/*
 * The files that have the code of processes, and for whom they are read.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_OBJECTS_H
#define PROFSUP_OBJECTS_H

#include "target/code.h"

/* What libelf says of an executable. */
struct elf_info {
	struct image_id id;
	bool is_elf;
	bool dynamic;                 /* needs an interpreter */
	bool runtime;                 /* carries our note */
	bool caller;                  /* calls profil(2) itself */
	bool foreign;                 /* for another machine */
	bool is_64;                   /* of 64 bits */
	unsigned machine;             /* EM_* */
	uint32_t version;             /* version of the contract, from the note */
	uint64_t state;               /* link-time address of struct profsup_state */
	uint64_t entry;               /* link-time entry point */
	uint64_t mailbox;             /* link-time address of struct profsup_mailbox, 0 = none */
	uint64_t text_size;           /* bytes of executable segments in the file */
	uint64_t text_low, text_high; /* link-time addresses of these segments */
};

/* elfnote.c */
int elfnote_read(int fd, struct elf_info *info);

/* owners.c: for whom files are read */
enum { OWNER_CALLER, OWNER_NOBODY, OWNERS };
unsigned owners_note(const struct identity *id);
unsigned owners_note_process(const struct profsup *ps, const struct proc *proc);
int owners_open(unsigned owner, int place);

/* objfile.c: the file of an object */
struct objfile {
	int place; /* O_PATH descriptor, or -1: it is mapped in a process, by these; OBJFILE_MADE:
	            * of the process's root */
	pid_t pid; /* OBJFILE_MADE: as the process sees it */
	uint64_t low, high;
	dev_t dev;
	ino_t ino;
	struct file_version version;
	char path[MAPS_PATH]; /* OBJFILE_MADE: of code that a process has made; `ino`: vm.number */
	uid_t uid;            /* for such code: the process's */
	uint64_t born;        /* for such code: when the process began, see procfs_born() */
	unsigned owner;       /* whose profile has what is read of it */
};
#define OBJFILE_MADE "[made at run time]"
int objfile_vdso(void);
void objfile_note_version(struct code_map *map, int root);
int objfile_open(const struct objfile *at, bool *readable);
int objfile_note_map(struct objfile *at, pid_t pid);
int objfile_map(const struct objfile *at);
int objfile_identify(int file, struct image_id *id);
int objfile_debug(const struct image_id *id, unsigned owner);

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
uint32_t objects_note_mapped(const struct profsup *ps, struct objects_for whom,
                             const struct code_map *map);
uint32_t objects_note_made(const struct profsup *ps, const struct proc *proc,
                           struct objects_for whom);
void objects_ask_made(const struct proc *proc);
bool objects_is_made_awaited(const struct proc *proc);
void objects_ask_mapped(const struct proc *proc, uint32_t number, uint64_t low, uint64_t high);
bool objects_is_awaited(const struct proc *proc, uint32_t number);
const struct symtab *objects_table(const struct image_id *program, uint32_t number);
const char *objects_path(uint32_t number);
bool objects_wait(void);

#endif
