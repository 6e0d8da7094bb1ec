/* SPDX-License-Identifier: BSD-2-Clause */
/* What the formats share: a trace read to its end, its rows sorted. */
#ifndef GOTRACE_REPORT_H
#define GOTRACE_REPORT_H

#include "export/callfile.h"
#include "export/export.h"
#include "model/model.h"
#include "model/paths.h"

struct report {
	const struct report_options *opt;
	const struct trace_info *info;
	struct model *model;
	const struct model_totals *totals;
	const struct call_stats *funcs; size_t n_funcs;
	/* BY_GOROUTINE: all that were seen */
	struct goroutine_info *goroutines; size_t n_goroutines, cap_goroutines;
	/* BY_PATH: the tree with nodes of one name path made one, each node's
	 * place in the order of names, and its time with all that is below */
	struct paths tree;
	uint32_t *place;
	uint64_t *below_ns;
	struct callfile calls;  /* BY_CALL */
	/* What to print, in order: indices of functions, tree nodes or goroutines. */
	size_t *rows, n_rows;
	size_t n_hidden;        /* rows that the limit cut */
	bool complete;
	int err;                /* of a callback */
};

/* Reads r to its end. 0 or -errno (logged); report_free in either case. */
int report_load(struct report *rep, struct trace_reader *r, const struct report_options *opt);
void report_free(struct report *rep);

/* Display name of a function's index or of PATH_*. */
const char *report_name(const struct report *rep, uint32_t func);
/* "main.go:12 main.f" or the like; "" when the pc is 0 or not known. buf is at
 * least 512 bytes. */
const char *report_place(const struct report *rep, uint64_t pc, char *buf, size_t size);
/* The function's name at pc, "" when not known. */
const char *report_pc_func(const struct report *rep, uint64_t pc);

/* order.c: fills rows. 0 or -ENOMEM. */
int report_sort_rows(struct report *rep);

/* tree.c: 0 or -ENOMEM */
int report_build_tree(struct report *rep);
/* The path's nodes from the outermost on: *n of them in *nodes (malloced anew or grown). */
int report_path(const struct report *rep, uint32_t node, uint32_t **nodes, size_t *cap, size_t *n);

/* columns.c: the numbers of csv and json; ends with a NULL name. */
struct stat_column {
	const char *name;
	uint64_t (*get)(const struct call_stats *st);
	bool of_finished;       /* empty when no call finished */
	bool of_hist;           /* not kept for paths */
};
extern const struct stat_column stat_columns[];
/* Of finished calls, within what was seen: a bucket's middle may lie outside. */
uint64_t report_quantile(const struct call_stats *st, double q);

/* BY_CALL: does the call lie in the window that the options ask for? */
bool report_wants_call(const struct report *rep, const struct call *c);

/* BY_CALL: how many of those the limit leaves out. */
uint64_t report_hidden_calls(const struct report *rep);

const char *call_end_name(enum call_end end);

/* footer.c: what was lost, not traced, dropped. */
void report_footer(const struct report *rep, FILE *out);

/* 0, or -errno when something could not be written to out; logged. */
int report_written(FILE *out);

/* The formats. */
int report_text(struct trace_reader *r, const struct report_options *opt, FILE *out);
int report_csv(struct trace_reader *r, const struct report_options *opt, FILE *out);
int report_json(struct trace_reader *r, const struct report_options *opt, FILE *out);

/* Text by call, by path. text_path.c, text_call.c */
int text_paths(const struct report *rep, FILE *out); /* 0 or -ENOMEM */
int text_calls(const struct report *rep, FILE *out);
/* A line over a table, bold on a terminal. */
void text_heading(const struct report *rep, FILE *out, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* "12.3ms" in buf, 3 significant digits. */
const char *human_ns(uint64_t ns, char buf[16]);
#define HUMAN(ns) human_ns((ns), (char[16]){ 0 })
/* Of part in whole, in percent; 0 when whole is 0. */
double share_pct(uint64_t part, uint64_t whole);

#endif
