// SPDX-License-Identifier: BSD-2-Clause
/* /metrics of the agent, in Prometheus's text format
 * (prometheus.io/docs/instrumenting/exposition_formats). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/agent_run.h"

static uint64_t resident_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	uint64_t all, resident = 0;

	if (f && fscanf(f, "%" SCNu64 " %" SCNu64, &all, &resident) != 2)
		resident = 0;
	if (f)
		fclose(f);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void put(FILE *out, const char *name, const char *type, const char *help, double value)
{
	fprintf(out, "# HELP gotrace_%s %s\n# TYPE gotrace_%s %s\ngotrace_%s %.17g\n", name, help,
		name, type, name, value);
}

static void put_store(FILE *out, struct store *s)
{
	static const struct {
		const char *sql, *name, *help;
	} asked[] = {
		{ "SELECT count(*) FROM profiles", "store_profiles", "Profiles in the store." },
		{ "SELECT coalesce(sum(bytes), 0) FROM profiles", "store_bytes", "Bytes of them." },
		{ "SELECT count(*) FROM outbox", "push_pending_profiles",
		  "Profiles that are still to be pushed." },
		{ "SELECT coalesce(sum(bytes), 0) FROM profiles JOIN outbox USING(id)",
		  "push_pending_bytes", "Bytes of them." },
	};

	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		sqlite3_stmt *q = NULL;

		if (!sqlite3_prepare_v2(s->db, asked[i].sql, -1, &q, NULL) &&
		    sqlite3_step(q) == SQLITE_ROW)
			put(out, asked[i].name, "gauge", asked[i].help,
			    (double)sqlite3_column_int64(q, 0));
		sqlite3_finalize(q);
	}
	put(out, "samples_written_total", "counter",
	    "Samples of profiles in the store, since it was made.",
	    (double)store_total(s, "samples_written"));
	put(out, "samples_pushed_total", "counter",
	    "Samples that the server has taken, since the store was made.",
	    (double)store_total(s, "samples_pushed"));
	put(out, "samples_given_up_total", "counter",
	    "Samples that were to be pushed and were not: refused, or removed before.",
	    (double)store_total(s, "samples_given_up"));
}

/* Given up for want of room, in memory and in the store. */
static void put_room(FILE *out, const struct agent *a)
{
	put(out, "samples_no_memory_total", "counter",
	    "Samples that were left out to stay within the memory; they are among the lost.",
	    (double)a->no_memory_samples);
	put(out, "stretches_cut_total", "counter",
	    "Stretches of time that ended early to stay within the memory.",
	    (double)a->n_cut_for_room);
	put(out, "processes_forgotten_total", "counter",
	    "Processes that were forgotten to stay within the memory, and read again when needed.",
	    (double)(a->n_forgotten + a->splitter.forgotten));
	put(out, "unwinding_tables_given_back_total", "counter",
	    "Programs and libraries whose tables to walk stacks gave way to others, as no process "
	    "used them.",
	    (double)(a->sampling.binaries.given_back + a->sampling.natives.given_back));
	put(out, "symbol_files_closed_total", "counter",
	    "Files whose symbols were given up to stay within the memory, and read again when "
	    "needed.",
	    (double)a->symbols.closed);
	put(out, "store_removed_profiles_total", "counter",
	    "Profiles that were too old, or too many, for the store.",
	    (double)(a->trimmed.old + a->trimmed.too_many));
	put(out, "store_removed_bytes_total", "counter", "Bytes of them.",
	    (double)a->trimmed.bytes);
}

char *agent_metrics(void *ctx)
{
	struct agent *a = ctx;
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	struct store s;

	if (!out)
		return NULL;
	put(out, "samples_total", "counter", "Samples that the agent has put into the store.",
	    (double)a->splitter.samples);
	put(out, "samples_lost_total", "counter", "Samples for which the kernel had no room.",
	    (double)a->splitter.lost);
	put(out, "samples_dropped_total", "counter", "Samples of processes that no rule wants.",
	    (double)a->splitter.dropped);
	put(out, "samples_failed_total", "counter",
	    "Samples of stretches that could not be put into the store.",
	    (double)a->failed_samples);
	put_room(out, a);
	put(out, "stretches_total", "counter", "Stretches of time that are in the store.",
	    (double)a->n_stored);
	put(out, "waiting_processes", "gauge", "Processes that are asked what they wait for.",
	    (double)a->n_waiting);
	put(out, "waiting_left_out", "gauge",
	    "Processes that should be asked and were not in the last stretch, because there are too "
	    "many.",
	    (double)a->n_left_out);
	if (a->pusher) {
		const struct push_counts p = pusher_counts(a->pusher);

		put(out, "push_profiles_total", "counter", "Profiles that the server has taken.",
		    (double)p.pushed);
		put(out, "push_refused_total", "counter",
		    "Profiles that the server has refused for good.", (double)p.refused);
		put(out, "push_failures_total", "counter", "Tries that failed and are repeated.",
		    (double)p.failures);
	}
	/* A connection of its own: another thread asks. */
	if (!store_open_to_read(&s, a->config.directory)) {
		put_store(out, &s);
		store_close(&s);
	}
	put(out, "agent_cpu_seconds_total", "counter", "Processor time of the agent.",
	    (double)clock_own_cpu_ns() / 1e9);
	put(out, "agent_resident_bytes", "gauge", "Memory of the agent.", (double)resident_bytes());
	fclose(out);
	return text;
}
