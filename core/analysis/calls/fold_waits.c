// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/fold_waits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/keys.h"

bool fold_waits_func(const char *name)
{
	static const char *const begins[] = {
		"runtime.",       "sync.", "internal/sync.", "time.Sleep", "internal/poll.runtime_",
		"syscall.Syscall"
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* "waits" between commas? */
static bool recorded_waits(const struct trace_info *info)
{
	const char *presets = trace_info_get(info, KEY_SELECT_PRESETS);

	for (const char *s = presets; s && *s; s += strcspn(s, ","), s += *s == ',')
		if (!strncmp(s, "waits", 5) && (!s[5] || s[5] == ','))
			return true;
	return false;
}

int fold_waits(struct loaded_trace *t)
{
	const struct trace_info *info = t->info;
	uint8_t *funcs;
	int err;

	if (!t->totals->states || t->samples || t->summary || !recorded_waits(info))
		return 0;
	funcs = calloc(info->n_funcs + 1, 1);
	for (size_t i = 0; funcs && i < info->n_funcs; i++)
		funcs[i] = fold_waits_func(info->funcs[i].name);
	err = funcs ? model_fold(t->model, funcs) : -ENOMEM;
	t->folded = !err;
	free(funcs);
	return err;
}
