// SPDX-License-Identifier: BSD-2-Clause
#include "binary/binaries_fixture.h"
#include "plan/plan_print.h"

static void places_of_values_are_explained(void **state)
{
	static const char *const args[] = { "main.kinds", "main.strs", "main.floats" };

	(void)state;
	for (enum probe_strategy s = 0; s < PROBE_STRATEGIES; s++) {
		const struct plan_options opt = { .strategy = s, .args = args, .n_args = 3 };
		struct gobin *b = open_binary("values");
		struct plan *p = plan_build(b, &opt);
		char *text = NULL;
		size_t size = 0;
		FILE *f = open_memstream(&text, &size);

		assert_non_null(p);
		assert_int_equal(plan_print_sites(p, f), 0);
		fclose(f);
		assert_true(s == PROBE_THESIS ||
			    strstr(text, "the arguments that are recorded still in their places"));
		free(text);
		plan_free(p);
		gobin_close(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(places_of_values_are_explained) };

	return cmocka_run_group_tests(tests, set_up_binaries, NULL);
}
