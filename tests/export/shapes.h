/* Code of another file in a function.  SPDX-License-Identifier: ISC */
static volatile unsigned long sink;

static inline __attribute__((always_inline)) void
spin(int n)
{
	for (int i = 0; i < n; i++)
		sink++;
}
