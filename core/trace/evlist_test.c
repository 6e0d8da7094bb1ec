// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "trace/sample_trace_fixture.h"

#include <errno.h>

#include "trace/evlist_fixture.h"

static const char example[] =
	"# every kind of line\n"
	"@set go.version go1.26.0  # no comment here\n"
	"@func main.first vaddr=0x401000 size=16 file=\"/a b/x.go\" line=12\n"
	"@pc 0x401234 main.start file=y.go line=7\n"
	"\n"
	"  1 entry main.f 100 1000   # a comment\n"
	"\t1 exit \"main.F[struct { X int }]\" 0x64 1200 tid=9 flags=system\r\n"
	"1 tail main.f 100 2000 target=main.g\n"
	"1 tail main.f 100 2001\n"
	"1 tail main.f 100 2002 target=main.g\n"
	"- loss - 0 1500 arg0=1900 arg1=3 flags=all,2\n"
	"18446744073709551615 create - 4294967295 18446744073709551615 arg0=7 arg3=0xffffffffffffffff\n"
	"3 entry \"-\" 1 1 site=77\n"
	"3 4000 - 1 1 flags=0x8000";

static void count_lines(void *ctx, enum log_level level, const char *line)
{
	(void)level;
	assert_non_null(strstr(line, "list:"));
	++*(int *)ctx;
}

TEST(test_parse)
{
	struct evlist l;

	/* "all,2" mixes a name and a number, which is refused: put it right first. */
	char *text = strdup(example);
	assert_non_null(text);
	memcpy(strstr(text, "all,2"), "all  ", 5);
	assert_int_equal(evlist_parse(&l, text, "list"), 0);
	assert_int_equal(l.n, 9);
	assert_string_equal(trace_info_get(&l.info, "go.version"), "go1.26.0  # no comment here");

	static const char *const funcs[] = { "main.first", "main.f", "main.F[struct { X int }]",
					     "main.g", "-" };
	assert_int_equal(l.info.n_funcs, 5);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(l.info.funcs[i].name, funcs[i]);
	assert_string_equal(l.info.funcs[0].file, "/a b/x.go");
	assert_int_equal(l.info.funcs[0].vaddr, 0x401000);
	assert_int_equal(l.info.funcs[0].size, 16);
	assert_int_equal(l.info.funcs[0].line, 12);
	assert_null(l.info.funcs[1].file);
	assert_string_equal(trace_info_pc(&l.info, 0x401234)->func, "main.start");

	assert_int_equal(l.events[1].h.depth, 100);
	assert_int_equal(l.events[1].h.tid, 9);
	assert_int_equal(l.events[1].h.flags, EVF_SYSTEM);
	assert_int_equal(l.events[0].h.tid, 1);
	/* one site per function, kind and target */
	assert_int_equal(l.events[2].h.site, l.events[4].h.site);
	assert_int_not_equal(l.events[2].h.site, l.events[3].h.site);
	assert_int_equal(l.info.sites[l.events[2].h.site].target, 3);
	assert_int_equal(l.info.sites[l.events[3].h.site].target, TRACE_NONE);
	assert_int_equal(l.info.sites[l.events[2].h.site].func, 1);
	assert_int_equal(l.events[5].h.goid, 0);
	assert_int_equal(l.events[5].arg[1], 3);
	assert_int_equal(l.info.sites[l.events[5].h.site].func, TRACE_NONE);
	assert_true(l.events[6].h.goid == UINT64_MAX && l.events[6].arg[3] == UINT64_MAX);
	assert_int_equal(l.events[7].h.site, 77);
	assert_int_equal(l.events[8].h.kind, 4000);
	assert_int_equal(l.events[8].h.flags, 0x8000);
	free(text);
	evlist_free(&l);
}

