// SPDX-License-Identifier: BSD-2-Clause
#include "attach/describe.h"
#include "base/event_kinds.h"
#include "base/host/machine.h"
#include "binary/arch.h"
#include "trace/keys.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* ---- the plan */

static int add_funcs(struct trace_info *info, const struct plan *plan, uint32_t *number)
{
	for (size_t i = 0; i < plan->n_funcs; i++) {
		const struct plan_func *f = &plan->funcs[i];
		const struct trace_func out = {
			.name = f->name,
			.file = (char *)f->fn->file,
			.line = f->fn->start_line,
			.vaddr = f->fn->vaddr,
			.size = f->fn->size,
		};

		number[i] = TRACE_NONE;
		if (f->fate != PLAN_PROBED)
			continue;
		number[i] = info->n_funcs;
		int err = trace_info_add_func(info, &out);
		if (err)
			return err;
	}
	return 0;
}

static int add_sites(struct trace_info *info, const struct plan *plan, const uint32_t *number)
{
	for (size_t i = 0; i < plan->n_sites; i++) {
		const struct plan_site *s = &plan->sites[i];
		const struct trace_site out = {
			.func = s->func == PLAN_NO_FUNC ? TRACE_NONE : number[s->func],
			.target = s->target == PLAN_NO_FUNC ? TRACE_NONE : number[s->target],
			.file_off = s->file_off,
			.kind = s->kind,
		};
		int err = trace_info_add_site(info, &out);

		if (err)
			return err;
	}
	return 0;
}

static int add_values(struct trace_info *info, const struct plan *plan, const uint32_t *number)
{
	int err = 0;

	/* In the plan's order: a record names them by it. */
	for (size_t i = 0; i < plan->n_funcs && !err; i++) {
		const struct plan_func *f = &plan->funcs[i];

		for (size_t k = 0; k < (size_t)f->n_args + f->n_results && !err; k++) {
			const struct plan_value *v = &plan->values.list[f->first_value + k];
			const struct trace_value_def d = {
				.func = number[i],
				.result = v->result,
				.type = v->v.type,
				.name = v->name,
			};

			err = trace_info_add_value(info, &d);
		}
	}
	return err;
}

/* The next free key warn.N. */
static int add_warning(struct trace_info *info, const char *sentence)
{
	char key[32];
	int n = 0;

	do
		snprintf(key, sizeof(key), KEY_WARN "%d", n++);
	while (trace_info_get(info, key));
	return trace_info_set(info, key, sentence);
}

/* "not traced: 12 wrapper, 3 assembly; ..." */
static int say_untraced(struct trace_info *info, const struct plan *plan)
{
	char line[1024] = WARN_UNTRACED;
	size_t n = strlen(line), n_left_out = 0;

	for (int f = PLAN_PROBED + 1; f < PLAN_FATES; f++) {
		if (!plan->n_fate[f] || f == PLAN_EXCLUDED)
			continue;
		n += snprintf(line + n, sizeof(line) - n, "%s %zu %s", n_left_out ? "," : "",
			      plan->n_fate[f], plan_fate_name(f));
		n_left_out += plan->n_fate[f];
	}
	if (plan->n_inlined)
		n += snprintf(line + n, sizeof(line) - n,
			      "%s %zu that exist only inlined into others", n_left_out ? "," : "",
			      plan->n_inlined);
	if (!n_left_out && !plan->n_inlined)
		return 0;
	snprintf(line + n, sizeof(line) - n, " ('gotrace plan%s --list' names them)%s",
		 plan->n_fate[PLAN_TRAPS] ? " --pid PID" : "",
		 plan->n_fate[PLAN_TRAPS] ? "; --traps takes those that would trap" : "");
	return add_warning(info, line);
}

static int say_unseen(struct trace_info *info, const struct plan *plan)
{
	int err = 0;

	if (!plan->ends_seen)
		err = add_warning(info, "the end of goroutines is not seen in this binary: "
					"calls open at their end count as unfinished");
	if (!err && !plan->creates_seen)
		err = add_warning(info, "the creation of goroutines is not seen in this binary: "
					"paths do not run through go statements");
	if (!err && !plan->unwinds_seen)
		err = add_warning(info,
				  "recovered panics are not seen in this binary: "
				  "calls they end are closed by the next event and marked suspect");
	if (!err && !plan->stops_seen)
		err = add_warning(
			info,
			"growing stacks and preempted prologues are not seen in this binary. Their time counts as the caller's");
	return err;
}

int describe_plan(struct trace_info *info, const struct plan *plan)
{
	uint32_t *number = calloc(plan->n_funcs + 1, sizeof(*number));
	int err = number ? add_funcs(info, plan, number) : -ENOMEM;

	if (!err)
		err = add_sites(info, plan, number);
	if (!err)
		err = add_values(info, plan, number);
	if (!err)
		err = trace_info_setf(info, KEY_PLAN_SELECTED, "%zu", plan->n_funcs);
	if (!err)
		err = trace_info_setf(info, KEY_PLAN_PROBED, "%zu", plan->n_probed);
	if (!err)
		err = trace_info_setf(info, KEY_PLAN_INLINED, "%zu", plan->n_inlined);
	for (int f = 0; f < PLAN_FATES && !err; f++) {
		char key[48];

		snprintf(key, sizeof(key), KEY_PLAN_FATE "%s", plan_fate_name(f));
		if (f != PLAN_PROBED && plan->n_fate[f])
			err = trace_info_setf(info, key, "%zu", plan->n_fate[f]);
	}
	if (!err)
		err = say_untraced(info, plan);
	if (!err)
		err = say_unseen(info, plan);
	if (!err && plan->loads_plugins)
		err = add_warning(
			info,
			"functions of Go plugins that the program loads are not traced. Their time is their callers'");
	free(number);
	return err;
}

