/*
 * A program whose calls are known: known.c and its other half other.c, or known.cc.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef KNOWN_H
#define KNOWN_H

/* Stays one function that is called, whatever the compiler knows about its callers. */
#ifdef __clang__
#define FUNCTION __attribute__((noinline))
#else
#define FUNCTION __attribute__((noinline, noclone))
#endif

/* Behind a last call, which as a jump would be its caller's arc. */
#define NOT_A_JUMP() __asm__ volatile("")

#ifdef __cplusplus
extern "C" {
#endif

extern volatile int sink;
void leaf(int x);
int other(int x);
int fib(int n);
int by_pointer(int (*f)(int), int x);

#ifdef __cplusplus
}
#endif
#endif
