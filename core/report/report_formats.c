// SPDX-License-Identifier: BSD-2-Clause
#include "report/report_formats.h"

const struct report_format report_formats[] = {
	{ "text", report_text },
	{ "csv", report_csv },
	{ "json", report_json },
	{ 0 },
};

const struct diff_format diff_formats[] = {
	{ "text", diff_text },
	{ "csv", diff_csv },
	{ "json", diff_json },
	{ "folded", diff_folded },
	{ 0 },
};
