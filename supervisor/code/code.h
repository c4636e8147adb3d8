/*
 * The code of processes: where it is mapped, its files and for whom they are read, symbols and
 * rows, and the walk of a stack.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_CODE_H
#define PROFSUP_CODE_H

#include "codetable.h"
#include "gmon/gmon.h"
#include "os/os.h"

/* maps.c: code that is mapped in a process */
enum { MAPS_PATH = 512 };
#define MAPS_VDSO "[vdso]"
struct code_map {
	uint64_t low, high; /* its addresses there */
	uint64_t offset;    /* where it begins in the file */
	dev_t dev;
	ino_t ino;
	char *path;                  /* of the file; "": there is none */
	struct file_version version; /* all 0: not known */
};
struct code_maps {
	struct code_map *map; /* in order */
	size_t n;
	uint64_t cpu; /* CPU time that it took to read them, ns */
};
void maps_add(struct code_maps *maps, const char *line);
void maps_free(struct code_maps *maps);

/* unwind.c: call stacks */
struct unwind_regs {
	uint64_t pc, sp, fp, link, base;
	bool blind; /* fp, link and base are not known */
};
/* Code that is mapped in a process. */
struct unwind_code {
	uint64_t low, high; /* its addresses there */
	uint64_t bias;      /* load address less link-time address */
	uint32_t object;
	bool awaited;                  /* its rows are still to come */
	uint64_t main_low, main_bytes; /* main(), if that is here */
	struct frame_rows rows;
	struct mapped_file {
		dev_t dev;
		uint64_t ino;    /* 0: it is of no file */
		uint64_t offset; /* in it */
	} file;
};
struct unwind {
	const struct unwind_code *code; /* sorted, and no two overlap */
	size_t ncode;
	struct unwind_regs regs;
};
typedef bool unwind_read(void *arg, uint64_t addr, uint64_t *word);
/* What was on a stack from `sp` on. */
struct stack_copy {
	uint64_t sp;
	const uint8_t *data;
	size_t len;
};
bool unwind_read_copy(void *arg, uint64_t addr, uint64_t *word);
const struct unwind_code *unwind_code_at(const struct unwind_code *code, size_t n, uint64_t pc);
uint64_t unwind_walk(const struct unwind *u, unwind_read *read, void *arg, struct stack *stack);

/* space.c: the code of an address space */
struct space {
	unsigned refs;     /* only the main thread touches them */
	uint64_t read_at;  /* when the mappings were read, ns */
	uint64_t again_at; /* when the mappings may be read again, ns */
	unsigned serial;   /* objects_serial() when it was made */
	bool awaits;       /* something of it is still to come */
	bool made;         /* the process has made some of it */
	size_t n;
	struct unwind_code code[];
};
struct space *space_new(size_t n);
struct space *space_none(void);
struct space *space_share(struct space *s);
void space_drop(struct space *s);

/* readcode.c: the program that reads files and makes tables of their code (tools/code/) */
/* Where a table is left: memory that a helper process shares with us. */
struct symtab_place {
	uint8_t *memory;
	size_t used;        /* bytes */
	struct image_id id; /* of the file */
};
int readcode_find(void);
int readcode_program(void);
int readcode(const char *what, int file, int debug, struct symtab_place *table);

/* symtab.c: which function has an address.  A NULL table has one function, which is not known. */
struct symtab;
int symtab_place(struct symtab_place *p);
void symtab_leave(struct symtab_place *p);
struct symtab *symtab_take(const struct symtab_place *p, size_t most);
size_t symtab_bytes(const struct symtab *t);
void symtab_unwind(const struct symtab *t, struct unwind_code *code);
uint64_t symtab_address(const struct symtab *t, uint64_t offset);
void symtab_code(const struct symtab *t, uint64_t *low, uint64_t *high, uint64_t *offset);
const struct image_id *symtab_id(const struct symtab *t);
const char *symtab_name(const struct symtab *t, uint32_t function);
uint32_t symtab_at(const struct symtab *t, uint64_t pc);

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
	uint64_t text_size;           /* bytes from its first segment to the end of its code */
	uint64_t text_low, text_high; /* link-time addresses of its code */
};

/* elfnote.c */
int elfnote_read(int fd, struct elf_info *info);

/* owners.c: for whom files are read */
enum { OWNER_CALLER, OWNER_NOBODY, OWNERS };
unsigned owners_note(const struct identity *id);
int owners_open(unsigned owner, int place);
int owners_open_ours(int place);

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

#endif
