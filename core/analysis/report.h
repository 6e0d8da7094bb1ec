/* SPDX-License-Identifier: BSD-2-Clause */
/* What the formats share: a trace read to its end, its rows sorted. */
#ifndef GOTRACE_REPORT_H
#define GOTRACE_REPORT_H

#include "analysis/call_spool.h"
#include "export/export.h"
#include "analysis/first_calls.h"
#include "report/text_format.h"
#include "model/model.h"
#include "model/paths.h"

/* A goroutine, or all that the same go statement started with the same function. */
struct goroutine_row {
	struct goroutine_info g; /* counts and times are sums, first_ns the first's */
	uint64_t n, n_ended;
	uint64_t life_ns, max_life_ns; /* life_ns: the sum */
};

struct json;

struct report {
	const struct report_options *opt;
	const struct trace_info *info;
	struct model *model;
	const struct model_totals *totals;
	const struct call_stats *funcs;
	size_t n_funcs;
	/* BY_GOROUTINE: all that were seen; with opt->fold those of one place made one */
	struct goroutine_row *goroutines;
	size_t n_goroutines, cap_goroutines;
	/* BY_PATH: the tree with nodes of one name path made one, each node's
	 * place in the order of names, and its time with all that is below */
	struct paths tree;
	uint32_t *place;
	uint32_t *level; /* 1: outermost */
	uint64_t *below_ns;
	/* BY_CALL: the calls in the order asked for, of which report_wants_call says whether they
	 * are shown; they lie in `first` when a limit is set, else in a file */
	const struct call *calls;
	size_t n_calls;
	struct firstcalls first;
	struct callfile file;
	uint64_t n_wanted; /* calls that the options ask for, shown or cut by the limit */
	/* What to print, in order: indices of functions, tree nodes or goroutines. */
	size_t *rows, n_rows;
	size_t n_hidden; /* rows that the limit cut */
	bool complete;
	int err; /* of a callback */
};

/* Reads r to its end. 0 or -errno (logged); report_free in either case. */
int report_load(struct report *rep, struct trace_reader *r, const struct report_options *opt);
void report_free(struct report *rep);

/* Display name of a function's index or of PATH_*. */
const char *report_name(const struct report *rep, uint32_t func);
/* "/src/main.go:12" of pc, "" when not known; `base`: without the folders. buf is at least 512
 * bytes. */
const char *report_pc_line(const struct report *rep, uint64_t pc, bool base, char *buf,
			   size_t size);
/* The function's name at pc, "" when not known. */
const char *report_pc_func(const struct report *rep, uint64_t pc);
/* What the goroutine began with, "" when not known. */
const char *report_start_func(const struct report *rep, const struct goroutine_info *g);

/* From the first event to the last. */
uint64_t report_span_ns(const struct report *rep);
/* Calls that stand under [other] because the tree of paths is full. */
uint64_t report_other_calls(const struct report *rep);

/* order.c: what the column to sort by says */
uint64_t report_weight(const struct call_stats *st, enum report_sort sort);
/* Did anything happen in it: a call, or a prologue that stopped and never went on? */
bool report_has_row(const struct call_stats *st);
/* Fills rows. 0 or -ENOMEM. */
int report_sort_rows(struct report *rep);

/* load.c: adds a goroutine that is over; says in err that there was no memory. */
void report_take_goroutine(struct report *rep, const struct goroutine_info *g);
/* goroutines.c: how long they lived; with opt->fold, those of one place made one. 0 or -ENOMEM */
int report_goroutines(struct report *rep);

/* tree.c: 0 or -ENOMEM */
int report_build_tree(struct report *rep);
/* Fills place: the tree's nodes numbered in the order of their name paths. 0 or -ENOMEM */
int report_number_tree(struct report *rep);
/* Do the options leave the node, apart from the limit of rows? */
bool report_wants_path(const struct report *rep, size_t node);
/* The path's nodes from the outermost on: *n of them in *nodes (malloced anew or grown). */
int report_path(const struct report *rep, uint32_t node, uint32_t **nodes, size_t *cap, size_t *n);

/* columns.c: the numbers of csv and json; ends with a NULL name. */
struct stat_column {
	const char *name;
	uint64_t (*get)(const struct call_stats *st);
	bool of_finished; /* empty when no call finished */
	bool of_hist;     /* not kept for paths */
};
extern const struct stat_column stat_columns[];
/* Those of a goroutine, or of all of one place. */
struct goroutine_column {
	const char *name;
	uint64_t (*get)(const struct goroutine_info *g);
};
extern const struct goroutine_column goroutine_columns[];
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

/* A field of csv, quoted where needed; the path of a node as one. nodes and cap as in report_path.
 */
void csv_field(FILE *out, const char *s);
/* part of a field that stands in quotes if any part needs them */
void csv_inside(FILE *out, const char *s);
int csv_path(const struct report *rep, FILE *out, uint32_t node, uint32_t **nodes, size_t *cap);
/* What is known of the whole trace, as keys of the object that is open. */
void json_totals(const struct report *rep, struct json *j);
/* The key "path" with an array of names. */
int json_path(const struct report *rep, struct json *j, uint32_t node, uint32_t **nodes,
	      size_t *cap);

/* The formats. */
int report_text(struct trace_reader *r, const struct report_options *opt, FILE *out);
int report_csv(struct trace_reader *r, const struct report_options *opt, FILE *out);
int report_json(struct trace_reader *r, const struct report_options *opt, FILE *out);

/* Text by path, goroutine and call: text_path.c, text_goroutine.c, text_call.c. 0 or -ENOMEM
 * (logged) */
int text_paths(const struct report *rep, FILE *out);
int text_goroutines(const struct report *rep, FILE *out);
int text_calls(const struct report *rep, FILE *out);
/* "  (1 unfinished, 3 suspect)" behind a name; nothing for calls that just finished. */
void text_marks(FILE *out, const struct call_stats *st);
/* "3 more functions (-n 0 shows all)" when the limit cut some. */
void text_hidden(const struct report *rep, FILE *out, const char *what);

#endif
