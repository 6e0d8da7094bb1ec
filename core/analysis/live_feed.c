// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/live_feed.h"

#include <errno.h>

#include "base/log.h"

void live_feed_init(struct live_feed *f)
{
	*f = (struct live_feed){ 0 };
	pthread_mutex_init(&f->lock, NULL);
}

void live_copy_free(struct live_copy *c)
{
	model_free(c->model);
	parked_free(c->parked);
	*c = (struct live_copy){ 0 };
}

void live_feed_free(struct live_feed *f)
{
	live_copy_free(&f->newest);
	lock_rules_free(f->locks);
	parked_free(f->parked);
	pthread_mutex_destroy(&f->lock);
	*f = (struct live_feed){ 0 };
}

int live_feed_begin(struct live_feed *f, const struct trace_info *info, struct model_options *opt)
{
	f->locks = lock_rules_new(info);
	f->parked = parked_new(info);
	if (!f->locks || !f->parked) {
		log_no_memory("no memory for the answer");
		return -ENOMEM;
	}
	opt->wakes = true;
	opt->holds = &f->locks->rules;
	opt->on_place = parked_add;
	opt->place_ctx = f->parked;
	return 0;
}

int live_feed_take(void *feed, struct model *copy)
{
	struct live_feed *f = feed;
	struct live_copy old, now = { copy, parked_copy(f->parked) };

	if (!now.parked) {
		live_copy_free(&now);
		return -ENOMEM;
	}
	pthread_mutex_lock(&f->lock);
	old = f->newest;
	f->newest = now;
	pthread_mutex_unlock(&f->lock);
	live_copy_free(&old);
	return 0;
}

bool live_feed_newest(struct live_feed *f, struct live_copy *to)
{
	struct live_copy got;

	pthread_mutex_lock(&f->lock);
	got = f->newest;
	f->newest = (struct live_copy){ 0 };
	pthread_mutex_unlock(&f->lock);
	if (!got.model)
		return false;
	live_copy_free(to);
	*to = got;
	return true;
}
