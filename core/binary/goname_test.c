/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/test_fixture.h"
#include "binary/goname.h"

#include <stdlib.h>
#include <string.h>

struct want {
	const char *name, *package, *receiver, *function;
	bool generic;
	enum goname_kind kind;
};

/* Names as Go 1.19 to 1.27 link them. */
static const struct want wants[] = {
	{ "main.main", "main", NULL, "main", false, GONAME_PLAIN },
	{ "main.(*T).M", "main", "*T", "M", false, GONAME_PLAIN },
	{ "main.T.M", "main", "T", "M", false, GONAME_PLAIN },
	{ "net/http.(*Server).Serve", "net/http", "*Server", "Serve", false, GONAME_PLAIN },
	{ "github.com/u/p%2ev2/x%2ey.(*T).M", "github.com/u/p.v2/x.y", "*T", "M", false,
	  GONAME_PLAIN },
	{ "gopkg.in/yaml%2ev3.Marshal", "gopkg.in/yaml.v3", NULL, "Marshal", false, GONAME_PLAIN },
	{ "vendor/golang.org/x/net/idna.Lookup", "vendor/golang.org/x/net/idna", NULL, "Lookup",
	  false, GONAME_PLAIN },
	{ "go.uber.org/zap.New", "go.uber.org/zap", NULL, "New", false, GONAME_PLAIN },
	{ "main.(*S).Run-fm", "main", "*S", "Run-fm", false, GONAME_BOUND },
	{ "main.F.func1", "main", NULL, "F.func1", false, GONAME_CLOSURE },
	{ "main.F.func1.2", "main", NULL, "F.func1.2", false, GONAME_CLOSURE },
	{ "main.(*S).Run.func2", "main", "*S", "Run.func2", false, GONAME_CLOSURE },
	{ "main.S.Run.func2", "main", "S", "Run.func2", false, GONAME_CLOSURE },
	{ "main.glob..func1", "main", NULL, "glob..func1", false, GONAME_CLOSURE },
	{ "main.init.func1", "main", NULL, "init.func1", false, GONAME_CLOSURE },
	{ "main.init.OnceFunc.func3", "main", NULL, "init.OnceFunc.func3", false, GONAME_CLOSURE },
	{ "main.F.deferwrap1", "main", NULL, "F.deferwrap1", false, GONAME_DEFERWRAP },
	{ "main.(*S).F.gowrap12", "main", "*S", "F.gowrap12", false, GONAME_DEFERWRAP },
	{ "main.F-range1", "main", NULL, "F-range1", false, GONAME_CLOSURE },
	{ "main.F.func2-range1-range2", "main", NULL, "F.func2-range1-range2", false,
	  GONAME_CLOSURE },
	{ "main.(*S).Each-range1", "main", "*S", "Each-range1", false, GONAME_CLOSURE },
	{ "main.init", "main", NULL, "init", false, GONAME_INIT },
	{ "main.init.0", "main", NULL, "init.0", false, GONAME_INIT },
	{ "main.map.init.0", "main", NULL, "map.init.0", false, GONAME_INIT },
	{ "main.init.0.func1", "main", NULL, "init.0.func1", false, GONAME_CLOSURE },
	{ "main.F[go.shape.int]", "main", NULL, "F[go.shape.int]", true, GONAME_PLAIN },
	{ "main.F[...]", "main", NULL, "F[...]", true, GONAME_PLAIN },
	{ "main.F[...].func1", "main", NULL, "F[...].func1", true, GONAME_CLOSURE },
	{ "main.(*Stack[map[string]x/y.T]).Push-fm", "main", "*Stack[map[string]x/y.T]", "Push-fm",
	  true, GONAME_BOUND },
	{ "x/y.G[go.shape.struct { A int \"json:\\\"a]b.c\\\"\" },go.shape.func(int) error]", "x/y",
	  NULL, "G[go.shape.struct { A int \"json:\\\"a]b.c\\\"\" },go.shape.func(int) error]",
	  true, GONAME_PLAIN },
	{ "main.Pair[go.shape.int].First", "main", "Pair[go.shape.int]", "First", true,
	  GONAME_PLAIN },
	{ "main.\u0428\u0430\u0440.\u041c\u0435\u0442\u043e\u0434", "main", "\u0428\u0430\u0440",
	  "\u041c\u0435\u0442\u043e\u0434", false, GONAME_PLAIN },
	{ "runtime.newproc.abi0", "runtime", NULL, "newproc", false, GONAME_PLAIN },
	{ "type:.eq.main.T", "", NULL, "type:.eq.main.T", false, GONAME_TYPEALG },
	{ "type..hash.[4]string", "", NULL, "type..hash.[4]string", false, GONAME_TYPEALG },
	{ "go:(*struct { io.Reader }).Read", "", NULL, "go:(*struct { io.Reader }).Read", false,
	  GONAME_OTHER },
	{ "go.(*struct { io.Reader }).Read", "", NULL, "go.(*struct { io.Reader }).Read", false,
	  GONAME_OTHER },
	{ "go:textfipsstart", "", NULL, "go:textfipsstart", false, GONAME_OTHER },
	{ "memeqbody", "", NULL, "memeqbody", false, GONAME_OTHER },
	{ "", "", NULL, "", false, GONAME_OTHER },
	/* never linked like this: must only not break */
	{ "main.", "main", NULL, "", false, GONAME_PLAIN },
	{ "main.(*T", "main", NULL, "(*T", false, GONAME_PLAIN },
	{ "a%2.b%zz.F", "a%2", "b%zz", "F", false, GONAME_PLAIN },
	{ "main.F[\"", "main", NULL, "F[\"", true, GONAME_PLAIN },
};

