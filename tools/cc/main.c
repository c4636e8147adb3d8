/*
 * profsup-cc: a compiler that profiles.  Everything goes to $PROFSUP_CC (cc); -pg is added when it
 * compiles, and -pg -static and the profsup runtime when it links.
 *
 * The command line is read only to tell which of the two it is; the compiler gets it as it stands,
 * with our words around it, and its messages and exit status are its own: we exec it.  The one
 * thing that is changed inside is what a static program can't have (see request.c).
 *
 * SPDX-License-Identifier: ISC
 */
#include "cc.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* With -pg, clang links a static PIE with a start file that is not for one, and the program dies at
 * its start.  So clang gets -pg when it compiles only, and our runtime starts by itself. */
static void
add_pg(struct words *w, const struct request *r)
{
	static const char *const compile[] = {
		"-Xclang",
		"-pg",
		"-fno-omit-frame-pointer",
		"-mno-omit-leaf-frame-pointer",
	};

	if (!r->clang || !is_static_pie(r))
		add(w, "-pg");
	else if (r->source)
		for (size_t i = 0; i < sizeof(compile) / sizeof(*compile); i++)
			add(w, compile[i]);
}

/* A shared library serves objects before and behind it, an archive only those before it, unless the
 * libraries are a group.  Groups don't nest. */
static void
add_group(struct words *w, const struct request *r, const char *edge)
{
	if (r->libraries.n > 0 && !r->grouped)
		add(w, edge);
}

/* Adds words before the user's: the runtime has to come before any -lc of the user's.  As a word
 * for the linker it is not one more input, by whose number gcc names its side files. */
static void
add_before(struct words *w, const struct request *r, const char *library)
{
	if (!r->no_code && (r->source || !r->no_link))
		add_pg(w, r);
	if (r->includes) {
		add(w, "-idirafter");
		add(w, join("", library, "/include"));
	}
	if (!r->no_link && !r->has_runtime) {
		add(w, "-Xlinker");
		add(w, join("", library, "/gcrt0.o"));
	}
	/* Not all compilers ask for one by themselves.  By it a reader knows the program that ran.
	 */
	if (!r->no_link && !r->build_id)
		add(w, "-Wl,--build-id");
	if (!r->no_link)
		add_group(w, r, "-Wl,--start-group");
}

/* Adds words after the user's: some take back options of the user's, and the user's objects may
 * call the library. */
static void
add_after(struct words *w, const struct request *r, const char *library)
{
	if (r->omits_frames && !r->no_code)
		add(w, "-fno-omit-frame-pointer");
	/* GNU ld can't link the calls that position-independent code of this model makes of libc's
	 * memcpy or strlen, and gcc for aarch64 has no such code.  Many compilers make it unasked.
	 */
	if (r->source && r->large && !r->says_pic && r->pie == NO_PIE)
		add(w, "-fno-pie");
	if (r->no_link)
		return;
	if (r->musl_wrapper || (!r->is_static && r->pie != STATIC_PIE))
		add(w, r->pie == PIE && !r->musl_wrapper ? "-static-pie" : "-static");
	/* The compiler or the user may name a dynamic linker: musl-gcc and the wrappers of package
	 * managers always do.  In a static PIE, and by lld in any program, the kernel would then be
	 * told to run it. */
	if (r->lld || (is_static_pie(r) && !r->musl_wrapper))
		add(w, "-Wl,--no-dynamic-linker");
	add(w, "-Wl,--no-whole-archive"); /* libc comes next */
	add(w, join("-L", library, ""));
	add(w, "-lprofil");
	add_group(w, r, "-Wl,--end-group");
}

/* Whether a word of the user's is left out.  Clang warns of the words about PIE that another one
 * overrules or that are the default with -static, and for a static PIE takes -pg for a wish for the
 * wrong start file (see add_pg) and -rdynamic for one to export symbols (see linker_word).  With
 * either PIE musl-gcc makes a dynamic program, because it has start files and words for the linker
 * for no other PIE. */
static bool
is_superseded(const struct request *r, const char *word)
{
	static const char *const no_pie[] = { "-no-pie", "-nopie", NULL };
	static const char *const pie[] = { "-pie", "--pie", NULL };
	static const char *const static_pie[] = { "-static-pie", "--static-pie", NULL };
	static const char *const not_for_pie[] = { "-pg", "-p", "-rdynamic", NULL };

	if (r->no_link)
		return false;
	if (r->clang && is_static_pie(r) && is_one_of(word, not_for_pie))
		return true;
	if (is_one_of(word, no_pie))
		return r->clang;
	if (is_one_of(word, pie))
		return r->clang || r->musl_wrapper;
	return is_one_of(word, static_pie) && (r->musl_wrapper || (r->clang && r->pie == NO_PIE));
}

