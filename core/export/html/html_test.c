// SPDX-License-Identifier: BSD-2-Clause
/*
 * The page as bytes: the same twice, nothing in it that names could break out
 * of, and numbers that are the report's. What browsers make of it is tested by
 * ci/page; with GOTRACE_PAGES in the environment the pages are left in that folder for it.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "export/html/html.h"
#include "export/export_fixture.h"
#include "trace/programs_fixture.h"

static struct trace_view part; /* of the traces that pages are made of; empty: all */

static char *page_of(const char *trace)
{
	struct trace_reader *r = trace_reader_open(trace);
	const struct export_options opt = { .view = &part };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_true(r && out);
	assert_int_equal(export_html(&r, 1, &opt, out), 0);
	assert_int_equal(fclose(out), 0);
	trace_reader_close(r);
	return text;
}

static void leave(const char *page, const char *name)
{
	const char *folder = getenv("GOTRACE_PAGES");
	char path[4096];

	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s/%s.html", folder, name);
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_true(fputs(page, out) >= 0 && !fclose(out));
}

/* Cases whose data is stored: it must be the same on every machine. */
static void check_stored(const char *data, const char *name)
{
	static const char *const stored[] = { "fold",  "go",         "loss-goroutine",
					      "names", "recursion",  "stop-kinds",
					      "cycle", "no-duration" };
	char path[512];

	snprintf(path, sizeof(path), "fixtures/cases/%s.page.json", name);
	for (size_t i = 0; i < sizeof(stored) / sizeof(stored[0]); i++)
		if (!strcmp(stored[i], name))
			fixture_same(path, data);
}

static void check_page(const char *trace, const char *name)
{
	char *page = page_of(trace), *again = page_of(trace), *data = fixture_page_data(page);

	assert_string_equal(page, again);
	assert_true(data[0] == '{' && data[strlen(data) - 2] == '}');
	assert_non_null(strstr(page, "default-src 'none'"));
	check_stored(data, name);
	leave(page, name);
	free(page);
	free(again);
	free(data);
}

/* ---- numbers */

static void check_totals(const struct html_page *p)
{
	uint64_t *total = calloc(p->trace.n_funcs + 1, sizeof(*total)), self = 0, self_funcs = 0,
		 calls = 0;
	uint64_t weight = 0, root = p->trace.totals->root_ns;

	assert_non_null(total);
	for (size_t i = 1; i < p->tree.n; i++) {
		const struct call_node *x = &p->tree.nodes[i];

		assert_true(x->parent < i && x->level == p->tree.nodes[x->parent].level + 1);
		assert_true(p->tree.nodes[x->parent].subtree_ns >= x->subtree_ns);
		self += x->stats->self_ns;
		calls += x->stats->calls;
		if (x->func < p->trace.n_funcs && p->groups.outermost[i])
			total[x->func] += x->stats->total_ns;
	}
	for (size_t g = 0; g < p->groups.n; g++)
		weight += p->groups.all[g].weight_ns;
	for (size_t f = 0; f < p->trace.n_funcs; f++) {
		self_funcs += p->trace.funcs[f].self_ns;
		if (!p->trace.totals->folded_nodes)
			assert_true(total[f] == p->trace.funcs[f].total_ns);
	}
	assert_true(self == self_funcs && calls == p->trace.totals->calls && weight == root);
	free(total);
}

/* What single goroutines did is part of what all did. */
static void check_goroutines(const struct html_page *p)
{
	for (size_t i = 0; i < p->goroutines.n; i++) {
		const struct html_goroutine *g = &p->goroutines.kept[i];
		uint64_t self = 0, calls = 0, morestack = 0, preempt = 0;

		for (size_t v = 0; v < g->n_visits; v++) {
			assert_true(g->visits[v].path && g->visits[v].path < p->tree.n);
			assert_true(!v || g->visits[v].path > g->visits[v - 1].path);
			self += g->visits[v].self_ns;
			calls += g->visits[v].calls;
			morestack += g->visits[v].morestack_ns;
			preempt += g->visits[v].preempt_ns;
		}
		assert_true(self == g->info.self_ns && calls == g->info.calls);
		assert_true(morestack == g->info.morestack_ns && preempt == g->info.preempt_ns);
	}
}

