/*
 * What a command line asks for, word by word.  The compiler gets it as it stands; the one thing
 * that is changed is what a static program can't have (see linker_word).
 *
 * SPDX-License-Identifier: ISC
 */
#include "cc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether a program is to be linked that is a PIE. */
bool
is_static_pie(const struct request *r)
{
	return !r->no_link && !r->is_static && r->pie != NO_PIE;
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

/* Takes a library or a directory that only the linker is told of; returns what is linked. */
static const char *
linker_library(struct request *r, const char *word)
{
	/* clang-format off */
	static const char *const named[] = {
		"-soname", "--soname", "-h", "-plugin", "--plugin", "-f", "--auxiliary",
		"-F", "--filter", "-R", "--just-symbols", "--exclude-libs", NULL,
	};
	/* clang-format on */
	const bool is_argument = r->linker_argument;

	r->linker_argument = is_one_of(word, named);
	if (begins(word, "-L") && word[2] != '\0')
		add(&r->directories, word + 2);
	else if (begins(word, "-l") && word[2] != '\0')
		add(&r->libraries, word + 2);
	else if (!is_argument && word[0] != '-')
		return library_input(r, word);
	return word;
}

/*
 * A word for the linker.  In a static program a search for shared libraries (the -Bdynamic that
 * closes many a -Bstatic) ends in an error, as would a PIE that only the linker knows to be one.
 * Nobody can bind to what it exports, and bfd makes a static PIE that exports symbols without the
 * relocations that its start needs.
 */
static const char *
linker_word(struct request *r, const char *word)
{
	static const char *const relocatable[] = {
		"-r", "--relocatable", "-relocatable", "-i", "-Ur", NULL,
	};
	static const char *const shared[] = {
		"-shared", "--shared", "-Bshareable", "--Bshareable", NULL,
	};
	static const char *const dynamic[] = {
		"-Bdynamic", "--Bdynamic", "-dy", "-call_shared", "--call_shared", NULL,
	};
	static const char *const pie[] = {
		"-pie", "--pie", "-pic-executable", "--pic-executable", NULL,
	};
	static const char *const exports[] = { "-E", "--export-dynamic", "-export-dynamic", NULL };
	static const char *const group[] = { "--start-group", "-start-group", "-(", NULL };
	bool is_pie = is_one_of(word, pie);

	if (is_one_of(word, relocatable))
		r->untouched = r->relocatable = true;
	if (is_one_of(word, shared))
		r->shared = true;
	if (is_one_of(word, group))
		r->grouped = true;
	if (begins(word, "--build-id") || begins(word, "-build-id"))
		r->build_id = true;
	if (is_pie)
		r->pie = PIE;
	if (!is_pie && !is_one_of(word, dynamic) && !is_one_of(word, exports))
		return linker_library(r, word);
	r->changed = true;
	return "-Bstatic";
}

/* -Wl,a,b,c: linker_word may change each of these words. */
static const char *
linker_list(struct request *r, const char *list)
{
	char *rest = join("", list + strlen("-Wl,"), ""), *next;
	const char *s = "-Wl";

	while ((next = strsep(&rest, ",")) != NULL)
		s = join(s, ",", linker_word(r, next));
	return s;
}

/* Whether a list of sanitizers has one whose runtime can't be in a static program. */
static bool
needs_shared_runtime(const char *list)
{
	static const char *const those[] = {
		"address", "hwaddress", "leak", "memory", "thread", NULL,
	};
	char *copy = join("", list, ""), *rest = copy, *next;
	bool is = false;

	while ((next = strsep(&rest, ",")) != NULL)
		is |= is_one_of(next, those);
	free(copy);
	return is;
}

/* Whether clang links a runtime for one of these.  It has one for all checks of undefined behavior,
 * which crashes at the start of a static program. */
static bool
needs_runtime_of_clang(const char *list)
{
	static const char *const no_runtime[] = {
		"kcfi", "local-bounds", "safe-stack", "shadow-call-stack", NULL,
	};
	char *copy = join("", list, ""), *rest = copy, *next;
	bool is = false;

	while ((next = strsep(&rest, ",")) != NULL)
		is |= !is_one_of(next, no_runtime) && !begins(next, "cfi");
	free(copy);
	return is;
}

/* Takes -fsanitize=..., -fno-sanitize=... and clang's options that need less of a runtime. */
static void
take_sanitizers(struct request *r, const char *word)
{
	const char *list = strchr(word, '=') != NULL ? strchr(word, '=') + 1 : "";
	bool all = strcmp(list, "all") == 0;

	if (begins(word, "-fsanitize-trap") || strcmp(word, "-fsanitize-minimal-runtime") == 0 ||
	    strcmp(word, "-fsanitize-undefined-trap-on-error") == 0)
		r->traps = true;
	else if (begins(word, "-fno-sanitize=")) {
		if (all || needs_shared_runtime(list))
			r->sanitizer = NULL;
		if (all || (r->checks != NULL && strcmp(list, strchr(r->checks, '=') + 1) == 0))
			r->checks = NULL;
	} else if (begins(word, "-fsanitize=")) {
		if (needs_shared_runtime(list))
			r->sanitizer = word;
		else if (r->clang && needs_runtime_of_clang(list))
			r->checks = word;
	}
}

/* Takes the argument of -L or -l, in the same word or the next one. */
static void
take_place(struct request *r, char option, const char *argument)
{
	if (option == 'l')
		r->input = r->not_header = true;
	if (*argument == '\0')
		return; /* it is the next word */
	if (option == 'L') {
		add(&r->directories, argument);
		return;
	}
	r->libc |= strcmp(argument, "c") == 0;
	add(&r->libraries, argument);
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
	static const char *const relocatable[] = { "-r", "--relocatable", NULL };
	static const char *const untouched[] = {
		"-nostdlib", "--no-standard-libraries", "-nostartfiles", "-nolibc", NULL,
	};
	static const char *const pic[] = {
		"-fpie", "-fPIE", "-fpic", "-fPIC", "-fno-pie", "-fno-PIE", "-fno-pic", "-fno-PIC",
		NULL,
	};
	static const char *const foreign[] = { "-m32", "-mx32", "-m16", NULL };
	/* clang-format on */

	if (is_one_of(word, no_code))
		r->no_code = r->no_link = true;
	else if (is_one_of(word, no_link))
		r->no_link = true;
	else if (is_one_of(word, relocatable))
		r->untouched = r->relocatable = true;
	else if (is_one_of(word, untouched))
		r->untouched = true;
	else if (strcmp(word, "-shared") == 0 || strcmp(word, "--shared") == 0)
		r->shared = true;
	else if (strcmp(word, "-nodefaultlibs") == 0)
		r->no_default = true;
	else if (is_one_of(word, foreign))
		r->foreign = word;
	else if (strcmp(word, "-m64") == 0)
		r->foreign = NULL;
	else if (begins(word, "-fsanitize") || begins(word, "-fno-sanitize"))
		take_sanitizers(r, word);
	else if (strcmp(word, "-static") == 0 || strcmp(word, "--static") == 0)
		r->is_static = true;
	else if (strcmp(word, "-static-pie") == 0 || strcmp(word, "--static-pie") == 0)
		r->pie = STATIC_PIE;
	else if (strcmp(word, "-pie") == 0 || strcmp(word, "--pie") == 0)
		r->pie = PIE;
	else if (strcmp(word, "-no-pie") == 0 || strcmp(word, "-nopie") == 0)
		r->pie = NO_PIE;
	else if (begins(word, "-mcmodel="))
		r->large = strcmp(word, "-mcmodel=large") == 0;
	else if (is_one_of(word, pic))
		r->says_pic = true;
	else if (strcmp(word, "-fomit-frame-pointer") == 0)
		r->omits_frames = true;
	else if (strcmp(word, "-fno-omit-frame-pointer") == 0)
		r->omits_frames = false;
	else if (begins(word, "-x") || begins(word, "--language="))
		r->language = strchr(word, '=') != NULL ? strchr(word, '=') + 1 : word + 2;
	else if (begins(word, "-fuse-ld="))
		r->lld = begins(word, "-fuse-ld=lld");
	else if (begins(word, "-L"))
		take_place(r, 'L', word + 2);
	else if (begins(word, "-l"))
		take_place(r, 'l', word + 2);
	else if (begins(word, "-o"))
		r->output = word + 2;
}

/* Whether the file is compiled.  Clang warns of options for compiling if there is nothing to
 * compile. */
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
	return !is_one_of(dot, not ) && library_suffix(file) == NULL;
}

