/*
 * What the tools' command lines have in common.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "suggest.h"

#include <ctype.h>
#include <err.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct command us;

/* What a tool was started without stays unusable: else a file would be opened as its standard
 * output, and what is printed lost without a word.  "/" is there wherever a tool runs, and what
 * O_PATH opens can't be read or written. */
static void
hold_closed(void)
{
	int fd;

	do
		fd = open("/", O_PATH);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

void
command_is(const struct command *c)
{
	us = *c;
	hold_closed();
}

/* The whole usage would push the message out of sight. */
void
command_refuse(const char *fmt, ...)
{
	va_list ap;
	const char *clean;

	va_start(ap, fmt);
	clean = text_message(fmt, ap);
	va_end(ap);
	errx(EXIT_USAGE, "%s (--help shows the options)", clean);
}

/* Refuses what getopt_long has refused; `option` is optopt. */
static void __attribute__((noreturn)) refuse_option(int why, int option, const char *word)
{
	if (why == ':')
		command_refuse("%s needs an argument", word);
	if (option != 0 && strncmp(word, "--", 2) == 0)
		command_refuse("%.*s takes no argument", (int)strcspn(word, "="), word);
	if (isprint(option))
		command_refuse("unknown option -%c", option);
	command_refuse("unknown option %s%s", word, suggest_option(us.help, word + 2));
}

void
command_refuse_value(const char *option, const char *value, const char *why)
{
	command_refuse("%s=%s: %s%s", option, value, why, suggest_value(us.help, option, value));
}

static void __attribute__((noreturn)) print_and_exit(const char *a, const char *b, const char *c)
{
	printf("%s%s%s", a, b, c);
	if (fflush(stdout) != 0 || ferror(stdout))
		err(EXIT_BAD, "standard output");
	exit(EXIT_SUCCESS);
}

void
command_option(int c, int option, const char *word)
{
	switch (c) {
	case 'q':
		note_quiet();
		break;
	case 'V':
		print_and_exit(us.name, " " PROFSUP_VERSION, "\n");
	case 'h':
		print_and_exit(us.examples, us.usage, us.help);
	default:
		refuse_option(c, option, word);
	}
}

/* Between profsup-diff's sides stands "--", so options can't be taken from everywhere. */
void
command_operands(char *const *words)
{
	for (; *words != NULL; words++) {
		inputs_add(*words);
		if (words[0][0] == '-' && strcmp(*words, "-") != 0 && strcmp(*words, "--") != 0 &&
		    access(*words, F_OK) != 0)
			command_refuse("%s: options come before the program and the files", *words);
	}
}

enum stacks_what
command_type(const char *name)
{
	for (int i = STACKS_CPU; i <= STACKS_WALL; i++)
		if (strcmp(name, stacks_type(i)) == 0)
			return (enum stacks_what)i;
	command_refuse("--type=%s: must be cpu, blocked, runnable or wall", name);
}
