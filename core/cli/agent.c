// SPDX-License-Identifier: BSD-2-Clause
/* gotrace agent: samples a host all the time, a stretch after the other, into a store. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/own_proc.h"
#include "cli/agent_run.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/invoker_file.h"

#define OPT_CHECK    0x200
#define CONFIG_BYTES (1 << 20)

static const struct argp_option options[] = {
	{ "config", 'c', "FILE", 0, "The configuration, in JSON; see gotrace-agent(1)", 1 },
	{ "check", OPT_CHECK, NULL, 0, "Only check FILE", 1 },
	{ 0 },
};

static const char doc[] =
	"Samples all processes of the host, or of a control group, all the time. Every 15 "
	"seconds it puts the profile of each service into a folder, and pushes it to a server "
	"where FILE names one. SIGHUP reads FILE again. SIGTERM and Ctrl-C end the "
	"agent.\vEXAMPLES\n"
	"  gotrace agent --config /etc/gotrace/agent.json\n"
	"  gotrace report /var/lib/gotrace --service nginx --from -1h\n";

struct arguments {
	const char *config;
	bool check;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'c':
		a->config = arg;
		return 0;
	case OPT_CHECK:
		a->check = true;
		return 0;
	case ARGP_KEY_ARG:
		arg_error(state, "there is no argument '%s'", arg);
		return 0;
	case ARGP_KEY_END:
		if (!a->config)
			arg_error(state, "--config is needed");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* 0 or -errno (logged). */
static int read_config(struct agent_config *c, const char *path)
{
	char *text = invoker_file_read(path, CONFIG_BYTES);
	int err = text ? config_parse(c, path, text) : -errno;

	if (!text && err == -EINVAL)
		log_error("%s: not a regular file of less than a megabyte of text", path);
	else if (!text && err != -ECANCELED)
		log_error("%s: cannot be read: %s", path, strerror(-err));
	free(text);
	return err;
}

/* What can change while it runs does: what is sampled and where it goes stays. */
static void reload(struct agent *a)
{
	struct agent_config new;

	a->reload = false;
	if (read_config(&new, a->config_path)) {
		log_warn("%s is not used; the agent keeps the file that it read before",
			 a->config_path);
		return;
	}
	if (strcmp(new.directory, a->config.directory) != 0 || new.hz != a->config.hz ||
	    new.waiting_hz != a->config.waiting_hz || new.kernel != a->config.kernel ||
	    new.labels != a->config.labels || new.memory_bytes != a->config.memory_bytes ||
	    new.otlp != a->config.otlp || !new.url != !a->config.url ||
	    (new.url &&strcmp(new.url, a->config.url) != 0))
		log_warn(
			"%s: the store, frequency, waiting_frequency, kernel, goroutine_labels, memory, url and format stay as they are until the agent is started again",
			a->config_path);
	agent_take_rules(a, &new);
	log_info("%s is read", a->config_path);
}

static int run(struct agent *a)
{
	bool ended = false;
	int err = agent_begin(a);

	while (!err && !ended) {
		ended = agent_stretch(a);
		err = agent_put_away(a, ended);
		if (a->reload)
			reload(a);
	}
	agent_end(a);
	return err ? STATUS_FAILED : 0;
}

int cmd_agent(int argc, char **argv)
{
	static const struct argp argp = { options, parse, "", doc, NULL, NULL, NULL };
	struct arguments args = { 0 };
	struct agent *a = calloc(1, sizeof(*a));

	if (!a) {
		log_no_memory("out of memory");
		return STATUS_FAILED;
	}
	arg_parse(&argp, argc, argv, 0, &args);
	a->config_path = args.config;
	int status = read_config(&a->config, args.config) ? STATUS_BAD_INPUT : 0;

	if (!status && !args.check)
		status = own_proc("/proc") ? run(a) : STATUS_FAILED;
	config_free(&a->config);
	free(a);
	return status;
}
