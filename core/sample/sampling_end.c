// SPDX-License-Identifier: BSD-2-Clause
#include "sample/sampling_end.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "attach/end_reason.h"
#include "base/clock.h"
#include "trace/keys.h"

static int set_count(struct trace_info *end, const char *key, uint64_t n)
{
	return trace_info_setf(end, key, "%" PRIu64, n);
}

/* What was given up to stay within the memory. */
static int describe_room(struct sampling *s)
{
	const struct processes *p = &s->processes;

	if (!s->counts.no_memory && !p->dropped && !p->refused)
		return 0;
	return trace_info_setf(
		&s->end, KEY_WARN_MEMORY,
		"memory was short, so gotrace left out %" PRIu64
		" samples. It forgot the mappings of %" PRIu64
		" running processes until it needed them, and ignored %" PRIu64
		" new processes. Names may be missing where such a process has ended",
		s->counts.no_memory, p->dropped, p->refused);
}

static int describe_interpreters(struct sampling *s, const struct sample_counters *c)
{
	const uint64_t lost = c->python_lost + s->langs.lost;

	if (!lost && !c->python_nameless && !s->langs.refused)
		return 0;
	return trace_info_setf(&s->end, KEY_WARN_FRAMES,
			       "%" PRIu64 " samples of Python programs have frames of the "
			       "interpreter only, because there was no room for the functions. "
			       "%" PRIu64 " samples have functions whose names could not be read. "
			       "%" PRIu64 " Python programs have no functions at all, because "
			       "there were too many programs",
			       lost, c->python_nameless, s->langs.refused);
}

/* Clocks of CPUs miss no thread. */
static int describe_late(struct sampling *s)
{
	if (s->events.by_cpu)
		return trace_info_setf(&s->end, KEY_WARN_THREADS,
				       "the program started threads faster than gotrace could "
				       "attach to them. The processor time of %" PRIu64
				       " threads is known in part, and what other threads map may "
				       "have no names",
				       s->late);
	return trace_info_setf(&s->end, KEY_WARN_THREADS,
			       "the program started threads faster than gotrace could attach "
			       "to them: %" PRIu64 " were sampled late, others may be missing",
			       s->late);
}

/* What is missing besides samples. */
static int describe_losses(struct sampling *s, const struct sample_counters *c)
{
	uint64_t labels = c->labels_lost + s->counts.no_labels;
	int err = 0;

	if (labels)
		err = set_count(&s->end, KEY_END_LABELS_LOST, labels);
	if (!err && labels)
		err = trace_info_setf(&s->end, KEY_WARN_LABELS,
				      "labels of %" PRIu64 " samples could not be read, or are "
				      "more than 8: some or all of them are missing",
				      labels);
	if (!err && s->counts.labels_cut)
		err = set_count(&s->end, KEY_END_LABELS_CUT, s->counts.labels_cut);
	if (!err && s->counts.no_binary)
		err = set_count(&s->end, KEY_END_SAMPLES_NO_BINARY, s->counts.no_binary);
	if (!err && s->counts.early)
		err = set_count(&s->end, KEY_END_SAMPLES_EARLY, s->counts.early);
	if (!err)
		err = natives_describe(&s->natives, &s->end);
	if (!err)
		err = describe_interpreters(s, c);
	if (!err)
		err = kept_files_describe(&s->kept, &s->end);
	if (!err && s->late)
		err = set_count(&s->end, KEY_END_THREADS_LATE, s->late);
	if (!err && (s->late || s->behind || s->missed))
		err = describe_late(s);
	if (!err && c->members_refused)
		err = trace_info_setf(&s->end, KEY_WARN_PROCESSES,
				      "%" PRIu64 " processes were not sampled, because more than "
				      "%d lived at the same time",
				      c->members_refused, SAMPLE_MEMBERS);
	if (!err)
		err = side_band_describe_lost(&s->side, &s->end);
	if (!err)
		err = describe_room(s);
	return err;
}

static uint64_t tables_bytes(const struct sampling *s)
{
	const struct sample_tables *t = trace_writer_tables(s->writer);

	return t ? t->bytes : 0;
}

bool sampling_is_full(const struct sampling *s)
{
	return s->given->most_bytes && tables_bytes(s) > 2 * s->given->most_bytes;
}

bool sampling_has_room(struct sampling *s)
{
	const bool has = !sampling_is_full(s);

	s->counts.outside += !has;
	s->counts.no_memory += !has;
	return has;
}

void sampling_cut_for_room(struct sampling *s, uint64_t now_ns)
{
	if (!(s->given->most_bytes && tables_bytes(s) > s->given->most_bytes) && !s->processes.full)
		return;
	if (now_ns < s->begun_ns + STRETCH_LEAST_NS)
		return;
	s->cut = s->cut_for_room = true;
}

