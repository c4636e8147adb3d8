/*
 * What the supervisor says: lines, whole and harmless.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"
#include "tap.h"

#include <sys/socket.h>

static int listener;

/* The next write to stderr, or "" if there was none. */
static const char *
heard(void)
{
	static char line[4096];
	ssize_t n = recv(listener, line, sizeof(line) - 1, MSG_DONTWAIT);

	line[n > 0 ? n : 0] = '\0';
	return line;
}

static void
talk_as(bool quiet, bool verbose)
{
	log_init(quiet, verbose);
}

static void
levels(void)
{
	talk_as(false, false);
	log_error("an error");
	is_str(heard(), "profsup: an error\n", "an error is one line with our name");
	log_notice("a notice %d", 5);
	is_str(heard(), "profsup: a notice 5\n", "a notice too");
	log_verbose("a detail");
	is_str(heard(), "", "details are kept back");
	talk_as(true, false);
	log_notice("a notice");
	is_str(heard(), "", "quiet, there are no notices");
	log_error("an error");
	is_str(heard(), "profsup: an error\n", "but there are errors");
	talk_as(false, true);
	log_verbose("a detail");
	is_str(heard(), "profsup: a detail\n", "verbose, there are details");
}

static void
lines(void)
{
	char word[3000];
	const char *line;

	talk_as(false, true);
	errno = ENOSPC;
	log_error("file: %m");
	is_str(heard(), "profsup: file: No space left on device\n",
	       "%%m is the errno of the caller");
	is_int(errno, ENOSPC, "which finds it as it was");
	for (size_t len = 1000; len < 1030; len++) {
		memset(word, 'x', len);
		word[len] = '\0';
		log_error("%s", word);
		line = heard();
		if (strlen(line) < 1000 || line[strlen(line) - 1] != '\n' ||
		    strcmp(heard(), "") != 0) {
			ok(0, "a line of %zu bytes is one write and ends with a newline", len);
			return;
		}
	}
	ok(1, "a line that is too long is cut, is one write and ends with a newline");
	memset(word, 'y', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	log_error("%s", word);
	line = heard();
	ok(strlen(line) > 1000 && line[strlen(line) - 1] == '\n' &&
	       strchr(line, '\n') == line + strlen(line) - 1,
	   "however long");
}

/* However a name has come into a message. */
static void
names(void)
{
	talk_as(false, true);
	log_error("a\033[2J\nprofsup: b\a\r\t%s", "\xc2\x9b\xe2\x80\xa8\xff \xc3\xa4");
	is_str(heard(), "profsup: a?[2J?profsup: b??????\x20\xc3\xa4\n",
	       "what a terminal would obey or hide is no part of a line");
	log_error("%s", "\033c");
	is_str(heard(), "profsup: ?c\n", "in errors");
	log_notice("%s", "\033c");
	is_str(heard(), "profsup: ?c\n", "in notices");
	log_verbose("%s", "\033c");
	is_str(heard(), "profsup: ?c\n", "and in details");
}

static void
stderr_is_gone(void)
{
	int saved = dup(STDERR_FILENO);

	close(STDERR_FILENO);
	errno = EAGAIN;
	log_error("to nobody");
	is_int(errno, EAGAIN, "with stderr closed nothing happens, not even to errno");
	dup2(saved, STDERR_FILENO);
	close(saved);
}

static void
safe_names(void)
{
	char buf[16], all[256], safe[256];

	is_str(log_safe("prog-1.2 (x)", buf, sizeof(buf)), "prog-1.2 (x)",
	       "a plain name stays as it is");
	ok(log_safe("x", buf, sizeof(buf)) == buf, "the result is the buffer");
	is_str(log_safe("a\nb\033[2Jc\177", buf, sizeof(buf)), "a?b?[2Jc?",
	       "newlines, escapes and DEL become ?");
	is_str(log_safe("\xc3\xa4\xff", buf, sizeof(buf)), "???",
	       "and so does all that is not ASCII");
	is_str(log_safe("", buf, sizeof(buf)), "", "nothing stays nothing");
	is_str(log_safe("0123456789abcdefgh", buf, sizeof(buf)), "0123456789abcde",
	       "what does not fit is cut");
	is_str(log_safe("xyz", buf, 1), "", "in one byte only the end fits");
	for (int c = 1; c < 256; c++)
		all[c - 1] = (char)c;
	all[255] = '\0';
	int unsafe = 0;

	log_safe(all, safe, sizeof(safe));
	for (int i = 0; i < 255; i++)
		unsafe += safe[i] < ' ' || safe[i] > '~';
	ok(unsafe == 0 && strlen(safe) == 255, "no other byte gets through");
}

int
main(void)
{
	int pair[2];

	/* Keeps the writes apart. */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		bail("socketpair");
	dup2(pair[0], STDERR_FILENO);
	listener = pair[1];
	levels();
	lines();
	names();
	stderr_is_gone();
	safe_names();
	return done_testing();
}
