// SPDX-License-Identifier: BSD-2-Clause
/*
 * Traces that are well formed and make no sense, into every report and export (libFuzzer;
 * ci/fuzz.sh). A recorded trace is read, changed as the input says (events, tables and keys, not
 * bytes) and written by the trace writer: nearly all of them are accepted, and reach what prints.
 *
 * An input: which trace, which output, then six bytes a change.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/vec.h"
#include "cli/outputs_fixture.h"
#include "trace/keys.h"
#include "trace/trace.h"

#define CHANGE_BYTES 6
#define CHANGES_MAX  64
#define EVENTS_MAX   4000

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- the recorded traces */

struct base {
	char *path;
	struct event_ext *events;
	size_t n, cap;
};
static struct base *bases;
static size_t n_bases;

static void silence(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	(void)level;
	if (!*line)
		abort(); /* an error has words */
}

/* false: it has too many events. */
static bool load(struct base *b, const char *path)
{
	struct trace_reader *r = trace_reader_open(path);
	struct event_ext ev;

	*b = (struct base){ .path = strdup(path) };
	while (r && b->n < EVENTS_MAX && trace_reader_next(r, &ev) > 0) {
		if (vec_reserve(&b->events, &b->cap, b->n + 1))
			abort();
		b->events[b->n++] = ev;
	}
	trace_reader_close(r);
	if (b->path && b->n < EVENTS_MAX)
		return true;
	free(b->path);
	free(b->events);
	return false;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	glob_t found;

	(void)argc;
	(void)argv;
	log_set_sink(silence, NULL);
	if (glob("fixtures/traces/*.gotrace", 0, NULL, &found))
		abort();
	bases = calloc(found.gl_pathc, sizeof(*bases));
	for (size_t i = 0; bases && i < found.gl_pathc; i++)
		n_bases += load(&bases[n_bases], found.gl_pathv[i]);
	globfree(&found);
	if (!n_bases)
		abort();
	return 0;
}

/* ---- changes */

struct change {
	uint8_t what;
	size_t at;
	uint16_t value;
	uint8_t more;
};

static const uint64_t numbers[] = {
	0,
	1,
	2,
	7,
	1000,
	0x7fffffff,
	0x80000000,
	0xffffffff,
	0x100000000,
	0x7fffffffffffffff,
	0x8000000000000000,
	0xfffffffffffffffe,
	UINT64_MAX,
};
static uint64_t number(const struct change *c)
{
	const size_t n = sizeof(numbers) / sizeof(numbers[0]);

	return c->more % 2 ? c->value : numbers[c->value % n];
}

static const char *const names[] = {
	"",     "main.f",       "a;b,\"c\"",   "\xff\xfe",     "\x1b[31m",
	"=1+1", "<b>&amp;</b>", "(*T).m[...]", "%s%n",         "a\nb",
	"go",   "[go]",         "[other]",     "\xe2\x80\xae",
};
#define NAMES (sizeof(names) / sizeof(names[0]))

static const char *const keys[] = {
	KEY_COMMAND,
	KEY_PID,
	KEY_GO_VERSION,
	KEY_PROBE_STRATEGY,
	KEY_COST_EMULATED_NS,
	KEY_COST_STEP_NS,
	KEY_COST_INLINE_NS,
	KEY_COST_BEFORE_NS,
	KEY_CLOCK_MONOTONIC_NS,
	KEY_CLOCK_REALTIME_NS,
	KEY_END_REASON,
	KEY_END_STATUS,
	KEY_END_TARGET_WALL_NS,
	KEY_END_TARGET_CPU_NS,
	KEY_END_TARGET_SYSTEM_NS,
	KEY_END_CPU_SAMPLES,
	KEY_END_CPU_SAMPLES_PROBES,
	KEY_END_TIME_NS,
	KEY_END_IMAGES,
	KEY_END_EXECS,
	KEY_END_EVENTS,
	KEY_END_EVENTS_EMULATED,
	KEY_END_EVENTS_VALUES,
	KEY_END_VALUES_NS,
	KEY_END_LOST_EVENTS,
	KEY_END_MISSED_IMAGES,
	KEY_END_RELEASED,
	KEY_WARN "0",
	KEY_MAX_COST,
	KEY_MAX_COST_TRAPS,
	KEY_MIN_DURATION_NS,
	KEY_SUMMARY,
	KEY_SELECT_PACKAGE ".0",
};
#define KEYS (sizeof(keys) / sizeof(keys[0]))

