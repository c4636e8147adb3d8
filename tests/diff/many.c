/* Twenty functions, for profiles that are made up: it need not run. */
#define F(n)                                                                                       \
	__attribute__((noinline, aligned(64))) void f##n(void)                                     \
	{                                                                                          \
		__asm__ volatile("");                                                              \
	}
#define TEN(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) F(n##9)
TEN(1)
TEN(2)

__attribute__((aligned(64))) int
main(void)
{
	return 0;
}
