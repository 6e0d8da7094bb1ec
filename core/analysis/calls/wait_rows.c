// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/wait_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/csv.h"
#include "base/hash_index.h"
#include "base/log.h"
#include "base/vec.h"
#include "trace/keys.h"

/* Rows that no recording has: each reason of a function, or of a path, takes events of its own. */
#define FREE_ROWS     200000u
#define ROWS_PER_BYTE 2

/* Waits of rows, or of paths: found by row and reason. */
struct sums {
	struct wait_rows rows;
	uint64_t most; /* rows */
	struct hash_index index;
};

/* Its index; HASH_NONE: it is not there. */
static uint32_t sum_find(const struct sums *s, uint32_t row, uint32_t reason)
{
	const uint32_t hash = hash_u64_pair(row, reason);
	size_t at;

	for (uint32_t i = hash_index_first(&s->index, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&s->index, hash, &at))
		if (s->rows.all[i].row == row && s->rows.all[i].reason == reason)
			return i;
	return HASH_NONE;
}

static int add(struct sums *s, uint32_t row, const struct wait_row *what)
{
	struct wait_rows *w = &s->rows;
	const uint32_t i = sum_find(s, row, what->reason);

	if (i != HASH_NONE) {
		w->all[i].self_ns += what->self_ns;
		w->all[i].total_ns += what->total_ns;
		w->all[i].n += what->n;
		return 0;
	}
	if (w->n >= s->most)
		return -E2BIG;
	if (vec_reserve(&w->all, &w->cap, w->n + 1) ||
	    hash_index_put(&s->index, hash_u64_pair(row, what->reason), (uint32_t)w->n))
		return -ENOMEM;
	w->all[w->n] = *what;
	w->all[w->n++].row = row;
	return 0;
}

struct adding {
	struct sums to, by_path;
	const struct call_tree *tree;
	const struct path_node *paths;
	size_t n_paths, n_funcs;
	/* of by_path: the first of each path, and the next one of the same, plus 1; 0: none */
	uint32_t *first, *next;
	size_t cap_next;
	bool *inner;    /* by path: its function is open above it, on its goroutine */
	uint32_t *open; /* by function */
};

static int add_to_path(struct adding *a, uint32_t path, const struct wait_row *what)
{
	const size_t n = a->by_path.rows.n;
	int err = vec_reserve(&a->next, &a->cap_next, n + 1);

	if (!err)
		err = add(&a->by_path, path, what);
	if (!err && a->by_path.rows.n > n) {
		a->next[n] = a->first[path];
		a->first[path] = (uint32_t)n + 1;
	}
	return err;
}

/* Of its own path; of what PATH_OTHER stands for, which has none above, where functions count. */
static int add_wait(struct adding *a, const struct path_waits *w)
{
	const struct wait_row what = { .reason = w->reason,
				       .self_ns = w->held ? 0 : w->ns,
				       .total_ns = w->ns,
				       .n = w->held ? 0 : w->n };

	if (!a->tree && a->paths[w->path].func == PATH_OTHER)
		return add(&a->to, w->func, &what);
	return w->path ? add_to_path(a, w->path, &what) : 0;
}

/* Goes through the calls below a path that begins a goroutine's: which functions are open there? */
static void find_inner(struct adding *a, uint32_t root)
{
	uint32_t p = root;

	for (bool down = true; p;) {
		const struct path_node *x = &a->paths[p];
		const bool begins = p == root || !x->go_edge,
			   counts = begins && x->func < a->n_funcs;

		if (down && counts)
			a->inner[p] = a->open[x->func]++;
		if (down && begins && x->first_child) {
			p = x->first_child;
			continue;
		}
		if (counts)
			a->open[x->func]--;
		if (p == root)
			return;
		down = x->next_sibling;
		p = down ? x->next_sibling : x->parent;
	}
}

/* What i of by_path is of is the path above now: of all that its calls waited. */
static int pass_up(struct adding *a, uint32_t i, uint32_t above)
{
	struct sums *s = &a->by_path;
	struct wait_row *x = &s->rows.all[i];
	const uint32_t there = sum_find(s, above, x->reason);

	if (there != HASH_NONE) {
		s->rows.all[there].total_ns += x->total_ns;
		return 0;
	}
	hash_index_remove(&s->index, hash_u64_pair(x->row, x->reason), i);
	*x = (struct wait_row){ .row = above, .reason = x->reason, .total_ns = x->total_ns };
	a->next[i] = a->first[above];
	a->first[above] = i + 1;
	return hash_index_put(&s->index, hash_u64_pair(above, x->reason), i);
}

/* What a path and all below it waited is in the totals of its row, and of the path above. A
 * function counts once, at its outermost call. */
static int add_path(struct adding *a, uint32_t path)
{
	const struct path_node *x = &a->paths[path];
	int err = 0;

	for (uint32_t i = a->first[path], next; !err && i; i = next) {
		struct wait_row what = a->by_path.rows.all[i - 1];

		next = a->next[i - 1];
		if (a->inner[path])
			what.total_ns = 0;
		err = add(&a->to, a->tree ? a->tree->node_of[path] : x->func, &what);
		if (!err && !x->go_edge && x->parent)
			err = pass_up(a, i - 1, x->parent);
	}
	return err;
}

static int add_all(struct adding *a, const struct path_waits *waits, size_t n)
{
	int err = 0;

	for (size_t p = 1; p < a->n_paths && !a->tree; p++)
		if (a->paths[p].go_edge || !a->paths[p].parent)
			find_inner(a, (uint32_t)p);
	for (size_t i = 0; !err && i < n; i++)
		err = add_wait(a, &waits[i]);
	/* Paths come after those above them. */
	for (size_t p = a->n_paths; !err && p-- > 1;)
		err = add_path(a, (uint32_t)p);
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
	const uint64_t most = FREE_ROWS + ROWS_PER_BYTE * t->stored_bytes;
	struct adding a = {
		.to.most = most, .by_path.most = most, .tree = tree, .n_funcs = t->n_funcs
	};
	size_t n, kept = 0;
	const struct path_waits *waits = model_waits(t->model, &n);
	int err = 0;

	a.paths = model_paths(t->model, &a.n_paths);
	a.first = calloc(a.n_paths + 1, sizeof(*a.first));
	a.inner = calloc(a.n_paths + 1, sizeof(*a.inner));
	a.open = calloc(t->n_funcs + 1, sizeof(*a.open));
	if (!a.first || !a.inner || !a.open)
		err = -ENOMEM;
	if (!err)
		err = add_all(&a, waits, n);
	*w = a.to.rows;
	for (size_t i = 0; i < w->n; i++) /* what turned out to be held, and no time */
		if (w->all[i].total_ns)
			w->all[kept++] = w->all[i];
	w->n = kept;
	if (w->n)
		qsort(w->all, w->n, sizeof(*w->all), by_row);
	if (err == -E2BIG)
		log_error(
			"not a trace of gotrace. It claims more reasons of waits than its bytes can hold");
	else if (err)
		log_no_memory("no memory for the reasons of waits");
	hash_index_free(&a.to.index);
	hash_index_free(&a.by_path.index);
	free(a.by_path.rows.all);
	free(a.first);
	free(a.next);
	free(a.inner);
	free(a.open);
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
