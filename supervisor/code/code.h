/*
 * The code of processes: where it is mapped, its files and for whom they are read, symbols and
 * rows, and the walk of a stack.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_CODE_H
#define PROFSUP_CODE_H

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

/* unwind.c: call stacks.  Addresses in rows are link-time addresses. */
enum frame_rule {
	FRAME_UNKNOWN,  /* no code, or code of which nothing is known */
	FRAME_BY_SP,    /* the CFA, the caller's sp, is sp + cfa */
	FRAME_BY_FP,    /* it is fp + cfa */
	FRAME_BY_SAVED, /* it is stored at fp + cfa */
	FRAME_BY_BASE,  /* it is base + cfa */
	FRAME_SIGNAL,   /* returns to what a signal has interrupted */
	FRAME_LAST,     /* has no caller */
	/* A function without information.  `cfa`, unsigned: where it begins. */
	FRAME_SCAN,      /* its return address is to be looked for */
	FRAME_OUTERMOST, /* nor has it one if it has called another */
	FRAME_SAME,      /* while rows are made: as the row before */
};
enum { FRAME_CALLS_ANY = 1 };
struct frame_row {
	uint64_t low; /* the code from here to the next row */
	int32_t cfa;
	int16_t fp;      /* the caller's frame pointer is at CFA + fp; 0: unchanged */
	int16_t ra;      /* the return address is at CFA + ra; 0: in the link register */
	int16_t base;    /* as fp, of the register arch_frames.base */
	uint8_t rule;    /* enum frame_rule */
	uint32_t callee; /* 0, or behind a call: the function without information that it calls,
	                  * or FRAME_CALLS_ANY */
};
struct frame_rows {
	const struct frame_row *row; /* sorted by `low` */
	size_t n;
};
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

const struct frame_row *unwind_row_at(const struct frame_rows *rows, uint64_t pc);

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

/* cfiread.c: the rows of a program */
struct Elf;
struct frame_row *cfiread(struct Elf *elf, size_t *n);

/* coderead.c: rows for code without call frame information */
struct frame_row *coderead(struct Elf *elf, const struct frame_rows *known, uint64_t until,
                           size_t *n);

/* symread.c: a table of a program's functions: its head, spans, rows and names.  A function's
 * number is where its name begins among the names. */
enum { SYMTAB_BYTES = 48 << 20 }; /* at the most */
/* Where a table is written: memory that a helper process shares with us. */
struct symtab_place {
	uint8_t *memory;
	size_t used; /* bytes */
};
/* Code in the file, and where it is to be loaded. */
enum { SYMTAB_SEGMENTS = 8 };
struct symtab_segment {
	uint64_t offset, bytes, addr;
};
struct symtab_head {
	uint32_t spans;
	uint32_t build_id_len;
	uint64_t rows;
	uint64_t main_low, main_bytes;
	uint64_t names; /* bytes */
	struct symtab_segment segment[SYMTAB_SEGMENTS];
	uint8_t build_id[BUILD_ID_MOST];
};
struct symtab_span {
	uint64_t low, high;
	uint32_t function, unused;
};
enum { SYMREAD_NAMES = 1, SYMREAD_ROWS = 2 };
int symread(int exe, int debug, struct symtab_place *out, unsigned what);
int symread_map(int map, struct symtab_place *out);

/* symtab.c: which function has an address.  A NULL table has one function, which is not known. */
struct symtab;
int symtab_place(struct symtab_place *p);
void symtab_leave(struct symtab_place *p);
struct symtab *symtab_take(const struct symtab_place *p, size_t most);
size_t symtab_bytes(const struct symtab *t);
void symtab_unwind(const struct symtab *t, struct unwind_code *code);
uint64_t symtab_address(const struct symtab *t, uint64_t offset);
void symtab_code(const struct symtab *t, uint64_t *low, uint64_t *high, uint64_t *offset);
size_t symtab_build_id(const struct symtab *t, const uint8_t **id);
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
	uint64_t text_size;           /* bytes of executable segments in the file */
	uint64_t text_low, text_high; /* link-time addresses of these segments */
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
