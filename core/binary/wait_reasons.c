// SPDX-License-Identifier: BSD-2-Clause
#include "binary/wait_reasons.h"

#include <errno.h>
#include <string.h>

#include "binary/arch.h"

/* ---- from the binary */

/* One Go string: address and length. */
static bool take_text(const struct gobin *b, const uint8_t *string, char *to)
{
	uint64_t at, len;

	memcpy(&at, string, 8);
	memcpy(&len, string + 8, 8);
	if (len >= WAIT_REASON_TEXT)
		return false;
	const uint8_t *text = len ? gobin_bytes(b, at, len) : NULL;
	if (len && !text)
		return false;
	for (uint64_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	memcpy(to, text ? (const char *)text : "", len);
	to[len] = '\0';
	return true;
}

static bool take_array(const struct gobin *b, uint64_t vaddr, unsigned n, struct wait_reasons *out)
{
	const uint8_t *array = gobin_bytes(b, vaddr, 16ull * n);

	out->n = n;
	for (unsigned i = 0; array && i < n; i++)
		if (!take_text(b, array + 16ull * i, out->text[i]) || !*out->text[i] != !i)
			return false;
	return array;
}

/*
 * (waitReason).String, runtime2.go, compares its receiver with the number of strings, and
 * loads the address of the array after that of the text for none of them. (In a PIE the strings'
 * addresses may be in the relocations alone.)
 */
static bool read_array(const struct gobin *b, struct wait_reasons *out)
{
	const struct gofunc *f = gobin_func_named(b, "runtime.waitReason.String");
	const uint8_t *p = f && f->size <= 256 ? gobin_bytes(b, f->vaddr, f->size) : NULL;
	const struct arch *arch = gobin_arch(b);
	uint8_t n = 0;

	for (uint32_t i = 0; p && i < f->size; i += arch->pc_quantum) {
		const size_t left = f->size - i;
		uint64_t array = n ? arch->address_taken(p + i, left, f->vaddr + i) : 0;

		if (!n)
			arch->byte_compared(p + i, left, &n);
		if (array && n <= WAIT_REASONS_MAX && take_array(b, array, n, out))
			return true;
	}
	return false;
}

/* ---- by version: runtime2.go of go1.19.13, 1.20.14, 1.21.13, 1.22.0, 1.23.12, 1.24.13, 1.25.3,
 * 1.26.8 and 1.27.4 */

#define FIRST                                                                                 \
	"GC assist marking", "IO wait", "chan receive (nil chan)", "chan send (nil chan)",    \
		"dumping heap", "garbage collection", "garbage collection scan", "panicwait", \
		"select", "select (no cases)", "GC assist wait", "GC sweep wait",             \
		"GC scavenge wait", "chan receive", "chan send", "finalizer wait",            \
		"force gc (idle)"
#define LOCKS "sync.Mutex.Lock", "sync.RWMutex.RLock", "sync.RWMutex.Lock"
#define WORKER                                                                                   \
	"trace reader (blocked)", "wait for GC cycle", "GC worker (idle)", "GC worker (active)", \
		"preempted", "debug call", "GC mark termination", "stopping the world"
#define TRACE                                                                                      \
	"flushing proc caches", "trace goroutine status", "trace proc status", "page trace flush", \
		"coroutine", "GC weak to strong wait"
#define DURABLE                                                                           \
	"synctest.Run", "synctest.Wait", "chan receive (durable)", "chan send (durable)", \
		"select (durable)", "sync.WaitGroup.Wait (durable)", "cleanup wait"

static const char *const of_1_19[] = { "",
				       FIRST,
				       "semacquire",
				       "sleep",
				       "sync.Cond.Wait",
				       "timer goroutine (idle)",
				       "trace reader (blocked)",
				       "wait for GC cycle",
				       "GC worker (idle)",
				       "preempted",
				       "debug call" };
/* 1.20 and 1.21 have the first 32, 1.22 37, 1.23 all. */
static const char *const of_1_20[] = { "",    FIRST,  "semacquire", "sleep", "sync.Cond.Wait",
				       LOCKS, WORKER, TRACE };
static const char *const of_1_24[] = { "",
				       FIRST,
				       "semacquire",
				       "sleep",
				       "sync.Cond.Wait",
				       LOCKS,
				       "sync.WaitGroup.Wait",
				       WORKER,
				       TRACE,
				       "synctest.Run",
				       "synctest.Wait",
				       "chan receive (synctest)",
				       "chan send (synctest)",
				       "select (synctest)" };
static const char *const of_1_25[] = { "",
				       FIRST,
				       "GOMAXPROCS updater (idle)",
				       "semacquire",
				       "sleep",
				       "sync.Cond.Wait",
				       LOCKS,
				       "sync.WaitGroup.Wait",
				       WORKER,
				       TRACE,
				       DURABLE };
static const char *const of_1_26[] = { "",
				       "GC assist marking",
				       "IO wait",
				       "dumping heap",
				       "garbage collection",
				       "garbage collection scan",
				       "panicwait",
				       "GC assist wait",
				       "GC sweep wait",
				       "GC scavenge wait",
				       "finalizer wait",
				       "force gc (idle)",
				       "GOMAXPROCS updater (idle)",
				       "semacquire",
				       "sleep",
				       "chan receive (nil chan)",
				       "chan send (nil chan)",
				       "select (no cases)",
				       "select",
				       "chan receive",
				       "chan send",
				       "sync.Cond.Wait",
				       LOCKS,
				       "sync.WaitGroup.Wait",
				       WORKER,
				       TRACE,
				       DURABLE };

#define ALL(list) list, sizeof(list) / sizeof(*(list))
static const struct {
	const char *const *texts;
	unsigned n;
} by_minor[] = {
	/* from 1.19 on */
	{ ALL(of_1_19) }, { of_1_20, 32 },  { of_1_20, 32 },  { of_1_20, 37 },  { ALL(of_1_20) },
	{ ALL(of_1_24) }, { ALL(of_1_25) }, { ALL(of_1_26) }, { ALL(of_1_26) },
};

static int from_table(int minor, struct wait_reasons *out)
{
	if (minor < 19 || minor >= 19 + (int)(sizeof(by_minor) / sizeof(*by_minor)))
		return -ENOENT;
	out->n = by_minor[minor - 19].n;
	for (unsigned i = 0; i < out->n; i++)
		strcpy(out->text[i], by_minor[minor - 19].texts[i]);
	return 0;
}

int wait_reasons_of(const struct gobin *b, struct wait_reasons *out)
{
	memset(out, 0, sizeof(*out));
	out->from_binary = read_array(b, out);
	return out->from_binary ? 0 : from_table(gobin_go_minor(b), out);
}

uint8_t wait_reason_named(const struct wait_reasons *w, const char *text)
{
	for (unsigned i = 1; i < w->n; i++)
		if (!strcmp(w->text[i], text))
			return (uint8_t)i;
	return 0;
}
