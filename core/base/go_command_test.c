// SPDX-License-Identifier: BSD-2-Clause
/* Tests the advice that record gives for `go run` and `go test`. */
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "base/go_command.h"

#define WORDS 24

static void instead(const char *line, const char *want)
{
	char *copy = strdup(line), *rest = copy, *argv[WORDS + 1] = { NULL };

	assert_non_null(copy);
	for (size_t n = 0; rest && n < WORDS; n++)
		argv[n] = strsep(&rest, " ");
	char *got = go_command_instead(argv);

	if (want)
		assert_string_equal(got ? got : "", want);
	else
		assert_null(got);
	free(got);
	free(copy);
}

TEST(runs)
{
	instead("go run", "go build -o prog . && gotrace record -- ./prog");
	instead("/usr/bin/go run ./cmd/a -v x",
		"go build -o prog ./cmd/a && gotrace record -- ./prog -v x");
	instead("go run -race -tags a,b a.go b.go c",
		"go build -o prog -race -tags 'a,b' a.go b.go && gotrace record -- ./prog c");
	instead("go run -x -exec sudo -ldflags=-s .",
		"go build -o prog '-ldflags=-s' . && gotrace record -- ./prog");
	instead("go run -C d . x", "cd d && go build -o prog . && gotrace record -- ./prog x");
	instead("go -C d run .", "cd d && go build -o prog . && gotrace record -- ./prog");
	instead("go run golang.org/x/tools/cmd/stringer@latest -h",
		"GOBIN=$PWD go install 'golang.org/x/tools/cmd/stringer@latest' && gotrace record -- ./stringer -h");
	instead("go run a.b/c/v2@v2.0.1",
		"GOBIN=$PWD go install 'a.b/c/v2@v2.0.1' && gotrace record -- ./c");
}

TEST(tests)
{
	instead("go test", "go test -c -o prog.test . && gotrace record -- ./prog.test");
	instead("go test -bench Normalize -benchtime 20000x ./tok",
		"cd ./tok && go test -c -o prog.test . && gotrace record -- ./prog.test -test.bench Normalize -test.benchtime 20000x");
	instead("go test -v ./...",
		"go test -c -o prog.test PACKAGE && gotrace record -- ./prog.test -test.v");
	instead("go test ./a ./b",
		"go test -c -o prog.test PACKAGE && gotrace record -- ./prog.test");
	instead("go test a_test.go a.go",
		"go test -c -o prog.test a_test.go a.go && gotrace record -- ./prog.test");
	instead("go test x.y/a -run=X|Y -count 3 -race -tags x -c -o y -vet off -args -n 1",
		"go test -c -o prog.test -race -tags x x.y/a && gotrace record -- ./prog.test '-test.run=X|Y' -test.count 3 -n 1");
	instead("go test -test.bench . --test.v=true",
		"go test -c -o prog.test . && gotrace record -- ./prog.test -test.bench . '-test.v=true'");
	instead("go test -bench",
		"go test -c -o prog.test . && gotrace record -- ./prog.test -test.bench");
	instead("go test x.y/a -update -name v -v",
		"go test -c -o prog.test x.y/a && gotrace record -- ./prog.test -update -name v -test.v");
	instead("go test -coverprofile=c.out -C d x.y/a",
		"cd d && go test -c -o prog.test -cover x.y/a && gotrace record -- ./prog.test '-test.coverprofile=c.out'");
	instead("go test -fuzz X x.y/a",
		"go test -c -o prog.test x.y/a && gotrace record -- ./prog.test -test.fuzzcachedir=\"$(go env GOCACHE)/fuzz\" -test.fuzz X");
}

TEST(others)
{
	instead("go", NULL);
	instead("go build ./a", NULL);
	instead("gofmt run", NULL);
	instead("./prog test", NULL);
	instead("go -C d vet", NULL);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(runs),
		cmocka_unit_test(tests),
		cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
