/*
 * What a mistyped word of the command line may mean.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef SUGGEST_H
#define SUGGEST_H

/* ": did you mean X?", or "" if nothing in the help is like the word.  The text is good until the
 * next call. */
const char *suggest_option(const char *help, const char *word);
const char *suggest_value(const char *help, const char *option, const char *word);

#endif