/* A program that could not be one of ours is refused, lest it be taken for one. */
static void
refuse_if_hopeless(const struct request *r)
{
	const char *checks = r->traps ? NULL : r->checks;
	const char *sanitizer = r->sanitizer != NULL ? r->sanitizer : checks;

	if (r->foreign != NULL)
		errx(EXIT_OURS, "%s: the runtime is for 64 bits: a program can't be linked so",
		     r->foreign);
	if (sanitizer != NULL)
		errx(EXIT_OURS,
		     "%s: its runtime can't be in a static program, and others are not profiled",
		     sanitizer);
}

/* Whether the compiler is to link it alone, and says so. */
static bool
is_left_alone(const struct request *r)
{
	const char *output = r->output != NULL ? r->output : "a.out";

	if (r->shared)
		warnx("%s is a shared library, and is not profiled", output);
	else if (r->shared_library != NULL)
		warnx("%s is not profiled: it needs %s, and there is no archive of it: build one "
		      "(configure --disable-shared, cmake -DBUILD_SHARED_LIBS=OFF, meson "
		      "-Ddefault_library=static; no SHARED, no shared_library()), or take samples "
		      "(profsup -a)",
		      output, r->shared_library);
	return r->shared || r->shared_library != NULL;
}

/* Whether a program of ours is compiled or linked.  Prints if not, and exits if it can't be. */
static bool
is_ours(struct request *r, const struct words *compiler)
{
	/* If an option lacks its argument, our words would be taken for it. */
	if (!r->input || r->untouched || r->pending != NULL || (r->no_default && !r->libc))
		return false;
	if (r->no_link)
		return r->foreign == NULL && !r->shared;
	if (!r->shared) {
		refuse_if_hopeless(r);
		if (!r->musl_wrapper && r->shared_library == NULL)
			library_find_shared(r, compiler);
	}
	return !is_left_alone(r);
}

/* Adds words after a link that is not ours, for objects that were compiled before, with -pg: no
 * libc but glibc has what they call, and -nostdlib leaves even that out. */
static void
add_uncounted(struct words *w, const struct request *r, const char *library)
{
	if (!r->input || r->no_link || r->relocatable || r->pending != NULL || r->foreign != NULL)
		return;
	add(w, "-Xlinker");
	add(w, join("", library, "/libuncounted.a"));
}

/* A script named "cc" may run clang.  It is asked only where that decides whether the program
 * runs: in the link of a static PIE. */
static void
ask_kind(struct request *r, const struct words *compiler)
{
	char answer[4096];

	if (r->clang || !r->script || r->musl_wrapper || !is_static_pie(r))
		return;
	compiler_ask(compiler, "--version", answer, sizeof(answer));
	r->clang = strstr(answer, "clang version") != NULL;
}

static const char help[] =
    "profsup-cc " PROFSUP_VERSION
    ": compiles and links C for profiling by profsup; profsup-c++: C++.\n"
    "\n"
    "  profsup-cc -O2 -g -o prog prog.c           then: profsup --report ./prog\n"
    "  make CC=profsup-cc CXX=profsup-c++         a whole tree\n"
    "\n"
    "All options are the compiler's, which is cc or what PROFSUP_CC names (c++, PROFSUP_CXX).\n"
    "It gets -pg when it compiles, and -pg, -static and profsup's runtime when it links a\n"
    "program.  See profsup-cc(1).  --version is answered by the compiler, and the rest of\n"
    "this help is, too:\n"
    "\n";

/* The one question that is not the compiler's alone. */
static void
help_if_asked(int argc, char **argv)
{
	if (argc != 2 || strcmp(argv[1], "--help") != 0)
		return;
	fputs(help, stdout);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	char *ourselves = find_ourselves();
	struct words w = { 0 }, theirs = { 0 };
	struct request r = { 0 };
	const char *library;
	bool ours;

	add_compiler(&w, &r, ourselves);
	if (called_as("-ar") || called_as("-ranlib"))
		become_binutil(&r, &w, argv);
	help_if_asked(argc, argv);
	for (int i = 1; i < argc; i++)
		take_word(&r, &theirs, argv[i], 0);
	if (r.header && !r.not_header)
		r.no_link = true;
	ask_kind(&r, &w);
	ours = is_ours(&r, &w);
	library = library_of(prefix_of(ourselves));
	if (ours)
		add_before(&w, &r, library);
	for (int i = 1; i < argc && !ours; i++)
		add(&w, argv[i]);
	for (size_t i = 0; i < theirs.n && ours; i++)
		if (!is_superseded(&r, theirs.word[i]))
			add(&w, theirs.word[i]);
	if (ours)
		add_after(&w, &r, library);
	else
		add_uncounted(&w, &r, library);
	execvp(w.word[0], w.word);
	err(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXEC, "%s", w.word[0]);
}