int sampling_name_ended(struct sampling *s)
{
	bool *which;
	size_t n;
	int err = langs_write(&s->langs, s->writer);

	if (err)
		return err;
	err = processes_to_name(&s->processes, s->drained_ns, &which, &n);

	if (!err && n && s->given->name_ended)
		err = s->given->name_ended(s->given->name_ctx, s->writer, which, n);
	free(which);
	if (!err)
		processes_release(&s->processes, s->drained_ns);
	return err;
}

static struct sample_counters since(struct sample_counters c, const struct sample_counters *told)
{
	c.samples -= told->samples;
	c.lost -= told->lost;
	c.lost_period -= told->lost_period;
	c.labels_lost -= told->labels_lost;
	c.deaths_lost -= told->deaths_lost;
	c.python_lost -= told->python_lost;
	c.python_nameless -= told->python_nameless;
	c.members_refused -= told->members_refused;
	return c;
}

uint64_t sampling_real_ns(uint64_t monotonic_ns)
{
	return clock_realtime_ns() - (clock_monotonic_ns() - monotonic_ns);
}

/* From when to when samples of this trace were taken. */
static int describe_stretch(struct sampling *s)
{
	const uint64_t to_ns = s->target_end_ns ? s->target_end_ns : s->drained_ns;
	int err = 0;

	if (s->begun_ns && to_ns > s->begun_ns) {
		const uint64_t real_ns = sampling_real_ns(s->begun_ns);

		err = set_count(&s->end, KEY_END_STRETCH_FROM_NS, real_ns);
		if (!err)
			err = set_count(&s->end, KEY_END_STRETCH_TO_NS,
					real_ns + (to_ns - s->begun_ns));
	}
	return err;
}

void sampling_count_anew(struct sampling *s)
{
	s->told = sample_bpf_counters(&s->bpf);
	s->counts = (struct sampling_counts){ 0 };
	s->kept.no_room = s->processes.dropped = s->processes.refused = 0;
	s->cut_for_room = false;
	s->begun_ns = s->drained_ns;
	s->late = s->side.lost = s->cpus.late = 0;
	if (s->host.on)
		host_cpu_begins(&s->host);
}

int sampling_describe_end(struct sampling *s)
{
	struct sample_counters c = since(sample_bpf_counters(&s->bpf), &s->told);
	const struct target *t = s->given->targets;
	const struct {
		const char *key;
		uint64_t n;
	} counts[] = {
		{ KEY_END_SAMPLES, s->counts.samples + wall_samples(&s->wall) },
		{ KEY_END_SAMPLES_LOST, c.lost + s->counts.outside },
		{ KEY_END_SAMPLES_CUT, s->counts.cut_off + s->wall.cut },
		{ KEY_END_SAMPLES_UNREADABLE, s->counts.unreadable + s->wall.unreadable },
		{ KEY_END_TIME_NS, clock_monotonic_ns() },
	};
	int err = trace_info_set(&s->end, KEY_END_REASON, end_reason_name(s->reason));

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts) && !err; i++)
		err = set_count(&s->end, counts[i].key, counts[i].n);
	if (!err)
		err = describe_stretch(s);
	if (!err)
		err = describe_losses(s, &c);
	if (!err && s->wall.on)
		err = wall_describe(&s->wall, &s->end);
	if (!err && s->given->record_signals)
		err = deaths_describe(&s->deaths, &s->bpf, &s->end);
	if (!err && s->cpus.late)
		err = trace_info_setf(
			&s->end, KEY_WARN_CPUS,
			"%" PRIu64
			" CPUs came online while samples were taken, and were sampled up to a second late",
			s->cpus.late);
	if (!err && s->given->event->is_clock &&
	    (s->events.cpu_ns ||
	     !s->host.on)) /* else the weights are no times to compare it with */
		err = set_count(&s->end, KEY_END_SAMPLED_CPU_NS, s->events.cpu_ns);
	if (!err && t->launched && t->ended && WIFEXITED(t->wait_status))
		err = set_count(&s->end, KEY_END_STATUS, WEXITSTATUS(t->wait_status));
	if (!err && t->launched && t->ended && WIFSIGNALED(t->wait_status))
		err = set_count(&s->end, KEY_END_SIGNAL, WTERMSIG(t->wait_status));
	if (!err && s->target_end_ns && t->exec_ns)
		err = set_count(&s->end, KEY_END_TARGET_WALL_NS, s->target_end_ns - t->exec_ns);
	return err;
}
