// SPDX-License-Identifier: BSD-2-Clause
/* Looks at a recording that goes on, and prints what has happened since the last look. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "analysis/calls/correction.h"
#include "analysis/live_answer.h"
#include "analysis/live_trace.h"
#include "analysis/rates.h"
#include "analysis/trace_names.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/text_format.h"
#include "base/text_name.h"
#include "base/text_wrap.h"
#include "base/units.h"
#include "cli/pager.h"
#include "cli/top.h"
#include "trace/keys.h"

#define PLAIN_ROWS  20
#define LINES_BELOW 3 /* of the head: headings, how many are not shown, the cursor */
#define HANGING     2
#define AGAIN_NS    50000000ull /* until a look for what was not there yet */

/* ---- the terminal */

struct screen {
	bool is, keys; /* standard output is a terminal; so is standard input, in the foreground */
	bool colour;
	struct termios before;
	unsigned width, height;
};

static void screen_size(struct screen *s)
{
	struct winsize size = { 0 };

	if (!s->is || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return;
	s->width = size.ws_col;
	s->height = size.ws_row;
}

/* Keys come one by one, and are not shown. */
static void screen_begin(struct screen *s)
{
	*s = (struct screen){ .is = isatty(STDOUT_FILENO), .colour = reading_colour() };
	s->keys = s->is && tcgetpgrp(STDIN_FILENO) == getpgrp() &&
		  !tcgetattr(STDIN_FILENO, &s->before);
	if (!s->keys)
		return;
	struct termios raw = s->before;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

static void screen_end(const struct screen *s)
{
	if (s->keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &s->before);
}

/* Waits until due_ns. True: it is to end before. */
static bool wait_until(const struct screen *s, int stop_fd, uint64_t due_ns)
{
	struct pollfd fds[] = { { .fd = stop_fd, .events = POLLIN },
				{ .fd = s->keys ? STDIN_FILENO : -1, .events = POLLIN } };

	for (uint64_t now; (now = clock_monotonic_ns()) < due_ns;) {
		char key = 0;

		if (poll(fds, 2, (int)((due_ns - now) / 1000000 + 1)) < 0)
			return errno != EINTR || stop_fd < 0;
		if (fds[0].revents)
			return true;
		if (fds[1].revents && (read(STDIN_FILENO, &key, 1) != 1 || key == 'q'))
			return true;
	}
	return false;
}

/* ---- a table */

static double weight(const struct rate *r, enum top_sort by)
{
	switch (by) {
	case TOP_BY_CALLS:
		return (double)r->calls;
	case TOP_BY_P50:
		return (double)r->p50_ns;
	case TOP_BY_P99:
		return (double)r->p99_ns;
	case TOP_BY_GROWTH: /* in calls: a function called twice instead of once is no news */
		return (double)r->calls - (double)r->before;
	default:
		return (double)r->self_ns;
	}
}

static int by_weight(const void *x, const void *y, void *ctx)
{
	const struct rate *a = x, *b = y;
	double v = weight(a, *(enum top_sort *)ctx), w = weight(b, *(enum top_sort *)ctx);

	if (v != w)
		return v < w ? 1 : -1;
	return (a->func > b->func) - (a->func < b->func);
}

static const char *per_second(uint64_t n, uint64_t span_ns, char buf[24])
{
	double v = (double)n * 1e9 / (double)(span_ns ? span_ns : 1);

	snprintf(buf, 24, v < 9.95 ? "%.1f" : "%.0f", v);
	return buf;
}

static const char *growth(const struct rates *rates, const struct rate *r, char buf[24])
{
	double now = (double)r->calls / (double)(rates->span_ns ? rates->span_ns : 1),
	       then = (double)r->before / (double)(rates->before_ns ? rates->before_ns : 1),
	       pct = r->before ? 100 * (now / then - 1) : 0;

	if (!rates->compares)
		return "";
	if (!r->before)
		return "new";
	snprintf(buf, 24, pct < 999.5 ? "%+.0f%%" : "x%.0f", pct < 999.5 ? pct : pct / 100 + 1);
	return buf;
}

static void print_row(const struct rates *rates, const struct rate *r, const char *name,
		      unsigned width)
{
	char calls[24], more[24];
	double seconds = (double)(rates->span_ns ? rates->span_ns : 1) / 1e9;
	char self[32];

	snprintf(self, sizeof(self), "%s%s", r->doubtful ? "≈" : "",
		 HUMAN(whole_number((double)r->self_ns / seconds)));
	int n = r->unsure ? printf("%6s %6s", "?", "?")
			  : printf("%*s %5.1f%%", r->doubtful ? 6 + (int)strlen("≈") - 1 : 6, self,
				   share_pct(r->self_ns, rates->self_ns));

	n += printf(" %10s %7s %6s %6s  ", per_second(r->calls, rates->span_ns, calls),
		    growth(rates, r, more), r->p50_ns ? HUMAN(r->p50_ns) : "-",
		    r->p99_ns ? HUMAN(r->p99_ns) : "-");
	text_name(stdout, name, text_room(width, (size_t)n));
	putchar('\n');
}

/* Returns how many lines of the terminal it takes. */
static size_t print_head(const struct top_options *opt, unsigned width,
			 const struct loaded_trace *t, const struct rates *rates)
{
	char now[16] = "", calls[24], *text = NULL;
	time_t seconds = time(NULL);
	size_t size, lines;
	struct tm tm;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return 0;
	if (localtime_r(&seconds, &tm))
		strftime(now, sizeof(now), "%H:%M:%S ", &tm);
	fprintf(f, "%s%s, the last %s: %s calls/s%s", now, opt->name, HUMAN(rates->span_ns),
		per_second(rates->calls, rates->span_ns, calls),
		t->corrected ? "" : ", times as measured");
	if (rates->lost_events)
		fprintf(f, ", %" PRIu64 " event%s LOST", rates->lost_events,
			plural(rates->lost_events));
	lines = text_stream_close(f, &text) ? 0 : text_wrap(stdout, text, width, HANGING);
	free(text);
	return lines;
}

static int print_table(const struct top_options *opt, struct screen *s,
		       const struct loaded_trace *t, struct rates *rates,
		       const struct live_answer *answer, uint64_t up_to_ns)
{
	enum top_sort by = opt->sort;
	size_t rows = opt->rows ? opt->rows : PLAIN_ROWS;

	screen_size(s);
	if (rates->n)
		qsort_r(rates->rows, rates->n, sizeof(*rates->rows), by_weight, &by);
	if (by == TOP_BY_SELF)
		rates_sure_first(rates);
	if (s->is)
		fputs("\033[H\033[2J", stdout);
	size_t above = LINES_BELOW +
		       live_answer_print(answer, up_to_ns, s->colour, s->width, stdout);

	above += print_head(opt, s->width, t, rates);
	if (!opt->rows && s->is && s->height)
		rows = s->height > above ? s->height - above : 1;
	text_heading(s->colour, stdout, "%6s %6s %10s %7s %6s %6s  FUNCTION", "SELF/S", "%",
		     "CALLS/S", "GROWTH", "P50", "P99");
	for (size_t i = 0; i < rates->n && i < rows; i++)
		print_row(rates, &rates->rows[i], trace_name_func(t->info, rates->rows[i].func),
			  s->width);
	if (rates->n > rows)
		printf("%zu more function%s\n", rates->n - rows, plural(rates->n - rows));
	if (!s->is)
		putchar('\n');
	return fflush(stdout) ? outfile_check(stdout) : 0;
}

/* ---- looking */

struct watching {
	const struct top_options *opt;
	struct live_trace trace;
	struct rates_base base;
	struct live_answer answer;
	struct screen screen;
	bool growing;
};

/* Looks until there is something newer: summaries are made once a second. *stop: it is to end
 * before. 0 or -errno (logged); trace_unload in either case. */
static int look_for_newer(struct watching *w, int stop_fd, struct loaded_trace *t,
			  uint64_t *up_to_ns, bool *stop)
{
	int err = live_trace_look(&w->trace, t, up_to_ns);

	while (!err && t->growing && *up_to_ns <= w->base.up_to_ns && !*stop) {
		trace_unload(t);
		*stop = wait_until(&w->screen, stop_fd, clock_monotonic_ns() + AGAIN_NS);
		err = live_trace_look(&w->trace, t, up_to_ns);
	}
	w->growing = t->growing;
	return err;
}

/* Prints one look. 0 or -errno (logged) */
static int work_on(struct watching *w, struct loaded_trace *t, uint64_t up_to_ns,
		   uint64_t looking_ns, bool print)
{
	struct rates rates = { 0 };
	int err = w->opt->raw ? 0 : correction_apply(t);

	if (!err) {
		err = rates_find(&rates, &w->base, t, up_to_ns);
		if (err)
			log_no_memory("no memory for a table of rates");
	}
	if (!err && print)
		err = live_answer_find(&w->answer, t, up_to_ns, looking_ns, w->opt->interval_ns);
	if (!err && print)
		err = print_table(w->opt, &w->screen, t, &rates, &w->answer, up_to_ns);
	rates_free(&rates);
	return err;
}

/* One look, and its table but at the first. 0 or -errno (logged) */
static int look(struct watching *w, int stop_fd, bool print, bool *stop)
{
	const uint64_t looking_ns = clock_monotonic_ns();
	struct loaded_trace t;
	uint64_t up_to_ns;
	int err = look_for_newer(w, stop_fd, &t, &up_to_ns, stop);

	if (!err)
		err = work_on(w, &t, up_to_ns, looking_ns, print && !*stop);
	trace_unload(&t);
	return err;
}

/* A recording without states has no answer. */
static void say_where(const struct watching *w)
{
	const struct top_options *opt = w->opt;
	char line[160];

	if (!opt->answer_pid || trace_info_u64(trace_reader_info(w->trace.reader), KEY_STATES, 0))
		return;
	snprintf(
		line, sizeof(line),
		"rates only; 'gotrace record --pid %d -d 10', then 'gotrace report', tell why calls take long",
		opt->answer_pid);
	text_wrap(stdout, line, w->screen.width, HANGING);
}

static int watch(struct watching *w, int stop_fd)
{
	bool stop = false;
	uint64_t printed = 0;
	int err = look(w, stop_fd, false, &stop);
	uint64_t due_ns = clock_monotonic_ns();

	if (!err && !w->growing && !stop) {
		log_error("%s is not being recorded: 'gotrace report' shows all of it",
			  w->opt->name);
		return -EINVAL;
	}
	if (!err && !w->screen.is)
		say_where(w);
	while (!err && !stop && w->growing && (!w->opt->times || printed < w->opt->times)) {
		due_ns += w->opt->interval_ns;
		stop = wait_until(&w->screen, stop_fd, due_ns);
		if (!stop)
			err = look(w, stop_fd, true, &stop);
		printed++;
	}
	return err;
}

int top_run(const struct top_options *opt, const char *path, struct live_feed *feed, int stop_fd)
{
	struct watching w = { .opt = opt };
	int err = live_trace_open(&w.trace, path, feed);

	if (!err) {
		screen_begin(&w.screen);
		err = watch(&w, stop_fd);
		screen_end(&w.screen);
		if (!err && w.screen.is) /* no table takes its place */
			say_where(&w);
	}
	rates_base_free(&w.base);
	live_answer_free(&w.answer);
	live_trace_close(&w.trace);
	return err;
}
