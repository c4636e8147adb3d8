// CFLAGS: -lprofil
/*
 * mailbox-left: calls 4.4BSD's profil, in a forked child and, with an argument, again when nobody
 * traces it any more; prints what each call came to, and "slow" if it took long.
 */
#include "../clock.h"
#include "hostile.h"

#include <profil.h>

static unsigned short bins[1000];

static void
call(const char *who)
{
	const uint64_t start = cpu_ns(); /* it waits in a loop */
	const int ret = profil_bsd(bins, sizeof(bins), 0x400000, 65536);

	printf("%s: %s%s\n", who, ret == 0 ? "done" : strerror(errno),
	       cpu_ns() - start > 500000000 ? ", slow" : "");
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	if (fork() == 0) {
		call("child");
		return 0;
	}
	wait(NULL);
	while (argc > 1 && tracer() != 0)
		usleep(1000);
	call("parent");
	return 0;
}
