/*
 * A block of lines at the bottom of the terminal.  What others write scrolls above the block:
 * the terminal is told that its last lines do not scroll.  Nothing is in colour.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include "functions.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A terminal that does not say how large it is has 24 lines. */
enum { ROWS = 24, COLUMNS = 80, LEAST_ROWS = 10, MOST_LINES = 24, MOST_COLUMNS = 500 };
/* How long a terminal may take to have its lines back. */
enum { GOING_MS = 500 };

static bool usable;
static unsigned rows, columns;
static unsigned block; /* lines of our block now */

void
screen_init(void)
{
	const char *term = getenv("TERM");

	usable = isatty(STDOUT_FILENO) == 1 && term != NULL && *term != '\0' &&
	         strcmp(term, "dumb") != 0;
}

static bool
put(const char *text, size_t len, int ms)
{
	struct pollfd room = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&room, 1, ms) == 1 && (room.revents & POLLOUT) != 0 &&
	       write(STDOUT_FILENO, text, len) == (ssize_t)len;
}

/* Whether it was taken: what a reader or a terminal does not take at once is lost, since it is not
 * to hold up the end of the run. */
bool
screen_put(const char *text, size_t len)
{
	return put(text, len, 0);
}

static void
take_size(void)
{
	struct winsize size = { 0 };

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	rows = size.ws_row == 0 ? ROWS : size.ws_row;
	columns = size.ws_col == 0 ? COLUMNS : size.ws_col;
	if (columns > MOST_COLUMNS)
		columns = MOST_COLUMNS;
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
	return screen_put(text, len);
}

/* Removes the block from the terminal, which has a moment for that: who is to see it next needs all
 * of its lines. */
void
screen_end(void)
{
	char text[64];

	if (block == 0)
		return;
	put(text,
	    (size_t)snprintf(text, sizeof(text), "\0337\033[r\033[%u;1H\033[J\0338\033[?25h",
	                     rows - block + 1),
	    GOING_MS);
	block = 0;
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

		if (!screen_put(text, (size_t)n))
			return;
	}
}
