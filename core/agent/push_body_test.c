// SPDX-License-Identifier: BSD-2-Clause
/* Several services in one message for a Collector, and what its answers say. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "agent/push_body.h"
#include "export/export_fixture.h"
#include "export/otlp/otlp_fixture.h"

static struct profile row(const char *service, const char *labels, int64_t id)
{
	return (struct profile){ .id = id,
				 .from_ns = 0x1122334455667788,
				 .service = (char *)(uintptr_t)service,
				 .labels = (char *)(uintptr_t)labels };
}

static void expect(const Otlp__ResourceProfiles *r, const char *key, const char *text)
{
	const Otlp__Value *v = fixture_otlp_resource(r, key);

	assert_non_null(v);
	assert_string_equal(v->text, text);
}

TEST(test_otlp)
{
	size_t n, size;
	char *pprof = fixture_export("fixtures/samples/leafs.gotrace", "pprof",
				     &(struct export_options){ 0 }, &n);
	struct push_body *b = push_body_new(true);
	const struct profile rows[] = {
		row("a", "{\"host\":\"h\",\"pod\":\"p\",\"team\":\"x\"}", 7),
		row("b/c", "{}", 8),
		row("damaged", "[", 9),
	};

	assert_non_null(b);
	for (int i = 0; i < 2; i++)
		assert_int_equal(push_body_add(b, &rows[i], (uint8_t *)pprof, n), 0);
	const uint8_t *bytes = push_body_bytes(b, &size);
	Otlp__ProfilesData *d = fixture_read_otlp(bytes, size);

	assert_true(size <= push_body_size(b));
	assert_int_equal(d->n_resource_profiles, 2);
	expect(d->resource_profiles[0], "service.name", "a");
	expect(d->resource_profiles[0], "host.name", "h");
	expect(d->resource_profiles[0], "k8s.pod.name", "p");
	expect(d->resource_profiles[0], "team", "x");
	expect(d->resource_profiles[1], "service.name", "b/c");
	for (int i = 0; i < 2; i++) {
		const Otlp__Profile *p = d->resource_profiles[i]->scope_profiles[0]->profiles[0];
		static const uint8_t from[] = { 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 };

		assert_int_equal(p->profile_id.len, 16);
		assert_memory_equal(p->profile_id.data, from, 8);
		assert_int_equal(p->profile_id.data[14], 7 + i);
	}
	otlp__profiles_data__free_unpacked(d, NULL);
	assert_int_equal(push_body_add(b, &rows[2], (uint8_t *)pprof, n), -EINVAL);
	assert_int_equal(push_body_add(b, &rows[0], (uint8_t *)pprof, n - 9), -EINVAL);
	push_body_free(b);
	free(pprof);
}

TEST(test_answers)
{
	Otlp__PartialSuccess some = OTLP__PARTIAL_SUCCESS__INIT;
	Otlp__Answer a = OTLP__ANSWER__INIT;
	uint8_t bytes[64];
	char why[5] = "";

	assert_false(push_body_refused(true, "", 0, why, sizeof(why)));
	a.partial_success = &some;
	size_t n = otlp__answer__pack(&a, bytes);

	assert_false(push_body_refused(true, (char *)bytes, n, why, sizeof(why)));
	some.rejected_profiles = 2;
	some.error_message = (char *)(uintptr_t) "too old";
	n = otlp__answer__pack(&a, bytes);
	assert_true(push_body_refused(true, (char *)bytes, n, why, sizeof(why)));
	assert_string_equal(why, "too ");
	assert_false(push_body_refused(false, (char *)bytes, n, why, sizeof(why)));
	assert_false(push_body_refused(true, (char *)bytes, n - 1, why, sizeof(why)));
}

TESTS(test_otlp, test_answers)
