/*
 * Memory, or the end of the program.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "grow.h"

#include <err.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
/* What a tool has read stays until it ends, which is near.  Whether LeakSanitizer still finds it
 * then would be the compiler's choice: main() has returned. */
const char *__asan_default_options(void);
const char *
__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

void *
memory_grow(void *array, size_t n, size_t element)
{
	array = grow(array, n, element);
	if (array == NULL)
		err(EXIT_BAD, "memory");
	return array;
}

void *
memory_array(size_t n, size_t element)
{
	void *array = calloc(n == 0 ? 1 : n, element);

	if (array == NULL)
		err(EXIT_BAD, "memory");
	return array;
}

char *
memory_text(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		err(EXIT_BAD, "memory");
	va_end(ap);
	return s;
}

FILE *
memory_file(void)
{
	int fd = memfd_create("profile", MFD_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");

	if (f == NULL || setvbuf(f, NULL, _IOFBF, 256 << 10) != 0)
		err(EXIT_BAD, "memory");
	return f;
}

void
memory_file_pass(FILE *f, uint64_t at)
{
	if (ftello(f) != (off_t)at && fseeko(f, (off_t)at, SEEK_SET) < 0)
		err(EXIT_BAD, "memory");
}

void
memory_file_end(FILE *f)
{
	if (fflush(f) != 0 || ftruncate(fileno(f), ftello(f)) < 0)
		err(EXIT_BAD, "memory");
}

void *
memory_file_take(FILE *f, size_t *len)
{
	struct stat st;
	char *data;

	if (fstat(fileno(f), &st) < 0)
		err(EXIT_BAD, "memory");
	data = memory_array((size_t)st.st_size + 1, 1);
	*len = 0;
	for (ssize_t n = 1; n != 0; *len += (size_t)n) {
		n = pread(fileno(f), data + *len, (size_t)st.st_size - *len, (off_t)*len);
		if (n < 0)
			err(EXIT_BAD, "memory");
	}
	fclose(f);
	return data;
}
