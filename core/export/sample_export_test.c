// SPDX-License-Identifier: BSD-2-Clause
/* Exports of samples: each format has the same totals, and says what a stack is. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/test_fixture.h"
#include "export/export_fixture.h"
#include "export/totals_fixture.h"
#include "perfetto.pb-c.h"
#include "pprof.pb-c.h"
#include "trace/samples_fixture.h"

#define TOTAL_NS (FIXTURE_SAMPLES * (uint64_t)FIXTURE_WEIGHT_NS)

static char path[] = "/tmp/samples-XXXXXX";

FIXTURE(set_up)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	return samples_fixture_file(path, true);
}

FIXTURE(tear_down)
{
	return unlink(path);
}

TEST(folded)
{
	size_t n;
	char *text = fixture_export(path, "folded", &(struct export_options){ 0 }, &n);

	assert_string_equal(text, "[cut off];runtime.goexit;[nowhere+0x999000] 10000000\n"
				  "[unreadable];work(int) 10000000\n"
				  "runtime.goexit;main.main;main.one;do_syscall_64 10000000\n"
				  "runtime.goexit;main.main;main.one;main.leaf 40000000\n"
				  "runtime.goexit;main.main;main.two;main.leaf 30000000\n");
	free(text);
	text = fixture_export(path, "folded", &(struct export_options){ .weight = WEIGHT_CALLS },
			      &n);
	assert_non_null(strstr(text, "main.two;main.leaf 3\n"));
	free(text);
}

static const char *str(const Pprof__Profile *p, int64_t i)
{
	assert_true(i >= 0 && (size_t)i < p->n_string_table);
	return p->string_table[i];
}

static const Pprof__Function *function(const Pprof__Profile *p, uint64_t id)
{
	for (size_t i = 0; i < p->n_function; i++)
		if (p->function[i]->id == id)
			return p->function[i];
	fail_msg("no function %" PRIu64, id);
	return NULL;
}

static Pprof__Profile *profile(const struct export_options *opt)
{
	size_t n, size;
	char *data = fixture_export(path, "pprof", opt, &n),
	     *plain = fixture_gunzip(data, n, &size);
	Pprof__Profile *p = pprof__profile__unpack(NULL, size, (uint8_t *)plain);

	assert_non_null(p);
	free(plain);
	free(data);
	return p;
}

/* What go build -pgo asks for: types, lines where functions start, inlined frames in one location,
 * names as the linker has them. */
TEST(pprof_as_go_has_it)
{
	Pprof__Profile *p = profile(&(struct export_options){ 0 });
	int64_t samples = 0, ns = 0, labelled = 0;
	bool inlined = false, abi0 = false;

	assert_string_equal(str(p, p->sample_type[0]->type), "samples");
	assert_string_equal(str(p, p->sample_type[0]->unit), "count");
	assert_string_equal(str(p, p->sample_type[1]->type), "cpu");
	assert_string_equal(str(p, p->sample_type[1]->unit), "nanoseconds");
	for (size_t i = 0; i < p->n_sample; i++) {
		samples += p->sample[i]->value[0];
		ns += p->sample[i]->value[1];
		for (size_t k = 0; k < p->sample[i]->n_label; k++)
			labelled += !strcmp(str(p, p->sample[i]->label[k]->str), "/index")
					    ? p->sample[i]->value[0]
					    : 0;
	}
	assert_int_equal(samples, FIXTURE_SAMPLES);
	assert_int_equal(ns, TOTAL_NS);
	assert_int_equal(labelled, 3);
	for (size_t i = 0; i < p->n_location; i++) {
		const Pprof__Location *l = p->location[i];

		if (l->address != 0x403000)
			continue;
		assert_int_equal(l->n_line, 2);
		assert_string_equal(str(p, function(p, l->line[0]->function_id)->name),
				    "main.leaf");
		assert_string_equal(str(p, function(p, l->line[1]->function_id)->name), "main.two");
		assert_int_equal(l->line[1]->line, 32);
		assert_int_equal(function(p, l->line[1]->function_id)->start_line, 30);
		assert_int_equal(l->mapping_id, 1);
		inlined = true;
	}
	for (size_t i = 0; i < p->n_function; i++)
		abi0 |= !strcmp(str(p, p->function[i]->name), "runtime.goexit.abi0");
	assert_true(inlined && abi0);
	assert_string_equal(str(p, p->mapping[0]->build_id), "010203");
	pprof__profile__free_unpacked(p, NULL);
	p = profile(&(struct export_options){ .goroutines = true });
	for (size_t i = 0, of_7 = 0; i < p->n_sample; i++)
		for (size_t k = 0; k < p->sample[i]->n_label; k++) {
			of_7 += p->sample[i]->label[k]->num == 7 ? (size_t)p->sample[i]->value[0]
								 : 0;
			if (i + 1 == p->n_sample && k + 1 == p->sample[i]->n_label)
				assert_int_equal(of_7, 4);
		}
	pprof__profile__free_unpacked(p, NULL);
}

