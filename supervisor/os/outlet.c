/*
 * Files that the caller has opened, and that we write to: their file system may not answer, and
 * then nobody but a helper process waits for it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include "write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 1 << 20 };
/* How long we wait at the end for what is not written yet. */
enum { LAST_MS = 3000 };

struct outlet {
	int from, to; /* a pipe's end, and the file */
};

/* Runs in the helper, until we close the pipe. */
static int
pass_on(void *arg)
{
	const struct outlet *o = arg;
	char text[1 << 16];
	int error = 0;
	sigset_t all;
	ssize_t n;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	while ((n = read(o->from, text, sizeof(text))) > 0)
		if (error == 0 && write_all(o->to, text, (size_t)n) < 0)
			error = errno;
	if (close(o->to) < 0 && error == 0)
		error = errno;
	errno = error;
	return error == 0 ? 0 : -1;
}

/* Returns the helper that passes on what is written to *in, which never waits; NULL: there is
 * none. */
struct helper *
outlet_begin(int to, int *in)
{
	int end[2];
	struct helper *h;

	if (pipe2(end, O_CLOEXEC | O_NONBLOCK) < 0)
		return NULL;
	fcntl(end[1], F_SETPIPE_SZ, ROOM);
	fcntl(end[0], F_SETFL, 0);
	h = helper_begin(getuid(), pass_on, &(struct outlet){ end[0], to }, sizeof(struct outlet),
	                 (const int[]){ end[0], to }, 2);
	close(end[0]);
	if (h == NULL)
		close(end[1]);
	*in = end[1];
	return h;
}

/* Waits until all is written, for a while.  Returns -1 with errno if it is not. */
int
outlet_end(struct helper *h, int in)
{
	struct outlet o;

	close(in);
	return helper_end(h, &o, sizeof(o), LAST_MS);
}

static struct helper *writer; /* of our messages */

/* Called at exit: what was printed last is to be there when we are gone. */
void
outlet_messages_end(void)
{
	struct helper *h = writer;

	writer = NULL;
	if (h != NULL)
		outlet_end(h, STDERR_FILENO);
}

/* From here on a helper writes our messages, if they go to a file: that takes all, but its file
 * system may not answer. */
void
outlet_messages(void)
{
	struct stat st;
	int in;

	if (fstat(STDERR_FILENO, &st) < 0 || !S_ISREG(st.st_mode) ||
	    (writer = outlet_begin(STDERR_FILENO, &in)) == NULL)
		return;
	dup3(in, STDERR_FILENO, O_CLOEXEC);
	close(in);
	atexit(outlet_messages_end);
}