/* Whether the file can't include another.  Clang warns of a directory for headers if none can. */
static bool
is_preprocessed(const char *language, const char *file)
{
	static const char *const names[] = { ".i", ".ii", ".bc", ".ll", NULL };
	const char *dot = strrchr(file, '.');

	if (language != NULL)
		return ends(language, "cpp-output") || strcmp(language, "ir") == 0;
	return dot != NULL && is_one_of(dot, names);
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

static const char *
take_input(struct request *r, const char *file)
{
	bool none = r->language == NULL || strcmp(r->language, "none") == 0;
	const char *language = none ? NULL : r->language;

	r->input = true;
	if (is_source(language, file)) {
		r->source = true;
		r->includes |= !is_preprocessed(language, file);
	}
	if (is_header(language, file))
		r->header = true;
	else
		r->not_header = true;
	if (ends(file, "profsup/gcrt0.o"))
		r->has_runtime = true;
	return library_input(r, file);
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

/* Takes a response file.  The compiler reads it again, unless a word in it had to be changed; then
 * the compiler gets the words, which stay in the text.  False: the file can't be read, and so the
 * word is none, as for the compilers. */
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
	else if (strcmp(r->pending, "-L") == 0 || strcmp(r->pending, "-l") == 0)
		take_place(r, r->pending[1], word);
	else if (strcmp(r->pending, "-o") == 0 || strcmp(r->pending, "--output") == 0)
		r->output = word;
	r->pending = NULL;
	add(w, word);
}

/* What the word means is noted in the request; what the compiler gets for it goes to the words. */
void
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
		word = take_input(r, word);
	add(w, word);
}
