// SPDX-License-Identifier: BSD-2-Clause
/* The agent's file, right and wrong, and what its rules say of processes. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "agent/config.h"
#include "agent/label_rules.h"
#include "base/log.h"

static char last[1024];

static void keep_line(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	(void)level;
	snprintf(last, sizeof(last), "%s", line);
}

static int read_text(struct agent_config *c, const char *text)
{
	*last = '\0';
	return config_parse(c, "agent.json", text);
}

#define STORE "\"store\": {\"directory\": \"/s\"}"

TEST(test_defaults)
{
	struct agent_config c;

	assert_int_equal(read_text(&c, "{" STORE "}"), 0);
	assert_int_equal(c.interval_ns, 15000000000ull);
	assert_int_equal(c.hz, 19);
	assert_int_equal(c.waiting_hz, 10);
	assert_int_equal(c.memory_bytes, 400 << 20);
	assert_false(c.kernel || c.labels || c.drop_others || config_waits(&c));
	assert_string_equal(c.directory, "/s");
	assert_true(!c.url && !c.address && !c.cgroup && *c.host);
	assert_int_equal(c.max_age_ns, 7ull * 86400 * 1000000000);
	assert_int_equal(c.max_bytes, 2ull << 30);
	config_free(&c);
}

TEST(test_all)
{
	struct agent_config c;

	assert_int_equal(
		read_text(
			&c,
			"{\"interval\": \"1m\", \"frequency\": 99, \"kernel\": true, \"goroutine_labels\": true,"
			"\"cgroup\": \"/x\", \"environment\": [\"A\", \"B\"], \"labels\": {\"env\": \"p\"},"
			"\"rules\": [{\"match\": {\"executable\": \"*/nginx\", \"environment\": {\"A\": \"1*\"}},"
			"\"service\": \"web\", \"labels\": {\"team\": \"edge\"}, \"waiting\": true}, {\"drop\": true}],"
			"\"waiting_frequency\": 5, \"memory\": \"1G\","
			"\"others\": \"drop\","
			"\"store\": {\"directory\": \"/s\", \"max_age\": \"7d\", \"max_bytes\": \"2G\"},"
			"\"push\": {\"url\": \"http://h:4040\", \"headers\": {\"X-Scope-OrgID\": \"t\"},"
			"\"timeout\": \"5s\", \"pending_bytes\": \"1M\"}, \"listen\": \"[::1]:4041\"}"),
		0);
	assert_int_equal(c.interval_ns, 60000000000ull);
	assert_int_equal(c.hz, 99);
	assert_int_equal(c.waiting_hz, 5);
	assert_int_equal(c.memory_bytes, 1 << 30);
	assert_true(c.rules[0].waiting && !c.rules[1].waiting && config_waits(&c));
	assert_true(c.kernel && c.labels && c.drop_others);
	assert_int_equal(c.n_rules, 2);
	assert_string_equal(c.rules[0].executable, "*/nginx");
	assert_string_equal(pairs_get(&c.rules[0].environment, "A"), "1*");
	assert_true(c.rules[1].drop);
	assert_int_equal(c.max_age_ns, 7ull * 86400 * 1000000000);
	assert_int_equal(c.max_bytes, 2ull << 30);
	assert_int_equal(c.pending_bytes, 1 << 20);
	assert_int_equal(c.timeout_ns, 5000000000ull);
	assert_string_equal(pairs_get(&c.headers, "X-Scope-OrgID"), "t");
	assert_string_equal(c.address, "::1");
	assert_int_equal(c.port, 4041);
	config_free(&c);
}

