// SPDX-License-Identifier: BSD-2-Clause
#include "cli/name_addresses.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attach/target/user.h"
#include "symbols/debuginfod.h"
#include "symbols/open_trace.h"
#include "trace/keys.h"

static bool owner(void *ctx, uint32_t process, uid_t *owner)
{
	const struct name_context *c = ctx;

	return processes_owner(&c->sampling->processes, process, owner);
}

static int file(void *ctx, const struct sample_image *i)
{
	const struct name_context *c = ctx;

	return processes_open_image(&c->sampling->processes, i);
}

static struct symbols_options options(void *ctx)
{
	const struct name_context *c = ctx;
	struct symbols_options opt = { .here = true, .ctx = ctx };

	if (c) {
		opt.cache = c->cache;
		opt.hold_bytes = c->hold_bytes;
		opt.owner = owner;
		opt.file = file;
	}
	return opt;
}

int name_ended(void *ctx, struct trace_writer *w, const bool *ended, size_t n)
{
	struct symbols_options opt = options(ctx);
	struct symbols_counts counts;

	opt.only = ended;
	opt.n_only = n;
	return trace_writer_resolve(w, &opt, &counts);
}

static const char *addresses_have(uint64_t n)
{
	return n == 1 ? "address has" : "addresses have";
}

/* Says which addresses stay without a name, and why. */
static int say_nameless(const struct symbols_counts *c, struct trace_info *end)
{
	int err = 0;

	if (c->no_file + c->no_image)
		err = trace_info_setf(
			end, KEY_WARN_SYMBOLS,
			"%" PRIu64
			" %s no name. The mapping there is not known, or its file is gone or was replaced",
			c->no_file + c->no_image, addresses_have(c->no_file + c->no_image));
	if (!err && c->refused + c->unread)
		err = trace_info_setf(
			end, KEY_WARN_REFUSED,
			"%" PRIu64
			" %s no name. Their file is not a regular one, is another user's, is too large, or was not read in time",
			c->refused + c->unread, addresses_have(c->refused + c->unread));
	if (!err && c->no_kernel)
		err = trace_info_set(
			end, KEY_WARN_KERNEL_SYMBOLS,
			"kernel functions have no names: /proc/kallsyms hides them (kernel.kptr_restrict); sample as root");
	return err;
}

/* ---- servers of debug files */

/* The variables are those of the user who called sudo. HOME says where the library keeps files. */
struct acting {
	const struct user *user;
	char *home; /* ours, NULL if there is none */
};

static bool enter(void *ctx)
{
	struct acting *a = ctx;
	const char *home = getenv("HOME");

	if (!a->user->change)
		return true;
	a->home = home ? strdup(home) : NULL;
	if ((home && !a->home) || user_enter(a->user)) {
		free(a->home);
		return false;
	}
	if (!setenv("HOME", a->user->home, 1))
		return true;
	user_leave(a->user);
	free(a->home);
	return false;
}

static void leave(void *ctx)
{
	struct acting *a = ctx;

	if (!a->user->change)
		return;
	user_leave(a->user);
	if (a->home)
		setenv("HOME", a->home, 1);
	else
		unsetenv("HOME");
	free(a->home);
}

int name_addresses(void *ctx, struct trace_writer *w, struct trace_info *end)
{
	const struct name_context *c = ctx;
	struct acting acting = { .user = c ? c->debuginfod : NULL };
	const struct debuginfod_rights rights = { enter, leave, &acting };
	struct symbols_options opt = options(ctx);
	struct symbols_counts counts;

	opt.debuginfod = acting.user ? &rights : NULL;
	int err = trace_writer_resolve(w, &opt, &counts);

	return err ? err : say_nameless(&counts, end);
}
