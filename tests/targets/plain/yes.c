/* Prints "y" until that fails. */
#include <stdio.h>

int
main(void)
{
	while (puts("y") >= 0)
		continue;
	return 3;
}
