/*
 * Finds the compiler, and our own place, beside which the runtime is.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cc.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <paths.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef PROFSUP_LIBDIR
#define PROFSUP_LIBDIR "lib"
#endif

/* Finds where we are: by /proc, or, in a jail without one, as the kernel was told. */
char *
find_ourselves(void)
{
	static char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	const char *as_called = (const char *)getauxval(AT_EXECFN);

	if (n > 0)
		path[n] = '\0';
	else if (as_called == NULL || realpath(as_called, path) == NULL)
		errx(EXIT_OURS, "can't tell where profsup is installed");
	return path;
}

/* Returns the directory above the one that `path`, which is overwritten, is in. */
const char *
prefix_of(char *path)
{
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(path, '/');

		if (slash == NULL)
			errx(EXIT_OURS, "%s: not in a bin directory", path);
		*slash = '\0';
	}
	return path;
}

/* Returns the runtime's directory: lib/profsup, as in the source tree, or where it was to be
 * installed. */
const char *
library_of(const char *prefix)
{
	char *usual = join(prefix, "/lib/profsup", ""), *other;

	if (access(usual, F_OK) == 0 || strcmp(PROFSUP_LIBDIR, "lib") == 0)
		return usual;
	other = join(prefix, "/" PROFSUP_LIBDIR "/profsup", "");
	return access(other, F_OK) == 0 ? other : usual;
}

static bool
same_file(const char *path, const struct stat *as)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_dev == as->st_dev && st.st_ino == as->st_ino;
}

static bool
is_script(const char *path)
{
	char start[2] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, start, sizeof(start));

	if (fd >= 0)
		close(fd);
	return n == sizeof(start) && memcmp(start, "#!", sizeof(start)) == 0;
}

/* Notes what kind of compiler it is: by its name, or by that of the file that a "cc" leads to.  A
 * compiler built for musl may be called x86_64-linux-musl-gcc, too, but is no script. */
static void
take_kind(struct request *r, const char *path)
{
	char real[PATH_MAX];
	const char *name = realpath(path, real) != NULL ? real : path;

	name = strrchr(name, '/') != NULL ? strrchr(name, '/') + 1 : name;
	r->clang |= strstr(name, "clang") != NULL;
	r->script |= is_script(path);
	r->musl_wrapper |=
	    strcmp(name, "musl-gcc") == 0 || (ends(name, "musl-gcc") && is_script(path));
}

/* Whether the name that we were called by ends so: profsup-c++ and others lead to us. */
bool
called_as(const char *end)
{
	return ends(program_invocation_short_name, end);
}

/* A link to us may be called g++-12 or clang++-14. */
static bool
is_cxx(void)
{
	return strstr(program_invocation_short_name, "++") != NULL;
}

static const char *
variable(void)
{
	return is_cxx() ? "PROFSUP_CXX" : "PROFSUP_CC";
}

/*
 * The compiler may be found in PATH under a name that leads back to us (a "cc" that is a link to
 * profsup-cc).  That file is passed over, and the compiler is then called by its path, because it
 * calls itself by its name later.
 */
static char *
pass_over_ourselves(struct request *r, char *name, const struct stat *self, bool must_exist)
{
	const char *env = getenv("PATH");
	char *dirs = join("", env != NULL ? env : _PATH_DEFPATH, ""), *dir;
	bool passed = false, exists = false;

	if (strchr(name, '/') != NULL) {
		if (same_file(name, self))
			errx(EXIT_OURS, "%s is profsup-cc itself", variable());
		take_kind(r, name);
		return name;
	}
	while ((dir = strsep(&dirs, ":")) != NULL) {
		char *path = join(*dir != '\0' ? dir : ".", "/", name);

		if (same_file(path, self))
			passed = true;
		else if (access(path, X_OK) == 0) {
			take_kind(r, path);
			return passed ? path : name;
		} else if (access(path, F_OK) == 0)
			exists = true;
	}
	if (passed)
		errx(EXIT_NOT_FOUND, "%s: no compiler of this name in PATH but profsup-cc itself",
		     name);
	/* Said here, since execvp would complain of a directory in PATH that can't be searched. */
	if (!exists && must_exist) {
		errno = ENOENT;
		err(EXIT_NOT_FOUND, "%s", name);
	}
	return name;
}

/* $PROFSUP_CC may be a compiler and its first options, or have ccache before it.  Neither may lead
 * to us: ccache would call us without end. */
void
add_compiler(struct words *w, struct request *r, const char *ourselves)
{
	const char *cc = getenv(variable()), *usual = is_cxx() ? "c++" : "cc";
	char *copy = join("", cc != NULL && *cc != '\0' ? cc : usual, ""), *word;
	struct stat self;

	while ((word = next_word(&copy)) != NULL)
		if (r->pending != NULL || *word == '-')
			take_word(r, w, word, RESPONSE_DEPTH);
		else {
			take_kind(r, word);
			r->compiler = w->n;
			add(w, word);
		}
	if (w->n == 0)
		errx(EXIT_OURS, "%s names no compiler", variable());
	if (stat(ourselves, &self) != 0)
		return;
	w->word[0] = pass_over_ourselves(r, w->word[0], &self, true);
	if (r->compiler > 0)
		w->word[r->compiler] = pass_over_ourselves(r, w->word[r->compiler], &self, false);
}

/*
 * CMake takes the names of ar and ranlib from the compiler's: profsup-gcc-ar for profsup-cc, and
 * profsup-llvm-ar if it finds that the compiler is clang.  They are those of the compiler that we
 * call, gcc-ar-12 for gcc-12, whose objects they must understand.  Where LLVM's are not installed,
 * gcc's do for all objects but those of -flto.
 */
void
become_binutil(const struct request *r, const struct words *words, char **argv)
{
	const char *what = called_as("-ranlib") ? "-ranlib" : "-ar";
	const bool llvm = r->clang || called_as("llvm-ar") || called_as("llvm-ranlib");
	const char *cc = words->word[r->compiler], *slash = strrchr(cc, '/');
	const char *part = llvm ? "clang" : "gcc", *at;
	char *usual = join(llvm ? "llvm" : "gcc", what, "");

	at = strstr(slash != NULL ? slash + 1 : cc, part);
	if (at != NULL) {
		char *before = join("", cc, "");
		const char *version;

		before[at - cc] = '\0';
		version = at + strlen(part);
		version += strspn(version, "+");
		argv[0] = join(before, usual, version);
		execvp(argv[0], argv);
	}
	argv[0] = usual;
	execvp(usual, argv);
	if (llvm) {
		argv[0] = join("gcc", what, "");
		execvp(argv[0], argv);
	}
	err(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXEC, "%s", usual);
}
