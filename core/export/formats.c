// SPDX-License-Identifier: BSD-2-Clause
#include "export/exports.h"
#include "export/report.h"

const struct report_format report_formats[] = {
	{ "text", report_text },
	{ "csv", report_csv },
	{ "json", report_json },
	{ 0 },
};

const struct export_format export_formats[] = {
	{ "folded", "a line a path: flamegraph.pl, speedscope, Perfetto, Perun",
	  EXPORT_WEIGHT | EXPORT_GO_EDGES, false, false, export_folded },
	{ "pprof", "go tool pprof, speedscope, Pyroscope, Perfetto", EXPORT_GO_EDGES | EXPORT_GOROUTINES, true, false,
	  export_pprof },
	{ 0 },
};
