// SPDX-License-Identifier: BSD-2-Clause
#include "export/export_formats.h"

const struct export_format export_formats[] = {
	{ "folded", "flamegraph.pl, inferno, speedscope: a line for each path",
	  EXPORT_WEIGHT | EXPORT_GO_EDGES | EXPORT_RAW | EXPORT_CUT | EXPORT_HEADER, false, false,
	  export_folded },
	{ "pprof", "go tool pprof, Pyroscope, speedscope: a profile",
	  EXPORT_GO_EDGES | EXPORT_GOROUTINES | EXPORT_RAW | EXPORT_CUT | EXPORT_LINES, true, false,
	  export_pprof },
	{ "otlp", "OpenTelemetry's Collector, as profiles (v1development)",
	  EXPORT_GO_EDGES | EXPORT_GOROUTINES | EXPORT_RAW | EXPORT_CUT, true, false, export_otlp },
	{ "perfetto", "ui.perfetto.dev: each call, on a track of its goroutine", 0, true, false,
	  export_perfetto },
	{ "speedscope", "speedscope.app: paths, and goroutines in the order of time",
	  EXPORT_GO_EDGES | EXPORT_RAW | EXPORT_CUT | EXPORT_CALLS, false, false,
	  export_speedscope },
	{ "chrome", "chrome://tracing, Firefox Profiler: each call, of some 1 M", EXPORT_ARGS,
	  false, false, export_chrome },
	{ "perun", "Perun: a profile (gotrace-perun-collect records and adds one)",
	  EXPORT_GO_EDGES | EXPORT_PERUN, false, false, export_perun },
	{ "csv", "a table of paths, as the thesis has it; with --calls, of calls",
	  EXPORT_GO_EDGES | EXPORT_CALLS, false, false, export_csv },
	{ "html", "a browser: the page of 'gotrace view'; of two, what changed", EXPORT_RAW, true,
	  true, export_html },
	{ "sqlite", "sqlite3: a database of functions, paths, calls, goroutines", 0, true, false,
	  export_sqlite },
	{ 0 },
};
