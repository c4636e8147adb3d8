/* What grows with n, the first argument: the calls of a bubble sort's comparison with n^2, those of
 * a merge sort's with n log n, those of look() with n^2, since the hash of the table is constant,
 * and those of setup() not at all.  append() is called n times, but the text that it appends to
 * grows: its time does with n^2, if the second argument is as large as n. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, MOST_LETTERS = 1 << 20 };

static volatile int sink;
static int a[MOST], b[MOST], spare[MOST];
static char text[MOST_LETTERS + 1];

__attribute__((noipa)) static int
swapped(int x, int y)
{
	return x > y;
}

__attribute__((noipa)) static void
bubble_sort(int *v, int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j + 1 < n - i; j++)
			if (swapped(v[j], v[j + 1])) {
				const int was = v[j];

				v[j] = v[j + 1];
				v[j + 1] = was;
			}
}

__attribute__((noipa)) static int
before(int x, int y)
{
	return x < y;
}

__attribute__((noipa)) static void
merge_sort(int *v, int n)
{
	int i = 0, j = n / 2, k = 0;

	if (n < 2)
		return;
	merge_sort(v, n / 2);
	merge_sort(v + n / 2, n - n / 2);
	while (i < n / 2 && j < n)
		spare[k++] = before(v[i], v[j]) ? v[i++] : v[j++];
	while (i < n / 2)
		spare[k++] = v[i++];
	memcpy(v, spare, sizeof(*v) * (size_t)k);
}

struct node {
	struct node *next;
	int key;
};

static struct node nodes[MOST], *table[64];
static int nnodes;

__attribute__((noipa)) static unsigned
hash(int key)
{
	return (unsigned)key * 0;
}

__attribute__((noipa)) static int
look(const struct node *node, int key)
{
	return node->key == key;
}

__attribute__((noipa)) static void
insert(int key)
{
	struct node **node = &table[hash(key)];

	while (*node != NULL && !look(*node, key))
		node = &(*node)->next;
	if (*node == NULL) {
		*node = &nodes[nnodes++];
		(*node)->key = key;
	}
}

__attribute__((noipa)) static void
append(char c)
{
	char *end = text;

	while (*(volatile char *)end != '\0')
		end++;
	end[0] = c;
	end[1] = '\0';
}

/* As much time for each turn, so that it is linear, and ten ticks at the least. */
__attribute__((noipa)) static void
step(void)
{
	for (int i = 0; i < 10000; i++)
		sink += i;
}

__attribute__((noipa)) static void
setup(void)
{
	sink = 0;
}

int
main(int argc, char **argv)
{
	const int n = (int)strtol(argv[1], NULL, 10);
	const int letters = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 10;

	if (n > MOST || letters > MOST_LETTERS)
		return 1;
	setup();
	for (int i = 0; i < n; i++)
		a[i] = b[i] = (int)((uint32_t)i * 2654435761U >> 1);
	merge_sort(a, n);
	if (argc == 2)
		bubble_sort(b, n);
	for (int i = 0; argc == 2 && i < n; i++)
		insert(a[i]);
	for (int i = 0; i < letters; i++) {
		append('x');
		step();
	}
	return 0;
}
