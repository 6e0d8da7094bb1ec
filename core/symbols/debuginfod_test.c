// SPDX-License-Identifier: BSD-2-Clause
/* Debug files from a server, which is here on the loopback interface. */
#include "base/test_fixture.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "symbols/debuginfod.h"
#include "symbols/symbols.h"

#define FOLDER "/tmp/gotrace-debuginfod.XXXXXX"
static char folder[] = FOLDER;

/* What the server does with a request. */
enum manner { HAS_IT, HAS_NOT, HAS_ANOTHER, HAS_DWARF, SAYS_TOO_LARGE, SAYS_NOTHING };

struct heard {
	char all[4096];
};

static void hear(void *ctx, enum log_level level, const char *line)
{
	struct heard *h = ctx;
	const size_t n = strlen(h->all);

	(void)level;
	snprintf(h->all + n, sizeof(h->all) - n, "%s\n", line);
}

static int run(const char *command)
{
	char text[2 * PATH_MAX + 64];

	snprintf(text, sizeof(text), "cd %s && %s", folder, command);
	return system(text);
}

/* p without symbols, its debug file, and one that is another's. named has symbols and no DWARF.
 * dwarf.debug has DWARF alone. */
FIXTURE(make_files)
{
	strcpy(folder, FOLDER);
	if (!mkdtemp(folder))
		return -1;
	return run("echo 'int main(void) { return 0; }' >main.c && cc -g -o notgo main.c && "
		   "objcopy --only-keep-debug notgo p.debug && strip -o p notgo && "
		   "strip --strip-debug -o named notgo && "
		   "strip --keep-section='.debug*' -o dwarf.debug p.debug && "
		   "printf x >id && objcopy --remove-section=.note.gnu.build-id "
		   "p.debug another.debug");
}

FIXTURE(remove_files)
{
	char text[64];

	snprintf(text, sizeof(text), "rm -r %s", folder);
	return system(text);
}

static void send_file(int to, const char *name)
{
	char path[128], bytes[4096];
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "r");

	if (!f)
		return;
	fseek(f, 0, SEEK_END);
	dprintf(to, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %ld\r\n\r\n",
		ftell(f));
	rewind(f);
	while ((n = fread(bytes, 1, sizeof(bytes), f)))
		if (write(to, bytes, n) < 0)
			break;
	fclose(f);
}

static void answer(int fd, enum manner manner)
{
	char request[4096];

	if (read(fd, request, sizeof(request)) <= 0)
		return;
	if (manner == HAS_IT || manner == HAS_ANOTHER || manner == HAS_DWARF)
		send_file(fd, manner == HAS_IT        ? "p.debug"
			      : manner == HAS_ANOTHER ? "another.debug"
						      : "dwarf.debug");
	else if (manner == HAS_NOT)
		dprintf(fd, "HTTP/1.1 404 Not Found\r\nConnection: close\r\n"
			    "Content-Length: 0\r\n\r\n");
	else if (manner == SAYS_TOO_LARGE)
		dprintf(fd, "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nx");
	if (manner >= SAYS_TOO_LARGE)
		pause();
}

/* Begins a server, a process, and names it in the environment. Each begins with an empty cache. */
static pid_t serve(enum manner manner)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char text[256];

	assert_true(s >= 0);
	assert_int_equal(bind(s, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(s, 8), 0);
	assert_int_equal(getsockname(s, (struct sockaddr *)&at, &len), 0);
	snprintf(text, sizeof(text), "http://127.0.0.1:%u", ntohs(at.sin_port));
	assert_int_equal(setenv("DEBUGINFOD_URLS", text, 1), 0);
	snprintf(text, sizeof(text), "%s/cache", folder);
	assert_int_equal(setenv("DEBUGINFOD_CACHE_PATH", text, 1), 0);
	assert_int_equal(run("rm -rf cache"), 0);
	unsetenv("http_proxy");
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			int fd = accept(s, NULL, NULL);

			answer(fd, manner);
			close(fd);
		}
	}
	close(s);
	return pid;
}

static void stop(pid_t server)
{
	assert_int_equal(kill(server, SIGKILL), 0);
	assert_int_equal(waitpid(server, NULL, 0), server);
	unsetenv("DEBUGINFOD_URLS");
}

