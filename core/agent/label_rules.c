// SPDX-License-Identifier: BSD-2-Clause
#include "agent/label_rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/pods.h"
#include "base/glob.h"
#include "base/utf8.h"

#define SHORT_ID 12 /* as docker ps prints them */

static bool matches(const char *glob, const char *s)
{
	return !glob || (s && glob_match(glob, s));
}

bool rule_holds(const struct rule *r, const struct facts *f)
{
	bool holds = matches(r->executable, f->executable) && matches(r->command, f->command) &&
		     matches(r->cgroup, f->cgroup) && matches(r->container, f->container) &&
		     matches(r->unit, f->unit);

	for (size_t i = 0; i < r->environment.n && holds; i++)
		holds = matches(r->environment.at[i].value,
				facts_env(f, r->environment.at[i].name));
	return holds;
}

bool rules_waiting(const struct agent_config *c, const struct facts *f)
{
	for (size_t i = 0; i < c->n_rules; i++)
		if (c->rules[i].waiting && rule_holds(&c->rules[i], f))
			return true;
	return false;
}

/* Names that mktemp(1) makes up are one. */
static const char *fold(const char *program)
{
	static const char tmp[] = "tmp.",
			  made_up[] =
				  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	const char *rest = program + sizeof(tmp) - 1;

	if (!strncmp(program, tmp, sizeof(tmp) - 1) && strlen(rest) >= 6 &&
	    strspn(rest, made_up) == strlen(rest))
		return "tmp";
	return program;
}

static char *default_service(const struct facts *f)
{
	const char *named = facts_env(f, "OTEL_SERVICE_NAME");
	char *name = NULL;

	if (f->kernel)
		return strdup("kernel");
	if (named && *named)
		return strdup(named);
	if (f->unit)
		return strndup(f->unit, strlen(f->unit) - strlen(".service"));
	if (f->names)
		return asprintf(&name, "%s/%s", f->names->namespace, f->names->container) < 0
			       ? NULL
			       : name;
	if (!f->container)
		return strdup(fold(f->program));
	return asprintf(&name, "%.*s/%s", SHORT_ID, f->container, fold(f->program)) < 0 ? NULL
											: name;
}

/* Labels that all processes have where the values are known. */
static int add_known(const struct agent_config *c, const struct facts *f, struct pairs *labels)
{
	const struct pod_names *k = f->names;
	const struct {
		const char *name, *value;
	} known[] = {
		{ "host", *c->host ? c->host : NULL },    { "executable", f->executable },
		{ "container_id", f->container },         { "pod_uid", f->pod },
		{ "namespace", k ? k->namespace : NULL }, { "pod", k ? k->pod : NULL },
		{ "container", k ? k->container : NULL },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known) && !err; i++)
		err = pairs_add(labels, known[i].name, known[i].value);
	return err;
}

/* `name`, which is freed, as UTF-8: servers refuse a label of anything else. */
static int take_name(char **service, char *name)
{
	*service = name ? utf8_copy(name) : NULL;
	free(name);
	return *service ? 0 : -ENOMEM;
}

bool rules_apply(const struct agent_config *c, const struct facts *f, char **service,
		 struct pairs *labels, int *err)
{
	const char *named = NULL;
	bool any = false;

	*service = NULL;
	*labels = (struct pairs){ 0 };
	*err = 0;
	for (size_t i = 0; i < c->n_rules && !*err; i++) {
		const struct rule *r = &c->rules[i];

		if (!rule_holds(r, f))
			continue;
		if (r->drop) {
			pairs_free(labels);
			return false;
		}
		any = true;
		if (!named)
			named = r->service;
		*err = pairs_add_all(labels, &r->labels);
	}
	if (!any && c->drop_others)
		return false;
	if (!*err)
		*err = pairs_add_all(labels, &c->common);
	if (!*err)
		*err = add_known(c, f, labels);
	if (!*err)
		*err = take_name(service, named ? strdup(named) : default_service(f));
	return !*err;
}
