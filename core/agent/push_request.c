// SPDX-License-Identifier: BSD-2-Clause
#include "agent/push.h"

#include <stdlib.h>
#include <string.h>

#include "push.pb-c.h"

/* Names that say what kind of profile it is, as Pyroscope's agents do. */
static const struct pair always[] = {
	{ (char *)(uintptr_t) "__name__", (char *)(uintptr_t) "process_cpu" },
	{ (char *)(uintptr_t) "__delta__", (char *)(uintptr_t) "false" },
};

static int all_labels(struct pairs *to, const char *service, const char *labels)
{
	int err = 0;

	for (size_t i = 0; i < sizeof(always) / sizeof(*always) && !err; i++)
		err = pairs_add(to, always[i].name, always[i].value);
	if (!err)
		err = pairs_add(to, "service_name", service);
	if (!err)
		err = pairs_from_json(to, labels);
	pairs_sort(to);
	return err;
}

uint8_t *push_request(const char *service, const char *labels, const char *id,
		      const uint8_t *profile, size_t bytes, size_t *size)
{
	Gotrace__Push__PushRequest request = GOTRACE__PUSH__PUSH_REQUEST__INIT;
	Gotrace__Push__RawProfileSeries series = GOTRACE__PUSH__RAW_PROFILE_SERIES__INIT,
					*all = &series;
	Gotrace__Push__RawSample sample = GOTRACE__PUSH__RAW_SAMPLE__INIT, *samples = &sample;
	struct pairs pairs = { 0 };
	uint8_t *to = NULL;
	int err = all_labels(&pairs, service, labels);
	Gotrace__Push__LabelPair *each = err ? NULL : calloc(pairs.n, sizeof(*each)),
				 **of = err ? NULL : calloc(pairs.n, sizeof(*of));

	for (size_t i = 0; each && of && i < pairs.n; i++) {
		each[i] = (Gotrace__Push__LabelPair)GOTRACE__PUSH__LABEL_PAIR__INIT;
		each[i].name = pairs.at[i].name;
		each[i].value = pairs.at[i].value;
		of[i] = &each[i];
	}
	if (each && of) {
		sample.raw_profile = (ProtobufCBinaryData){ bytes, (uint8_t *)(uintptr_t)profile };
		sample.id = (char *)(uintptr_t)id;
		series.n_labels = pairs.n;
		series.labels = of;
		series.n_samples = 1;
		series.samples = &samples;
		request.n_series = 1;
		request.series = &all;
		*size = gotrace__push__push_request__get_packed_size(&request);
		to = malloc(*size);
		if (to)
			gotrace__push__push_request__pack(&request, to);
	}
	free(each);
	free(of);
	pairs_free(&pairs);
	return to;
}
