// SPDX-License-Identifier: BSD-2-Clause
#include "agent/push.h"

#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/push_body.h"
#include "agent/store.h"
#include "base/clock.h"
#include "base/log.h"

#define FIRST_NS    1000000000ull /* to wait after a failure; twice as long after each more */
#define LONGEST_NS  30000000000ull
#define PROFILE_MAX (64u << 20)
#define ANSWER_MAX  (64u << 10) /* bytes of an answer, and of its headers */

struct pusher {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* something new, or stop */
	bool stop, news;
	uint64_t stop_ns; /* by then a push has to end */
	struct push_counts counts;
	char *directory, *url;
	struct curl_slist *headers;
	uint64_t timeout_ns;
	bool told; /* that it does not work, since it last did */
	bool otlp;
	size_t singles; /* so many are pushed one by one */
};

/* The profiles of a request. */
struct batch {
	struct profile at[PUSH_PROFILES];
	size_t n;
	struct push_body *body;
};

enum outcome { PUSHED, LATER, REFUSED };

/* ---- a profile's file */

/* 0, or -errno. */
static int read_profile(const struct store *s, const char *path, uint8_t **bytes, size_t *n)
{
	struct stat st = { 0 };
	int fd = store_open_file(s, path, ".pb.gz"), err = fd < 0 ? fd : 0;
	ssize_t got = 1;

	*bytes = NULL;
	*n = 0;
	if (!err && (fstat(fd, &st) || st.st_size <= 0 || st.st_size > PROFILE_MAX))
		err = -EINVAL;
	if (!err && !(*bytes = malloc((size_t)st.st_size)))
		err = -ENOMEM;
	while (!err && got > 0 && *n < (size_t)st.st_size) {
		got = read(fd, *bytes + *n, (size_t)st.st_size - *n);
		*n += got > 0 ? (size_t)got : 0;
	}
	if (!err && *n < (size_t)st.st_size)
		err = got < 0 ? -errno : -EINVAL;
	if (err) {
		free(*bytes);
		*bytes = NULL;
	}
	if (fd >= 0)
		close(fd);
	return err;
}

/* The error is gotrace's own lack of memory or descriptors. Another one stays, and the profile
 * would hold up the outbox. */
static bool passes(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE || err == -EAGAIN ||
	       err == -EINTR;
}

/* The first bytes are for a message; more than ANSWER_MAX are not read. */
struct answer {
	char text[256];
	size_t n, bytes, header_bytes;
};

static size_t take_answer(char *data, size_t size, size_t n, void *ctx)
{
	struct answer *a = ctx;
	size_t room = sizeof(a->text) - 1 - a->n, some = size * n < room ? size * n : room;

	memcpy(a->text + a->n, data, some);
	a->n += some;
	a->text[a->n] = '\0';
	a->bytes += size * n;
	return a->bytes > ANSWER_MAX ? 0 : size * n; /* 0 ends it */
}

static size_t take_header(char *data, size_t size, size_t n, void *ctx)
{
	struct answer *a = ctx;

	(void)data;
	a->header_bytes += size * n;
	return a->header_bytes > ANSWER_MAX ? 0 : size * n;
}

static bool too_late(struct pusher *p)
{
	pthread_mutex_lock(&p->lock);
	bool late = p->stop && clock_monotonic_ns() > p->stop_ns;
	pthread_mutex_unlock(&p->lock);
	return late;
}

/* A push that goes on when the agent is to end may end by itself, for a while. */
static int may_go_on(void *ctx, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	struct pusher *p = ctx;

	(void)a, (void)b, (void)c, (void)d;
	return too_late(p);
}

static void count(struct pusher *p, enum outcome o, uint64_t profiles)
{
	pthread_mutex_lock(&p->lock);
	p->counts.pushed += o == PUSHED ? profiles : 0;
	p->counts.refused += o == REFUSED ? profiles : 0;
	p->counts.failures += o == LATER;
	pthread_mutex_unlock(&p->lock);
}

static enum outcome refused(const struct pusher *p, const struct batch *b, long status,
			    const char *why)
{
	if (b->n == 1)
		log_warn("%s refuses a profile of %s, which is given up: %ld %.200s", p->url,
			 b->at[0].service, status, why);
	return REFUSED;
}

static enum outcome judge(struct pusher *p, CURLcode code, long status, const struct answer *a,
			  const struct batch *b)
{
	char why[200];

	if (code == CURLE_OK && status >= 200 && status < 300 &&
	    push_body_refused(p->otlp, a->text, a->n, why, sizeof(why)))
		return refused(p, b, status, why);
	if (code == CURLE_OK && status >= 200 && status < 300) {
		if (p->told)
			log_info("%s takes profiles again", p->url);
		p->told = false;
		return PUSHED;
	}
	if (code == CURLE_OK && status >= 400 && status < 500 && status != 408 && status != 429)
		return refused(p, b, status, a->text);
	if (!p->told) {
		if (code == CURLE_OK)
			log_warn(
				"%s does not take profiles now: %ld %.200s; they are kept and pushed later",
				p->url, status, a->text);
		else
			log_warn("%s cannot be reached: %s; profiles are kept and pushed later",
				 p->url, curl_easy_strerror(code));
	}
	p->told = true;
	return LATER;
}

