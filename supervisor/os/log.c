/*
 * Messages on stderr, one write for each line; errno is left as it was.  Nothing goes to stdout,
 * which is the target's.
 *
 * Whatever a message is made of, names from targets and files among it, a line that is printed is
 * fit for a terminal: it is made so here, where nothing gets past.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include "functions.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static bool log_quiet, log_talks, never_wait, is_socket;

void
log_init(bool quiet, bool verbose)
{
	log_quiet = quiet;
	log_talks = verbose;
}

/*
 * From here on a reader that does not read can't hold us up: what stderr does not take at once is
 * lost.  A pipe or terminal is opened anew, because O_NONBLOCK on the old description would affect
 * the target, too; but not by who still starts others that print (`anew` false).
 */
void
log_never_wait(bool anew)
{
	struct stat st;
	int fd = -1;

	never_wait = true;
	if (fstat(STDERR_FILENO, &st) < 0)
		return;
	is_socket = S_ISSOCK(st.st_mode);
	if (anew && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)))
		fd = open("/proc/self/fd/2",
		          O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0) {
		dup3(fd, STDERR_FILENO, O_CLOEXEC);
		close(fd);
	}
}

static void
put(const char *text, size_t len)
{
	struct pollfd room = { .fd = STDERR_FILENO, .events = POLLOUT };
	ssize_t n;

	if (never_wait && (poll(&room, 1, 0) != 1 || (room.revents & POLLOUT) == 0))
		return;
	n = is_socket ? send(STDERR_FILENO, text, len, MSG_DONTWAIT | MSG_NOSIGNAL)
	              : write(STDERR_FILENO, text, len);
	(void)n; /* there is nobody else to tell */
}

/* Prints a line, if such lines are wanted. */
void
log_line(enum log_kind kind, const char *fmt, ...)
{
	static const char prefix[] = "profsup: ";
	char line[1024];
	const int saved = errno;
	va_list ap;
	size_t len;

	if ((kind == LINE_EVENT && !log_talks) || (kind == LINE_NOTICE && log_quiet))
		return;
	memcpy(line, prefix, sizeof(prefix));
	va_start(ap, fmt);
	vsnprintf(line + sizeof(prefix) - 1, sizeof(line) - sizeof(prefix), fmt, ap);
	va_end(ap);
	line[symname_cut(line, strlen(line))] = '\0';
	symname_clean(line);
	len = strlen(line);
	line[len++] = '\n';
	put(line, len);
	errno = saved;
}

/* Makes a name out of a target fit for a terminal: what is not printable ASCII becomes '?'. */
const char *
log_safe(const char *name, char *buf, size_t size)
{
	size_t i;

	for (i = 0; name[i] != '\0' && i + 1 < size; i++)
		buf[i] = name[i] >= ' ' && name[i] <= '~' ? name[i] : '?';
	buf[i] = '\0';
	return buf;
}