/* Of what a sample is one, and of how many: time, else the event. */
static void period(const char *event, const char *count, const char *type, const char *unit,
		   int64_t each)
{
	if (event)
		assert_int_equal(samples_fixture_event(path, event, count), 0);
	Pprof__Profile *p = profile(&(struct export_options){ 0 });

	if (event)
		assert_int_equal(samples_fixture_file(path, true), 0);
	assert_non_null(p->period_type);
	assert_string_equal(str(p, p->period_type->type), type);
	assert_string_equal(str(p, p->period_type->unit), unit);
	assert_int_equal(p->period, each);
	assert_string_equal(str(p, p->sample_type[1]->type), type);
	assert_string_equal(str(p, p->sample_type[1]->unit), unit);
	assert_string_equal(str(p, p->default_sample_type), type);
	pprof__profile__free_unpacked(p, NULL);
}

TEST(pprof_period)
{
	period(NULL, NULL, "cpu", "nanoseconds", 10000000);
	period("page-faults", NULL, "page-faults", "count", FIXTURE_WEIGHT_NS);
	period("cpu-migrations", "5", "cpu-migrations", "count", 5);
	period("cpu-cycles", NULL, "cpu-cycles", "count", FIXTURE_WEIGHT_NS);
}

/* When samples were taken, not when there was a first and a last one. */
TEST(pprof_stretch)
{
	const struct trace_view from = { .from_ns = 1 };
	Pprof__Profile *p = profile(&(struct export_options){ 0 });

	assert_int_equal(p->time_nanos, strtoll(FIXTURE_STRETCH_FROM_NS, NULL, 10));
	assert_int_equal(p->duration_nanos, strtoll(FIXTURE_STRETCH_TO_NS, NULL, 10) -
						    strtoll(FIXTURE_STRETCH_FROM_NS, NULL, 10));
	const int64_t to_ns = p->time_nanos + p->duration_nanos;

	pprof__profile__free_unpacked(p, NULL);
	/* Of a part, only what it shows. */
	p = profile(&(struct export_options){ .view = &from });
	assert_true(p->time_nanos > strtoll(FIXTURE_STRETCH_FROM_NS, NULL, 10));
	assert_int_equal(p->time_nanos + p->duration_nanos, to_ns);
	pprof__profile__free_unpacked(p, NULL);
}

static int64_t number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *s;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	int64_t n = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return n;
}

