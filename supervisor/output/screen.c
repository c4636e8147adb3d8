/*
 * A block of lines at the bottom of stderr's terminal.  What others write scrolls above the block:
 * the terminal is told that its last lines do not scroll.  Nothing is in colour.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include "functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A terminal that does not say how large it is has 24 lines. */
enum { ROWS = 24, COLUMNS = 80, LEAST_ROWS = 10, MOST_LINES = 24, MOST_COLUMNS = 500 };
/* Characters of a name that are shown without a terminal, and at least on any terminal. */
enum { NAME_SHOWN = 100, NAME_LEAST = 20 };

static bool usable;
static unsigned rows, columns;
static unsigned block; /* lines of our block now */

void
screen_init(const struct options *opt)
{
	const char *term = getenv("TERM");

	usable = opt->top && isatty(STDERR_FILENO) == 1 && term != NULL && *term != '\0' &&
	         strcmp(term, "dumb") != 0;
}

static void
take_size(void)
{
	struct winsize size = { 0 };

	ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
	rows = size.ws_row == 0 ? ROWS : size.ws_row;
	columns = size.ws_col == 0 ? COLUMNS : size.ws_col;
	if (columns > MOST_COLUMNS)
		columns = MOST_COLUMNS;
}

/* Returns a name as it is printed behind `before` columns of a line: all of it, or as much of
 * its ends as the terminal is wide, and dots. */
const char *
screen_name(const char *name, unsigned before, char *buf, size_t size)
{
	struct winsize win = { 0 };
	unsigned room = NAME_SHOWN;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &win) == 0) {
		room = win.ws_col == 0 ? COLUMNS : win.ws_col;
		room = room > before + NAME_LEAST ? room - before : NAME_LEAST;
	}
	return symname_short(name, room, buf, size);
}

/* How many lines a block may have; 0: there is no terminal, or it is too small. */
unsigned
screen_room(void)
{
	if (!usable)
		return 0;
	take_size();
	if (rows < LEAST_ROWS)
		return 0;
	return rows / 2 < MOST_LINES ? rows / 2 : MOST_LINES;
}

bool
screen_is_terminal(void)
{
	return usable;
}

/* Sets the last lines apart.  The cursor goes up by as many lines as are scrolled, so that it stays
 * where it was in the text: another program may have written a part of a line. */
static bool
set_apart(unsigned lines)
{
	char text[512] = "";
	size_t len = 0;

	for (unsigned i = 0; i < lines; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "\033D");
	len += (size_t)snprintf(text + len, sizeof(text) - len,
	                        "\033[%uA\0337\033[1;%ur\0338\033[?25l", lines, rows - lines);
	return log_put(text, len);
}

/* Removes the block from the terminal. */
void
screen_end(void)
{
	char text[64];

	if (block == 0)
		return;
	log_put(text,
	        (size_t)snprintf(text, sizeof(text), "\0337\033[r\033[%u;1H\033[J\0338\033[?25h",
	                         rows - block + 1));
	block = 0;
}

/* Called in the front, when the supervisor was killed.  The front does not know where the block
 * began. */
void
screen_rescue(void)
{
	static const char text[] = "\0337\033[r\0338\033[J\033[?25h";

	if (usable)
		log_put(text, sizeof(text) - 1);
}

/* Draws `lines` of text in the place of those before.  What the terminal does not take at once is
 * left out. */
void
screen_draw(const struct screen_line *line, unsigned lines)
{
	const unsigned old_rows = rows;
	unsigned room = screen_room();
	char text[MOST_COLUMNS + 64];

	if (block != 0 && (room != block || rows != old_rows))
		screen_end();
	if (room == 0 || (block == 0 && !set_apart(room)))
		return;
	block = room;
	for (unsigned i = 0; i < block; i++) {
		const char *shown = i < lines ? line[i].text : "";
		int fits = (int)symname_cut(shown, strnlen(shown, columns - 1));
		int n = snprintf(text, sizeof(text), "\0337\033[%u;1H%.*s\033[K\0338",
		                 rows - block + 1 + i, fits, shown);

		if (!log_put(text, (size_t)n))
			return;
	}
}