TEST(test_refused)
{
	static const char *const lists[] = {
		"1 entry main.f 100",
		"x entry main.f 100 1",
		"1 enter main.f 100 1",
		"1 0 main.f 100 1",
		"1 entry main.f -1 1",
		"1 entry main.f 4294967296 1",
		"1 entry main.f 1 18446744073709551616",
		"1 entry main.f 1 1ns",
		"1 entry main.f 1 1 tid",
		"1 entry main.f 1 1 tid=x",
		"1 entry main.f 1 1 flags=loud",
		"1 entry main.f 1 1 arg0=1",
		"1 create - 1 1 arg4=1",
		"1 entry main.f 1 1 target=main.g",
		"1 entry \"main.f 1 1",
		"1 entry \"main.\\q\" 1 1",
		"1 entry \"main.\\x00\" 1 1",
		"1 entry \"main.\\x",
		"@set",
		"@func",
		"@func f line=x",
		"@func f colour=red",
		"@pc 0x1",
		"@pc x f",
		"@nothing",
		"@site entry",
		"@site enter f",
		"@site entry f file_off=x",
		"@site entry f line=1",
		"1 entry f 1 1 func=1",
		"1 tail f 1 1 target_func=1",
		"1 entry f 1 1\n@func f",
		"1 entry main.f 1 1 flags=all,2",
		"1 entry main.f 1 1 site=4294967296",
		"1 entry f 1 1 tid=1 tid=1 tid=1 tid=1 tid=1 tid=1 tid=1 tid=1 tid=1 tid=1 tid=1 tid=1",
	};
	struct evlist l;
	int lines = 0;

	log_set_sink(count_lines, &lines);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (evlist_parse(&l, lists[i], "list") != -EBADMSG)
			fail_msg("taken: %s", lists[i]);
		assert_int_equal(lines, (int)i + 1);
		assert_int_equal(l.n, 0);
		assert_null(l.events);
	}
	log_set_sink(NULL, NULL);
}

/* Writing a list and reading it gives the same list. */
TEST(test_write)
{
	struct evlist a, b;
	char *text = strdup(example), *first = NULL, *second = NULL;
	size_t len;

	assert_non_null(text);
	memcpy(strstr(text, "all,2"), "all  ", 5);
	assert_int_equal(evlist_parse(&a, text, "list"), 0);
	FILE *out = open_memstream(&first, &len);
	assert_non_null(out);
	assert_int_equal(evlist_write_info(out, &a.info), 0);
	for (size_t i = 0; i < a.n; i++)
		assert_int_equal(evlist_write_event(out, &a.info, NULL, &a.events[i], NULL), 0);
	fclose(out);

	assert_int_equal(evlist_parse(&b, first, "list"), 0);
	assert_int_equal(b.n, a.n);
	assert_int_equal(b.info.n_sites, a.info.n_sites);
	for (size_t i = 0; i < a.n; i++) {
		const struct event_ext *x = &a.events[i], *y = &b.events[i];
		assert_memory_equal(x->arg, y->arg, sizeof(x->arg));
		assert_true(x->h.ts_ns == y->h.ts_ns && x->h.goid == y->h.goid);
		assert_true(x->h.kind == y->h.kind && x->h.flags == y->h.flags);
		assert_true(x->h.tid == y->h.tid && x->h.depth == y->h.depth);
	}
	out = open_memstream(&second, &len);
	assert_non_null(out);
	evlist_write_info(out, &b.info);
	for (size_t i = 0; i < b.n; i++)
		evlist_write_event(out, &b.info, NULL, &b.events[i], NULL);
	fclose(out);
	assert_string_equal(first, second);

	free(text);
	free(first);
	free(second);
	evlist_free(&a);
	evlist_free(&b);
}

/* A list is shown on terminals, of which some take a lone 0x9b for the begin of a command. */
TEST(test_strange_words)
{
	struct trace_kv kv = { (char *)(uintptr_t) "a b\xc2\x9b\x9b",
			       (char *)(uintptr_t) "c\x9b\u202e\n d" };
	struct trace_func f = { .name = (char *)(uintptr_t) "f\x9b\u202e\u00f6" };
	const struct trace_info info = { .kvs = &kv, .n_kvs = 1, .funcs = &f, .n_funcs = 1 };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct evlist l;

	assert_non_null(out);
	assert_int_equal(evlist_write_info(out, &info), 0);
	fclose(out);
	assert_string_equal(text, "@set a_b__ c    d\n"
				  "@func \"f\\x9b\\xe2\\x80\\xae\u00f6\"\n");
	assert_int_equal(evlist_parse(&l, text, "list"), 0);
	assert_string_equal(l.info.funcs[0].name, f.name);
	evlist_free(&l);
	free(text);
}

