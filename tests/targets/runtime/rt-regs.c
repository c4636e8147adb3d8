/*
 * rt-regs: calls mcount and __fentry__ with random values in all registers, the stack above and the
 * flags, on each way through them, and compares all of it afterwards.  "unaligned": with a stack
 * pointer that no ABI has.  Prints "WAY CALLS" and what differed.
 */
// CFLAGS: -fno-stack-protector -mno-red-zone
#include "rt.h"

#include <stddef.h>

enum { RAX, RBX, RCX, RDX, RSI, RDI, RBP, R8, R9, R10, R12, R13, R14, R15, FLAGS, RSP, NREGS };
static const char *const names[] = { "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp",   "r8",
	                             "r9",  "r10", "r12", "r13", "r14", "r15", "flags", "rsp" };

/* What the assembler below reads and writes. */
struct probe {
	uint64_t in[NREGS], out[NREGS];
	uint64_t target, vectors, our_rsp, fake_return;
	uint64_t mxcsr, fcw;
	double x87[8];
	uint64_t k[8];
	uint8_t z[32][64];
	uint8_t before[8192] __attribute__((aligned(64)));
	uint8_t after[8192] __attribute__((aligned(64)));
	uint8_t stack[8192] __attribute__((aligned(64)));
} t_p __attribute__((visibility("hidden")));

extern void t_probe(void), t_fake_caller(void), mcount(void), __fentry__(void);
/* The runtime's: its first byte is the mode. */
extern volatile uint8_t __profsup_state[];

#define OFF(member) [member] "i"(offsetof(struct probe, member))

/* 4096 places in a function, for return addresses that were never seen. */
__asm__(".text\n"
        ".type t_fake_caller, @function\n"
        "t_fake_caller: .skip 8192, 0x90\n"
        ".size t_fake_caller, . - t_fake_caller\n"
        ".globl t_fake_caller\n");