TEST(database)
{
	size_t n;
	char *data = fixture_export(path, "sqlite", &(struct export_options){ 0 }, &n);
	sqlite3 *db = fixture_open_sqlite(data, n);

	assert_int_equal(number(db, "SELECT sum(self_ns) FROM functions"), TOTAL_NS);
	assert_int_equal(number(db, "SELECT sum(self_ns) FROM paths"), TOTAL_NS);
	assert_int_equal(number(db, "SELECT sum(calls) FROM paths"), FIXTURE_SAMPLES);
	assert_int_equal(number(db, "SELECT sum(self_ns) FROM goroutines"), TOTAL_NS);
	sqlite3_close(db);
	free(data);
}

TEST(perun)
{
	size_t n;
	char *text = fixture_export(path, "perun", &(struct export_options){ 0 }, &n);

	assert_int_equal(totals_after(text, "\"amount\":"), TOTAL_NS);
	assert_int_equal(totals_after(text, "\"ncalls\":"), FIXTURE_SAMPLES);
	free(text);
}

/* Time of samples in Chrome's profiles: each lasts until the next one, idle ones do not count. */
static uint64_t profile_us(const char *chunk)
{
	const char *s = strstr(chunk, "\"samples\":["), *d = strstr(chunk, "\"timeDeltas\":[");
	uint64_t sum = 0;
	char *end;

	assert_true(s && d);
	s += strlen("\"samples\":[");
	d += strlen("\"timeDeltas\":[");
	assert_int_equal(strtoull(d, &end, 10), 0);
	for (d = end; *d == ','; d = end) {
		uint64_t node = strtoull(s, &end, 10);

		assert_int_equal(*end, ',');
		s = end + 1;
		sum += strtoull(d + 1, &end, 10) * (node != 2);
	}
	assert_int_equal(*d, ']');
	assert_int_equal(strtoull(s, NULL, 10), 2); /* the last one ends it */
	return sum;
}

TEST(chrome)
{
	size_t n;
	char *text = fixture_export(path, "chrome", &(struct export_options){ 0 }, &n);
	uint64_t us = 0, profiles = 0;

	for (const char *at = text; (at = strstr(at, "\"name\":\"ProfileChunk\"")); at++) {
		us += profile_us(at);
		profiles++;
	}
	assert_int_equal(profiles, 3); /* two goroutines, and a thread outside of any */
	assert_int_equal(us, TOTAL_NS / 1000);
	assert_non_null(strstr(
		text,
		"{\"samples\":10,\"lost_samples\":2,\"complete\":true,\"warnings\":[\"2 samples were lost\"]}"));
	assert_non_null(strstr(text, "{\"name\":\"goroutine 7\"}"));
	assert_non_null(strstr(text, "{\"name\":\"thread 103\"}"));
	assert_non_null(strstr(text, "\"functionName\":\"main.leaf\",\"scriptId\":\"0\",\"url\":"
				     "\"/src/leaf.go\",\"lineNumber\":2"));
	free(text);
	/* as a view leaves them */
	text = fixture_export(
		path, "chrome",
		&(struct export_options){
			.view = &(struct trace_view){ .goids = (uint64_t[]){ 7 }, .n_goids = 1 } },
		&n);
	assert_non_null(strstr(text, "{\"samples\":4,"));
	assert_null(strstr(text, "thread 103"));
	free(text);
}

TEST(speedscope)
{
	size_t n;
	char *text = fixture_export(path, "speedscope", &(struct export_options){ 0 }, &n);
	uint64_t sums[4] = { 0 }, profiles = 0;
	const char *at = text;

	for (; (at = strstr(at, "\"weights\":[")); profiles++) {
		char *end;

		assert_true(profiles < 4);
		for (at += strlen("\"weights\":["); *at != ']'; at = end + (*end == ','))
			sums[profiles] += strtoull(at, &end, 10);
	}
	assert_int_equal(profiles, 4); /* all paths, two goroutines, and a thread outside of any */
	assert_int_equal(sums[0], TOTAL_NS);
	assert_int_equal(sums[1] + sums[2] + sums[3], TOTAL_NS);
	assert_non_null(strstr(text, "\"name\":\"goroutine 7 of "));
	assert_non_null(strstr(text, "\"name\":\"thread 103 of "));
	assert_non_null(
		strstr(text, "{\"name\":\"main.leaf\",\"file\":\"/src/leaf.go\",\"line\":3}"));
	free(text);
}