/* Adds profile i to the body. PUSHED: it is there. REFUSED: nobody can push it (logged). */
static enum outcome add(struct pusher *p, const struct store *s, struct batch *b, size_t i)
{
	const struct profile *profile = &b->at[i];
	uint8_t *bytes;
	size_t n;
	int err = read_profile(s, profile->path, &bytes, &n);

	if (!err)
		err = push_body_add(b->body, profile, bytes, n);
	free(bytes);
	if (err)
		log_warn("%s/%s.pb.gz: cannot be read%s: %s", p->directory, profile->path,
			 passes(err) ? ", and is pushed later" : ", and is not pushed",
			 strerror(-err));
	return !err ? PUSHED : passes(err) ? LATER : REFUSED;
}

/* Takes the oldest of the outbox for one request. 2: there are some. 1: one that nobody can push is
 * given up. 0: there is none. -errno. */
static int take(struct pusher *p, struct store *s, struct batch *b)
{
	int got = store_next_out(s, b->at, p->singles ? 1 : PUSH_PROFILES);
	enum outcome o = PUSHED;
	size_t i = 0;

	b->n = got > 0 ? (size_t)got : 0;
	if (got <= 0)
		return got;
	b->body = push_body_new(p->otlp);
	if (!b->body)
		return -ENOMEM;
	while (i < b->n && o == PUSHED && (!i || push_body_size(b->body) < PUSH_BYTES)) {
		o = add(p, s, b, i);
		i += o == PUSHED;
	}
	if (o == REFUSED) {
		count(p, REFUSED, 1);
		store_out_done(s, &b->at[i], false);
		p->singles -= p->singles > 0;
		return 1;
	}
	for (size_t k = i; k < b->n; k++) /* later */
		profile_free(&b->at[k]);
	b->n = i;
	return o == PUSHED ? 2 : -EIO;
}

static enum outcome push(struct pusher *p, CURL *curl, struct batch *b)
{
	struct answer answer = { 0 };
	long status = 0;
	size_t size;
	const uint8_t *body = push_body_bytes(b->body, &size);

	if (!body)
		return LATER;
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, &answer);
	CURLcode code = curl_easy_perform(curl);

	/* The status is known; the rest of a long answer says nothing more. */
	if (code == CURLE_WRITE_ERROR && answer.bytes > ANSWER_MAX)
		code = CURLE_OK;
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	enum outcome o = judge(p, code, status, &answer, b);

	/* It may have taken some of them, and which is not known. So each is asked about. */
	if (o != PUSHED && code == CURLE_OK && b->n > 1)
		p->singles = b->n;
	return o;
}

static CURL *new_curl(struct pusher *p)
{
	CURL *curl = curl_easy_init();

	if (!curl)
		return NULL;
	curl_easy_setopt(curl, CURLOPT_URL, p->url);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, p->headers);
	curl_easy_setopt(curl, CURLOPT_POST, 1L);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(p->timeout_ns / 1000000));
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, may_go_on);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, p);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	return curl;
}

/* ---- the thread */

/* Until there is something new, or for that long. False: it is to stop. */
static bool rest(struct pusher *p, uint64_t ns)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (time_t)(ns / 1000000000);
	until.tv_nsec += (long)(ns % 1000000000);
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&p->lock);
	while (!p->stop && !p->news && !pthread_cond_timedwait(&p->changed, &p->lock, &until))
		;
	p->news = false;
	bool goes_on = !p->stop;
	pthread_mutex_unlock(&p->lock);
	return goes_on;
}

/* Exactly that long, unless it is to stop. */
static bool wait_for(struct pusher *p, uint64_t ns)
{
	const uint64_t until = clock_monotonic_ns() + ns;
	uint64_t now;

	while ((now = clock_monotonic_ns()) < until)
		if (!rest(p, until - now))
			return false;
	return true;
}

static bool stopping(struct pusher *p)
{
	pthread_mutex_lock(&p->lock);
	bool stop = p->stop;
	pthread_mutex_unlock(&p->lock);
	return stop;
}

static void free_batch(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		profile_free(&b->at[i]);
	push_body_free(b->body);
	*b = (struct batch){ 0 };
}

/* Those of a request that is refused are pushed one by one. */
static void settle(struct pusher *p, struct store *s, const struct batch *b, enum outcome o)
{
	if (o == REFUSED && b->n > 1)
		return;
	count(p, o, b->n);
	for (size_t i = 0; o != LATER && i < b->n; i++)
		store_out_done(s, &b->at[i], o == PUSHED);
	if (o != LATER && p->singles)
		p->singles--;
}

