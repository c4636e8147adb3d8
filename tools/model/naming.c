/*
 * The names of functions, fit to be written.
 *
 * A program may have a million names, each of which is demangled in a microsecond; it may also have
 * been made so that one name takes for ever, or that all names are long parts of one string.  So
 * names that are in the profile come first, a timer takes us out of the demangler, and what all
 * names together take is bounded.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "functions.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

/* CPU time in ticks of the timer: what one name may take, and what all may. */
enum { TICK_US = 10000, MOST_TICKS = 5, MOST_TICKS_ALL = 200 };
/* Bytes of one name, of all names, and of each name that comes when all have so many. */
enum { MOST_NAME = 32 << 10, MOST_NAMES = 256 << 20, MOST_LATE_NAME = 64 };

static struct demangled demangled;
static volatile sig_atomic_t ticks, ticks_all; /* while a name is demangled */

struct naming {
	struct symbols *s;
	size_t bytes;
	size_t cut, mangled; /* functions whose name is not all that it should be */
};

/* The demangler has nothing on the heap and no locks: it can be left at any moment. */
static void
tick(int signal)
{
	(void)signal;
	if (!demangled.inside)
		return;
	ticks_all++;
	if (++ticks >= MOST_TICKS || ticks_all >= MOST_TICKS_ALL)
		symname_leave(&demangled);
}

/* SA_NODEFER: the handler may not return. */
static void
start_timer(void)
{
	const struct itimerval every = { { 0, TICK_US }, { 0, TICK_US } };
	const struct sigaction act = { .sa_handler = tick, .sa_flags = SA_RESTART | SA_NODEFER };
	sigset_t ours;

	sigemptyset(&ours);
	sigaddset(&ours, SIGVTALRM);
	sigprocmask(SIG_UNBLOCK, &ours, NULL);
	sigaction(SIGVTALRM, &act, NULL);
	setitimer(ITIMER_VIRTUAL, &every, NULL);
}

static void
stop_timer(void)
{
	const struct itimerval none = { 0 };

	setitimer(ITIMER_VIRTUAL, &none, NULL);
}

static char *
keep(struct naming *n, const char *name, bool *cut)
{
	const size_t most = n->bytes < MOST_NAMES ? MOST_NAME : MOST_LATE_NAME;
	const size_t len = strnlen(name, most + 1);

	n->bytes += len;
	*cut |= len > most;
	return text_clean(name, most);
}

static const char *
demangle(struct naming *n, const char *symbol)
{
	const char *name;

	if (ticks_all >= MOST_TICKS_ALL) {
		n->mangled += strncmp(symbol, "_Z", 2) == 0;
		return symbol;
	}
	ticks = 0;
	name = symname_demangle(symbol, &demangled);
	n->mangled += demangled.left;
	return name;
}

static void
name_function(struct naming *n, struct function *f)
{
	const char *name = f->no_symbol ? f->raw : demangle(n, f->raw);
	bool cut = false;
	char *plain;

	/* Formats have both, also if they are the same. */
	f->symbol = keep(n, f->raw, &cut);
	plain = keep(n, name, &cut);
	f->name = f->inlined ? memory_text("%s" NAMING_INLINED, plain) : plain;
	if (f->inlined)
		free(plain);
	f->name_len = strlen(f->name);
	n->cut += cut;
}

static void
name_some(struct naming *n, const struct model *m, uint32_t first, bool in_profile)
{
	for (uint32_t i = first; i < n->s->nfunctions; i++)
		if (model_has(m, i) == in_profile)
			name_function(n, &n->s->functions[i]);
}

/* Prints what is left out. */
void
naming_all(struct symbols *s, const struct model *m, uint32_t first, bool all)
{
	struct naming n = { .s = s };

	ticks_all = 0;
	start_timer();
	name_some(&n, m, first, true);
	if (all)
		name_some(&n, m, first, false);
	stop_timer();
	if (n.mangled > 0)
		note("%s: names that take too long to demangle are left as they are: %zu",
		     s->program, n.mangled);
	if (n.cut > 0)
		note("%s: names that are too long end early: %zu", s->program, n.cut);
}

char *
naming_plain(const struct function *f)
{
	const size_t mark = f->inlined ? strlen(NAMING_INLINED) : 0;

	return memory_text("%.*s", (int)(f->name_len - mark), f->name);
}
