// SPDX-License-Identifier: BSD-2-Clause
#include "export/formats.h"

const struct export_format export_formats[] = {
	{ "folded", "a line for each path: flamegraph.pl, speedscope, Perfetto, Perun",
	  EXPORT_WEIGHT | EXPORT_GO_EDGES | EXPORT_RAW | EXPORT_CUT | EXPORT_HEADER, false, false,
	  export_folded },
	{ "pprof", "go tool pprof, speedscope, Pyroscope, Perfetto",
	  EXPORT_GO_EDGES | EXPORT_GOROUTINES | EXPORT_RAW | EXPORT_CUT, true, false,
	  export_pprof },
	{ "perfetto", "ui.perfetto.dev: a track for each goroutine, a slice for each call", 0, true,
	  false, export_perfetto },
	{ "speedscope",
	  "speedscope: all paths, and goroutines in the order of time (under 1 M calls)",
	  EXPORT_GO_EDGES | EXPORT_RAW | EXPORT_CUT | EXPORT_CALLS, false, false,
	  export_speedscope },
	{ "chrome", "chrome://tracing, Firefox Profiler (under 1 M calls)", EXPORT_ARGS, false,
	  false, export_chrome },
	{ "perun", "a profile for Perun; gotrace-perun-collect records and adds one",
	  EXPORT_GO_EDGES | EXPORT_PERUN, false, false, export_perun },
	{ "csv",
	  "the thesis's table of paths, also called thesis-csv; with --calls a row for each call",
	  EXPORT_GO_EDGES | EXPORT_CALLS, false, false, export_csv },
	{ "html", "a page for a browser: functions, flame graph, timeline, Sankey, or a comparison",
	  EXPORT_RAW, true, true, export_html },
	{ "sqlite", "a database of functions, paths, calls, goroutines and losses", 0, true, false,
	  export_sqlite },
	{ 0 },
};