static bool has_library(void)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_NODELETE);

	if (library)
		dlclose(library);
	return library;
}

/* Where notgo's main is, which its debug file alone has a name for. */
static uint64_t main_off(void)
{
	char path[128];
	uint64_t off = 0;

	assert_int_equal(run("nm notgo | awk '$3 == \"main\" { print $1 }' >main"), 0);
	snprintf(path, sizeof(path), "%s/main", folder);
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%" SCNx64, &off), 1);
	fclose(f);
	return off % 0x400000; /* where a program that is not PIE begins */
}

/* What is known of the address of main in a program. */
static struct known {
	bool name, file;
} known_of(const char *program, const struct symbols_options *opt, struct heard *h)
{
	char path[128];
	const struct sample_process p = { .pid = (uint32_t)getpid() };
	struct sample_image x = { .end = 1 << 30, .path = path };
	struct sample_tables t = { 0 }, out;
	const uint64_t pc = main_off();

	snprintf(path, sizeof(path), "%s/%s", folder, program);
	x.start = 0;
	assert_int_equal(sample_tables_process(&t, &p), 0);
	assert_int_equal(sample_tables_image(&t, &x), 0);
	assert_int_equal(sample_tables_stack(&t, &(struct sample_stack){ .n = 1, .pcs = &pc }), 0);
	*h = (struct heard){ 0 };
	log_set_sink(hear, h);
	assert_int_equal(symbols_resolve(&t, opt, &out, NULL), 0);
	log_set_sink(NULL, NULL);
	struct known found = { 0 };

	for (size_t i = 0; i < out.n_symbols; i++) {
		found.name |= !strcmp(out.symbols[i].name, "main");
		found.file |= out.symbols[i].file && strstr(out.symbols[i].file, "/main.c");
	}
	sample_tables_free(&out);
	sample_tables_free(&t);
	return found;
}

/* Whether the address of main has its name. */
static bool named(const struct symbols_options *opt, struct heard *h)
{
	return known_of("p", opt, h).name;
}

static void says(const struct heard *h, const char *what)
{
	if (!strstr(h->all, what))
		fail_msg("'%s' is not in '%s'", what, h->all);
}

static int inside;
static bool may = true;

static bool enter(void *ctx)
{
	(void)ctx;
	assert_int_equal(inside, 0);
	inside = may;
	return may;
}

static void leave(void *ctx)
{
	(void)ctx;
	assert_int_equal(inside, 1);
	inside = 0;
}

static const struct debuginfod_rights rights = { .enter = enter, .leave = leave };
static const struct symbols_options asks = { .here = true, .debuginfod = &rights },
				    does_not_ask = { .here = true };

TEST(names_of_a_server)
{
	struct heard h;
	pid_t server = serve(HAS_IT);

	assert_false(named(&does_not_ask, &h));
	assert_string_equal(h.all, "");
	assert_true(named(&asks, &h));
	says(&h, "/p: its debug file was fetched (0.0 MB in ");
	stop(server);
}

/* A program with names has no lines and no inlined functions without DWARF. */
TEST(lines_of_a_server)
{
	struct heard h;
	pid_t server = serve(HAS_IT);
	struct known k = known_of("named", &does_not_ask, &h);

	assert_true(k.name && !k.file);
	k = known_of("named", &asks, &h);
	assert_true(k.name && k.file);
	says(&h, "/named: its debug file was fetched (");
	stop(server);
}

TEST(a_debug_file_may_have_dwarf_alone)
{
	struct heard h;
	pid_t server = serve(HAS_DWARF);
	const struct known k = known_of("named", &asks, &h);

	assert_true(k.name && k.file);
	stop(server);
}

TEST(a_program_with_dwarf_needs_no_server)
{
	struct heard h;
	pid_t server = serve(HAS_IT);
	const struct known k = known_of("notgo", &asks, &h);

	assert_true(k.name && k.file);
	assert_string_equal(h.all, "");
	stop(server);
}

TEST(nothing_is_asked_for_without_servers)
{
	struct heard h;

	unsetenv("DEBUGINFOD_URLS");
	assert_false(named(&asks, &h));
	assert_string_equal(h.all, "");
}

