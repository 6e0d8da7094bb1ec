// SPDX-License-Identifier: BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>

#include "base/test_fixture.h"
#include "base/text_name.h"

TEST(test_fit)
{
	static const struct {
		const char *name;
		int room;
		const char *text;
	} cases[] = {
		{ "main.main", 0, "main.main" },
		{ "main.main", 9, "main.main" },
		{ "github.com/nats-io/server.(*client).readLoop", 0,
		  "github.com/nats-io/server.(*client).readLoop" },
		{ "github.com/nats-io/server.(*client).readLoop", 44,
		  "github.com/nats-io/server.(*client).readLoop" },
		{ "github.com/nats-io/server.(*client).readLoop", 43, "server.(*client).readLoop" },
		{ "github.com/nats-io/server.(*client).readLoop", 25, "server.(*client).readLoop" },
		{ "github.com/nats-io/server.(*client).readLoop", 24, "server...lient).readLoop" },
		{ "a.com/name/v2.(*T).F", 14, "name/v2.(*T).F" },
		{ "a.com/name/v2.(*T).F", 19, "name/v2.(*T).F" },
		{ "x.com/p.F[x.com/q.A,*x.com/r.B]", 20, "p.F[q.A,*r.B]" },
		{ "x.com/p.f  from x.com/q.g a/b.go:43", 30, "p.f  from q.g b.go:43" },
		{ "main.abcdefghijklmnopqrstuvwxyz", 11, "mai..uvwxyz" },
		{ "main.größegrößegröße", 11, "mai..egröße" },
		{ "main.\x1b[2J", 12, "main.\\x1b[2J" },
		{ "main.main", 2, "main.main" },
		{ "/", 1, "/" },
		{ "a/b/", 3, "" },
		{ "", 5, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		assert_non_null(out);
		text_name(out, cases[i].name, cases[i].room);
		assert_int_equal(fclose(out), 0);
		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

TESTS(test_fit)