static void check_numbers(const char *trace)
{
	for (int raw = 0; raw < 2; raw++) {
		struct trace_reader *r = trace_reader_open(trace);
		struct html_page p;

		assert_non_null(r);
		assert_int_equal(html_page_load(&p, r, NULL, raw, NULL), 0);
		check_totals(&p);
		if (raw) /* a goroutine's own sums are as measured */
			check_goroutines(&p);
		html_page_free(&p);
		trace_reader_close(r);
	}
}

TEST(test_cases)
{
	DIR *dir = opendir("fixtures/cases");
	unsigned n = 0;

	assert_non_null(dir);
	for (struct dirent *e; (e = readdir(dir));) {
		char *dot = strstr(e->d_name, ".events"), path[TRACE_PATH_BYTES], list[512];
		struct evlist l;

		if (!dot)
			continue;
		snprintf(list, sizeof(list), "fixtures/cases/%s", e->d_name);
		assert_int_equal(evlist_load(&l, list), 0);
		fixture_write(&l, path);
		evlist_free(&l);
		*dot = '\0';
		check_page(path, e->d_name);
		check_numbers(path);
		unlink(path);
		n++;
	}
	closedir(dir);
	assert_true(n > 40);
}

TEST(test_recorded)
{
	static const char *const names[] = {
		"panics.emulated",
		"recursion.emulated",
		"deep.go1.27.emulated",
		"storm.go1.27.emulated",
		"reexec.emulated",
		"growth.thesis",
		"coroutines.go1.27.emulated",
		"panics.inline",
		"hop.lost.inline",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[256];

		snprintf(path, sizeof(path), "fixtures/traces/%s.gotrace", names[i]);
		check_page(path, names[i]);
		check_numbers(path);
	}
}

#define HOSTILE "\"main.</script><script>hit('script')</script>\""

/* Why it takes long: ci/page reads it. */
TEST(test_answer)
{
	char *page = page_of("fixtures/answers/evict.gotrace");

	assert_non_null(strstr(page, "\"answer\":[\"main.serveEvict waits "));
	leave(page, "evict");
	free(page);
	page = page_of("fixtures/answers/garbage.gotrace");
	leave(page, "garbage");
	free(page);
}

/* With the waits of parked goroutines apart, and with them: ci/page adds them up. */
TEST(test_parked)
{
	part.leave_out_parked = part.said = true;
	char *page = page_of("fixtures/answers/query.gotrace");

	assert_non_null(strstr(page, "\"parked\":\""));
	leave(page, "query");
	free(page);
	part = (struct trace_view){ 0 };
	page = page_of("fixtures/answers/query.gotrace");
	assert_null(strstr(page, "\"parked\":\""));
	leave(page, "query-all");
	free(page);
}

/* A recording that goes on has an answer of what was read, and says that it goes on. */
TEST(test_growing)
{
	struct trace_reader *from = trace_reader_open("fixtures/answers/evict.gotrace");
	char path[] = "/tmp/gotrace-page-XXXXXX";
	int fd = mkstemp(path);
	struct event_ext ev;

	assert_true(from && fd >= 0);
	struct trace_writer *w = trace_writer_new(fd, trace_reader_info(from));

	assert_non_null(w);
	while (trace_reader_next(from, &ev) > 0)
		assert_int_equal(trace_writer_event(w, &ev), 0);
	assert_int_equal(trace_writer_flush(w), 0);
	trace_reader_close(from);
	char *page = page_of(path);

	assert_non_null(strstr(page, "\"answer\":[\"main.serveEvict waits "));
	assert_non_null(strstr(page, "\"recording\":true"));
	assert_non_null(strstr(
		page,
		"this trace is still being recorded and was read up to its last event so far"));
	leave(page, "growing");
	free(page);
	trace_writer_abort(w);
	unlink(path);
}

/* Of samples, recorded: the page tells them from calls by "mode". */
TEST(test_samples)
{
	char *page = page_of("fixtures/samples/shares.gotrace");

	assert_non_null(strstr(page, "\"mode\":\"samples\""));
	leave(page, "samples");
	free(page);
}

