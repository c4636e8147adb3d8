// A function of a header that is inlined, for inlines.c.
#define KEEP(what)                                                                                 \
	do {                                                                                       \
		what;                                                                              \
		__asm__ volatile("" : "+r"(s));                                                    \
	} while (0)

static inline __attribute__((always_inline)) unsigned long
spin(unsigned long n)
{
	unsigned long s = 0;

	while (n-- > 0)
		KEEP(s ^= 3 * n);
	return s;
}
