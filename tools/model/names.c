/*
 * A set of texts, numbered from 0 as they come.
 *
 * The texts may have been chosen to be alike for a hash function, which would make each as slow to
 * find as all together.  So the function has keys that nobody knows before: the text's bytes, seven
 * at a time, are the coefficients of a polynomial, which is evaluated at a random place modulo a
 * prime.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define HASH_FUNCTION(text, len, hash) ((hash) = hash_of((text), (len)))
#include <uthash.h>

struct name {
	char *text;
	uint32_t number;
	UT_hash_handle hh;
};

enum { PRIME_BITS = 61, PIECE = 7 /* bytes, whose number is below the prime */ };
static const uint64_t prime = ((uint64_t)1 << PRIME_BITS) - 1;

/* Without random numbers the order of things is the same, but they may take longer. */
static const uint64_t *
random_keys(void)
{
	static uint64_t keys[3];

	if (keys[0] == 0) {
		if (getrandom(keys, sizeof(keys), GRND_NONBLOCK) < 0)
			memset(keys, 0, sizeof(keys));
		for (size_t i = 0; i < 3; i++)
			keys[i] = keys[i] % (prime - 1) + 1;
	}
	return keys;
}

/* a * b + c modulo the prime, for numbers below it. */
static uint64_t
multiply_add(uint64_t a, uint64_t b, uint64_t c)
{
	const unsigned __int128 product = (unsigned __int128)a * b + c;
	const uint64_t sum = (uint64_t)(product & prime) + (uint64_t)(product >> PRIME_BITS);

	return sum >= prime ? sum - prime : sum;
}

static unsigned
hash_of(const char *text, size_t len)
{
	const uint64_t *key = random_keys();
	uint64_t h = len;

	for (size_t n; len > 0; text += n, len -= n) {
		uint64_t piece = 0;

		n = len < PIECE ? len : PIECE;
		memcpy(&piece, text, n);
		h = multiply_add(h, key[0], piece);
	}
	return (unsigned)multiply_add(h, key[1], key[2]);
}

/* Returns the text's number, the set's former n if it is new; `kept` stays until names_free. */
uint32_t
names_number(struct names *names, const char *text, const char **kept)
{
	struct name *name;

	HASH_FIND_STR(names->table, text, name);
	if (name == NULL) {
		name = memory_array(1, sizeof(*name));
		name->text = memory_text("%s", text);
		name->number = names->n++;
		HASH_ADD_KEYPTR(hh, names->table, name->text, strlen(name->text), name);
	}
	if (kept != NULL)
		*kept = name->text;
	return name->number;
}

void
names_free(struct names *names)
{
	struct name *name, *next;

	HASH_ITER (hh, names->table, name, next) {
		HASH_DEL(names->table, name); /* NOLINT(*-unix.Malloc): uthash resets the head */
		free(name->text);
		free(name);
	}
}