TEST(test_hostile)
{
	static const char events[] =
		"@set binary.path /x/<img src=x onerror=hit('path')>\n"
		"@set warn.0 <b onmouseover=hit('warn')>bold</b><!-- <script>\n"
		"@func " HOSTILE " file=\"/a<b>&amp;\\\".go\" line=7\n"
		"1 entry " HOSTILE " 100 1000\n"
		"1 entry \"main.<!--<script>\" 200 1100\n"
		"1 exit \"main.<!--<script>\" 200 1200\n"
		"1 entry \"main.a;b c\\\"d&lt;\" 200 1300\n"
		"1 exit \"main.a;b c\\\"d&lt;\" 200 1400\n"
		"1 entry \"gr\xc3\xb6\xc3\x9f"
		"e/\xe2\x80\xa8v2.\xff\xfe(*T[go.shape.int]).M\" 200 1500\n"
		"1 exit \"gr\xc3\xb6\xc3\x9f"
		"e/\xe2\x80\xa8v2.\xff\xfe(*T[go.shape.int]).M\" 200 1600\n"
		"1 entry \"__proto__\" 200 1700\n1 exit \"__proto__\" 200 1800\n"
		"1 entry \"main.\\x1b[31m\\n\" 200 1850\n1 exit \"main.\\x1b[31m\\n\" 200 1860\n"
		"1 exit " HOSTILE " 100 2000\n";
	char path[TRACE_PATH_BYTES];

	fixture_write_text(events, true, path);
	check_page(path, "hostile");
	char *page = page_of(path);

	assert_null(strstr(page, "<img"));
	assert_null(strstr(page, "<b onmouseover"));
	assert_non_null(strstr(page, "\\u003c/script>\\u003cscript>hit('script')"));
	free(page);
	unlink(path);
}

/* As a trace that was cut off looks, and one with a gap. */
TEST(test_losses)
{
	char path[TRACE_PATH_BYTES];

	fixture_write_text(
		"1 entry main.f 100 1000\n1 entry main.g 200 1100\n- loss - 0 1200 arg0=1900 arg1=3 flags=all\n"
		"1 exit main.f 100 2000\n1 entry main.h 100 2100\n",
		false, path);
	check_page(path, "lost");
	check_numbers(path);
	char *page = page_of(path);

	assert_non_null(strstr(page, "\"complete\":false"));
	assert_non_null(strstr(page, "\"lost_events\":3"));
	assert_non_null(strstr(page, "3 events were lost in 1 gap"));
	free(page);
	unlink(path);
}

/* Two functions that call each other. */
TEST(test_cycle)
{
	char path[TRACE_PATH_BYTES];

	fixture_write_text(
		"1 entry main.f 100 1000\n1 entry main.g 200 1100\n1 entry main.f 300 1200\n"
		"1 exit main.f 300 1300\n1 exit main.g 200 1400\n1 exit main.f 100 2000\n",
		true, path);
	check_page(path, "cycle");
	check_numbers(path);
	unlink(path);
}

/* A picture larger than a window: two chains of 28 functions each. */
TEST(test_large)
{
	enum { CHAINS = 2, DEPTH = 28, BYTES = 1 << 14 };
	char *text = calloc(1, BYTES), path[TRACE_PATH_BYTES];
	FILE *out = fmemopen(text, BYTES, "w");
	unsigned ts_ns = 1000;

	assert_non_null(out);
	fprintf(out, "1 entry main.main 100 %u\n", ts_ns);
	for (unsigned c = 0; c < CHAINS; c++) {
		for (unsigned d = 0; d < DEPTH; d++)
			fprintf(out, "1 entry main.chain%uStep%u %u %u\n", c, d, 200 + 100 * d,
				ts_ns += 100);
		for (unsigned d = DEPTH; d--;)
			fprintf(out, "1 exit main.chain%uStep%u %u %u\n", c, d, 200 + 100 * d,
				ts_ns += 100);
	}
	fprintf(out, "1 exit main.main 100 %u\n", ts_ns + 100);
	assert_int_equal(fclose(out), 0);
	fixture_write_text(text, true, path);
	check_page(path, "large");
	check_numbers(path);
	unlink(path);
	free(text);
}