/* The library gets no file without the rights of the user. */
TEST(without_rights)
{
	struct heard h;
	pid_t server = serve(HAS_IT);

	may = false;
	assert_false(named(&asks, &h));
	says(&h, "libdebuginfod.so.1 cannot begin");
	may = true;
	stop(server);
}

TEST(servers_without_it)
{
	struct heard h;
	pid_t server = serve(HAS_NOT);

	assert_false(named(&asks, &h));
	says(&h, "no server of DEBUGINFOD_URLS has the debug file of ");
	stop(server);
}

TEST(a_file_of_another_is_not_used)
{
	struct heard h;
	pid_t server = serve(HAS_ANOTHER);

	assert_false(named(&asks, &h));
	stop(server);
}

TEST(large_files_are_not_read)
{
	struct heard h;
	pid_t server = serve(SAYS_TOO_LARGE);

	assert_false(named(&asks, &h));
	says(&h,
	     "/p: its debug file was not fetched (DEBUGINFOD_URLS): it has more than a gigabyte");
	stop(server);
}

/* And after the first error nothing else is asked for. */
TEST(servers_that_are_gone)
{
	const uint8_t id[20] = { 1 };
	struct heard h;
	pid_t server = serve(HAS_IT);
	char *urls = strdup(getenv("DEBUGINFOD_URLS"));

	stop(server);
	assert_int_equal(setenv("DEBUGINFOD_URLS", urls, 1), 0);
	free(urls);
	assert_false(named(&asks, &h));
	says(&h, "/p: its debug file was not fetched (DEBUGINFOD_URLS): ");
	says(&h, ". No more files are asked for");
	struct debuginfod *d = debuginfod_new(&rights, DEBUGINFOD_MOST_NS);

	assert_non_null(d);
	h = (struct heard){ 0 };
	log_set_sink(hear, &h);
	assert_true(debuginfod_fetch(d, id, sizeof(id), "/one") < 0);
	assert_int_equal(debuginfod_fetch(d, id, sizeof(id), "/two"), -ENOENT);
	log_set_sink(NULL, NULL);
	debuginfod_free(d);
	says(&h, "/one: ");
	assert_null(strstr(h.all, "/two"));
	unsetenv("DEBUGINFOD_URLS");
}

/* The test ends only where waiting for it ends. */
TEST(servers_that_say_nothing)
{
	const uint8_t id[20] = { 1 };
	struct heard h = { 0 };
	pid_t server = serve(SAYS_NOTHING);
	struct debuginfod *d = debuginfod_new(&rights, 1);

	assert_non_null(d);
	assert_int_equal(setenv("DEBUGINFOD_TIMEOUT", "100000", 1), 0);
	log_set_sink(hear, &h);
	assert_true(debuginfod_fetch(d, id, sizeof(id), "/one") < 0);
	log_set_sink(NULL, NULL);
	says(&h, "/one: its debug file was not fetched (DEBUGINFOD_URLS): it took too long");
	debuginfod_free(d);
	unsetenv("DEBUGINFOD_TIMEOUT");
	stop(server);
}

static void library_is_missing(void **state)
{
	(void)state;
	print_message("libdebuginfod.so.1 is not installed (ci/deps.sh test)\n");
	skip();
}

int main(void)
{
	const struct CMUnitTest none[] = { cmocka_unit_test(library_is_missing) };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_a_server),
		cmocka_unit_test(lines_of_a_server),
		cmocka_unit_test(a_debug_file_may_have_dwarf_alone),
		cmocka_unit_test(a_program_with_dwarf_needs_no_server),
		cmocka_unit_test(nothing_is_asked_for_without_servers),
		cmocka_unit_test(without_rights),
		cmocka_unit_test(servers_without_it),
		cmocka_unit_test(a_file_of_another_is_not_used),
		cmocka_unit_test(large_files_are_not_read),
		cmocka_unit_test(servers_that_are_gone),
		cmocka_unit_test(servers_that_say_nothing),
	};

	if (!has_library())
		return cmocka_run_group_tests(none, NULL, NULL);
	return cmocka_run_group_tests(tests, make_files, remove_files);
}