static void *push_all(void *ctx)
{
	struct pusher *p = ctx;
	uint64_t wait_ns = FIRST_NS;
	struct batch b = { 0 };
	struct store s;
	CURL *curl = new_curl(p);

	if (!curl || store_open(&s, p->directory)) {
		log_error("nothing is pushed: the store or libcurl cannot be opened");
		curl_easy_cleanup(curl);
		return NULL;
	}
	for (bool last = false; !last;) {
		/* The last stretch is stored just before: it goes out, too, unless the server
		 * cannot be reached or takes too long. */
		const bool stop = stopping(p);
		int got = take(p, &s, &b);
		enum outcome o = got > 1 ? push(p, curl, &b) : LATER;

		if (got > 1)
			settle(p, &s, &b, o);
		free_batch(&b);
		if (got <= 0) {
			rest(p, got ? LONGEST_NS : FIRST_NS);
		} else if (got > 1 && o == LATER) {
			/* Not all agents at once: from a half to all of it. */
			wait_for(p, wait_ns / 2 + (uint64_t)random() % (wait_ns / 2));
			wait_ns = 2 * wait_ns < LONGEST_NS ? 2 * wait_ns : LONGEST_NS;
		} else {
			wait_ns = FIRST_NS;
		}
		last = stop && (got <= 0 || (got > 1 && o == LATER) || too_late(p));
	}
	curl_easy_cleanup(curl);
	store_close(&s);
	return NULL;
}

/* ---- from outside */

static void free_pusher(struct pusher *p)
{
	curl_slist_free_all(p->headers);
	free(p->directory);
	free(p->url);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->changed);
	free(p);
}

static int add_header(struct pusher *p, const char *name, const char *value)
{
	char *line = NULL;

	if (asprintf(&line, "%s: %s", name, value) < 0)
		return -ENOMEM;
	struct curl_slist *more = curl_slist_append(p->headers, line);

	free(line);
	if (more)
		p->headers = more;
	return more ? 0 : -ENOMEM;
}

static int fill(struct pusher *p, const struct agent_config *c)
{
	size_t n = strlen(c->url);
	int err = 0;

	while (n && c->url[n - 1] == '/')
		n--;
	p->timeout_ns = c->timeout_ns;
	p->otlp = c->otlp;
	p->directory = strdup(c->directory);
	if (!p->directory ||
	    asprintf(&p->url, "%.*s%s", (int)n, c->url, push_body_path(c->otlp)) < 0)
		return -ENOMEM;
	err = add_header(p, "Content-Type", push_body_type(c->otlp));
	if (!err && !c->otlp)
		err = add_header(p, "Connect-Protocol-Version", "1");
	if (!err) /* no round trip before each body */
		err = add_header(p, "Expect", "");
	for (size_t i = 0; i < c->headers.n && !err; i++)
		err = add_header(p, c->headers.at[i].name, c->headers.at[i].value);
	return err;
}

/* These make the libraries load, read and write files. */
static void drop_variables(void)
{
	static const char *const kept_by_sudo[] = { "OPENSSL_CONF", "OPENSSL_MODULES",
						    "OPENSSL_ENGINES", "SSL_CERT_FILE",
						    "SSL_CERT_DIR" };

	unsetenv("SSLKEYLOGFILE");
	for (size_t i = 0; getenv("SUDO_UID") && i < sizeof(kept_by_sudo) / sizeof(char *); i++)
		unsetenv(kept_by_sudo[i]);
}

struct pusher *pusher_start(const struct agent_config *c)
{
	struct pusher *p = calloc(1, sizeof(*p));
	pthread_condattr_t attr;

	if (!p) {
		log_no_memory("no memory to push profiles");
		return NULL;
	}
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->changed, &attr);
	pthread_condattr_destroy(&attr);
	drop_variables();
	curl_global_init(CURL_GLOBAL_DEFAULT);
	int err = fill(p, c);

	if (!err)
		err = -pthread_create(&p->thread, NULL, push_all, p);
	if (!err)
		return p;
	log_error("profiles cannot be pushed: %s", strerror(-err));
	free_pusher(p);
	return NULL;
}

void pusher_wake(struct pusher *p)
{
	pthread_mutex_lock(&p->lock);
	p->news = true;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

struct push_counts pusher_counts(struct pusher *p)
{
	pthread_mutex_lock(&p->lock);
	struct push_counts c = p->counts;
	pthread_mutex_unlock(&p->lock);
	return c;
}

void pusher_stop(struct pusher *p, uint64_t grace_ns)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	p->stop_ns = clock_monotonic_ns() + grace_ns;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	free_pusher(p);
}
