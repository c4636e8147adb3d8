/*
 * What the tools' command lines have in common.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static struct command us;

void
command_is(const struct command *c)
{
	us = *c;
}

/* The whole usage would push the message out of sight. */
void
command_refuse(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", us.name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs(" (--help shows the options)\n", stderr);
	exit(EXIT_USAGE);
}

void
command_refuse_option(int why, int option, const char *word)
{
	if (why == ':')
		command_refuse("%s needs an argument", word);
	if (option != 0 && strncmp(word, "--", 2) == 0)
		command_refuse("%.*s takes no argument", (int)strcspn(word, "="), word);
	if (isprint(option))
		command_refuse("unknown option -%c", option);
	command_refuse("unknown option %s", word);
}

static void __attribute__((noreturn)) print_and_exit(const char *a, const char *b)
{
	printf("%s%s", a, b);
	exit(fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_BAD);
}

void
command_help(void)
{
	print_and_exit(us.usage, us.help);
}

void
command_version(void)
{
	print_and_exit(us.name, " " PROFSUP_VERSION "\n");
}
