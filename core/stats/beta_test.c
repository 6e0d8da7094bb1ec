// SPDX-License-Identifier: BSD-2-Clause
/* Student's t against printed tables. */

#include <math.h>

#include "base/test_fixture.h"
#include "stats/beta.h"

TEST(test_student)
{
	static const struct {
		double beyond, freedom, t;
	} table[] = {
		{ 0.025, 1, 12.706 }, { 0.025, 4, 2.776 },   { 0.025, 30, 2.042 },
		{ 0.005, 4, 4.604 },  { 0.0005, 10, 4.587 }, { 0.025, 1e6, 1.960 },
		{ 0.05, 2, 2.920 },   { 0.5, 7, 0 },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		assert_true(fabs(student_beyond(table[i].beyond, table[i].freedom) - table[i].t) <
			    0.0006);
}

TESTS(test_student)