/* "runtime.casgstatus:inline runtime.preemptPark:emulated": each once. */
static int add_state_sites(struct trace_info *info, const struct probing *p)
{
	const char *last = NULL;
	char line[512] = "";
	size_t n = 0;

	for (size_t i = 0; i < p->plan->n_sites && n < sizeof(line); i++) {
		const struct plan_site *s = &p->plan->sites[i];

		if (s->kind != EV_STATE || s->runtime_func == last)
			continue;
		last = s->runtime_func;
		n += (size_t)snprintf(line + n, sizeof(line) - n, "%s%s:%s", n ? " " : "", last,
				      p->in_stub[i] && site_is_inline(s)
					      ? "inline"
					      : event_how_name(p->cost_class[i] + 1u));
	}
	return trace_info_set(info, KEY_STATES_SITES, line);
}

static int describe_states(struct trace_info *info, const struct probing *p)
{
	const struct plan_states *states = p->plan->states;
	int err = trace_info_set(info, KEY_STATES, "1");

	for (unsigned i = 0; i < states->reasons.n && !err; i++) {
		char key[48];

		snprintf(key, sizeof(key), KEY_STATES_REASON ".%u", i);
		err = trace_info_set(info, key, states->reasons.text[i]);
	}
	if (!err && !states->reasons.n)
		err = add_warning(
			info,
			"reasons of waits are recorded as numbers, because this gotrace does not know the reasons of that Go version");
	return err ? err : add_state_sites(info, p);
}

int describe_strategy(struct trace_info *info, const struct probing *p)
{
	int err = trace_info_set(info, KEY_PROBE_STRATEGY, probe_strategy_name(p->strategy));

	if (!err)
		err = trace_info_set(info, KEY_PROBE_WHY, p->why);
	return err || !p->plan->states ? err : describe_states(info, p);
}

int describe_inline_rings(struct trace_info *info, const struct probing *p, uint64_t event_ns)
{
	const bool drop = p->plan->stubs.inl.options.drop;
	int err = trace_info_setf(info, KEY_INLINE_RINGS, "%u", p->rings.n);

	if (!err)
		err = trace_info_setf(info, KEY_INLINE_RING_BYTES, "%u", p->rings.ring_bytes);
	if (!err)
		err = trace_info_set(info, KEY_INLINE_OVERFLOW, drop ? "drop" : "throttle");
	if (!err && event_ns)
		err = trace_info_setf(info, KEY_COST_INLINE_NS, "%" PRIu64, event_ns);
	return err;
}

/* ---- binary and host */

int describe_binary(struct trace_info *info, const struct gobin *b, const char *path,
		    bool layout_from_dwarf)
{
	const struct gomodule *mod = gobin_main_module(b);
	int err = trace_info_set(info, KEY_BINARY_PATH, path);

	if (!err)
		err = trace_info_set(info, KEY_BINARY_BUILD_ID, gobin_build_id(b));
	if (!err)
		err = trace_info_set(info, KEY_GO_VERSION, gobin_go_version(b));
	if (!err)
		err = trace_info_set(info, KEY_GO_LAYOUT, layout_from_dwarf ? "dwarf" : "table");
	if (!err && mod && mod->path && *mod->path)
		err = trace_info_set(info, KEY_GO_MODULE, mod->path);
	if (!err)
		err = trace_info_set(info, KEY_TARGET_PIE, gobin_is_pie(b) ? "1" : "0");
	return err;
}

static void cpu_model(char *out, size_t size)
{
	char line[256];
	FILE *f = fopen("/proc/cpuinfo", "re");

	snprintf(out, size, "unknown");
	while (f && fgets(line, sizeof(line), f)) {
		char *colon = strchr(line, ':');

		if (strncmp(line, "model name", 10) || !colon)
			continue;
		colon[strcspn(colon, "\n")] = '\0';
		snprintf(out, size, "%s", colon[1] ? colon + 2 : "unknown");
		break;
	}
	if (f)
		fclose(f);
}

static unsigned long long clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

int describe_host(struct trace_info *info)
{
	struct utsname u;
	char cpu[256];
	int err = uname(&u) ? -errno : 0;

	cpu_model(cpu, sizeof(cpu));
	if (!err)
		err = trace_info_setf(info, KEY_HOST_KERNEL, "%s %s", u.sysname, u.release);
	if (!err)
		err = trace_info_set(info, KEY_HOST_ARCH,
				     arch_of_machine(host_elf_machine())->goarch);
	if (!err)
		err = trace_info_set(info, KEY_HOST_CPU, cpu);
	if (!err)
		err = trace_info_setf(info, KEY_HOST_CPUS, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	if (!err)
		err = trace_info_setf(info, KEY_HOST_MEMORY_BYTES, "%llu",
				      (unsigned long long)sysconf(_SC_PHYS_PAGES) *
					      sysconf(_SC_PAGESIZE));
	if (!err)
		err = trace_info_setf(info, KEY_CLOCK_MONOTONIC_NS, "%llu",
				      clock_ns(CLOCK_MONOTONIC));
	if (!err)
		err = trace_info_setf(info, KEY_CLOCK_REALTIME_NS, "%llu",
				      clock_ns(CLOCK_REALTIME));
	return err;
}
