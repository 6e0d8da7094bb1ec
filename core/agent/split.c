// SPDX-License-Identifier: BSD-2-Clause
#include "agent/split.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/vec.h"
#include "export/export.h"
#include "symbols/open_trace.h"
#include "trace/keys.h"
#include "trace/sample_copy.h"

/* ---- one stretch */

#define DROPPED UINT32_MAX

struct series {
	char *service, *labels;
	bool waiting; /* a process of it may have samples of that */
};

struct splitting {
	struct splitter *s;
	const char *path;
	uint64_t from_ns, to_ns;
	bool named;
	struct series *series;
	size_t n_series, cap_series;
	uint32_t *series_of; /* by process of the trace; DROPPED */
	struct profile *profiles;
	size_t n_profiles;
	uint64_t lost;
	struct trace_info reasons; /* KEY_STATES_REASON of the trace */
	char *memory;              /* KEY_WARN_MEMORY of it; NULL: nothing was given up */
	uint32_t at;               /* series that is being written */
};

static int series_of(struct splitting *x, const struct member *m, uint32_t *to)
{
	for (size_t i = 0; i < x->n_series; i++)
		if (!strcmp(x->series[i].service, m->service) &&
		    !strcmp(x->series[i].labels, m->labels)) {
			*to = (uint32_t)i;
			return 0;
		}
	if (vec_reserve(&x->series, &x->cap_series, x->n_series + 1))
		return -ENOMEM;
	struct series *new = &x->series[x->n_series];

	*new = (struct series){ .service = strdup(m->service), .labels = strdup(m->labels) };
	*to = (uint32_t)x->n_series++;
	return new->service &&new->labels ? 0 : -ENOMEM;
}

static int copy_reasons(struct trace_info *to, const struct trace_info *from)
{
	static const char list[] = KEY_STATES_REASON ".";
	int err = 0;

	for (size_t i = 0; i < from->n_kvs && !err; i++)
		if (!strncmp(from->kvs[i].key, list, strlen(list)))
			err = trace_info_set(to, from->kvs[i].key, from->kvs[i].value);
	return err;
}

/* Reads the trace: which processes have samples, and what is known of these. */
static int look(struct splitting *x)
{
	struct trace_reader *r = trace_reader_open(x->path);
	uint64_t *samples = NULL;
	size_t cap = 0;
	struct sample_span span;
	int got, err = r ? 0 : -errno;

	while (!err && (got = trace_reader_samples(r, &span)) != 0) {
		err = got < 0 ? got
			      : vec_reserve(&samples, &cap,
					    trace_reader_tables_so_far(r)->n_processes);
		for (size_t i = 0; i < span.n && !err; i++)
			samples[span.s[i].process]++;
	}
	const struct sample_tables *t = r ? trace_reader_tables(r) : NULL;
	const size_t n = t ? t->n_processes : 0;

	if (!err)
		err = vec_reserve(&samples, &cap, n + 1);
	x->series_of = err ? NULL : malloc((n + 1) * sizeof(*x->series_of));
	if (!err && !x->series_of)
		err = -ENOMEM;
	for (size_t i = 0; i < n && !err; i++) {
		const struct member *m = splitter_member(x->s, &t->processes[i]);

		x->series_of[i] = DROPPED;
		if (!m)
			err = -ENOMEM;
		else if (samples[i] && m->service)
			err = series_of(x, m, &x->series_of[i]);
		else
			x->s->dropped += samples[i];
		if (!err && x->series_of[i] != DROPPED)
			x->series[x->series_of[i]].waiting |= m->waiting;
	}
	if (!err)
		x->lost = trace_info_u64(trace_reader_info(r), KEY_END_SAMPLES_LOST, 0);
	if (!err)
		err = copy_reasons(&x->reasons, trace_reader_info(r));
	const char *memory = r && !err ? trace_info_get(trace_reader_info(r), KEY_WARN_MEMORY)
				       : NULL;

	if (memory && !(x->memory = strdup(memory)))
		err = -ENOMEM;
	free(samples);
	trace_reader_close(r);
	return err;
}