static void change_event(struct event_ext *e, const struct change *c)
{
	switch (c->what % 8) {
	case 0:
		e->h.ts_ns += (int16_t)c->value;
		break;
	case 1:
		e->h.ts_ns = number(c);
		break;
	case 2:
		e->h.goid = number(c);
		break;
	case 3:
		e->h.site = (uint32_t)number(c);
		break;
	case 4:
		e->h.depth = (uint32_t)number(c);
		break;
	case 5:
		e->h.kind = (uint16_t)(1 + c->value % EV_KIND_MAX);
		break;
	case 6:
		e->h.flags = c->value;
		break;
	default:
		e->arg[c->more / 2 % 4] = number(c);
	}
}

static char *other_name(char *old, const struct change *c)
{
	free(old);
	return strdup(names[c->value % NAMES]);
}

static void change_tables(struct trace_info *t, const struct change *c)
{
	char text[32];

	switch (c->what % 4) {
	case 0:
		if (t->n_funcs && c->more % 4 == 0)
			t->funcs[c->at % t->n_funcs].vaddr = number(c);
		else if (t->n_funcs)
			t->funcs[c->at % t->n_funcs].name = other_name(
				t->funcs[c->at % t->n_funcs].name, c);
		return;
	case 1:
		if (!t->n_sites || !t->n_funcs)
			return;
		t->sites[c->at % t->n_sites].func = c->more % 8 ? c->value % (uint32_t)t->n_funcs
								: TRACE_NONE;
		t->sites[c->at % t->n_sites].target = c->more / 8 % 4
							      ? TRACE_NONE
							      : c->value % (uint32_t)t->n_funcs;
		if (c->more & 64)
			t->sites[c->at % t->n_sites].kind = 1 + c->value % EV_KIND_MAX;
		return;
	case 2:
		if (t->n_pcs)
			t->pcs[c->at % t->n_pcs].func = other_name(t->pcs[c->at % t->n_pcs].func,
								   c);
		return;
	default:
		snprintf(text, sizeof(text), "%llu", (unsigned long long)number(c));
		trace_info_set(t, keys[c->at % KEYS], c->more & 2 ? names[c->value % NAMES] : text);
	}
}

/* ---- the changed trace */

static struct change change_at(const uint8_t *p)
{
	return (struct change){ p[0], p[1] | (size_t)p[2] << 8, (uint16_t)(p[3] | p[4] << 8),
				p[5] };
}

static void change_all(struct event_ext *events, size_t *n, struct trace_info *t,
		       const uint8_t *data, size_t size)
{
	for (size_t k = 0; k < CHANGES_MAX && (k + 1) * CHANGE_BYTES <= size; k++) {
		const struct change c = change_at(data + k * CHANGE_BYTES);
		size_t at = *n ? c.at % *n : 0;

		if (c.what >= 192) {
			change_tables(t, &c);
		} else if (!*n) {
			continue;
		} else if (c.what >= 176) { /* takes some out */
			size_t gone = c.value % 8 < *n - at ? c.value % 8 : *n - at;

			memmove(&events[at], &events[at + gone],
				(*n - at - gone) * sizeof(*events));
			*n -= gone;
		} else if (c.what >= 160) { /* in another order */
			struct event_ext e = events[at];

			events[at] = events[c.value % *n];
			events[c.value % *n] = e;
		} else if (c.what >= 152) { /* twice */
			events[c.value % *n] = events[at];
		} else {
			change_event(&events[at], &c);
		}
	}
}

/* The trace in memory, -1: it could not be written. */
static int changed_trace(const uint8_t *data, size_t size)
{
	const struct base *b = &bases[data[0] % n_bases];
	struct trace_reader *r = trace_reader_open(b->path);
	struct event_ext *events = malloc((b->n + 1) * sizeof(*events));
	int fd = memfd_create("trace", MFD_CLOEXEC), kept = dup(fd);
	size_t n = b->n;

	if (!r || !events || fd < 0 || kept < 0)
		abort();
	memcpy(events, b->events, n * sizeof(*events));
	/* The table of the reader is its own copy: it is changed in place. */
	struct trace_info *info = (struct trace_info *)(uintptr_t)trace_reader_info(r);
	change_all(events, &n, info, data + 2, size - 2);
	struct trace_writer *w = trace_writer_new(fd, info);
	for (size_t i = 0; w && i < n; i++)
		trace_writer_event(w, &events[i]);
	if (w && data[1] & 128)
		trace_writer_abort(w);
	else if (w)
		trace_writer_finish(w, NULL, 0);
	free(events);
	trace_reader_close(r);
	if (w)
		return kept;
	close(kept);
	return -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32];
	int fd = size > 2 ? changed_trace(data, size) : -1;

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	outputs_print(path, bases[data[0] % n_bases].path, data[1] & 127);
	close(fd);
	return 0;
}