UNCOUNTED __attribute__((noinline, used)) static void
define_probe(void)
{
	__asm__ volatile("jmp 9f\n"
	                 ".globl t_probe\n"
	                 ".type t_probe, @function\n"
	                 "t_probe:\n"
	                 "push %%rbx; push %%rbp; push %%r12; push %%r13; push %%r14; push %%r15\n"
	                 "lea t_p(%%rip), %%rbx\n"
	                 "mov %%rsp, %c[our_rsp](%%rbx)\n"
	                 /* Vectors: all there are. */
	                 "lea %c[z](%%rbx), %%rcx\n"
	                 "cmpq $2, %c[vectors](%%rbx)\n"
	                 "je 3f\n"
	                 "cmpq $1, %c[vectors](%%rbx)\n"
	                 "je 2f\n"
	                 ".altmacro\n"
	                 ".macro RT_X n\n movdqu \\n*64(%%rcx), %%xmm\\n\n .endm\n"
	                 ".macro RT_Y n\n vmovdqu \\n*64(%%rcx), %%ymm\\n\n .endm\n"
	                 ".macro RT_Z n\n vmovdqu64 \\n*64(%%rcx), %%zmm\\n\n .endm\n"
	                 ".macro RT_K n, o\n kmovq \\o+\\n*8(%%rbx), %%k\\n\n .endm\n"
	                 ".set i, 0\n .rept 16\n RT_X %%i\n .set i, i+1\n .endr\n"
	                 "jmp 4f\n"
	                 "2: .set i, 0\n .rept 16\n RT_Y %%i\n .set i, i+1\n .endr\n"
	                 "jmp 4f\n"
	                 "3: .set i, 0\n .rept 32\n RT_Z %%i\n .set i, i+1\n .endr\n"
	                 ".set i, 0\n .rept 8\n RT_K %%i, %c[k]\n .set i, i+1\n .endr\n"
	                 "4: fninit\n"
	                 ".set i, 0\n .rept 8\n fldl %c[x87]+i*8(%%rbx)\n .set i, i+1\n .endr\n"
	                 "fldcw %c[fcw](%%rbx)\n"
	                 "ldmxcsr %c[mxcsr](%%rbx)\n"
	                 "mov $0xe7, %%eax\n xor %%edx, %%edx\n"
	                 "xsave64 %c[before](%%rbx)\n"
	                 /* Our own stack, then the rest, the flags last. */
	                 "mov %c[in]+15*8(%%rbx), %%rsp\n"
	                 "pushq %c[fake_return](%%rbx)\n" /* where __fentry__ finds the caller */
	                 "pushq %c[in]+14*8(%%rbx)\n"
	                 "mov %c[in]+0*8(%%rbx), %%rax\n"
	                 "mov %c[in]+2*8(%%rbx), %%rcx\n"
	                 "mov %c[in]+3*8(%%rbx), %%rdx\n"
	                 "mov %c[in]+4*8(%%rbx), %%rsi\n"
	                 "mov %c[in]+5*8(%%rbx), %%rdi\n"
	                 "mov %c[in]+6*8(%%rbx), %%rbp\n"
	                 "mov %c[in]+7*8(%%rbx), %%r8\n"
	                 "mov %c[in]+8*8(%%rbx), %%r9\n"
	                 "mov %c[in]+9*8(%%rbx), %%r10\n"
	                 "mov %c[in]+10*8(%%rbx), %%r12\n"
	                 "mov %c[in]+11*8(%%rbx), %%r13\n"
	                 "mov %c[in]+12*8(%%rbx), %%r14\n"
	                 "mov %c[in]+13*8(%%rbx), %%r15\n"
	                 "mov %c[target](%%rbx), %%r11\n"
	                 "mov %c[in]+1*8(%%rbx), %%rbx\n"
	                 "popfq\n"
	                 "call *%%r11\n"
	                 "mov %%rbx, t_p+%c[out]+1*8(%%rip)\n"
	                 "lea t_p(%%rip), %%rbx\n"
	                 "mov %%rax, %c[out]+0*8(%%rbx)\n"
	                 "mov %%rcx, %c[out]+2*8(%%rbx)\n"
	                 "mov %%rdx, %c[out]+3*8(%%rbx)\n"
	                 "mov %%rsi, %c[out]+4*8(%%rbx)\n"
	                 "mov %%rdi, %c[out]+5*8(%%rbx)\n"
	                 "mov %%rbp, %c[out]+6*8(%%rbx)\n"
	                 "mov %%r8, %c[out]+7*8(%%rbx)\n"
	                 "mov %%r9, %c[out]+8*8(%%rbx)\n"
	                 "mov %%r10, %c[out]+9*8(%%rbx)\n"
	                 "mov %%r12, %c[out]+10*8(%%rbx)\n"
	                 "mov %%r13, %c[out]+11*8(%%rbx)\n"
	                 "mov %%r14, %c[out]+12*8(%%rbx)\n"
	                 "mov %%r15, %c[out]+13*8(%%rbx)\n"
	                 "lea 8(%%rsp), %%rcx\n"
	                 "mov %%rcx, %c[out]+15*8(%%rbx)\n"
	                 "mov %c[our_rsp](%%rbx), %%rsp\n"
	                 "pushfq\n popq %c[out]+14*8(%%rbx)\n"
	                 "mov $0xe7, %%eax\n xor %%edx, %%edx\n"
	                 "xsave64 %c[after](%%rbx)\n"
	                 "cld\n fninit\n"
	                 "pushq $0x1f80\n ldmxcsr (%%rsp)\n pop %%rax\n"
	                 "pop %%r15; pop %%r14; pop %%r13; pop %%r12; pop %%rbp; pop %%rbx\n"
	                 "ret\n"
	                 ".size t_probe, . - t_probe\n"
	                 ".purgem RT_X\n .purgem RT_Y\n .purgem RT_Z\n .purgem RT_K\n"
	                 ".noaltmacro\n"
	                 "9:\n"
	                 :
	                 : OFF(in), OFF(out), OFF(target), OFF(vectors), OFF(our_rsp),
	                   OFF(fake_return), OFF(mxcsr), OFF(fcw), OFF(x87), OFF(k), OFF(z),
	                   OFF(before), OFF(after));
}

static uint64_t seed = 88172645463325252;

