// SPDX-License-Identifier: BSD-2-Clause
#include "export/pprof/profile_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/warnings.h"
#include "analysis/samples/sample_load.h"
#include "base/hash_index.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "trace/keys.h"

void profile_put(struct profile_out *p, const Pprof__Profile *part)
{
	if (!p->err)
		p->err = protoout_pack(&p->packed, &part->base);
	if (!p->err)
		gzout_write(&p->gz, p->packed.data, p->packed.n);
}

int64_t profile_string(struct profile_out *p, const char *s)
{
	size_t at;

	if (!s || p->err)
		return 0;
	const uint32_t hash = hash_bytes(s, strlen(s));
	const uint32_t index = (uint32_t)p->n_table;

	for (uint32_t i = hash_index_first(&p->index, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&p->index, hash, &at))
		if (!strcmp(p->table[i], s))
			return i;
	char *copy = strdup(s);

	if (!copy || vec_reserve(&p->table, &p->cap_table, p->n_table + 1) ||
	    hash_index_put(&p->index, hash, index)) {
		free(copy);
		p->err = -ENOMEM;
		return 0;
	}
	p->table[p->n_table++] = copy;
	return index;
}

void profile_put_strings(struct profile_out *p)
{
	for (size_t i = 0; !p->err && i < p->n_table; i++) {
		Pprof__Profile part = PPROF__PROFILE__INIT;
		char *clean = utf8_copy(p->table[i]);

		if (!clean)
			p->err = -ENOMEM;
		part.n_string_table = 1;
		part.string_table = &clean;
		profile_put(p, &part);
		free(clean);
	}
}

void profile_put_comment(struct profile_out *p, const char *text)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	int64_t index = profile_string(p, text);

	part.n_comment = 1;
	part.comment = &index;
	profile_put(p, &part);
}

void profile_put_warnings(struct profile_out *p, const struct loaded_trace *t)
{
	struct notes all = { 0 };

	warnings_all(t, &all);
	for (size_t i = 0; i < all.n; i++)
		profile_put_comment(p, all.lines[i]);
	if (all.err && !p->err)
		p->err = all.err;
	notes_free(&all);
}

void profile_put_type(struct profile_out *p, const char *name, const char *unit)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT, *types[] = { &type };

	type.type = profile_string(p, name);
	type.unit = profile_string(p, unit);
	part.n_sample_type = 1;
	part.sample_type = types;
	profile_put(p, &part);
}

void profile_put_period(struct profile_out *p, const char *name, const char *unit, uint64_t each)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT;

	type.type = profile_string(p, name);
	type.unit = profile_string(p, unit);
	part.period_type = &type;
	part.period = (int64_t)each;
	profile_put(p, &part);
}

void profile_put_times(struct profile_out *p, const struct loaded_trace *trace, const char *shown)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	uint64_t then_ns = trace_info_u64(trace->info, KEY_CLOCK_MONOTONIC_NS, 0);
	uint64_t real_ns = trace_info_u64(trace->info, KEY_CLOCK_REALTIME_NS, 0);

	uint64_t from_ns, to_ns;

	if (loaded_trace_stretch(trace, &from_ns, &to_ns)) {
		part.time_nanos = (int64_t)from_ns;
		part.duration_nanos = (int64_t)(to_ns - from_ns);
	} else {
		if (real_ns)
			part.time_nanos = (int64_t)(real_ns + (trace->totals->first_ns - then_ns));
		part.duration_nanos = (int64_t)loaded_trace_span_ns(trace);
	}
	part.default_sample_type = profile_string(p, shown);
	profile_put(p, &part);
}

void profile_out_free(struct profile_out *p)
{
	for (size_t i = 0; i < p->n_table; i++)
		free(p->table[i]);
	hash_index_free(&p->index);
	protoout_free(&p->packed);
	free(p->table);
}
