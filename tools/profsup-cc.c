/*
 * profsup-cc: a compiler that profiles.  Everything goes to $PROFSUP_CC (cc); -pg is added when it
 * compiles, and -pg -static and the profsup runtime when it links.
 *
 * The command line is read only to tell which of the two it is; the compiler gets it as it stands,
 * with our words around it, and its messages and exit status are its own: we exec it.  The one
 * thing that is changed inside is what a static program can't have (see linker_word).
 *
 * SPDX-License-Identifier: ISC
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <paths.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_OURS = 125, EXIT_CANNOT_EXEC = 126, EXIT_NOT_FOUND = 127, RESPONSE_DEPTH = 16 };

/* What a command line asks for. */
struct request {
	const char *pending;  /* the option whose argument is the next word */
	const char *language; /* of -x, NULL for what the file's name says */
	bool input;           /* there is something to compile or link */
	bool source;          /* there is something to compile */
	bool header;          /* ... a header, which by itself is never linked */
	bool not_header;
	bool no_link;      /* -c, -S, -E, -M and the like */
	bool no_code;      /* -E, -M and the like */
	bool untouched;    /* -shared, -r, -nostdlib: not a program of ours */
	bool foreign;      /* -m32: not for the machine of our runtime */
	bool has_runtime;  /* pkg-config has put our runtime there already */
	bool is_static;    /* -static is there already */
	bool clang;        /* the compiler is clang */
	bool musl_wrapper; /* musl-gcc, a script that calls gcc with specs of its own */
	bool lld;          /* the linker is lld */
	bool omits_frames; /* -fomit-frame-pointer, which no compiler takes beside -pg */
	bool libraries;    /* -l: they are searched as a group */
	bool grouped;      /* ... the user's */
	bool changed;      /* a word had to be changed */
	enum { NO_PIE, PIE, STATIC_PIE } pie;
};

struct words {
	char **word;
	size_t n, size;
};

static void
add(struct words *w, const char *word)
{
	if (w->n + 1 >= w->size) {
		w->size = w->size ? 2 * w->size : 64;
		w->word = reallocarray(w->word, w->size, sizeof(*w->word));
		if (w->word == NULL)
			err(EXIT_OURS, "command line");
	}
	w->word[w->n++] = (char *)(unsigned long)word;
	w->word[w->n] = NULL;
}

static char *
join(const char *before, const char *middle, const char *after)
{
	char *s;

	if (asprintf(&s, "%s%s%s", before, middle, after) < 0)
		err(EXIT_OURS, "command line");
	return s;
}

static bool
is_one_of(const char *word, const char *const *list)
{
	for (; *list != NULL; list++)
		if (strcmp(word, *list) == 0)
			return true;
	return false;
}

static bool
begins(const char *word, const char *with)
{
	return strncmp(word, with, strlen(with)) == 0;
}

static bool
ends(const char *word, const char *with)
{
	size_t n = strlen(word), m = strlen(with);

	return n >= m && strcmp(word + n - m, with) == 0;
}

/* Options whose argument is the next word, when it is not part of the same one. */
static bool
takes_argument(const char *word)
{
	/* clang-format off */
	static const char *const list[] = {
		"-o", "-x", "-I", "-L", "-D", "-U", "-l", "-T", "-u", "-z", "-e", "-A", "-B", "-G",
		"-include", "-imacros", "-isystem", "-idirafter", "-iprefix", "-iquote",
		"-iwithprefix", "-iwithprefixbefore", "-isysroot", "-imultilib",
		"-MF", "-MT", "-MQ", "-MJ", "-Xlinker", "-Xassembler", "-Xpreprocessor", "-Xclang",
		"-aux-info", "-wrapper", "-dumpbase", "-dumpbase-ext", "-dumpdir", "-target", "-arch",
		"-mllvm", "--param", "--sysroot", "--output", "--language", "--define-macro",
		"--undefine-macro", "--include-directory", "--include-directory-after", "--include",
		"--imacros", "--library-directory", "--for-linker", "--for-assembler", "--entry",
		"--force-link", "--prefix", "--dump", "--specs", "--undefine", "--assert", NULL,
	};
	/* clang-format on */

	return is_one_of(word, list);
}

/*
 * A word for the linker.  In a static program a search for shared libraries (the -Bdynamic that
 * closes many a -Bstatic) ends in an error, as would a PIE that only the linker knows to be one.
 */
