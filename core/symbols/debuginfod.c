// SPDX-License-Identifier: BSD-2-Clause
/*
 * The library is loaded only where servers are named, because few systems have it. Its functions
 * are those of elfutils/debuginfod.h since elfutils 0.180.
 */
#include "symbols/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/foreign_file.h"
#include "base/log.h"
#include "base/text_format.h"

#define LIBRARY "libdebuginfod.so.1"
#define SERVERS "DEBUGINFOD_URLS"

struct client; /* the library's */

typedef int progress_fn(struct client *c, long a, long b);

struct debuginfod {
	void *library;
	struct client *client;
	/* functions of the library */
	struct client *(*begin)(void);
	void (*end)(struct client *c);
	int (*find)(struct client *c, const unsigned char *id, int n, char **path);
	void (*set_progress)(struct client *c, progress_fn *fn);
	void (*set_user_data)(struct client *c, void *data);
	const struct debuginfod_rights *rights;
	uint64_t left_ns, begin_ns; /* begin_ns: when the last file was asked for */
	int stopped;                /* why the library was stopped then, -errno */
	bool ended;                 /* no more files are asked for */
	size_t n_missed;
	char *missed; /* the first file that no server has */
};

/* The library calls it again and again with the bytes so far and those that are expected. It stops
 * where this returns 1. Only the library knows whose client that is. */
static int stop(struct client *c, long has, long all)
{
	void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
	void *(*user_data)(struct client *);
	struct debuginfod *d = NULL;

	if (library) {
		*(void **)&user_data = dlsym(library, "debuginfod_get_user_data");
		d = user_data ? user_data(c) : NULL;
		dlclose(library);
	}
	if (!d)
		return 1;
	d->stopped = has > (long)DEBUGINFOD_MOST_BYTES || all > (long)DEBUGINFOD_MOST_BYTES
			     ? -EFBIG
			     : foreign_file_may_go_on_since(d->begin_ns, d->begin_ns + d->left_ns);
	return d->stopped != 0;
}

static bool load(struct debuginfod *d)
{
	const struct {
		const char *name;
		void *to;
	} functions[] = {
		{ "debuginfod_begin", &d->begin },
		{ "debuginfod_end", &d->end },
		{ "debuginfod_find_debuginfo", &d->find },
		{ "debuginfod_set_progressfn", &d->set_progress },
		{ "debuginfod_set_user_data", &d->set_user_data },
	};

	d->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	for (size_t i = 0; d->library && i < sizeof(functions) / sizeof(*functions); i++) {
		void *function = dlsym(d->library, functions[i].name);

		if (!function)
			return false;
		memcpy(functions[i].to, &function, sizeof(function));
	}
	return d->library;
}

/* The client, or NULL. */
static struct client *begin(struct debuginfod *d)
{
	if (!d->rights->enter(d->rights->ctx))
		return NULL;
	struct client *c = d->begin();

	d->rights->leave(d->rights->ctx);
	return c;
}

struct debuginfod *debuginfod_new(const struct debuginfod_rights *rights, uint64_t most_ns)
{
	const char *servers = getenv(SERVERS);
	struct debuginfod *d = servers && *servers ? calloc(1, sizeof(*d)) : NULL;

	if (!d)
		return NULL;
	d->rights = rights;
	d->left_ns = most_ns;
	if (!load(d))
		log_warn("debug files are not fetched (" SERVERS "): install " LIBRARY
			 " of elfutils 0.180 or newer");
	else if (!(d->client = begin(d)))
		log_warn("debug files are not fetched (" SERVERS "): " LIBRARY " cannot begin");
	if (!d->client) {
		debuginfod_free(d);
		return NULL;
	}
	d->set_user_data(d->client, d);
	d->set_progress(d->client, stop);
	return d;
}

static void end(struct debuginfod *d, const char *path, const char *why)
{
	log_warn("%s: its debug file was not fetched (" SERVERS
		 "): %s. No more files are asked for",
		 path, why);
	d->ended = true;
}

static int miss(struct debuginfod *d, const char *path)
{
	if (!d->n_missed++)
		d->missed = strdup(path);
	return -ENOENT;
}

/* Says why there is no file. */
static int refuse(struct debuginfod *d, const char *path, int err)
{
	if (err == -ENOENT)
		return miss(d, path);
	if (err == -EFBIG)
		log_warn("%s: its debug file was not fetched (" SERVERS
			 "): it has more than a gigabyte",
			 path);
	else if (err == -ETIMEDOUT)
		end(d, path, "it took too long");
	else if (err == -EINTR)
		end(d, path, "gotrace was interrupted");
	else
		end(d, path, strerror(-err));
	return err;
}

/* A descriptor or -errno. */
static int find(struct debuginfod *d, const uint8_t *id, size_t n)
{
	char *cached = NULL;

	if (!d->rights->enter(d->rights->ctx))
		return -EPERM;
	const int fd = d->find(d->client, id, (int)n, &cached);

	d->rights->leave(d->rights->ctx);
	free(cached);
	return fd;
}

int debuginfod_fetch(struct debuginfod *d, const uint8_t *id, size_t n, const char *path)
{
	struct stat st;

	if (d->ended || !n || n > INT8_MAX)
		return -ENOENT;
	d->stopped = 0;
	d->begin_ns = clock_monotonic_ns();
	int fd = find(d, id, n);
	const uint64_t took_ns = clock_monotonic_ns() - d->begin_ns;

	d->left_ns -= took_ns < d->left_ns ? took_ns : d->left_ns;
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
			(uint64_t)st.st_size > DEBUGINFOD_MOST_BYTES)) {
		close(fd);
		fd = -EFBIG;
	}
	if (fd < 0) /* the library has no error of its own for having been stopped */
		return refuse(d, path, d->stopped ? d->stopped : fd);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	log_info("%s: its debug file was fetched (%.1f MB in %s)", path, (double)st.st_size / 1e6,
		 HUMAN(took_ns));
	return fd;
}

void debuginfod_free(struct debuginfod *d)
{
	if (!d)
		return;
	if (d->n_missed)
		log_info("no server of " SERVERS " has the debug file%s of %s%s",
			 d->n_missed > 1 ? "s" : "", d->missed ? d->missed : "a file",
			 d->n_missed > 1 ? " and others" : "");
	if (d->client)
		d->end(d->client);
	if (d->library)
		dlclose(d->library);
	free(d->missed);
	free(d);
}