/* Two traces: A's numbers and B's, each in its place. */
TEST(test_changes)
{
	static const char *const lists[] = { "fixtures/cases/diff/before.events",
					     "fixtures/cases/diff/after.events" };
	const struct export_options opt = { .files = { "before", "<after>" } };
	struct trace_reader *r[2];
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	for (unsigned s = 0; s < 2; s++) {
		char path[TRACE_PATH_BYTES];
		struct evlist l;

		assert_int_equal(evlist_load(&l, lists[s]), 0);
		fixture_write(&l, path);
		evlist_free(&l);
		r[s] = trace_reader_open(path);
		assert_non_null(r[s]);
		unlink(path);
	}
	assert_int_equal(export_html(r, 2, &opt, out), 0);
	assert_int_equal(fclose(out), 0);
	trace_reader_close(r[0]);
	trace_reader_close(r[1]);
	leave(text, "changes");
	char *data = fixture_page_data(text);

	assert_non_null(strstr(data, "\"file\":\"\\u003cafter>\""));
	assert_non_null(strstr(data, "\"was\":{\"file\":\"before\""));
	free(data);
	free(text);
}

/* A go statement's goroutines are counted, not the calls that they begin with. */
TEST(test_goroutines)
{
	char path[TRACE_PATH_BYTES];

	fixture_write_text(
		"1 entry main.a 100 1000\n"
		"1 create - 0 1100 arg0=2 arg1=0x401000\n"
		"1 create - 0 1110 arg0=3 arg1=0x401000\n"
		"2 entry main.w 100 1200\n2 exit main.w 100 1210\n"
		"2 entry main.w 100 1220\n2 exit main.w 100 1230\n"
		"2 entry main.v 100 1240\n2 exit main.v 100 1250\n"
		"3 entry main.w 100 1260\n3 exit main.w 100 1270\n"
		"1 exit main.a 100 1500\n1 entry main.a 100 1510\n1 exit main.a 100 1520\n",
		true, path);
	char *text = page_of(path), *data = fixture_page_data(text);

	unlink(path);
	/* of main.a: the first; of main.w two, of main.v one */
	assert_non_null(strstr(data, "{\"group\":0,\"goroutines\":1,"));
	assert_non_null(strstr(data, "{\"group\":1,\"goroutines\":2,"));
	assert_non_null(strstr(data, "{\"group\":2,\"goroutines\":1,"));
	free(data);
	free(text);
}

/* A page of samples has the report's sentences, and the program's name. */
TEST(test_samples_headline)
{
	char *text = page_of("fixtures/samples/walls.gotrace"), *data = fixture_page_data(text);

	assert_non_null(strstr(data, "walls, pid "));
	assert_non_null(strstr(data, "\"headline\":\""));
	assert_non_null(strstr(data, "of snapshots of goroutines in "));
	assert_non_null(strstr(data, "\"answer\":[\"goroutines "));
	free(data);
	free(text);
}

/* Functions of one name are those of different programs. */
TEST(test_programs)
{
	char path[] = "/tmp/html-programs-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(programs_fixture_file(path, "/opt/kid"), 0);
	char *page = page_of(path), *data = fixture_page_data(page);
	const char *names = strstr(data, "\"names\":["),
		   *programs = strstr(data, "\"programs\":[\"");

	assert_non_null(names);
	assert_non_null(programs);
	assert_non_null(strstr(programs, "\"kid\""));
	assert_non_null(strstr(programs, "\"prog\""));
	leave(page, "programs");
	free(data);
	free(page);
	unlink(path);
}

/* Two of the runtime's reasons to wait may have one name; ci/page looks at the page. */
TEST(test_reasons_of_one_name)
{
	char path[TRACE_PATH_BYTES];

	fixture_write_text("@set states 1\n@set states.reason.7 preempted\n"
			   "@set states.reason.8 preempted\n1 entry main.main 100 1000\n"
			   "1 state - 0x703 1100\n1 state - 1 1400\n1 state - 0x803 1500\n"
			   "1 state - 1 1800\n1 exit main.main 100 2000\n",
			   true, path);
	char *page = page_of(path);

	leave(page, "one-reason");
	free(page);
	unlink(path);
}