static const char *
linker_word(struct request *r, const char *word)
{
	static const char *const untouched[] = {
		"-r",      "--relocatable", "-relocatable", "-i",           "-Ur",
		"-shared", "--shared",      "-Bshareable",  "--Bshareable", NULL,
	};
	static const char *const dynamic[] = {
		"-Bdynamic", "--Bdynamic", "-dy", "-call_shared", "--call_shared", NULL,
	};
	static const char *const pie[] = {
		"-pie", "--pie", "-pic-executable", "--pic-executable", NULL,
	};
	static const char *const group[] = { "--start-group", "-start-group", "-(", NULL };
	bool is_pie = is_one_of(word, pie);

	if (is_one_of(word, untouched))
		r->untouched = true;
	if (is_one_of(word, group))
		r->grouped = true;
	if (is_pie)
		r->pie = PIE;
	if (!is_pie && !is_one_of(word, dynamic))
		return word;
	r->changed = true;
	return "-Bstatic";
}

/* -Wl,a,b,c: each of them may be one that linker_word changes. */
static const char *
linker_list(struct request *r, const char *list)
{
	char *rest = join("", list + strlen("-Wl,"), ""), *next;
	const char *s = "-Wl";

	while ((next = strsep(&rest, ",")) != NULL)
		s = join(s, ",", linker_word(r, next));
	return s;
}

static void
take_option(struct request *r, const char *word)
{
	/* clang-format off */
	static const char *const no_code[] = {
		"-E", "-M", "-MM", "-fsyntax-only", "--preprocess", "--dependencies",
		"--user-dependencies", "--analyze", NULL,
	};
	static const char *const no_link[] = {
		"-c", "-S", "--assemble", "--compile", "-emit-ast", NULL
	};
	static const char *const untouched[] = {
		"-shared", "--shared", "-r", "--relocatable", "-nostdlib", "--no-standard-libraries",
		"-nostartfiles", "-nodefaultlibs", "-nolibc", NULL,
	};
	static const char *const foreign[] = { "-m32", "-mx32", "-m16", NULL };
	/* clang-format on */

	if (is_one_of(word, no_code))
		r->no_code = r->no_link = true;
	else if (is_one_of(word, no_link))
		r->no_link = true;
	else if (is_one_of(word, untouched))
		r->untouched = true;
	else if (is_one_of(word, foreign))
		r->foreign = true;
	else if (strcmp(word, "-m64") == 0)
		r->foreign = false;
	else if (strcmp(word, "-static") == 0 || strcmp(word, "--static") == 0)
		r->is_static = true;
	else if (strcmp(word, "-static-pie") == 0 || strcmp(word, "--static-pie") == 0)
		r->pie = STATIC_PIE;
	else if (strcmp(word, "-pie") == 0 || strcmp(word, "--pie") == 0)
		r->pie = PIE;
	else if (strcmp(word, "-no-pie") == 0 || strcmp(word, "-nopie") == 0)
		r->pie = NO_PIE;
	else if (strcmp(word, "-fomit-frame-pointer") == 0)
		r->omits_frames = true;
	else if (strcmp(word, "-fno-omit-frame-pointer") == 0)
		r->omits_frames = false;
	else if (begins(word, "-x") || begins(word, "--language="))
		r->language = strchr(word, '=') != NULL ? strchr(word, '=') + 1 : word + 2;
	else if (begins(word, "-fuse-ld="))
		r->lld = begins(word, "-fuse-ld=lld");
	else if (begins(word, "-l"))
		r->input = r->not_header = r->libraries = true;
}

/* Only clang minds being told how to compile when there is nothing to: with a warning. */
static bool
is_source(const char *language, const char *file)
{
	/* clang-format off */
	static const char *const not[] = { ".o", ".obj", ".lo", ".a", ".so", ".s", ".lds", NULL };
	/* clang-format on */
	const char *dot = strrchr(file, '.');

	if (language != NULL)
		return strcmp(language, "assembler") != 0;
	if (dot == NULL || strchr(dot, '/') != NULL)
		return strcmp(file, "-") == 0;
	return !is_one_of(dot, not ) && strstr(file, ".so.") == NULL;
}

static bool
is_header(const char *language, const char *file)
{
	static const char *const names[] = { ".h",   ".hh",  ".H",   ".hp",  ".hxx",
		                             ".hpp", ".HPP", ".h++", ".tcc", NULL };
	const char *dot = strrchr(file, '.');

	return language != NULL ? strstr(language, "-header") != NULL
	                        : dot != NULL && is_one_of(dot, names);
}

static void
take_input(struct request *r, const char *file)
{
	bool none = r->language == NULL || strcmp(r->language, "none") == 0;
	const char *language = none ? NULL : r->language;

	r->input = true;
	if (is_source(language, file))
		r->source = true;
	if (is_header(language, file))
		r->header = true;
	else
		r->not_header = true;
	if (ends(file, "profsup/gcrt0.o"))
		r->has_runtime = true;
}

/* The next word of a response file, as the compilers split them: white space separates, quotes of
 * both kinds group, a backslash takes the next character as it is.  Overwrites the text. */
