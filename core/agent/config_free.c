// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "agent/config.h"

bool config_waits(const struct agent_config *c)
{
	for (size_t i = 0; i < c->n_rules; i++)
		if (c->rules[i].waiting)
			return true;
	return false;
}

static void free_rule(struct rule *x)
{
	free(x->executable);
	free(x->command);
	free(x->cgroup);
	free(x->container);
	free(x->unit);
	free(x->service);
	for (size_t i = 0; i < x->n_slow; i++)
		free(x->slow[i]);
	free(x->slow);
	pairs_free(&x->environment);
	pairs_free(&x->labels);
}

void config_free(struct agent_config *c)
{
	for (size_t i = 0; i < c->n_rules; i++)
		free_rule(&c->rules[i]);
	for (size_t i = 0; i < c->n_environment; i++)
		free(c->environment[i]);
	free(c->rules);
	free(c->environment);
	free(c->cgroup);
	free(c->kubernetes_logs);
	free(c->directory);
	free(c->url);
	free(c->address);
	free(c->token_file);
	pairs_free(&c->common);
	pairs_free(&c->headers);
	*c = (struct agent_config){ 0 };
}
