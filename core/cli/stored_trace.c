// SPDX-License-Identifier: BSD-2-Clause
#include "cli/stored_trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/profile_merge.h"
#include "attach/target/user.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/units.h"

#define SECOND_NS 1000000000ull

/*
 * Parses a moment and sets *ns, since 1970: "-1h" (before now_ns), "2026-11-25",
 * "2026-11-25T03:00[:00]", "03:00" (today). They are in local time, or in UTC with a Z behind them.
 * Returns 0 or -EINVAL.
 */
static int parse_moment(const char *s, uint64_t now_ns, uint64_t *ns)
{
	static const char *const forms[] = { "%Y-%m-%dT%H:%M:%S",
					     "%Y-%m-%dT%H:%M",
					     "%Y-%m-%d %H:%M:%S",
					     "%Y-%m-%d %H:%M",
					     "%Y-%m-%d",
					     "%H:%M:%S",
					     "%H:%M" };
	const time_t now = (time_t)(now_ns / SECOND_NS);
	uint64_t before;

	if (*s == '-') {
		if (parse_duration_ns(s + 1, SECOND_NS, &before) || before > now_ns)
			return -EINVAL;
		*ns = now_ns - before;
		return 0;
	}
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		for (int utc = 0; utc < 2; utc++) {
			struct tm tm;

			if (utc)
				gmtime_r(&now, &tm);
			else
				localtime_r(&now, &tm);
			tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
			const char *end = strptime(s, forms[i], &tm);

			if (!end || strcmp(end, utc ? "Z" : "") != 0)
				continue;
			tm.tm_isdst = -1;
			const time_t t = utc ? timegm(&tm) : mktime(&tm);

			if (t < 0)
				return -EINVAL;
			*ns = (uint64_t)t * SECOND_NS;
			return 0;
		}
	}
	return -EINVAL;
}

/* "DIR" or "DIR@FROM..TO", both ends of which may be missing. *dir is to be freed; false: it names
 * no store. */
static bool names_store(const char *name, char **dir, const char **from, const char **to)
{
	const char *at = strrchr(name, '@'), *dots = at ? strstr(at, "..") : NULL;
	struct stat st;

	*from = *to = NULL;
	*dir = NULL;
	if (!stat(name, &st) || !dots) {
		*dir = store_is_one(name) ? strdup(name) : NULL;
		return *dir;
	}
	*dir = strndup(name, (size_t)(at - name));
	if (*dir && store_is_one(*dir)) {
		*from = at + 1;
		*to = dots + 2;
		return true;
	}
	free(*dir);
	*dir = NULL;
	return false;
}

static int moment(const char *option, const char *text, size_t n, uint64_t *ns)
{
	char copy[64];

	if (!text || !n)
		return 0;
	snprintf(copy, sizeof(copy), "%.*s", (int)n, text);
	if (n < sizeof(copy) && !parse_moment(copy, clock_realtime_ns(), ns))
		return 0;
	log_error("%s: '%s' is no moment: -1h, 03:00, 2026-11-25T03:00", option, copy);
	return -EINVAL;
}

static int find_times(struct store_query *q, const struct view_options *o, const char *from,
		      const char *to)
{
	int err = 0;

	if (o)
		err = moment("--from", o->from_text, o->from_text ? strlen(o->from_text) : 0,
			     &q->from_ns);
	if (!err && o)
		err = moment("--to", o->to_text, o->to_text ? strlen(o->to_text) : 0, &q->to_ns);
	if (!err && from)
		err = moment("FROM", from, strcspn(from, "."), &q->from_ns);
	if (!err && to)
		err = moment("TO", to, strlen(to), &q->to_ns);
	if (!err && q->to_ns && q->to_ns <= q->from_ns) {
		log_error("the time ends before it begins");
		err = -EINVAL;
	}
	return err;
}

static struct trace_reader *merge(const char *dir, const struct store_query *q)
{
	struct trace_reader *r = NULL;
	struct store s;
	int err = store_open_to_read(&s, dir);

	if (!err) {
		r = merge_trace(&s, q);
		err = r ? 0 : -errno;
		store_close(&s);
	} else if (err == -ENOENT) {
		err = -EINVAL; /* it is said */
	}
	errno = -err;
	return r;
}

/* Root reads another user's store with that user's rights. */
static struct trace_reader *open_merged(const char *dir, const struct store_query *q)
{
	struct trace_reader *r = NULL;
	struct user owner;
	uid_t uid = 0;
	gid_t gid = 0;
	int err = store_owner(dir, &uid, &gid);

	if (!err) {
		user_of_ids(uid, gid, &owner);
		err = user_enter(&owner);
	}
	if (err) {
		log_error("%s: cannot be read: %s", dir, strerror(-err));
		errno = -err;
		return NULL;
	}
	for (int tries = 0; !r && tries < STORE_TRIES && (!tries || errno == EAGAIN); tries++)
		r = merge(dir, q);
	err = r ? 0 : -errno;
	user_leave(&owner);
	if (err == -ENOENT)
		log_error("%s: there is no profile%s%s of that time and those labels", dir,
			  q->service ? " of " : "", q->service ? q->service : "");
	else if (err == -EAGAIN)
		log_error("%s: it changes while it is read; try again", dir);
	else if (err == -EACCES && owner.change)
		log_info("%s is read with the rights of its owner, %s", dir,
			 *owner.name ? owner.name : "who has no name here");
	else if (err == -EACCES && geteuid() && getenv("SUDO_UID"))
		log_info("%s is read with the rights of the user who called sudo; "
			 "sudo env -u SUDO_UID gotrace reads it with those of its owner",
			 dir);
	errno = -err;
	return r;
}

struct trace_reader *open_stored(const char *name, const struct view_options *o)
{
	const char *from, *to;
	struct store_query q = { 0 };
	char *dir;

	if (!names_store(name, &dir, &from, &to)) {
		if (o && (o->service || o->labels.n || o->from_text || o->to_text)) {
			log_error(
				"%s: --service, --label and moments choose of a store of gotrace agent",
				name);
			errno = EINVAL;
			return NULL;
		}
		return open_trace(name);
	}
	if (o) {
		q.service = o->service;
		q.labels = o->labels;
	}
	int err = find_times(&q, o, from, to);
	struct trace_reader *r = err ? NULL : open_merged(dir, &q);

	free(dir);
	if (err)
		errno = -err;
	return r;
}