TEST(test_wrong)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "expected" },
		{ "[]", "no object" },
		{ "{" STORE ", \"intervall\": \"1s\"}", "there is no \"intervall\"" },
		{ "{" STORE ", \"interval\": \"1ms\"}", "from 100ms to 3600s" },
		{ "{" STORE ", \"interval\": 15}", "a time such as" },
		{ "{" STORE ", \"frequency\": 0}", "from 1 to 999" },
		{ "{" STORE ", \"frequency\": -5}", "from 1 to 999" },
		{ "{" STORE ", \"kernel\": 1}", "true or false" },
		{ "{" STORE ", \"labels\": {\"a-b\": \"x\"}}", "no name of a label" },
		{ "{" STORE ", \"labels\": {\"a\": 1}}", "is a text" },
		{ "{" STORE ", \"rules\": {}}", "is a list" },
		{ "{" STORE ", \"rules\": [{\"match\": {\"exe\": \"x\"}}]}",
		  "rules: match: there is no \"exe\"" },
		{ "{" STORE ", \"rules\": [{\"match\": {\"environment\": {\"A\": \"x\"}}}]}",
		  "not in \"environment\"" },
		{ "{" STORE ", \"others\": \"maybe\"}", "\"keep\" or \"drop\"" },
		{ "{" STORE ", \"listen\": \"host\"}", "an address such as" },
		{ "{" STORE ", \"rules\": [{\"trace_slow\": [\"main.f\"]}]}", "FUNCTION > TIME" },
		{ "{" STORE ", \"rules\": [{\"trace_slow\": [\"main.f > soon\"]}]}",
		  "FUNCTION > TIME" },
		{ "{" STORE ", \"rules\": [{\"trace_slow\": \"main.f > 1s\"}]}", "list of texts" },
		{ "{" STORE ", \"listen\": \"4041\"}", "an address such as" },
		{ "{" STORE ", \"kubernetes_logs\": \"logs\"}", "begins with /" },
		{ "{\"store\": {\"directory\": \"/proc\"}}", "below /proc and /sys" },
		{ "{\"store\": {\"directory\": \"/sys/fs/x\"}}", "below /proc and /sys" },
		{ "{" STORE ", \"push\": {\"url\": \"http://h\", \"format\": \"x\"}}", "\"otlp\"" },
		{ "{" STORE ", \"listen\": \":70000\"}", "an address such as" },
		{ "{" STORE ", \"listen\": \"0.0.0.0:4041\"}", "others reach 0.0.0.0" },
		{ "{" STORE ", \"listen\": \"[::]:4041\"}", "\"listen_token_file\" names a file" },
		{ "{" STORE ", \"listen\": \"127.0.0.1:4041\", \"listen_token_file\": 1}",
		  "a text" },
		{ "{" STORE ", \"memory\": \"64M\"}", "128M at least" },
		{ "{" STORE ", \"push\": {\"url\": \"ftp://x\"}}", "http:// or https://" },
		{ "{" STORE ", " STORE "}", "duplicate" },
		{ "{\"store\": {}}", "no \"directory\"" },
		{ "{\"store\": {\"directory\": \"\"}}", "not empty" },
		{ "{}", "no \"directory\"" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct agent_config c;

		if (!read_text(&c, cases[i].text))
			fail_msg("%s is taken", cases[i].text);
		if (!strstr(last, cases[i].says))
			fail_msg("%s: '%s' does not say '%s'", cases[i].text, last, cases[i].says);
	}
	struct agent_config c;

	/* where, and nothing of what is there: it may be another file than was meant */
	assert_int_equal(read_text(&c, "root:secret\n"), -EINVAL);
	assert_string_equal(last, "agent.json:1:4: '[' or '{' expected");
}

/* ---- rules */

static void expect(const struct agent_config *c, const struct facts *f, const char *service,
		   const char *labels)
{
	struct pairs got;
	char *name, *json;
	int err;

	assert_true(rules_apply(c, f, &name, &got, &err));
	assert_int_equal(err, 0);
	json = pairs_json(&got);
	assert_string_equal(name, service);
	assert_string_equal(json, labels);
	free(json);
	free(name);
	pairs_free(&got);
}