TEST(test_read)
{
	static const char text[] = "1 entry f 1 1\n1 exit f 1 2\n",
			  with_nul[] = "1 entry f\0 1 1\n";
	struct evlist l;
	int lines = 0;

	FILE *in = fmemopen((void *)(uintptr_t)text, sizeof(text) - 1, "r");
	assert_non_null(in);
	assert_int_equal(evlist_read(&l, in, "list"), 0);
	assert_int_equal(l.n, 2);
	fclose(in);
	evlist_free(&l);

	log_set_sink(count_lines, &lines);
	in = fmemopen((void *)(uintptr_t)with_nul, sizeof(with_nul) - 1, "r");
	assert_non_null(in);
	assert_int_equal(evlist_read(&l, in, "list"), -EBADMSG);
	fclose(in);
	assert_int_equal(evlist_load(&l, "/nonexistent/list:"), -ENOENT);
	assert_int_equal(lines, 2);
	log_set_sink(NULL, NULL);
}

/* A trace as a list says the same, sites apart, which are made anew. */
TEST(test_dump)
{
	struct trace_pc pc = { .pc = 0x401000, .func = (char *)(uintptr_t) "main.changed" };
	const struct trace_kv end[] = {
		{ (char *)(uintptr_t) "end.status", (char *)(uintptr_t) "0" },
		{ (char *)(uintptr_t) "go.version", (char *)(uintptr_t) "go1.27" }
	};
	uint64_t seed = sample_seed("dump");
	size_t n = 3000, len;
	struct event_ext *ev = sample_events(n, 20, &seed);
	struct trace_info info;
	struct evlist l;
	char *text;
	int fd = sample_file();

	sample_info(&info);
	struct trace_writer *w = trace_writer_new(sample_dup(fd), &info);
	assert_non_null(w);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(trace_writer_event(w, &ev[i]), 0);
	assert_int_equal(trace_writer_pc(w, &pc), 0);
	assert_int_equal(trace_writer_finish(w, end, 2), 0);

	struct trace_reader *r = trace_reader_open(sample_path(fd));
	FILE *out = open_memstream(&text, &len);
	assert_non_null(r);
	assert_non_null(out);
	assert_int_equal(evlist_dump(out, r), 0);
	fclose(out);
	assert_int_equal(evlist_parse(&l, text, "list"), 0);
	assert_string_equal(trace_info_get(&l.info, "go.version"), "go1.27");
	assert_string_equal(trace_info_get(&l.info, "end.status"), "0");
	assert_string_equal(trace_info_pc(&l.info, 0x401000)->func, "main.changed");
	assert_int_equal(l.info.n_funcs, info.n_funcs);
	assert_int_equal(l.n, n);
	for (size_t i = 0; i < n; i++) {
		struct event_ext *got = &l.events[i];
		const struct trace_site *a = ev[i].h.site < info.n_sites ? &info.sites[ev[i].h.site]
									 : NULL;
		if (a && a->kind == ev[i].h.kind) {
			const struct trace_site *b = &l.info.sites[got->h.site];
			assert_int_equal(a->func, b->func);
			assert_int_equal(a->kind, b->kind);
			assert_true(a->target == b->target || a->kind != EV_TAIL);
			got->h.site = ev[i].h.site;
		}
		assert_memory_equal(got, &ev[i], sizeof(*got));
	}
	trace_reader_close(r);
	evlist_free(&l);
	trace_info_free(&info);
	free(text);
	free(ev);
	close(fd);
}

TESTS(test_parse, test_refused, test_write, test_read, test_dump, test_strange_words)