UNCOUNTED static uint64_t
random64(void)
{
	return xorshift(&seed);
}

UNCOUNTED static void
randomize(void *at, size_t size)
{
	for (size_t i = 0; i < size; i += 8) {
		uint64_t r = random64();

		memcpy((char *)at + i, &r, 8);
	}
}

static int differences;

/* One call, from a place `at` in t_fake_caller; the stack `shift` bytes off. */
UNCOUNTED static void
probe(void (*target)(void), int at, int shift)
{
	static uint8_t stack[sizeof(t_p.stack)];
	const uint64_t flags = 0x8d5; /* O S Z A P C */
	uint64_t frame[2] = { 0, (uint64_t)t_fake_caller + 1 + at };
	const size_t rsp = sizeof(t_p.stack) / 2 + shift;

	randomize(t_p.in, sizeof(t_p.in));
	randomize(t_p.k, sizeof(t_p.k));
	randomize(t_p.z, sizeof(t_p.z));
	randomize(t_p.stack, sizeof(t_p.stack));
	memcpy(stack, t_p.stack, sizeof(stack));
	for (int i = 0; i < 8; i++)
		t_p.x87[i] = (double)(int64_t)random64();
	t_p.mxcsr = 0x1f80 | (random64() & 0xe03f); /* rounding, sticky flags, FTZ, all masked */
	t_p.fcw = 0x37f ^ (random64() & 0xc00) ^ (random64() & 1 ? 0x100 : 0);
	t_p.in[FLAGS] = 0x202 | (random64() & flags);
	t_p.in[RBP] = (uint64_t)frame;
	t_p.in[RSP] = (uint64_t)t_p.stack + rsp;
	t_p.fake_return = frame[1];
	t_p.target = (uint64_t)target;
	memset(t_p.before, 0, sizeof(t_p.before));
	memset(t_p.after, 0, sizeof(t_p.after));
	t_probe();
	/* The interrupt flag and the like are the kernel's. */
	t_p.in[FLAGS] &= flags | 0x400;
	t_p.out[FLAGS] &= flags | 0x400;
	for (int r = 0; r < NREGS; r++)
		if (t_p.in[r] != t_p.out[r] && ++differences < 20)
			printf("differs: %s %llx %llx\n", names[r], (long long)t_p.in[r],
			       (long long)t_p.out[r]);
	/* Not the instruction and data pointers of the last x87 instruction: same anyway. */
	if (memcmp(t_p.before, t_p.after, sizeof(t_p.before)) != 0 && ++differences < 20)
		printf("differs: vector or x87 state\n");
	if (memcmp(stack + rsp, t_p.stack + rsp, sizeof(stack) - rsp) != 0 && ++differences < 20)
		printf("differs: stack\n");
}

/* mode: what mcount is to do.  first: each call is from another place. */
UNCOUNTED static void
way(const char *name, int mode, int first, int shift)
{
	static int at;
	const int n = 1500;

	__profsup_state[0] = mode;
	for (int i = 0; i < n; i++) {
		probe(mcount, first ? at++ : 0, shift < 0 ? i % 16 : shift);
		probe(__fentry__, first ? at++ : 0, shift < 0 ? i % 16 : shift);
	}
	__profsup_state[0] = 1;
	printf("%s %d\n", name, 2 * n);
	if (mode != 0)
		tell_arc("t_fake_caller", "t_probe", 2 * n);
}

UNCOUNTED int
main(int argc, char **argv)
{
	const int shift = argc > 1 ? -1 : 0;

	__builtin_cpu_init();
	t_p.vectors = __builtin_cpu_supports("avx512bw") ? 2
	              : __builtin_cpu_supports("avx")    ? 1
	                                                 : 0;
	printf("vectors %d\n", (int)t_p.vectors);
	must(__profsup_state[0] == 1, "no profile");
	way("fast", 1, 0, shift);
	way("first", 1, 1, shift);
	way("shared", 2, 0, shift);
	way("shared-first", 2, 1, shift);
	way("off", 0, 0, shift);
	printf("differences %d\n", differences);
	return 0;
}