/* Names, frames and stacks are told before they are used, once each. */
struct interned {
	const char *name[16];
	size_t name_len[16];
	uint64_t frames[16][8], n_frames[16], mapping;
};

static void take_interned(struct interned *in, const Perfetto__InternedData *d)
{
	for (size_t i = 0; d && i < d->n_mappings; i++)
		in->mapping = d->mappings[i]->iid;
	for (size_t i = 0; d && i < d->n_function_names; i++) {
		uint64_t iid = d->function_names[i]->iid;

		assert_true(iid && iid < 16 && !in->name[iid]);
		in->name[iid] = (const char *)d->function_names[i]->str.data;
		in->name_len[iid] = d->function_names[i]->str.len;
	}
	for (size_t i = 0; d && i < d->n_frames; i++) {
		assert_int_equal(d->frames[i]->iid, d->frames[i]->function_name_id);
		assert_int_equal(d->frames[i]->mapping_id, in->mapping);
	}
	for (size_t i = 0; d && i < d->n_callstacks; i++) {
		const Perfetto__Callstack *c = d->callstacks[i];

		assert_true(c->iid && c->iid < 16 && !in->n_frames[c->iid] && c->n_frame_ids < 8);
		in->n_frames[c->iid] = c->n_frame_ids;
		memcpy(in->frames[c->iid], c->frame_ids, c->n_frame_ids * sizeof(uint64_t));
	}
}

static bool leaf_is(const struct interned *in, uint64_t stack, const char *name)
{
	assert_true(stack < 16 && in->n_frames[stack]);
	uint64_t leaf = in->frames[stack][in->n_frames[stack] - 1];

	assert_true(leaf < 16 && in->name[leaf]);
	return in->name_len[leaf] == strlen(name) &&
	       !memcmp(in->name[leaf], name, in->name_len[leaf]);
}

TEST(perfetto)
{
	size_t n;
	char *data = fixture_export(path, "perfetto", &(struct export_options){ 0 }, &n);
	Perfetto__Trace *t = perfetto__trace__unpack(NULL, n, (uint8_t *)data);
	struct interned in = { 0 };
	uint64_t ns = 0, samples = 0, in_leaf = 0, ts_ns = 0, lost = 0;

	assert_non_null(t);
	assert_string_equal(
		t->packet[0]->trace_packet_defaults->perf_sample_defaults->timebase->name,
		"cpu-clock");
	for (size_t i = 0; i < t->n_packet; i++) {
		const Perfetto__TracePacket *p = t->packet[i];
		const Perfetto__PerfSample *s = p->perf_sample;

		take_interned(&in, p->interned_data);
		if (p->track_event)
			lost = (uint64_t)p->track_event->counter_value;
		if (!s)
			continue;
		ts_ns += p->timestamp; /* since the first one */
		samples++;
		ns += s->timebase_count;
		in_leaf += leaf_is(&in, s->callstack_iid, "main.leaf");
		assert_true(s->pid == 4711 && s->tid >= 101 && s->tid <= 103);
	}
	assert_int_equal(samples, FIXTURE_SAMPLES);
	assert_int_equal(ns, TOTAL_NS);
	assert_int_equal(in_leaf, 7);
	assert_int_equal(ts_ns, (FIXTURE_SAMPLES - 1) * (uint64_t)FIXTURE_WEIGHT_NS);
	assert_int_equal(lost, 2);
	perfetto__trace__free_unpacked(t, NULL);
	free(data);
}

TESTS_BETWEEN(set_up, tear_down, folded, pprof_as_go_has_it, pprof_period, pprof_stretch, database,
	      perun, chrome, perfetto, speedscope)
