/*
 * What all tools share: the command line, memory, texts, files.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_MODEL_TOOL_H
#define PROFSUP_MODEL_TOOL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { EXIT_BAD = 1, EXIT_USAGE = 2 };

/* command.c: what the tools' command lines have in common. */
struct command {
	const char *name; /* the tool's: profsup-export */
	const char *examples, *usage, *help;
};
enum { OPTION_LONG = 256 }; /* the least value of an option that has no letter */

void command_is(const struct command *c);
/* One line on stderr; exits with EXIT_USAGE. */
void command_refuse(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* The same of an option's value, with the one that may be meant. */
void command_refuse_value(const char *option, const char *value, const char *why)
    __attribute__((noreturn));
/* Takes an option that all tools have, or refuses what getopt_long has refused: what that has
 * returned, optopt, and the word. */
void command_option(int c, int option, const char *word);
/* Refuses an option among the operands, unless a file is called so. */
void command_operands(char *const *words);

/* memory.c */

/* Room for one more behind the n elements of an array.  The array may move; no memory: exits. */
void *memory_grow(void *array, size_t n, size_t element);
void *memory_array(size_t n, size_t element); /* zeros */
char *memory_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A file without a name.  What is passed over in it is a hole and takes no memory. */
FILE *memory_file(void);
/* Goes on at another place. */
void memory_file_pass(FILE *f, uint64_t at);
/* Makes the file end where it is: what was passed over last may be all hole. */
void memory_file_end(FILE *f);
/* What another process has written to it, with a '\0' behind it.  Closes it. */
void *memory_file_take(FILE *f, size_t *len);

/* names.c */
struct names {
	struct name *table;
	uint32_t n;
};

uint32_t names_number(struct names *names, const char *text, const char **kept);
void names_free(struct names *names);

/* note.c: what a format can't hold, one line on stderr unless -q. */
void note_quiet(void);
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* regular.c */
struct stat;
int regular_open(const char *path, struct stat *st);

/* reader.c: a file, read from front to back.  No request may go beyond the file's length. */
struct reader {
	char *name; /* printable UTF-8 */
	int fd;
	uint64_t at, size;
	uint64_t data_end; /* before it there is no hole */
	uint8_t *block;    /* bytes of the file from `start` on */
	uint64_t start;
	size_t have;
};

void reader_open(struct reader *r, const char *name, struct timespec *when);
void reader_close(struct reader *r);
void reader_need(const struct reader *r, uint64_t len);
void reader_take(struct reader *r, void *to, size_t len);
void reader_pass(struct reader *r, uint64_t len);
uint64_t reader_run(struct reader *r, bool *hole);

/* text.c: names come from files that anyone may have made. */
enum { MOST_PATH = 4096 };

/* Copies `most` bytes of a text; what is not printable UTF-8 becomes '?'. */
char *text_clean(const char *s, size_t most);
/* The same of what is printed. */
char *text_message(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/* json_string.c: the text is printable UTF-8 already.  Characters in `numbers`, 13 at the most, are
 * written as numbers: in a page nothing in a name may end the element around it. */
void json_string_but(FILE *out, const char *s, const char *numbers);
/* A list of names, behind the last of which is NULL; they need not be printable. */
void json_files(FILE *out, char *const *files, const char *numbers);

/* inputs.c: the files that a command line names or that are read for it, and those of stacks beside
 * them, whether or not they are read. */
void inputs_add(const char *path);
bool inputs_have(const char *path);

/* output.c */

/* Exits if the file is an input; NULL: standard output. */
void output_check(const char *path);
/* The profile goes from memory to the file; NULL: to standard output. */
void output_write(FILE *profile, const char *path);

#endif
