// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/waits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/csv.h"
#include "base/hash_index.h"
#include "base/log.h"
#include "base/vec.h"
#include "trace/keys.h"

struct adding {
	struct wait_rows *to;
	struct hash_index index;
	const struct call_tree *tree;
	const struct path_node *paths;
	size_t n_funcs;
	uint32_t *chain; /* paths from a wait's up to its goroutine's outermost */
	size_t cap_chain;
	uint64_t *seen; /* by function: the number of the wait that met it last */
};

static int add(struct adding *a, uint32_t row, uint32_t reason, uint64_t self_ns, uint64_t total_ns,
	       uint64_t n)
{
	struct wait_rows *w = a->to;
	uint32_t hash = hash_u64_pair(row, reason);
	size_t at;

	for (uint32_t i = hash_index_first(&a->index, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&a->index, hash, &at)) {
		struct wait_row *x = &w->all[i];

		if (x->row == row && x->reason == reason) {
			x->self_ns += self_ns;
			x->total_ns += total_ns;
			x->n += n;
			return 0;
		}
	}
	int err = vec_reserve(&w->all, &w->cap, w->n + 1);

	if (!err)
		err = hash_index_put(&a->index, hash, (uint32_t)w->n);
	if (!err)
		w->all[w->n++] = (struct wait_row){ row, reason, self_ns, total_ns, n };
	return err;
}

static uint32_t row_of(const struct adding *a, uint32_t path, uint32_t func)
{
	if (a->tree)
		return a->tree->node_of[path];
	return a->paths[path].func == PATH_OTHER ? func : a->paths[path].func;
}

/* One wait, number `id`: of its own path, and in the totals of all above. A function counts once,
 * at its outermost call. */
static int add_wait(struct adding *a, const struct path_waits *w, uint64_t id)
{
	uint32_t self = row_of(a, w->path, w->func);
	size_t n = 0;
	int err = 0;

	for (uint32_t p = w->path; !err && p; p = a->paths[p].go_edge ? 0 : a->paths[p].parent) {
		err = vec_reserve(&a->chain, &a->cap_chain, n + 1);
		if (!err)
			a->chain[n++] = p;
	}
	if (!err && !w->held)
		err = add(a, self, w->reason, w->ns, 0, w->n);
	while (!err && n--) {
		uint32_t row = row_of(a, a->chain[n], w->func);

		if (!a->tree && row < a->n_funcs) {
			if (a->seen[row] == id)
				continue;
			a->seen[row] = id;
		}
		err = add(a, row, w->reason, 0, w->ns, 0);
	}
	return err;
}

static int by_row(const void *x, const void *y)
{
	const struct wait_row *a = x, *b = y;

	if (a->row != b->row)
		return compare_u64(a->row, b->row);
	if (a->total_ns != b->total_ns)
		return compare_u64(b->total_ns, a->total_ns);
	return compare_u64(a->reason, b->reason);
}

int wait_rows_load(struct wait_rows *w, const struct loaded_trace *t, const struct call_tree *tree)
{
	struct adding a = { .to = w, .tree = tree, .n_funcs = t->n_funcs };
	size_t n, n_paths, kept = 0;
	const struct path_waits *waits = model_waits(t->model, &n);
	int err = 0;

	*w = (struct wait_rows){ 0 };
	a.paths = model_paths(t->model, &n_paths);
	a.seen = calloc(t->n_funcs + 1, sizeof(*a.seen));
	if (!a.seen)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < n; i++)
		err = add_wait(&a, &waits[i], i + 1);
	for (size_t i = 0; i < w->n; i++) /* what turned out to be held, and no time */
		if (w->all[i].total_ns)
			w->all[kept++] = w->all[i];
	w->n = kept;
	if (w->n)
		qsort(w->all, w->n, sizeof(*w->all), by_row);
	if (err)
		log_no_memory("no memory for the reasons of waits");
	hash_index_free(&a.index);
	free(a.chain);
	free(a.seen);
	return err;
}

const struct wait_row *wait_rows_of(const struct wait_rows *w, uint32_t row, size_t *n)
{
	size_t low = 0, high = w->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (w->all[mid].row < row)
			low = mid + 1;
		else
			high = mid;
	}
	for (*n = 0; low + *n < w->n && w->all[low + *n].row == row;)
		++*n;
	return *n ? &w->all[low] : NULL;
}

void wait_rows_free(struct wait_rows *w)
{
	free(w->all);
	*w = (struct wait_rows){ 0 };
}

const char *wait_reason(const struct trace_info *info, uint32_t reason, char buf[WAIT_REASON_BYTES])
{
	char key[48];
	const char *text;

	if (reason == REASON_PREEMPTED)
		return "preempted";
	snprintf(key, sizeof(key), KEY_STATES_REASON ".%u", reason);
	text = trace_info_get(info, key);
	if (text && *text)
		return text;
	snprintf(buf, WAIT_REASON_BYTES, "reason %u", reason);
	return buf;
}

int call_waits_csv(FILE *out, const struct trace_info *info, const struct call_states *s)
{
	char number[WAIT_REASON_BYTES], *text = NULL;
	size_t n;
	FILE *mem = s->n_waits ? open_memstream(&text, &n) : NULL;

	if (!s->n_waits)
		return 0;
	for (size_t i = 0; mem && i < s->n_waits; i++)
		if (s->waits[i].total_ns)
			fprintf(mem, "%s%s=%" PRIu64, i ? ";" : "",
				wait_reason(info, s->waits[i].reason, number),
				s->waits[i].total_ns);
	if (!mem || fclose(mem)) {
		log_no_memory("no memory for the reasons of waits");
		free(text);
		return -ENOMEM;
	}
	csv_field(out, text);
	free(text);
	return 0;
}

const char *state_word(unsigned state)
{
	static const char *const words[] = {
		[STATE_UNKNOWN] = "unknown",     [STATE_RUNNING] = "running",
		[STATE_RUNNABLE] = "runnable",   [STATE_WAITING] = "waiting",
		[STATE_SYSCALL] = "system call", [STATE_OFF_CPU] = "off CPU"
	};

	return words[state];
}

const char *state_reason(const struct trace_info *info, unsigned state, uint32_t reason,
			 char buf[WAIT_REASON_BYTES])
{
	static const char *const off_cpu[] = { [OFF_CPU_TAKEN] = "another thread ran",
					       [OFF_CPU_ASLEEP] = "asleep in the kernel",
					       [OFF_CPU_GOTRACE] = "gotrace ran" };

	if (state == STATE_WAITING)
		return wait_reason(info, reason, buf);
	return state == STATE_OFF_CPU && reason <= OFF_CPU_GOTRACE ? off_cpu[reason] : NULL;
}

const char *state_name(const struct trace_info *info, unsigned state, uint32_t reason,
		       char buf[STATE_NAME_BYTES])
{
	char number[WAIT_REASON_BYTES];
	const char *why = state_reason(info, state, reason, number);

	snprintf(buf, STATE_NAME_BYTES, "%s%s%s", state_word(state), why ? ": " : "",
		 why ? why : "");
	return buf;
}
