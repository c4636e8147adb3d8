#!/bin/sh
# A function finds every register, the flags and the stack as its caller left them, whichever way the count goes.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/exact.sh"

cp "$(target rt-regs)" prog
for stack in aligned unaligned; do
	how=$stack
	[ $stack = unaligned ] || how=
	# shellcheck disable=SC2086 # nothing or a word
	exact "$stack stack" ./prog $how
	is "$(grep differ out)" 'differences 0' "$stack stack: general registers, flags, vector, mask and x87 state, and the stack are as they were"
	is "$(awk 'NF == 2 && $2 == 3000 { print $1 }' out | tr '\n' ' ')" 'fast first shared shared-first off ' \
		"$stack stack: for known arcs and new ones, on, shared and off"
done
case $(awk '$1 == "vectors" { print $2 }' out) in
2) grep -q ' avx512bw ' /proc/cpuinfo ;;
1) grep -q ' avx ' /proc/cpuinfo ;;
0) ! grep -q ' avx ' /proc/cpuinfo ;;
esac
ok $? 'the vector registers looked at are those that the CPU has'

cat >args.c <<'EOF'
#include "rt.h"
#include <profil.h>
#include <stdarg.h>
#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

static int failed;
#define CHECK(e) do { if (!(e)) { failed++; printf("wrong: %s\n", #e); } } while (0)

COUNTED double
t_doubles(double a, double b, double c, double d, double e, double f, double g, double h, double i, long j)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + j;
}

COUNTED double
t_varargs(int n, ...)
{
	double sum = n;
	va_list ap;

	va_start(ap, n);
	for (int i = 0; i < n; i++)
		sum += i % 2 ? va_arg(ap, int) : va_arg(ap, double);
	va_end(ap);
	return sum;
}

COUNTED long double t_long_double(long double x, long double y) { return x * y; }
struct big { long a[9]; };
COUNTED struct big t_struct(struct big b, int n) { for (int i = 0; i < 9; i++) b.a[i] += n; return b; }
COUNTED __int128 t_int128(__int128 a, __int128 b) { return a ^ b; }

/* Uses aligned stores to its own stack. */
COUNTED int
t_aligned(const float *from)
{
	_Alignas(16) volatile float v[4];
	typedef float v4 __attribute__((vector_size(16)));

	*(volatile v4 *)v = *(const v4 *)from;
	return ((unsigned long)v & 15) == 0 && v[3] == from[3];
}

#if !defined(__clang__)
/* A nested function gets its frame in r10. */
COUNTED int
t_outer(int n)
{
	int local = n;

	COUNTED int t_inner(int m) { return local * 1000 + m; }
	COUNTED int t_through(int (*f)(int), int m) { return f(m) + local; }
	return t_through(t_inner, 7) + t_inner(1);
}
#endif

#ifdef __AVX__
typedef double v4d __attribute__((vector_size(32)));
COUNTED v4d t_m256(v4d a, v4d b, v4d c, v4d d, v4d e, v4d f, v4d g, v4d h) { return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h; }
#endif
#ifdef __AVX512F__
typedef double v8d __attribute__((vector_size(64)));
COUNTED v8d t_m512(v8d a, v8d b) { return a - b; }
#endif

COUNTED static void
all(int i)
{
	const struct big b = { { 1, 2, 3, 4, 5, 6, 7, 8, 9 } };
	static const float from[4] __attribute__((aligned(16))) = { 1, 2, 3, 4 };
	struct big r = t_struct(b, i);

	CHECK(t_doubles(1, 2, 3, 4, 5, 6, 7, 8, 9, i) == 285 + i);
	CHECK(t_varargs(8, 1.5, i, 2.5, 3, 4.25, 5, 6.125, 7) == 8 + 14.375 + 15 + i);
	CHECK(t_long_double(i, 0.5L) == i / 2.0L);
	CHECK(r.a[0] == 1 + i && r.a[8] == 9 + i);
	CHECK(t_int128((__int128)i << 64, 5) == (((__int128)i << 64) | 5));
	CHECK(t_aligned(from));
#if !defined(__clang__)
	CHECK(t_outer(i) == i * 1000 + 7 + i + i * 1000 + 1);
#endif
#ifdef __AVX__
	v4d v = { 1, 2, 3, i };
	v = t_m256(v, v, v, v, v, v, v, v);
	CHECK(v[0] == 36 && v[1] == 72 && v[2] == 108 && v[3] == 36.0 * i);
#endif
#ifdef __AVX512F__
	v8d w = { 1, 2, 3, 4, 5, 6, 7, i }, x = { 8, 7, 6, 5, 4, 3, 2, 1 };
	w = t_m512(w, x);
	CHECK(w[0] == -7 && w[7] == i - 1);
#endif
}

