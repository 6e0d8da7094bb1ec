// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/wait_class.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/calls/wait_rows.h"

static const struct named_class {
	const char *begins;
	enum wait_class is;
} named_classes[] = {
	{ "sync.Mutex.", CLASS_LOCK },
	{ "sync.RWMutex.", CLASS_LOCK },
	{ "sync.WaitGroup.", CLASS_GROUP },
	{ "sync.Cond.", CLASS_COND },
	{ "chan ", CLASS_CHAN },
	{ "select", CLASS_CHAN },
	{ "sleep", CLASS_SLEEP },
	{ "IO wait", CLASS_NET },
	{ "GC ", CLASS_GC },
	{ "garbage collection", CLASS_GC },
	{ "wait for GC", CLASS_GC },
	{ "preempted", CLASS_GC },
	{ "stopping the world", CLASS_GC },
	{ "flushing proc caches", CLASS_GC },
};

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static enum wait_class by_text(const char *reason)
{
	for (size_t i = 0; i < sizeof(named_classes) / sizeof(named_classes[0]); i++)
		if (begins(reason, named_classes[i].begins))
			return named_classes[i].is;
	return CLASS_OTHER;
}

void wait_classes_fill(struct wait_classes *c, const struct trace_info *info)
{
	char number[WAIT_REASON_BYTES];
	bool mutex = false, group = false;

	for (uint32_t i = 0; i <= REASON_PREEMPTED; i++) {
		const char *text = wait_reason(info, i, number);

		c->of[i] = by_text(text);
		mutex |= begins(text, "sync.Mutex.");
		group |= begins(text, "sync.WaitGroup.");
	}
	for (uint32_t i = 0; i <= REASON_PREEMPTED; i++)
		if (!strcmp(wait_reason(info, i, number), "semacquire"))
			c->of[i] = !mutex ? CLASS_LOCK : !group ? CLASS_GROUP : CLASS_GC;
}

#define WORDS(...) ((struct wait_class_words){ __VA_ARGS__ })

/* The compiler names a class without words. */
struct wait_class_words wait_class_words(enum wait_class is)
{
	switch (is) {
	case CLASS_RUN:
		return WORDS("run", "runs", "run", "", "");
	case CLASS_CPU:
		return WORDS("processor", "waits", "wait", " for a processor", "");
	case CLASS_SYSCALL:
		return WORDS("syscall", "is", "are", " in system calls", "");
	case CLASS_UNKNOWN:
		return WORDS("unknown", "is", "are", " in an unknown state", "");
	case CLASS_LOCK:
		return WORDS("lock", "waits", "wait", " for a lock", "");
	case CLASS_GROUP:
		return WORDS("group", "waits", "wait", " for other goroutines", "");
	case CLASS_COND:
		return WORDS("condition", "waits", "wait", " for other goroutines", " (sync.Cond)");
	case CLASS_CHAN:
		return WORDS("channel", "waits", "wait", " for other goroutines", " (channels)");
	case CLASS_SLEEP:
		return WORDS("sleep", "sleeps", "sleep", "", "");
	case CLASS_NET:
		return WORDS("network", "waits", "wait", " for the network", "");
	case CLASS_GC:
		return WORDS("collector", "waits", "wait", " for the garbage collector", "");
	case CLASS_OTHER:
		return WORDS("other", "waits", "wait", "", "");
	case CLASSES:
		break;
	}
	return WORDS("", "", "", "", "");
}

const char *wait_class_name(enum wait_class is)
{
	return wait_class_words(is).name;
}

bool wait_for_work(const struct trace_info *info, const struct wait_classes *c, uint32_t reason)
{
	const enum wait_class is = wait_class_of(c, reason);
	char number[WAIT_REASON_BYTES];

	return is == CLASS_COND ||
	       (is == CLASS_CHAN && !begins(wait_reason(info, reason, number), "chan send"));
}

bool wait_for_lock(const struct trace_info *info, const struct wait_classes *c, uint32_t reason)
{
	char number[WAIT_REASON_BYTES];

	return wait_class_of(c, reason) == CLASS_LOCK &&
	       begins(wait_reason(info, reason, number), "sync.");
}

#define WRAPPER ".deferwrap"

static bool acts_for_caller(const char *name)
{
	return begins(name, "sync.") || begins(name, "internal/sync.") ||
	       begins(name, "runtime.") || strstr(name, WRAPPER);
}

/* A function and its name, in the order of names. */
struct named {
	const char *name;
	size_t len;
	uint32_t func;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int cmp = memcmp(x->name, y->name, x->len < y->len ? x->len : y->len);

	return cmp ? cmp : (x->len > y->len) - (x->len < y->len);
}

/* Each wrapper acts for the function whose name its own begins with. */
static int find_wrapped(const struct trace_info *info, uint32_t *acts_for)
{
	struct named *all = calloc(info->n_funcs + 1, sizeof(*all));

	if (!all)
		return -1;
	for (size_t i = 0; i < info->n_funcs; i++)
		all[i] = (struct named){ info->funcs[i].name, strlen(info->funcs[i].name),
					 (uint32_t)i };
	qsort(all, info->n_funcs, sizeof(*all), by_name);
	for (size_t i = 0; i < info->n_funcs; i++) {
		const char *name = info->funcs[i].name, *end = strstr(name, WRAPPER);
		const struct named key = { name, end ? (size_t)(end - name) : 0, 0 };
		const struct named *of = end ? bsearch(&key, all, info->n_funcs, sizeof(*all),
						       by_name)
					     : NULL;

		acts_for[i] = of ? of->func : (uint32_t)i;
	}
	free(all);
	return 0;
}

struct lock_rules *lock_rules_new(const struct trace_info *info)
{
	struct lock_rules *r = calloc(1, sizeof(*r));
	uint8_t *for_caller = calloc(info->n_funcs + 1, 1);
	char number[WAIT_REASON_BYTES];
	struct wait_classes classes;

	wait_classes_fill(&classes, info);
	if (r)
		r->acts_for = calloc(info->n_funcs + 1, sizeof(*r->acts_for));
	if (!r || !for_caller || !r->acts_for || find_wrapped(info, r->acts_for)) {
		free(for_caller);
		lock_rules_free(r);
		return NULL;
	}
	for (size_t i = 0; i < info->n_funcs; i++)
		for_caller[i] = acts_for_caller(info->funcs[i].name);
	for (uint32_t i = 0; i <= REASON_PREEMPTED; i++) {
		r->rules.locks[i] = classes.of[i] == CLASS_LOCK;
		r->rules.together[i] = !strcmp(wait_reason(info, i, number), "sync.RWMutex.RLock");
	}
	r->rules.for_caller = for_caller;
	r->rules.n_funcs = info->n_funcs;
	return r;
}

void lock_rules_free(struct lock_rules *r)
{
	if (!r)
		return;
	free((void *)(uintptr_t)r->rules.for_caller);
	free(r->acts_for);
	free(r);
}