static char *
next_word(char **text)
{
	char *from = *text + strspn(*text, " \t\n\r\f\v"), *word = from, *to = from, quote = 0;

	if (*from == '\0')
		return NULL;
	for (; *from != '\0'; from++) {
		if (*from == '\\' && from[1] != '\0')
			*to++ = *++from;
		else if (quote != 0 && *from == quote)
			quote = 0;
		else if (quote == 0 && (*from == '\'' || *from == '"'))
			quote = *from;
		else if (quote == 0 && strchr(" \t\n\r\f\v", *from) != NULL)
			break;
		else
			*to++ = *from;
	}
	*text = *from == '\0' ? from : from + 1;
	*to = '\0';
	return word;
}

static char *
read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	char *text = NULL;
	ssize_t n = -1;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (text = malloc((size_t)st.st_size + 1)) != NULL)
		n = read(fd, text, (size_t)st.st_size);
	close(fd);
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

static void take_word(struct request *r, struct words *w, const char *word, int depth);

/* The compiler reads the file again, unless a word in it had to be changed; then it gets the words,
 * which stay in the text.  False: it can't be read and is, as for the compilers, no such file. */
static bool
take_response(struct request *r, struct words *w, const char *word, int depth)
{
	char *text = depth < RESPONSE_DEPTH ? read_file(word + 1) : NULL, *next;
	bool changed_before = r->changed;
	struct words words = { 0 };

	if (text == NULL)
		return false;
	r->changed = false;
	while ((next = next_word(&text)) != NULL)
		take_word(r, &words, next, depth + 1);
	if (r->changed)
		for (size_t i = 0; i < words.n; i++)
			add(w, words.word[i]);
	else
		add(w, word);
	r->changed |= changed_before;
	return true;
}

static void
take_argument(struct request *r, struct words *w, const char *word)
{
	if (strcmp(r->pending, "-Xlinker") == 0 || strcmp(r->pending, "--for-linker") == 0)
		word = linker_word(r, word);
	else if (strcmp(r->pending, "-x") == 0 || strcmp(r->pending, "--language") == 0)
		r->language = word;
	r->pending = NULL;
	add(w, word);
}

/* What the word means is noted in the request; what the compiler gets for it goes to the words. */
static void
take_word(struct request *r, struct words *w, const char *word, int depth)
{
	if (word[0] == '@' && word[1] != '\0' && take_response(r, w, word, depth))
		return;
	if (r->pending != NULL) {
		take_argument(r, w, word);
		return;
	}
	if (takes_argument(word))
		r->pending = word;
	if (begins(word, "-Wl,"))
		word = linker_list(r, word);
	else if (word[0] == '-' && word[1] != '\0')
		take_option(r, word);
	else
		take_input(r, word);
	add(w, word);
}

/* Where we are: by /proc, or in a jail without one as the kernel was told. */
static char *
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

/* The directory above the one that `path`, which is overwritten, is in. */
static const char *
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

/* What kind of compiler it is: by its name, or by that of what a "cc" leads to.  A compiler built
 * for musl may be called x86_64-linux-musl-gcc, too, but is no script. */
static void
take_kind(struct request *r, const char *path)
{
	char real[PATH_MAX];
	const char *name = realpath(path, real) != NULL ? real : path;

	name = strrchr(name, '/') != NULL ? strrchr(name, '/') + 1 : name;
	r->clang |= strstr(name, "clang") != NULL;
	r->musl_wrapper |=
	    strcmp(name, "musl-gcc") == 0 || (ends(name, "musl-gcc") && is_script(path));
}

/*
 * The compiler may be found in PATH under a name that leads back to us (a "cc" that is a link to
 * profsup-cc): that one is passed over, and the compiler is then called by its path, because it
 * calls itself by its name later.
 */
