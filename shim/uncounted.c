/*
 * What functions compiled with -pg call in a link that has no runtime: a shared library, or a
 * program without libc.  In an archive, so that it is there only where something calls it; hidden,
 * so that no other object of a dynamic program comes to call it instead of libc's.
 *
 * SPDX-License-Identifier: ISC
 */
#define UNCOUNTED __attribute__((weak, visibility("hidden")))

UNCOUNTED void mcount(void);
UNCOUNTED void _mcount(void);
UNCOUNTED void __fentry__(void);

void
mcount(void)
{
}

void
_mcount(void)
{
}

void
__fentry__(void)
{
}
