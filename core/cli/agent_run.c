// SPDX-License-Identifier: BSD-2-Clause
#include "cli/agent_run.h"

#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/describe.h"
#include "sample/sampling_end.h"
#include "base/clock.h"
#include "base/log.h"
#include "cli/cli.h"
#include "trace/keys.h"

#define SECOND_NS         1000000000ull
#define GRACE_NS          (10 * SECOND_NS) /* for a push that goes on when the agent ends */
#define CUT_NS            SECOND_NS
#define PIECES            "current" /* below the store: stretches that are not split yet */
#define WAITING_PROCESSES 64        /* at a time: each takes up to a thousandth of a processor */

/* ---- files of stretches */

static char *new_piece(struct agent *a)
{
	char *path = NULL;

	if (asprintf(&path, "%s/" PIECES "/%d-%u.gotrace", a->config.directory, (int)getpid(),
		     ++a->n_pieces) < 0)
		log_no_memory("no memory for a name");
	return path;
}

/* NULL (logged). */
static struct trace_writer *open_piece(struct agent *a, char **path)
{
	struct trace_info info = { 0 };
	int fd, err;

	*path = new_piece(a);
	if (!*path)
		return NULL;
	fd = open(*path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	err = fd < 0 ? -errno : trace_info_set(&info, KEY_MODE, MODE_SAMPLES);
	if (!err)
		err = describe_host(&info);
	for (size_t i = 0; i < a->info.n_kvs && !err; i++)
		err = trace_info_set(&info, a->info.kvs[i].key, a->info.kvs[i].value);
	/* As far as they are known: they have names even if the agent is killed. */
	if (!err)
		err = wall_describe_reasons(&a->sampling.wall, &info);
	if (err)
		log_error("%s: cannot be written: %s", *path, strerror(-err));
	if (err && fd >= 0)
		close(fd);
	struct trace_writer *w = err ? NULL : trace_writer_new(fd, &info);

	trace_info_free(&info);
	return w;
}

/* What all stretches say of themselves. */
static int describe(struct agent *a)
{
	const struct agent_config *c = &a->config;
	struct trace_info *t = &a->info;
	int err = trace_info_set(t, KEY_GOTRACE_VERSION, cli_version);

	if (!err)
		err = trace_info_set(t, KEY_SAMPLE_EVENT, a->given.event->name);
	if (!err)
		err = trace_info_setf(t, KEY_SAMPLE_FREQUENCY, "%u", c->hz);
	if (!err && c->kernel)
		err = trace_info_set(t, KEY_SAMPLE_KERNEL, "1");
	if (!err && c->labels)
		err = trace_info_set(t, KEY_SAMPLE_LABELS, "1");
	if (!err)
		err = trace_info_set(t, KEY_SAMPLE_HOST, c->cgroup ? c->cgroup : HOST_ALL);
	return err;
}

/* When a stretch that was cut off by a kill began and ended, as far as its file tells. */
static int times_of(const char *path, uint64_t *from_ns, uint64_t *to_ns)
{
	struct trace_reader *r = trace_reader_open(path);
	struct stat st;

	if (!r)
		return -errno;
	*from_ns = trace_info_u64(trace_reader_info(r), KEY_CLOCK_REALTIME_NS, 0);
	*to_ns = stat(path, &st)
			 ? 0
			 : (uint64_t)st.st_mtim.tv_sec * SECOND_NS + (uint64_t)st.st_mtim.tv_nsec;
	if (*to_ns <= *from_ns)
		*to_ns = *from_ns + 1;
	trace_reader_close(r);
	return 0;
}

/* Stretches that an agent that was killed has left. */
static void recover(struct agent *a, const char *directory)
{
	DIR *d = opendir(directory);
	uint64_t from_ns = 0, to_ns = 0;

	for (struct dirent *e; d && (e = readdir(d));) {
		char *path = NULL;

		if (*e->d_name == '.' || asprintf(&path, "%s/%s", directory, e->d_name) < 0)
			continue;
		if (times_of(path, &from_ns, &to_ns) ||
		    splitter_add(&a->splitter, path, from_ns, to_ns, false))
			log_warn("%s: samples of an earlier agent cannot be read, and are removed",
				 path);
		else
			log_info("samples of an earlier agent are in the store, %s", e->d_name);
		unlink(path);
		free(path);
	}
	if (d)
		closedir(d);
}

static int open_store(struct agent *a)
{
	char *pieces = NULL;
	int err;

	a->lock_fd = store_lock(a->config.directory);
	err = a->lock_fd < 0 ? a->lock_fd : store_open(&a->store, a->config.directory);
	if (!err && asprintf(&pieces, "%s/" PIECES, a->config.directory) < 0)
		err = -ENOMEM;
	if (!err && mkdir(pieces, 0700) && errno != EEXIST) {
		err = -errno;
		log_error("%s: cannot be made: %s", pieces, strerror(-err));
	}
	a->splitter = (struct splitter){ .config = &a->config,
					 .store = &a->store,
					 .proc = "/proc",
					 .on_slow = slow_begin,
					 .slow_ctx = &a->slow };
	a->slow.directory = a->config.directory;
	if (!err)
		recover(a, pieces);
	free(pieces);
	return err;
}

/* ---- requests */

static void wake(struct agent *a)
{
	const uint64_t one = 1;

	if (write(a->given.wake_fd, &one, sizeof(one)) < 0)
		log_debug("eventfd: %s", strerror(errno));
}

/* struct serve_agent: ends this stretch, and waits until it is in the store. However many ask, a
 * stretch lasts for CUT_NS, or its interval if that is less: what they take of the disk is bounded.
 */
static int64_t cut(void *ctx)
{
	struct agent *a = ctx;
	int64_t id;

	pthread_mutex_lock(&a->lock);
	/* The stretch that is being sampled now. */
	const uint64_t wanted = a->n_ended + 1, due_ns = a->begun_ns + CUT_NS;
	const struct timespec due = { .tv_sec = (time_t)(due_ns / SECOND_NS),
				      .tv_nsec = (long)(due_ns % SECOND_NS) };

	while (a->n_ended < wanted && !a->ending && clock_monotonic_ns() < due_ns)
		pthread_cond_timedwait(&a->stored, &a->lock, &due);
	if (a->n_ended < wanted) {
		a->sampling.cut = true;
		wake(a);
	}
	while (a->n_stored < wanted && !a->ending)
		pthread_cond_wait(&a->stored, &a->lock);
	id = a->n_stored >= wanted ? a->next_id : 0;
	pthread_mutex_unlock(&a->lock);
	return id;
}

static int serve(struct agent *a)
{
	const struct serve_agent of = { .cut = cut, .metrics = agent_metrics, .ctx = a };

	if (!a->config.address)
		return 0;
	a->server = server_start(&a->config, &of);
	return a->server ? 0 : -EADDRNOTAVAIL;
}

/* ---- the run */

static void on_hangup(void *ctx, int signo)
{
	struct agent *a = ctx;

	(void)signo;
	a->reload = true;
	a->sampling.cut = true;
}

/* struct wall */
static bool waits(void *ctx, struct process *p)
{
	struct agent *a = ctx;

	process_find_exe(p);
	return splitter_waiting(&a->splitter, &(struct sample_process){ .pid = p->pid,
									.start_ns = p->start_ns,
									.exe = p->exe,
									.comm = p->comm });
}

static int prepare(struct agent *a)
{
	struct sampling *s = &a->sampling;
	const struct agent_config *c = &a->config;

	signal(SIGPIPE, SIG_IGN);
	a->given.event = event_types;
	a->given.hz = c->hz;
	a->given.kernel = c->kernel;
	a->given.labels = c->labels;
	s->host = (struct host){ .on = true, .cgroup = c->cgroup, .cgroup_fd = -1 };
	a->given.targets = &a->target;
	a->given.signals = &a->signals;
	/* What the kernel is asked by is loaded in any case: rules may change. */
	s->wall = (struct wall){ .on = true,
				 .hz = c->waiting_hz,
				 .most = WAITING_PROCESSES,
				 .wants = waits,
				 .wants_ctx = a };
	a->given.name_addresses = name_addresses;
	a->naming = (struct name_context){ .cache = &a->symbols, .sampling = s };
	agent_bound_memory(a, WAITING_PROCESSES);
	a->given.name_ctx = &a->naming;
	a->given.name_ended = name_ended;
	a->given.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (a->given.wake_fd < 0 || signals_open(&a->signals, false, 1u << SIGHUP))
		return -EIO;
	a->signals.on_own = on_hangup;
	a->signals.own_ctx = a;
	return describe(a);
}

static void begins(struct agent *a)
{
	const uint64_t now_ns = clock_monotonic_ns();

	/* What came after the end of the one before is in this one. */
	a->from_ns = sampling_real_ns(a->sampling.drained_ns ? a->sampling.drained_ns : now_ns);
	a->end_ns = now_ns + a->config.interval_ns;
	agent_meet_again(a, false);
	pthread_mutex_lock(&a->lock);
	a->begun_ns = now_ns;
	pthread_mutex_unlock(&a->lock);
}

int agent_begin(struct agent *a)
{
	struct trace_writer *w = NULL;
	pthread_condattr_t attr;
	int err;

	a->lock_fd = a->signals.fd = a->given.wake_fd = a->sampling.host.cgroup_fd = -1;
	a->sampling.given = &a->given;
	a->target = (struct target){ .pidfd = -1, .hold_fd = -1, .exec_fd = -1 };
	pthread_mutex_init(&a->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&a->stored, &attr);
	pthread_condattr_destroy(&attr);
	err = open_store(a);
	if (!err)
		err = prepare(a);
	if (!err)
		err = sampling_prepare(&a->sampling);
	a->sampling.wall.on = config_waits(&a->config);
	if (!err) {
		w = open_piece(a, &a->piece);
		err = w ? sampling_begin(&a->sampling, w) : -EIO;
	}
	a->sampling_begun = !err;
	begins(a);
	clock_steps_look(&a->clocks, a->from_ns, clock_boottime_ns());
	if (!err && a->config.url) {
		a->pusher = pusher_start(&a->config);
		err = a->pusher ? 0 : -EIO;
	}
	if (!err)
		err = serve(a);
	if (!err)
		log_info("sampling %s at %u Hz into %s",
			 a->config.cgroup ? a->config.cgroup : "all processes", a->config.hz,
			 a->config.directory);
	return err;
}

bool agent_stretch(struct agent *a)
{
	struct sampling *s = &a->sampling;
	uint64_t now = clock_monotonic_ns(), drained;
	bool ended;

	/* Once at least: on a busy host the one before may take all the time of this one to put
	 * away, and signals are looked at here. */
	do {
		ended = sampling_until(s,
				       now + SECOND_NS < a->end_ns ? now + SECOND_NS : a->end_ns);
		agent_meet(a);
		now = clock_monotonic_ns();
	} while (!ended && !s->cut && now < a->end_ns);
	s->cut = false;
	if (read(a->given.wake_fd, &drained, sizeof(drained)) < 0 && errno != EAGAIN)
		log_debug("eventfd: %s", strerror(errno));
	/* A full disk is not the end: what comes later may have room. */
	return ended && s->reason != END_WRITE_ERROR;
}

/* Nothing of the stretch is in the store. */
static void give_up(struct agent *a, uint64_t samples)
{
	a->n_failed++;
	a->failed_samples += samples;
	log_warn("%" PRIu64
		 " samples are lost, because their stretch of time cannot be put into the store",
		 samples);
}

static void tell_requests(struct agent *a, bool last)
{
	const int64_t next_id = store_next_id(&a->store);

	pthread_mutex_lock(&a->lock);
	a->n_stored++;
	a->next_id = next_id;
	a->ending |= last;
	pthread_cond_broadcast(&a->stored);
	pthread_mutex_unlock(&a->lock);
}

int agent_put_away(struct agent *a, bool last)
{
	struct sampling *s = &a->sampling;
	const uint64_t from_ns = a->from_ns, begun_ns = a->begun_ns,
		       samples = s->counts.samples + wall_samples(&s->wall);
	char *piece = a->piece;
	struct trace_writer *w = last ? NULL : open_piece(a, &a->next_piece);

	if (!last && !w)
		return -EIO;
	a->n_left_out = s->wall.left_out; /* counted anew in the next */
	agent_count_room(a);
	int err = last ? sampling_end(s) : sampling_next(s, w);

	a->n_waiting = wall_processes(&s->wall);
	begins(a);
	pthread_mutex_lock(&a->lock);
	a->n_ended++;
	s->cut = false; /* was meant for the one that has ended */
	pthread_mutex_unlock(&a->lock);
	a->sampling_begun = !last;
	a->piece = a->next_piece;
	a->next_piece = NULL;
	if (!err)
		/* The real time may have been set meanwhile. */
		err = splitter_add(&a->splitter, piece, from_ns, from_ns + a->begun_ns - begun_ns,
				   true);
	if (err)
		give_up(a, samples);
	unlink(piece);
	free(piece);
	agent_trim(a, last);
	if (a->pusher)
		pusher_wake(a->pusher);
	slow_reap(&a->slow);
	malloc_trim(0); /* what a stretch took is not needed until the next */
	tell_requests(a, last);
	return 0;
}

void agent_take_rules(struct agent *a, struct agent_config *new)
{
	struct agent_config *c = &a->config, old = *c;

	*c = *new;
	/* These stay: they are in use. */
	c->directory = old.directory;
	c->hz = old.hz;
	c->kernel = old.kernel;
	c->labels = old.labels;
	c->waiting_hz = old.waiting_hz;
	c->memory_bytes = old.memory_bytes;
	c->url = old.url;
	c->otlp = old.otlp;
	c->cgroup = old.cgroup;
	c->address = old.address;
	c->token_file = old.token_file;
	old.directory = new->directory;
	old.url = new->url;
	old.cgroup = new->cgroup;
	old.address = new->address;
	old.token_file = new->token_file;
	config_free(&old);
	splitter_forget(&a->splitter);
	agent_meet_again(a, true);
	a->sampling.wall.on = config_waits(c);
	wall_ask_again(&a->sampling.wall);
}

void agent_end(struct agent *a)
{
	if (a->sampling_begun) { /* it could not go on */
		sampling_end(&a->sampling);
		unlink(a->piece);
	}
	pthread_mutex_lock(&a->lock);
	a->ending = true;
	pthread_cond_broadcast(&a->stored);
	pthread_mutex_unlock(&a->lock);
	server_stop(a->server);
	slow_end(&a->slow);
	pusher_stop(a->pusher, GRACE_NS);
	sampling_close(&a->sampling);
	signals_close(&a->signals);
	if (a->given.wake_fd >= 0)
		close(a->given.wake_fd);
	symbols_cache_free(&a->symbols);
	splitter_forget(&a->splitter);
	store_close(&a->store);
	if (a->lock_fd >= 0)
		close(a->lock_fd);
	trace_info_free(&a->info);
	free(a->piece);
	free(a->next_piece);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->stored);
}