TEST(test_rules)
{
	struct fact_env env[] = { { (char *)(uintptr_t) "A", (char *)(uintptr_t) "12" } };
	struct facts nginx = { .executable = (char *)(uintptr_t) "/usr/sbin/nginx",
			       .program = (char *)(uintptr_t) "nginx",
			       .env = env,
			       .n_env = 1 },
		     other = { .executable = (char *)(uintptr_t) "/bin/sh",
			       .program = (char *)(uintptr_t) "sh" },
		     nobody = { .program = (char *)(uintptr_t) "kworker" };
	struct agent_config c;
	struct pairs labels;
	char *service;
	int err;

	assert_int_equal(
		read_text(
			&c,
			"{\"environment\": [\"A\"], \"labels\": {\"env\": \"p\", \"team\": \"none\"}, \"rules\": ["
			"{\"match\": {\"executable\": \"*/nginx\", \"environment\": {\"A\": \"1*\"}},"
			" \"labels\": {\"team\": \"edge\"}},"
			"{\"match\": {\"executable\": \"*/nginx\"}, \"service\": \"web\", \"labels\": {\"team\": \"x\"}},"
			"{\"match\": {\"executable\": \"*/nginx\"}, \"service\": \"later\"},"
			"{\"match\": {\"executable\": \"/bin/*\"}, \"drop\": true}]," STORE "}"),
		0);
	strcpy(c.host, "h1");
	expect(&c, &nginx, "web",
	       "{\"env\":\"p\",\"executable\":\"/usr/sbin/nginx\",\"host\":\"h1\",\"team\":\"edge\"}");
	*c.host = '\0'; /* not known */
	env[0].value = (char *)(uintptr_t) "2";
	expect(&c, &nginx, "web",
	       "{\"env\":\"p\",\"executable\":\"/usr/sbin/nginx\",\"team\":\"x\"}");
	assert_false(rules_apply(&c, &other, &service, &labels, &err));
	assert_int_equal(err, 0);
	/* what is not known matches no glob */
	expect(&c, &nobody, "kworker", "{\"env\":\"p\",\"team\":\"none\"}");
	c.drop_others = true;
	assert_false(rules_apply(&c, &nobody, &service, &labels, &err));
	config_free(&c);
}

TEST(test_names)
{
	struct fact_env env[] = { { (char *)(uintptr_t) "OTEL_SERVICE_NAME",
				    (char *)(uintptr_t) "shop" } };
	struct facts f = { .program = (char *)(uintptr_t) "app" };
	struct agent_config c;

	assert_int_equal(read_text(&c, "{" STORE "}"), 0);
	*c.host = '\0';
	expect(&c, &f, "app", "{}");
	f.program = (char *)(uintptr_t) "tmp.oN6KHtFU3f";
	expect(&c, &f, "tmp", "{}");
	f.program = (char *)(uintptr_t) "tmp.service-2";
	expect(&c, &f, "tmp.service-2", "{}");
	f.kernel = true;
	expect(&c, &f, "kernel", "{}");
	f.kernel = false;
	f.program = (char *)(uintptr_t) "app";
	f.container = (char *)(uintptr_t) "0123456789abcdef";
	expect(&c, &f, "0123456789ab/app", "{\"container_id\":\"0123456789abcdef\"}");
	f.container = NULL;
	f.unit = (char *)(uintptr_t) "a.b.service";
	expect(&c, &f, "a.b", "{}");
	f.env = env;
	f.n_env = 1;
	expect(&c, &f, "shop", "{}");
	/* what is no UTF-8 is no JSON */
	f.executable = (char *)(uintptr_t) "/bin/\xff";
	expect(&c, &f, "shop", "{\"executable\":\"/bin/?\"}");
	env[0].value = (char *)(uintptr_t) "caf\xe9";
	expect(&c, &f, "caf\xef\xbf\xbd", "{\"executable\":\"/bin/?\"}");
	config_free(&c);
}

/* The host's name is a label, unless the file gives another; a store may be kept for ever. */
TEST(test_host)
{
	struct facts f = { .program = (char *)(uintptr_t) "app" };
	struct agent_config c;

	assert_int_equal(
		read_text(&c,
			  "{\"labels\": {\"host\": \"mine\"}, \"store\": {\"directory\": \"/s\","
			  " \"max_age\": \"none\", \"max_bytes\": \"none\"}}"),
		0);
	expect(&c, &f, "app", "{\"host\":\"mine\"}");
	assert_true(!c.max_age_ns && !c.max_bytes);
	config_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults), cmocka_unit_test(test_all),
		cmocka_unit_test(test_wrong),    cmocka_unit_test(test_rules),
		cmocka_unit_test(test_names),    cmocka_unit_test(test_host),
	};

	log_set_sink(keep_line, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