int
main(void)
{
	extern volatile unsigned char __profsup_state[];

	for (int i = 0; i < 1000; i++) {
		moncontrol(0);
		all(i);
		moncontrol(1);
		all(i);
		__profsup_state[0] = 2;
		all(i);
		__profsup_state[0] = 1;
	}
	static const char *const name[] = { "t_doubles", "t_varargs", "t_long_double", "t_struct", "t_int128", "t_aligned",
#if !defined(__clang__)
		"t_outer",
#endif
#ifdef __AVX__
		"t_m256",
#endif
#ifdef __AVX512F__
		"t_m512",
#endif
	};
	for (unsigned i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		tell_arc("all", name[i], 2000);
#if !defined(__clang__)
	tell_arc("t_outer", "t_inner", 2000);
	tell_arc("t_outer", "t_through", 2000);
	tell_arc("t_through", "t_inner", 2000);
#endif
	return failed != 0;
}
EOF
vectors=
! grep -q ' avx2 ' /proc/cpuinfo || vectors=-mavx2
! grep -q ' avx512f ' /proc/cpuinfo || vectors=-mavx512f
for compiler in gcc clang; do
	for flags in -O0 "-O2 $vectors" "-O2 -mfentry $vectors" "-Os -fcf-protection=full $vectors" \
		'-O2 -mfentry -fno-pie' '-O2 -mfentry -mcmodel=large' '-O2 -mfentry -mcmodel=large -fno-pie'; do
		# shellcheck disable=SC2086 # words
		PROFSUP_CC=$compiler profsup-cc -w -D_GNU_SOURCE -I"$top/tests/targets/runtime" $flags -o args args.c 2>cc.err || diag_file cc.err
		exact "$compiler $flags: doubles, varargs, structs, vectors, nested functions" ./args
	done
done

# Shadow stacks and indirect-branch tracking: a program is marked if all its objects are.  Debian's libc is not.
printf 'extern char mcount[]; int main(void) { return mcount == 0; }\n' >cet.c
marks() {
	readelf -nW "$1" 2>/dev/null | sed -n 's/.*x86 feature: *\(IBT, SHSTK\).*/\1/p' | sort -u
}
cp "$stage/lib/profsup/gcrt0.o" .
(mkdir lib && cd lib && ar x "$stage/lib/profsup/libprofil.a")
is "$(marks gcrt0.o)" 'IBT, SHSTK' 'the runtime is marked as fit for IBT and shadow stacks'
is "$(for o in lib/*.o; do marks "$o" | grep . || echo "$o"; done | sort -u)" 'IBT, SHSTK' 'and so is all of libprofil.a'
for flags in '' '-static-pie -mfentry'; do
	# shellcheck disable=SC2086 # words
	profsup-cc -O2 $flags -fcf-protection=full -Wl,-z,cet-report=warning -o cet cet.c 2>report
	is "$?$(grep -c profsup report)" 00 "-fcf-protection=full $flags: the linker misses no mark in what is ours"
	# shellcheck disable=SC2086 # words
	profsup-cc -O2 $flags -fcf-protection=full -Wl,-z,ibt,-z,shstk -o cet cet.c 2>report
	is "$(marks cet)" 'IBT, SHSTK' "$flags: a program marked by force"
	profsup ./cet
	is $? 0 "$flags: and it runs"
done
objdump -d --no-show-raw-insn "$stage/lib/profsup/gcrt0.o" | awk '/^[0-9a-f]+ <(_?mcount|__fentry__|_mcleanup|__monstartup|__moncontrol)>:/ { getline; n++; if ($2 == "endbr64") good++ }
	END { exit !(n >= 4 && n == good) }'
ok $? 'what may be called through a pointer begins with endbr64'
done_testing