static bool is_of_series(void *ctx, uint32_t number, const struct sample_process *p)
{
	const struct splitting *x = ctx;

	(void)p;
	return x->series_of[number] == x->at;
}

/* Reasons, too: whoever puts traces together needs them before the samples. */
static int head(struct trace_info *to, const struct trace_info *from, const struct splitting *x)
{
	const struct series *of = &x->series[x->at];
	int err = sample_copy_head(to, from, of->waiting);

	if (!err && of->waiting)
		err = copy_reasons(to, &x->reasons);
	if (!err)
		err = trace_info_set(to, KEY_SAMPLE_SERVICE, of->service);
	return err ? err : trace_info_set(to, KEY_SAMPLE_LABELS_OF, of->labels);
}

static int end_keys(struct trace_info *end, const struct splitting *x,
		    const struct sample_copy_counts *c)
{
	int err = trace_info_set(end, KEY_END_REASON, REASON_INTERVAL);

	if (!err)
		err = trace_info_setf(end, KEY_END_STRETCH_FROM_NS, "%" PRIu64, x->from_ns);
	if (!err)
		err = trace_info_setf(end, KEY_END_STRETCH_TO_NS, "%" PRIu64, x->to_ns);
	if (!err)
		err = trace_info_setf(end, KEY_END_SAMPLES, "%" PRIu64, c->samples);
	if (!err)
		err = trace_info_setf(end, KEY_END_SAMPLES_LOST, "%" PRIu64, x->lost);
	if (!err && x->lost)
		err = trace_info_setf(end, KEY_WARN_LOST_OF,
				      "%" PRIu64
				      " samples of the host were lost in this time; whose "
				      "they were is not known",
				      x->lost);
	/* Of the host, too. */
	if (!err && x->memory)
		err = trace_info_set(end, KEY_WARN_MEMORY, x->memory);
	return err;
}

static char *build_ids(const struct sample_tables *t)
{
	json_t *list = json_array(), *seen = json_object();

	for (size_t i = 0; t && i < t->n_images; i++) {
		char id[FILE_ID_TEXT_BYTES];

		file_id_text(t->images[i].build_id, t->images[i].build_id_len, id);
		if (*id && !json_object_get(seen, id)) {
			json_object_set_new(seen, id, json_true());
			json_array_append_new(list, json_string(id));
		}
	}
	char *text = json_dumps(list, JSON_COMPACT);

	json_decref(list);
	json_decref(seen);
	return text;
}

static char *file_of(const struct splitting *x, const struct profile *p, const char *end)
{
	char *file = NULL;

	return asprintf(&file, "%s/%s%s", x->s->store->directory, p->path, end) < 0 ? NULL : file;
}

