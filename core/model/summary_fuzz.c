// SPDX-License-Identifier: BSD-2-Clause
/* Any bytes as a summary: refused, or numbers that can be used and written again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/varint.h"
#include "model/summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void tell(void *ctx, const struct path_events *e)
{
	*(uint64_t *)ctx += e->n + e->role + e->how + e->path;
}

static struct trace_info info_of(size_t n_funcs)
{
	struct trace_info info = { 0 };
	char name[16];

	for (size_t i = 0; i < n_funcs; i++) {
		snprintf(name, sizeof(name), "main.f%zu", i);
		if (trace_info_add_func(&info, &(struct trace_func){ .name = name }))
			abort();
	}
	return info;
}

/* All of a model that was restored. */
static void use(struct model *m)
{
	size_t n, n_funcs;
	const struct path_node *nodes = model_paths(m, &n);
	const struct call_stats *funcs = model_funcs(m, &n_funcs);
	struct path_correction *of = calloc(n, sizeof(*of));
	struct summary_bytes again = { 0 };
	uint64_t sum = 0;

	for (size_t i = 1; i < n; i++)
		if (nodes[i].parent >= i ||
		    (nodes[i].func >= n_funcs && nodes[i].func < PATH_TIMER))
			abort();
	for (size_t i = 0; i < n_funcs; i++)
		sum += hist_quantile(&funcs[i].hist, 0.99) + model_released_ns(m, (uint32_t)i);
	model_path_events(m, tell, &sum);
	if (!of || summary_put(&again, m) || model_correct(m, of, NULL))
		abort();
	free(again.data);
	free(of);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t version = 0, n_funcs = 0;
	const uint8_t *at = varint_get(data, data + size, &version);

	if (at)
		at = varint_get(at, data + size, &n_funcs);
	struct trace_info info = info_of(n_funcs < 100 ? n_funcs : 100);
	struct model *m = model_new(&info, &(struct model_options){ .path_selfs = true });
	struct model_totals t;

	if (!m || model_finish(m))
		abort();
	const char *fault = summary_totals(&t, data, size);

	if (!summary_restore(m, data, size, size)) {
		if (fault)
			abort();
		use(m);
	}
	model_free(m);
	trace_info_free(&info);
	return 0;
}