/* main.main calls main.off, main.slow and main.twice; times in us. */
static void make_program(unsigned calls, unsigned slow_us, unsigned off_us, unsigned twice,
			 char path[TRACE_PATH_BYTES])
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	unsigned long now = 2000;

	assert_non_null(f);
	fputs("@set states 1\n@set states.off_cpu told\n1 entry main.main 100 1000\n", f);
	for (unsigned i = 0; i < calls; i++) {
		const unsigned noise = i * 7 % 5;

		fprintf(f, "1 entry main.slow 200 %lu\n", now);
		fprintf(f, "1 exit main.slow 200 %lu\n", now += 1000 * slow_us + noise);
		fprintf(f, "1 entry main.off 200 %lu\n1 state - 0x6 %lu\n", now, now + 1);
		now += 1000 * off_us + 1;
		fprintf(f, "1 state - 0x101 %lu\n", now);
		fprintf(f, "1 exit main.off 200 %lu\n", now += 200000 + noise);
		for (unsigned k = 0; k < twice; k++) {
			fprintf(f, "1 entry main.twice 200 %lu\n", now);
			fprintf(f, "1 exit main.twice 200 %lu\n", now += 300000 + noise);
		}
	}
	fprintf(f, "1 exit main.main 100 %lu\n", now);
	assert_int_equal(fclose(f), 0);
	fixture_write_text(text, true, path);
	free(text);
}

/* What is called slower is what `gotrace diff` says: RUN for sure, of a call. Twice the calls of
 * equal length are no slower function, nor is one that had no processor. */
TEST(test_changes_by_call)
{
	const struct export_options opt = { .files = { "a", "b" } };
	char path[2][TRACE_PATH_BYTES], *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	make_program(60, 100, 1, 1, path[0]);
	make_program(60, 150, 400, 2, path[1]);
	struct trace_reader *r[2] = { trace_reader_open(path[0]), trace_reader_open(path[1]) };

	assert_true(r[0] && r[1] && out);
	assert_int_equal(export_html(r, 2, &opt, out), 0);
	assert_int_equal(fclose(out), 0);
	for (unsigned s = 0; s < 2; s++) {
		trace_reader_close(r[s]);
		unlink(path[s]);
	}
	leave(text, "changes-states");
	char *data = fixture_page_data(text),
	     *changes = strstr(data, "\"changes\":{\"by\":\"run\"");

	assert_non_null(changes);
	assert_non_null(strstr(changes, "\"by_call\":\"AAAB\""));
	/* main.main, .off, .slow, .twice: 100 us became 150, no other call takes longer */
	assert_non_null(strstr(changes, "\"pct\":[0,0,50,0]"));
	free(data);
	free(text);
}

/* Two recordings of samples, and parts of two traces. */
static void expect_change(const char *a, const char *b, const struct trace_view *view)
{
	const struct export_options opt = { .files = { a, b }, .view = view };
	struct trace_reader *r[2] = { trace_reader_open(a), trace_reader_open(b) };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_true(r[0] && r[1] && out);
	assert_int_equal(export_html(r, 2, &opt, out), 0);
	assert_int_equal(fclose(out), 0);
	trace_reader_close(r[0]);
	trace_reader_close(r[1]);
	assert_non_null(strstr(text, "\"was\":{\"file\":"));
	free(text);
}

TEST(test_changes_in_part)
{
	static const char *const focus[] = { "main.main" };

	expect_change("fixtures/samples/labelled.gotrace", "fixtures/samples/cgochurn.gotrace",
		      NULL);
	expect_change("fixtures/traces/panics.thesis.gotrace",
		      "fixtures/traces/panics.emulated.gotrace",
		      &(struct trace_view){ .focus = focus, .n_focus = 1, .said = true });
}

TESTS(test_cases, test_recorded, test_growing, test_answer, test_hostile, test_losses, test_cycle,
      test_large, test_changes, test_parked, test_samples, test_changes_in_part,
      test_changes_by_call, test_goroutines, test_samples_headline, test_programs,
      test_reasons_of_one_name)