/* The samples of series x->at, as a trace of their own. */
static int write_trace(struct splitting *x, struct profile *p, const char *file)
{
	/* All of them are in it already: each keeps its number. */
	const struct sample_copy_options opt = { .process = is_of_series,
						 .ctx = x,
						 .reasons = &x->reasons };
	struct sample_copy_counts counts = { 0 };
	struct trace_reader *r = x->named ? trace_reader_open(x->path) : open_trace(x->path);
	struct trace_info info = { 0 }, end = { 0 };
	int fd = open(file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
	int err = !r ? -errno : fd < 0 ? -errno : head(&info, trace_reader_info(r), x);
	struct trace_writer *w = err ? NULL : trace_writer_new(fd, &info);
	struct sample_copy *c = w ? sample_copy_new(w, &opt) : NULL;

	if (!err && !w)
		err = -errno;
	if (!err)
		err = c ? sample_copy_add(c, r) : -ENOMEM;
	if (!err)
		err = sample_copy_end(c, &counts);
	if (!err)
		err = end_keys(&end, x, &counts);
	if (!err) {
		p->samples = counts.samples;
		p->weight_ns = counts.weight_ns;
		p->waiting_ns = counts.waiting_ns;
		p->event = trace_info_get(trace_reader_info(r), KEY_SAMPLE_EVENT) ?: "cpu-clock";
		p->event = strdup(p->event);
		p->build_ids = build_ids(trace_writer_tables(w));
		err = p->build_ids && p->event ? 0 : -ENOMEM;
	}
	sample_copy_free(c);
	if (w && !err)
		err = trace_writer_finish(w, end.kvs, end.n_kvs);
	else if (w)
		trace_writer_abort(w);
	else if (fd >= 0)
		close(fd);
	trace_info_free(&info);
	trace_info_free(&end);
	trace_reader_close(r);
	return err;
}

static int write_pprof(const char *trace, const char *file, bool identities)
{
	const struct export_options opt = { .identities = identities };
	const struct export_format *f = export_formats;
	struct trace_reader *r = trace_reader_open(trace); /* with names as far as there are any */
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	int err = r && out ? 0 : -errno;

	while (f->name && strcmp(f->name, "pprof") != 0)
		f++;
	if (!err)
		err = f->write(&r, 1, &opt, out);
	if (out && fclose(out) && !err)
		err = -errno;
	else if (!out && fd >= 0)
		close(fd);
	trace_reader_close(r);
	return err;
}

static uint64_t bytes_of(const char *file)
{
	struct stat st;

	return stat(file, &st) ? 0 : (uint64_t)st.st_size;
}

static int write_series(struct splitting *x)
{
	struct profile *p = &x->profiles[x->n_profiles++];
	struct splitter *s = x->s;

	p->service = x->series[x->at].service;
	p->labels = x->series[x->at].labels;
	p->from_ns = x->from_ns;
	p->to_ns = x->to_ns;
	p->lost = x->lost;
	p->path = store_new_path(s->store, p->service, x->from_ns, ++s->files);
	if (!p->path)
		return -ENOMEM;
	char *trace = file_of(x, p, ".gotrace"), *pprof = file_of(x, p, ".pb.gz");
	int err = trace && pprof ? write_trace(x, p, trace) : -ENOMEM;

	if (!err)
		err = write_pprof(trace, pprof, s->config->otlp);
	if (err) {
		log_error("%s: a profile of %s cannot be written: %s", s->store->directory,
			  p->service, strerror(-err));
		unlink(trace);
		unlink(pprof);
	} else {
		p->bytes = bytes_of(trace) + bytes_of(pprof);
	}
	free(trace);
	free(pprof);
	return err;
}

/* Nothing of it is in the store. */
static void take_back(struct splitting *x)
{
	for (size_t i = 0; i < x->n_profiles; i++) {
		char *trace = x->profiles[i].path ? file_of(x, &x->profiles[i], ".gotrace") : NULL;
		char *pprof = x->profiles[i].path ? file_of(x, &x->profiles[i], ".pb.gz") : NULL;

		if (trace)
			unlink(trace);
		if (pprof)
			unlink(pprof);
		free(trace);
		free(pprof);
	}
}

int splitter_add(struct splitter *s, const char *path, uint64_t from_ns, uint64_t to_ns, bool named)
{
	struct splitting x = {
		.s = s, .path = path, .from_ns = from_ns, .to_ns = to_ns, .named = named
	};
	const uint64_t dropped = s->dropped;

	s->stretch++;
	int err = look(&x);

	x.profiles = err ? NULL : calloc(x.n_series + 1, sizeof(*x.profiles));
	if (!err && !x.profiles)
		err = -ENOMEM;
	for (x.at = 0; x.at < x.n_series && !err; x.at++)
		err = write_series(&x);
	if (!err)
		err = store_add(s->store, x.profiles, x.n_profiles, s->config->url != NULL);
	if (err) {
		take_back(&x);
		s->dropped = dropped;
	}
	for (size_t i = 0; i < x.n_profiles; i++) {
		s->samples += err ? 0 : x.profiles[i].samples;
		free(x.profiles[i].path);
		free(x.profiles[i].build_ids);
		free((char *)(uintptr_t)x.profiles[i].event);
	}
	s->lost += err ? 0 : x.lost;
	for (size_t i = 0; i < x.n_series; i++) {
		free(x.series[i].service);
		free(x.series[i].labels);
	}
	trace_info_free(&x.reasons);
	free(x.memory);
	free(x.series);
	free(x.series_of);
	free(x.profiles);
	splitter_forget_old(s);
	return err;
}