static char *
pass_over_ourselves(struct request *r, char *name, const struct stat *self)
{
	const char *env = getenv("PATH");
	char *dirs = join("", env != NULL ? env : _PATH_DEFPATH, ""), *dir;
	bool passed = false, exists = false;

	if (strchr(name, '/') != NULL) {
		if (same_file(name, self))
			errx(EXIT_OURS, "PROFSUP_CC is profsup-cc itself");
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
	/* Here and not by execvp, which takes a directory that can't be searched for an answer. */
	if (!exists) {
		errno = ENOENT;
		err(EXIT_NOT_FOUND, "%s", name);
	}
	return name;
}

/* $PROFSUP_CC may be a compiler and its first options, or have ccache before it. */
static void
add_compiler(struct words *w, struct request *r, const char *ourselves)
{
	const char *cc = getenv("PROFSUP_CC");
	char *copy = join("", cc != NULL && *cc != '\0' ? cc : "cc", ""), *word;
	struct stat self;

	while ((word = next_word(&copy)) != NULL)
		if (r->pending != NULL || *word == '-')
			take_word(r, w, word, RESPONSE_DEPTH);
		else {
			take_kind(r, word);
			add(w, word);
		}
	if (w->n == 0)
		errx(EXIT_OURS, "PROFSUP_CC names no compiler");
	if (stat(ourselves, &self) == 0)
		w->word[0] = pass_over_ourselves(r, w->word[0], &self);
}

/*
 * Told of -pg, clang links a static PIE with a start file that is not for one, and the program dies
 * at its start.  So it is told when it compiles only, and our runtime starts by itself.
 */
static void
add_pg(struct words *w, const struct request *r)
{
	static const char *const compile[] = {
		"-Xclang",
		"-pg",
		"-fno-omit-frame-pointer",
		"-mno-omit-leaf-frame-pointer",
	};
	bool static_pie = !r->no_link && !r->is_static && r->pie != NO_PIE;

	if (!r->clang || !static_pie)
		add(w, "-pg");
	else if (r->source)
		for (size_t i = 0; i < sizeof(compile) / sizeof(*compile); i++)
			add(w, compile[i]);
}

/* A shared library serves what stands before and behind it, an archive only what stands before,
 * unless they are a group.  Groups don't nest. */
static void
add_group(struct words *w, const struct request *r, const char *edge)
{
	if (r->libraries && !r->grouped)
		add(w, edge);
}

/*
 * Before the user's words: the runtime has to come before any -lc of theirs.  Handed over as a word
 * for the linker it is not one more input, by whose number gcc names its side files.
 */
static void
add_before(struct words *w, const struct request *r, const char *prefix)
{
	if (!r->no_code && (r->source || !r->no_link))
		add_pg(w, r);
	if (r->source) {
		add(w, "-idirafter");
		add(w, join("", prefix, "/include"));
	}
	if (!r->no_link && !r->has_runtime) {
		add(w, "-Xlinker");
		add(w, join("", prefix, "/lib/profsup/gcrt0.o"));
	}
	if (!r->no_link)
		add_group(w, r, "-Wl,--start-group");
}

/* After them: what takes back some of theirs, and the library, which their objects may call. */
static void
add_after(struct words *w, const struct request *r, const char *prefix)
{
	if (r->omits_frames && !r->no_code)
		add(w, "-fno-omit-frame-pointer");
	if (r->no_link)
		return;
	if (r->musl_wrapper || (!r->is_static && r->pie != STATIC_PIE))
		add(w, r->pie == PIE && !r->musl_wrapper ? "-static-pie" : "-static");
	/* musl-gcc names the dynamic linker in any case; lld then takes the program for a dynamic
	 * one. */
	if (r->musl_wrapper && r->lld)
		add(w, "-Wl,--no-dynamic-linker");
	add(w, "-Wl,--no-whole-archive"); /* libc comes next */
	add(w, join("-L", prefix, "/lib/profsup"));
	add(w, "-lprofil");
	add_group(w, r, "-Wl,--end-group");
}

/* Clang warns of a -pie beside -static-pie.  Of either, musl-gcc makes a dynamic program, because
 * it has start files and words for the linker for no other PIE. */
static bool
is_superseded(const struct request *r, const char *word)
{
	static const char *const pie[] = { "-pie", "--pie", NULL };
	static const char *const static_pie[] = { "-static-pie", "--static-pie", NULL };

	if (r->no_link)
		return false;
	return (is_one_of(word, pie) && (r->musl_wrapper || (r->clang && r->pie == PIE))) ||
	       (is_one_of(word, static_pie) && r->musl_wrapper);
}

int
main(int argc, char **argv)
{
	char *ourselves = find_ourselves();
	struct words w = { 0 }, theirs = { 0 };
	struct request r = { 0 };
	const char *prefix;
	bool ours;

	add_compiler(&w, &r, ourselves);
	for (int i = 1; i < argc; i++)
		take_word(&r, &theirs, argv[i], 0);
	if (r.header && !r.not_header)
		r.no_link = true;
	/* After an option that lacks its argument our words would be taken for it. */
	ours = r.input && !r.untouched && !r.foreign && r.pending == NULL;
	prefix = prefix_of(ourselves);
	if (ours)
		add_before(&w, &r, prefix);
	for (int i = 1; i < argc && !ours; i++)
		add(&w, argv[i]);
	for (size_t i = 0; i < theirs.n && ours; i++)
		if (!is_superseded(&r, theirs.word[i]))
			add(&w, theirs.word[i]);
	if (ours)
		add_after(&w, &r, prefix);
	execvp(w.word[0], w.word);
	err(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXEC, "%s", w.word[0]);
}
