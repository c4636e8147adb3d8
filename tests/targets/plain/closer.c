/* Prints a line, closes stdin, stdout and stderr and then lives on until SIGTERM. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int
main(void)
{
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	close(0);
	close(1);
	close(2);
	for (;;)
		pause();
}
