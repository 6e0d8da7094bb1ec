// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/report.h"

const struct report_format report_formats[] = {
	{ "text", report_text },
	{ "csv", report_csv },
	{ "json", report_json },
	{ 0 },
};