TEST(test_split)
{
	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
		const struct want *w = &wants[i];
		struct goname n;

		print_message("%s\n", w->name);
		assert_int_equal(goname_split(w->name, &n), 0);
		assert_string_equal(n.package, w->package);
		if (w->receiver) {
			assert_non_null(n.receiver);
			assert_string_equal(n.receiver, w->receiver);
		} else {
			assert_null(n.receiver);
		}
		assert_string_equal(n.function, w->function);
		assert_int_equal(n.generic, w->generic);
		assert_int_equal(n.kind, w->kind);
		assert_int_equal(goname_has_receiver(w->name), w->receiver != NULL);
		char *package = goname_package(w->name);
		assert_string_equal(package, w->package);
		free(package);
		goname_free(&n);
	}
}

static void same(char *got, const char *want)
{
	assert_non_null(got);
	assert_string_equal(got, want);
	free(got);
}

TEST(test_display)
{
	same(goname_display("gopkg.in/yaml%2ev3.(*Node).Decode"),
	     "gopkg.in/yaml.v3.(*Node).Decode");
	same(goname_display("main.F[a%2eb.T]"), "main.F[a%2eb.T]");
	same(goname_display("type:.eq.a%2eb.T"), "type:.eq.a%2eb.T");
	same(goname_display("gogo"), "gogo");
	same(goname_display("a%"), "a%");
}

TEST(test_shorten)
{
	same(goname_shorten_generics("main.F[go.shape.int]"), "main.F[...]");
	same(goname_shorten_generics("main.(*S[map[string][]int]).M[x].func1"),
	     "main.(*S[...]).M[...].func1");
	same(goname_shorten_generics("main.F[...]"), "main.F[...]");
	same(goname_shorten_generics("main.G[struct { A int \"x]\" }].func1"), "main.G[...].func1");
	same(goname_shorten_generics("main.F"), "main.F");
	same(goname_shorten_generics("type:.eq.[4]string"), "type:.eq.[4]string");
	same(goname_shorten_generics("[]["), "[...][...]");
}

TESTS(test_split, test_display, test_shorten)
