// SPDX-License-Identifier: BSD-2-Clause
/*
 * Makes one allocation fail. FAULT_AT=N: the Nth call of malloc, calloc or realloc after the
 * libraries are loaded returns NULL. FAULT_COUNT=FILE: how many there were is written there at the
 * end. Preloaded into gotrace by faults.py, for the first program only, not for what it executes.
 * With WRAP it is linked into a gotrace with sanitizers, whose own malloc nothing may come before;
 * the libraries' allocations do not fail then.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long calls;
static long fault_at;
static bool begun;
static int count_fd = -1;
static pid_t pid;

static bool fails(void)
{
	if (!begun || atomic_fetch_add(&calls, 1) + 1 != fault_at || getpid() != pid)
		return false;
	errno = ENOMEM;
	return true;
}

#ifdef WRAP

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

#else

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void (*next_free)(void *);

/* dlsym allocates before it has told what to call. */
static char early[65536];
static size_t early_used;

static void *early_alloc(size_t n)
{
	void *at = early + early_used;

	early_used += (n + 15) & ~(size_t)15;
	return early_used <= sizeof(early) ? at : NULL;
}

static bool is_early(const void *p)
{
	return (const char *)p >= early && (const char *)p < early + sizeof(early);
}

static void find(void)
{
	static bool finding;

	if (finding)
		return;
	finding = true;
	next_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
	next_calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
	next_realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
	next_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
}

void *malloc(size_t n)
{
	if (!next_malloc)
		find();
	if (!next_malloc)
		return early_alloc(n);
	return fails() ? NULL : next_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	if (!next_malloc)
		find();
	if (!next_malloc)
		return early_alloc(n * size);
	return fails() ? NULL : next_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	if (!next_malloc)
		find();
	if (next_malloc && !is_early(p))
		return fails() ? NULL : next_realloc(p, n);
	void *to = next_malloc ? next_malloc(n) : early_alloc(n);
	size_t left = p ? (size_t)(early + sizeof(early) - (char *)p) : 0;

	if (to && p)
		memcpy(to, p, n < left ? n : left);
	return to;
}

void free(void *p)
{
	if (is_early(p))
		return;
	if (!next_free)
		find();
	if (next_free)
		next_free(p);
}

#endif

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("FAULT_AT"), *count = getenv("FAULT_COUNT");

	fault_at = at ? atol(at) : 0;
	pid = getpid();
	if (count)
		count_fd = open(count, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	unsetenv("FAULT_AT");
	unsetenv("FAULT_COUNT");
	unsetenv("LD_PRELOAD");
	begun = true;
}

__attribute__((destructor)) static void end(void)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%ld\n", (long)calls);

	if (count_fd >= 0 && getpid() == pid && write(count_fd, text, (size_t)n) != n)
		abort();
}
