/* hold STATUS: prints its pid, waits for a line on stdin, works a little and exits with STATUS. */
#include "../counted.h"

COUNTED_FUNCTION(work)

int
main(int argc, char **argv)
{
	char line[64];

	printf("%d\n", getpid());
	fflush(stdout);
	if (fgets(line, sizeof(line), stdin) == NULL)
		return 99;
	for (int i = 0; i < 12345; i++)
		work();
	return argc > 1 ? atoi(argv[1]) : 0;
}
