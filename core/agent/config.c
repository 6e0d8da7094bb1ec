// SPDX-License-Identifier: BSD-2-Clause
#include "agent/config.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/serve_guard.h"
#include "agent/bounds.h"
#include "base/log.h"
#include "base/units.h"
#include "base/vec.h"

#define SECOND_NS          1000000000ull
#define INTERVAL_NS        (15 * SECOND_NS)
#define INTERVAL_MIN       (SECOND_NS / 10)
#define INTERVAL_MAX       (3600 * SECOND_NS)
#define HZ_DEFAULT         19
#define HZ_MAX             999
#define WAITING_HZ_DEFAULT 10
#define WAITING_HZ_MAX     100
#define PENDING_DEFAULT    (512ull << 20)
#define TIMEOUT_NS         (60 * SECOND_NS)
#define MAX_AGE_NS         (7 * 24 * 3600 * SECOND_NS)
#define MAX_BYTES          (2ull << 30)

struct reading {
	struct agent_config *c;
	const char *path, *in; /* file, part of it */
	int err;
};

static void wrong(struct reading *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void wrong(struct reading *r, const char *fmt, ...)
{
	char what[512];
	va_list ap;

	if (r->err)
		return;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	log_error("%s: %s%s%s", r->path, r->in, *r->in ? ": " : "", what);
	r->err = -EINVAL;
}

/* ---- values */

static void take_string(struct reading *r, const char *key, json_t *v, char **to)
{
	if (!json_is_string(v) || !*json_string_value(v)) {
		wrong(r, "\"%s\" is a text that is not empty", key);
		return;
	}
	free(*to);
	*to = strdup(json_string_value(v));
	if (!*to)
		r->err = -ENOMEM;
}

static void take_bool(struct reading *r, const char *key, json_t *v, bool *to)
{
	if (json_is_boolean(v))
		*to = json_is_true(v);
	else
		wrong(r, "\"%s\" is true or false", key);
}

static void take_number(struct reading *r, const char *key, json_t *v, uint64_t most, uint64_t *to)
{
	if (json_is_integer(v) && json_integer_value(v) > 0 &&
	    (uint64_t)json_integer_value(v) <= most)
		*to = (uint64_t)json_integer_value(v);
	else
		wrong(r, "\"%s\" is a number from 1 to %llu", key, (unsigned long long)most);
}

static void take_time(struct reading *r, const char *key, json_t *v, uint64_t *to)
{
	if (!json_is_string(v) || parse_duration_ns(json_string_value(v), SECOND_NS, to) || !*to)
		wrong(r, "\"%s\" is a time such as \"15s\"", key);
}

static void take_bytes(struct reading *r, const char *key, json_t *v, uint64_t *to)
{
	if (!json_is_string(v) || parse_size_bytes(json_string_value(v), to) || !*to)
		wrong(r, "\"%s\" is a size such as \"512M\"", key);
}

static void take_pairs(struct reading *r, const char *key, json_t *v, struct pairs *to)
{
	const char *name;
	json_t *one;

	if (!json_is_object(v))
		wrong(r, "\"%s\" is an object of names and texts", key);
	json_object_foreach(v, name, one)
	{
		if (json_is_string(one) && *name && !r->err)
			r->err = pairs_add(to, name, json_string_value(one));
		else
			wrong(r, "\"%s\": \"%s\" is a text", key, name);
	}
}

/* Names of labels as Prometheus has them: [a-zA-Z_][a-zA-Z0-9_]*. */
static void take_labels(struct reading *r, const char *key, json_t *v, struct pairs *to)
{
	static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_",
			  later[] =
				  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	size_t n = to->n;

	take_pairs(r, key, v, to);
	for (; n < to->n; n++) {
		const char *name = to->at[n].name;

		if (!name || !*name || !strchr(first, *name) || strspn(name, later) != strlen(name))
			wrong(r, "\"%s\": '%s' is no name of a label (letters, digits and _)", key,
			      name ? name : "");
	}
}

/* Each key of an object is handed to `take`, which says whether it knows it. */
static void each_key(struct reading *r, const char *in, json_t *object,
		     bool (*take)(struct reading *r, const char *key, json_t *v, void *to),
		     void *to)
{
	const char *before = r->in, *key;
	json_t *v;

	r->in = in;
	if (!json_is_object(object))
		wrong(r, "this is no object");
	json_object_foreach(object, key, v)
	{
		if (!r->err && !take(r, key, v, to))
			wrong(r, "there is no \"%s\"", key);
	}
	r->in = before;
}

/* ---- parts of the file */

static bool take_match(struct reading *r, const char *key, json_t *v, void *to)
{
	struct rule *rule = to;
	const struct {
		const char *key;
		char **to;
	} texts[] = {
		{ "executable", &rule->executable },
		{ "command", &rule->command },
		{ "cgroup", &rule->cgroup },
		{ "container", &rule->container },
		{ "unit", &rule->unit },
	};

	if (!strcmp(key, "environment")) {
		take_pairs(r, key, v, &rule->environment);
		return true;
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!strcmp(key, texts[i].key)) {
			take_string(r, key, v, texts[i].to);
			return true;
		}
	return false;
}

/* Texts of a list. */
static void take_texts(struct reading *r, const char *key, json_t *v, char ***to, size_t *n,
		       size_t *cap)
{
	size_t i;
	json_t *one;

	if (!json_is_array(v))
		wrong(r, "\"%s\" is a list of texts", key);
	json_array_foreach(v, i, one)
	{
		if (!r->err && vec_reserve(to, cap, *n + 1))
			r->err = -ENOMEM;
		if (!r->err)
			take_string(r, key, one, &(*to)[(*n)++]);
	}
}

/* FUNCTION > TIME, as record --when has it. */
static void take_slow(struct reading *r, const char *key, json_t *v, struct rule *rule)
{
	size_t i = rule->n_slow;

	take_texts(r, key, v, &rule->slow, &rule->n_slow, &rule->cap_slow);
	for (; i < rule->n_slow && !r->err; i++) {
		const char *more = strrchr(rule->slow[i], '>');
		uint64_t ns;

		if (!more || more == rule->slow[i] ||
		    parse_duration_ns(more + 1 + strspn(more + 1, " "), 0, &ns))
			wrong(r,
			      "\"%s\": '%s' is no \"FUNCTION > TIME\", such as \"main.handle > 500ms\"",
			      key, rule->slow[i]);
	}
}

static bool take_rule(struct reading *r, const char *key, json_t *v, void *to)
{
	struct rule *rule = to;

	if (!strcmp(key, "match"))
		each_key(r, "rules: match", v, take_match, rule);
	else if (!strcmp(key, "drop"))
		take_bool(r, key, v, &rule->drop);
	else if (!strcmp(key, "service"))
		take_string(r, key, v, &rule->service);
	else if (!strcmp(key, "labels"))
		take_labels(r, key, v, &rule->labels);
	else if (!strcmp(key, "waiting"))
		take_bool(r, key, v, &rule->waiting);
	else if (!strcmp(key, "trace_slow"))
		take_slow(r, key, v, rule);
	else
		return false;
	return true;
}

/* A variable that a rule asks for is one that may be read. */
static bool may_read(const struct agent_config *c, const char *name)
{
	for (size_t i = 0; i < c->n_environment; i++)
		if (!strcmp(c->environment[i], name))
			return true;
	return false;
}

static void take_rules(struct reading *r, json_t *v)
{
	size_t i;
	json_t *one;

	if (!json_is_array(v))
		wrong(r, "\"rules\" is a list");
	json_array_foreach(v, i, one)
	{
		if (r->err || vec_reserve(&r->c->rules, &r->c->cap_rules, r->c->n_rules + 1)) {
			r->err = r->err ? r->err : -ENOMEM;
			return;
		}
		each_key(r, "rules", one, take_rule, &r->c->rules[r->c->n_rules++]);
	}
}

/* No limit. */
static bool is_none(const json_t *v)
{
	return json_is_string(v) && !strcmp(json_string_value(v), "none");
}

static bool take_store(struct reading *r, const char *key, json_t *v, void *to)
{
	struct agent_config *c = to;

	if (!strcmp(key, "directory"))
		take_string(r, key, v, &c->directory);
	else if (!strcmp(key, "max_age") && is_none(v))
		c->max_age_ns = 0;
	else if (!strcmp(key, "max_age"))
		take_time(r, key, v, &c->max_age_ns);
	else if (!strcmp(key, "max_bytes") && is_none(v))
		c->max_bytes = 0;
	else if (!strcmp(key, "max_bytes"))
		take_bytes(r, key, v, &c->max_bytes);
	else
		return false;
	return true;
}

static void take_format(struct reading *r, json_t *v, bool *otlp)
{
	const char *what = json_is_string(v) ? json_string_value(v) : "";

	*otlp = !strcmp(what, "otlp");
	if (!*otlp && strcmp(what, "pyroscope") != 0)
		wrong(r, "\"format\" is \"pyroscope\" or \"otlp\"");
}

static bool take_push(struct reading *r, const char *key, json_t *v, void *to)
{
	struct agent_config *c = to;

	if (!strcmp(key, "url"))
		take_string(r, key, v, &c->url);
	else if (!strcmp(key, "format"))
		take_format(r, v, &c->otlp);
	else if (!strcmp(key, "headers"))
		take_pairs(r, key, v, &c->headers);
	else if (!strcmp(key, "pending_bytes"))
		take_bytes(r, key, v, &c->pending_bytes);
	else if (!strcmp(key, "timeout"))
		take_time(r, key, v, &c->timeout_ns);
	else
		return false;
	return true;
}

/* "127.0.0.1:4041" or "[::1]:4041". */
static void take_listen(struct reading *r, json_t *v)
{
	const char *text = json_is_string(v) ? json_string_value(v) : "";
	const char *colon = strrchr(text, ':');
	uint64_t port = 0;
	size_t n = colon ? (size_t)(colon - text) : 0;

	if (!n || parse_decimal(colon + 1, UINT16_MAX, &port) || !port) {
		wrong(r, "\"listen\" is an address such as \"127.0.0.1:4041\"");
		return;
	}
	if (n > 2 && *text == '[' && text[n - 1] == ']') {
		text++;
		n -= 2;
	}
	free(r->c->address);
	r->c->address = strndup(text, n);
	r->c->port = (uint16_t)port;
	if (!r->c->address)
		r->err = -ENOMEM;
}

static bool take_others(struct reading *r, json_t *v)
{
	const char *what = json_is_string(v) ? json_string_value(v) : "";

	r->c->drop_others = !strcmp(what, "drop");
	if (!r->c->drop_others && strcmp(what, "keep") != 0)
		wrong(r, "\"others\" is \"keep\" or \"drop\"");
	return true;
}

static bool take_all(struct reading *r, const char *key, json_t *v, void *to)
{
	struct agent_config *c = to;
	uint64_t hz = c->hz, waiting_hz = c->waiting_hz;

	if (!strcmp(key, "interval")) {
		take_time(r, key, v, &c->interval_ns);
		if (!r->err && (c->interval_ns < INTERVAL_MIN || c->interval_ns > INTERVAL_MAX))
			wrong(r, "\"interval\" is from 100ms to 3600s");
	} else if (!strcmp(key, "frequency")) {
		take_number(r, key, v, HZ_MAX, &hz);
		c->hz = (unsigned)hz;
	} else if (!strcmp(key, "waiting_frequency")) {
		take_number(r, key, v, WAITING_HZ_MAX, &waiting_hz);
		c->waiting_hz = (unsigned)waiting_hz;
	} else if (!strcmp(key, "memory")) {
		take_bytes(r, key, v, &c->memory_bytes);
		if (!r->err && c->memory_bytes < AGENT_MEMORY_MIN)
			wrong(r, "\"memory\" is 128M at least");
	} else if (!strcmp(key, "kernel")) {
		take_bool(r, key, v, &c->kernel);
	} else if (!strcmp(key, "goroutine_labels")) {
		take_bool(r, key, v, &c->labels);
	} else if (!strcmp(key, "cgroup")) {
		take_string(r, key, v, &c->cgroup);
	} else if (!strcmp(key, "kubernetes_logs")) {
		take_string(r, key, v, &c->kubernetes_logs);
		if (!r->err && *c->kubernetes_logs != '/')
			wrong(r, "\"kubernetes_logs\" is a path that begins with /");
	} else if (!strcmp(key, "environment")) {
		take_texts(r, key, v, &c->environment, &c->n_environment, &c->cap_environment);
	} else if (!strcmp(key, "labels")) {
		take_labels(r, key, v, &c->common);
	} else if (!strcmp(key, "rules")) {
		take_rules(r, v);
	} else if (!strcmp(key, "others")) {
		return take_others(r, v);
	} else if (!strcmp(key, "store")) {
		each_key(r, "store", v, take_store, c);
	} else if (!strcmp(key, "push")) {
		each_key(r, "push", v, take_push, c);
	} else if (!strcmp(key, "listen")) {
		take_listen(r, v);
	} else if (!strcmp(key, "listen_token_file")) {
		take_string(r, key, v, &c->token_file);
	} else {
		return false;
	}
	return true;
}

static bool below(const char *path, const char *folder)
{
	const size_t n = strlen(folder);

	return !strncmp(path, folder, n) && (!path[n] || path[n] == '/');
}

/* What parts say of each other. */
static void check(struct reading *r)
{
	struct agent_config *c = r->c;
	bool loopback = false;

	for (size_t i = 0; i < c->n_rules && !r->err; i++)
		for (size_t k = 0; k < c->rules[i].environment.n && !r->err; k++)
			if (!may_read(c, c->rules[i].environment.at[k].name))
				wrong(r,
				      "a rule asks for the variable %s, which is not in \"environment\"",
				      c->rules[i].environment.at[k].name);
	if (!r->err && !c->directory)
		wrong(r, "\"store\" has no \"directory\"");
	if (!r->err && (below(c->directory, "/proc") || below(c->directory, "/sys")))
		wrong(r, "store: \"directory\": nothing can be stored below /proc and /sys");
	if (!r->err && c->url && strncmp(c->url, "http://", 7) != 0 &&
	    strncmp(c->url, "https://", 8) != 0)
		wrong(r, "push: \"url\" begins with http:// or https://");
	if (c->address && !c->token_file && address_parse(c->address, &loopback) && !loopback)
		wrong(r,
		      "\"listen\": others reach %s: \"listen_token_file\" names a file with the token that they need",
		      c->address);
}

int config_parse(struct agent_config *c, const char *path, const char *text)
{
	struct reading r = { .c = c, .path = path, .in = "" };
	json_error_t why;

	*c = (struct agent_config){ .interval_ns = INTERVAL_NS,
				    .hz = HZ_DEFAULT,
				    .waiting_hz = WAITING_HZ_DEFAULT,
				    .memory_bytes = AGENT_MEMORY_DEFAULT,
				    .pending_bytes = PENDING_DEFAULT,
				    .timeout_ns = TIMEOUT_NS,
				    .max_age_ns = MAX_AGE_NS,
				    .max_bytes = MAX_BYTES };
	if (gethostname(c->host, sizeof(c->host) - 1))
		*c->host = '\0';
	json_t *all = json_loads(text, JSON_REJECT_DUPLICATES, &why);

	if (!all) {
		/* without the words of the file that are there */
		const char *near = strstr(why.text, " near ");

		log_error("%s:%d:%d: %.*s", path, why.line, why.column,
			  (int)(near ? (size_t)(near - why.text) : strlen(why.text)), why.text);
		return -EINVAL;
	}
	each_key(&r, "", all, take_all, c);
	if (!r.err)
		check(&r);
	json_decref(all);
	if (r.err == -ENOMEM)
		log_no_memory("no memory for what %s says", path);
	if (r.err)
		config_free(c);
	return r.err;
}
