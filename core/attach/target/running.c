// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/running.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attach/target/remote.h"
#include "attach/target/running_groups.h"
#include "attach/target/running_map.h"
#include "attach/target/running_why.h"
#include "attach/process_memory.h"
#include "attach/target/threads.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/urgency.h"
#include "plan/inline_hook.h"

#define PAGE      4096ull
#define JMP_BYTES 5

/* ---- stopping it */

/* While others wait for this thread. */
#define MORE_URGENT 20

static int stop_all(struct running *r, struct threads *t, unsigned try)
{
	r->nice = urgency_raise(MORE_URGENT);
	process_memory_nice(r->nice - MORE_URGENT);
	return threads_stop(t, r->opt.pid, 0, try);
}

/* Returns how long they were stopped, ns. */
static uint64_t let_all_go(struct running *r, struct threads *t, struct stop_times *times)
{
	uint64_t ns = threads_go(t);

	urgency_put_back(r->nice);
	process_memory_nice(r->nice);
	log_debug("all threads were stopped for %llu us", (unsigned long long)ns / 1000);
	times->n++;
	times->sum_ns += ns;
	if (ns > times->longest_ns)
		times->longest_ns = ns;
	return ns;
}

/* A stop lasts STOP_NS. Where stopping and finding the threads takes most of that, it lasts longer:
 * WRITE_NS are for writing in any case, so that the number of stops stays small. The next stop
 * writes the rest. */
#define STOP_NS  (20ull * 1000 * 1000)
#define WRITE_NS (15ull * 1000 * 1000)

static uint64_t write_until(const struct running *r, const struct threads *t)
{
	const uint64_t least = clock_monotonic_ns() + WRITE_NS, most = t->stop_ns + STOP_NS;

	return r->short_stops ? 0 : most > least ? most : least;
}

#define RUN_MAX_NS (500ull * 1000 * 1000)

/* Between stops the process runs for as long as it stood still. */
static void let_it_run(uint64_t stopped_ns)
{
	const uint64_t ns = stopped_ns < RUN_MAX_NS ? stopped_ns : RUN_MAX_NS;

	nanosleep(&(struct timespec){ .tv_nsec = (long)ns }, NULL);
}

/* ---- whom it matters to */

static void mark(struct running *r, uint64_t vaddr, size_t n)
{
	for (uint64_t bit = vaddr + r->text.bias - r->look.text; n--; bit++)
		r->inside[bit / 8] |= 1 << bit % 8;
}

static void mark_nothing(struct running *r)
{
	memset(r->inside, 0, r->look.text_bytes / 8 + 1);
}

/* The first byte of a window may be the next to be executed: the jump is, then. */
static void mark_windows(struct running *r, const bool *in_stub)
{
	const struct plan *plan = r->opt.plan;

	mark_nothing(r);
	for (size_t i = 0; i < plan->n_sites; i++) {
		const struct site_stub *s = &plan->sites[i].stub;

		if (in_stub[i] && s->displaced_len > 1)
			mark(r, s->displaced_vaddr + 1, s->displaced_len - 1);
	}
}

static bool in_the_way(const struct running *r, const struct site_stub *s)
{
	const uint64_t window = s->displaced_vaddr + r->text.bias;

	return whereabouts_between(&r->where, window + 1, window + s->displaced_len);
}

/* After the last site: when a page could not be written, what the text says counts. A jump that may
 * be there is one to be taken out. False: there was such a page. */
static bool finish_pages(struct running *r)
{
	const struct plan *plan = r->opt.plan;

	text_patch_close_page(&r->text);
	if (!r->text.lost)
		return true;
	r->text.lost = false;
	r->n_patched = 0;
	for (size_t i = 0; i < plan->n_sites; i++) {
		r->patched[i] = plan_can_join(&plan->sites[i]) &&
				text_patch_is_there(&r->text, &plan->sites[i]) != 0;
		r->n_patched += r->patched[i];
	}
	return false;
}

/* ---- putting the jumps in */

/*
 * Those of in_stub that are not patched yet, from r->next on until then; r->more says whether some
 * are left for the next stop. A site whose window somebody is in stays in in_stub, with those that
 * are patched together with it; r->n_in_the_way counts them, from the first site on.
 */
static void patch_sites(struct running *r, const uint8_t *stubs, bool *in_stub, uint64_t until_ns)
{
	const struct plan *plan = r->opt.plan;
	size_t i = r->next;

	if (!i)
		r->n_in_the_way = 0;
	r->more = false;
	for (size_t end; i < plan->n_sites && !r->more; i = end) {
		bool busy = false;

		end = running_group_end(r, i);
		if (!in_stub[i] || r->patched[i])
			continue;
		for (size_t k = i; k < end && !busy; k++)
			busy = in_the_way(r, &plan->sites[k].stub);
		r->n_in_the_way += busy;
		if (busy)
			continue;
		running_patch_group(r, stubs, in_stub, i, end);
		r->more = end < plan->n_sites && clock_monotonic_ns() >= until_ns;
	}
	r->next = r->more ? i : 0;
	finish_pages(r);
}

static const char *patch_stopped(struct running *r, const struct threads *t, const uint8_t *stubs,
				 bool *in_stub)
{
	int err = whereabouts_find(&r->where, t, &r->look);

	if (err) {
		if (err == -ETIMEDOUT)
			return RUNNING_SILENT;
		r->again = err != -ENOMEM; /* they go on meanwhile */
		return running_say(r, "where its threads and goroutines are cannot be read: %s",
				   strerror(-err));
	}
	const char *why = text_patch_other_image(r->opt.pid, r->opt.exe_fd);
	if (!why && text_patch_memory_ended(&r->text))
		why = "it executed itself anew";
	if (!why && !r->hooked)
		why = text_patch_sigtramp(&r->text);
	if (why)
		return why;
	r->hooked = true;
	patch_sites(r, stubs, in_stub, write_until(r, t));
	return NULL;
}

static const char *patch_in_one_stop(struct running *r, const uint8_t *stubs, bool *in_stub,
				     unsigned try, uint64_t *stopped_ns)
{
	struct threads t;

	r->again = false;
	int err = stop_all(r, &t, try);
	const char *why = err ? running_why_not_stopped(r, &t, err)
			      : patch_stopped(r, &t, stubs, in_stub);
	*stopped_ns = let_all_go(r, &t, &r->in);
	return why;
}

/* In as many stops as it takes. A thread that is in the kernel, or gets no processor, may stop the
 * next time. */
static const char *patch_all(struct running *r, const uint8_t *stubs, bool *in_stub,
			     uint64_t *stopped_ns)
{
	for (unsigned try = 0;;) {
		const char *why = patch_in_one_stop(r, stubs, in_stub, try, stopped_ns);

		if (why && (!r->again || (r->n_patched && !r->more) || ++try == THREADS_TRIES))
			return why;
		if (!why && !r->more)
			return NULL;
		if (!why) {
			try = 0;
			let_it_run(*stopped_ns);
		} else {
			log_debug("attaching again: %s", why);
			threads_pause(try - 1);
		}
	}
}

#define TRIES_IN      10                /* passes for sites that somebody is in, */
#define TRY_IN_MAX_NS (5 * 1000 * 1000) /* while their stops are shorter than this */
#define TRY_AGAIN_NS  (2 * 1000 * 1000)

static void wait_a_little(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = TRY_AGAIN_NS }, NULL);
}

const char *running_patch(struct running *r, bool *in_stub)
{
	const struct plan_stubs *t = &r->opt.plan->stubs;
	uint8_t *stubs = malloc(t->bytes);
	const char *why = NULL, *short_stops = secure_getenv("GOTRACE_SHORT_STOPS");
	uint64_t stopped_ns = 0;
	int err;

	r->short_stops = short_stops && *short_stops == '1';
	running_mark_whole(r, in_stub);
	mark_windows(r, in_stub);
	err = stubs ? whereabouts_prepare(&r->where, r->opt.pid, &r->look) : -ENOMEM;
	if (err || !text_patch_read(&r->text, t->vaddr, stubs, t->bytes))
		why = err == -ETIMEDOUT ? RUNNING_SILENT : "its memory cannot be read";
	for (int i = 0; !why && i < TRIES_IN; i++) {
		if (i)
			wait_a_little();
		why = patch_all(r, stubs, in_stub, &stopped_ns);
		if (!r->n_in_the_way || (i && stopped_ns > TRY_IN_MAX_NS))
			break;
	}
	free(stubs);
	if (why && r->n_patched && !r->more) /* later tries failed, what is there is good */
		why = NULL;
	for (size_t i = 0; !why && i < r->opt.plan->n_sites; i++)
		in_stub[i] &= r->patched[i];
	return why;
}

/* ---- taking them out */

#define TRIES_OUT 100

/* How often a thread did not stop, since all last did, while jumps or stubs were to be taken out.
 */
struct stops {
	unsigned late;
};

/* Stops the process and finds out who is in the stubs or at `inside`. 0 or -errno, not stopped:
 * -EAGAIN after a pause where a thread did not stop in time, as it may the next time. */
static int stop_and_look(struct running *r, struct threads *t, struct stops *stops)
{
	struct whereabouts_options look = r->look;
	int err = stop_all(r, t, stops->late);

	if (err == -ETIMEDOUT) {
		let_all_go(r, t, &r->out);
		if (stops->late + 1 == THREADS_TRIES)
			return -ETIMEDOUT;
		threads_pause(stops->late++);
		return -EAGAIN;
	}

	/* No goroutine that Go has taken off its thread is in a stub. */
	look.allgs = 0;
	if (!err)
		stops->late = 0;
	if (!err)
		err = whereabouts_find(&r->where, t, &look);
	if (err)
		let_all_go(r, t, &r->out);
	return err;
}

static void mark_before_undo(struct running *r)
{
	const struct plan *plan = r->opt.plan;

	mark_nothing(r);
	for (size_t i = 0; i < plan->n_sites; i++) {
		const struct site_stub *s = &plan->sites[i].stub;

		if (r->patched[i] && s->padding_vaddr)
			mark(r, s->padding_vaddr, JMP_BYTES);
		if (r->patched[i] && s->compare_len)
			mark(r, s->displaced_vaddr, 1);
	}
}

/* True where somebody comes back to what belongs to the site: its stub, here at [start, end), its
 * padding, or its window without the flags that the displaced instructions read. */
static bool is_busy(const struct running *r, const struct site_stub *s, uint64_t start,
		    uint64_t end)
{
	const uint64_t padding = s->padding_vaddr + r->text.bias,
		       window = s->displaced_vaddr + r->text.bias;

	return whereabouts_between(&r->where, start, end) ||
	       (s->padding_vaddr && whereabouts_between(&r->where, padding, padding + JMP_BYTES)) ||
	       (s->compare_len && whereabouts_between(&r->where, window, window + 1));
}

/* The first site of a pass from the last one to the first, and where its stub ends. */
static void begin_undo(struct running *r)
{
	r->next = r->opt.plan->n_sites;
	r->next_end = r->maps.stubs.at + r->opt.plan->stubs.inl.hook_off;
	r->n_busy = 0;
}

/* From r->next on until then; r->more as above. r->n_busy counts those of a pass that had to be
 * left, since a thread is in their stub or a page could not be written. */
static void undo_sites(struct running *r, uint64_t until_ns)
{
	const struct plan *plan = r->opt.plan;
	const uint64_t stubs = r->maps.stubs.at;
	uint64_t end = r->next_end;
	size_t i = r->next;

	r->more = false;
	while (i > 0 && !r->more) {
		const struct site_stub *s = &plan->sites[--i].stub;

		if (!s->displaced_len) { /* it has a stub for branches at most */
			end = s->n_branches ? stubs + s->branches_enter_off : end;
			continue;
		}
		uint64_t start = stubs + s->enter_off;
		bool busy = is_busy(r, s, start, end);
		end = start;
		r->n_busy += r->patched[i] && busy;
		if (r->patched[i])
			text_patch_turn_page(&r->text, s->displaced_vaddr);
		if (r->patched[i] && !busy &&
		    (text_patch_undo_site(&r->text, &plan->sites[i]) ||
		     text_patch_is_files(&r->text, &plan->sites[i]))) {
			r->patched[i] = false;
			r->n_patched--;
			r->more = i && clock_monotonic_ns() >= until_ns;
		}
	}
	r->next = i;
	r->next_end = end;
	r->n_busy += !finish_pages(r);
}

/* It has ended, or executed something else: its memory is another. Where that cannot be found out,
 * the jumps may be in use. */
static bool is_gone(const struct running *r)
{
	return text_patch_image_gone(&r->text, r->opt.pid, r->opt.exe_fd);
}

size_t running_put_back(struct running *r)
{
	struct stops stops = { 0 };
	struct threads t;

	if (r->n_patched)
		mark_before_undo(r);
	begin_undo(r);
	for (int i = 0; i < TRIES_OUT && r->n_patched;) {
		int err = stop_and_look(r, &t, &stops);

		if (err == -ETIMEDOUT)
			break;
		r->more = false;
		if (err == -ESRCH || (!err && is_gone(r)))
			r->n_patched = 0;
		else if (!err)
			undo_sites(r, write_until(r, &t));
		uint64_t stopped_ns = err ? 0 : let_all_go(r, &t, &r->out);
		if (r->more) {
			let_it_run(stopped_ns);
			continue;
		}
		i++;
		if (!err && !r->n_busy)
			break;
		if (!err)
			begin_undo(r);
		wait_a_little();
	}
	return r->n_patched;
}

static void unmap_with(struct running *r, struct remote *remote)
{
	if (!r->hooked || text_patch_undo_sigtramp(&r->text)) {
		r->hooked = false;
		stub_maps_remove(&r->maps, &(struct process_calls){ running_remote_call, remote });
	}
	running_remote_end(r, remote);
}

static bool any_map(const struct running *r)
{
	return r->maps.stubs.bytes || r->maps.table.bytes || r->maps.signals.bytes ||
	       r->maps.rings.bytes;
}

/* A thread that cannot do it is followed by another. */
static void unmap_stopped(struct running *r, const struct threads *t)
{
	struct remote remote;
	size_t i = 0;

	while (any_map(r) && running_remote_next(r, &remote, t, &i))
		unmap_with(r, &remote);
}

void running_give_rings_back(const struct running *r, const struct ring_area *rings)
{
	static const uint64_t none[RING_MAX];

	/* No stub finds a ring any more; one that a thread is writing to may take a page again. */
	if (r->maps.rings.bytes && rings->fd >= 0 &&
	    pwrite(r->text.mem_fd, none, sizeof(none), (off_t)r->maps.table.at) == sizeof(none))
		fallocate(rings->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			  (off_t)rings->bytes);
}

bool running_unmap(struct running *r)
{
	const uint64_t from = r->maps.stubs.at;
	struct stops stops = { 0 };
	struct threads t;

	if (!any_map(r))
		return true;
	mark_nothing(r);
	for (int i = 0; i < TRIES_OUT && any_map(r) && !r->n_patched; i++) {
		if (i)
			wait_a_little();
		int err = stop_and_look(r, &t, &stops);
		if (err == -ESRCH)
			return true;
		if (err == -ETIMEDOUT)
			break;
		if (err)
			continue;
		if (is_gone(r))
			r->maps = (struct stub_maps){ 0 };
		else if (!whereabouts_between(&r->where, from, from + r->maps.stubs.bytes))
			unmap_stopped(r, &t);
		let_all_go(r, &t, &r->out);
	}
	return !any_map(r);
}

void running_close(struct running *r)
{
	whereabouts_free(&r->where);
	free(r->inside);
	free(r->patched);
	free(r->whole);
	if (r->text.mem_fd >= 0)
		close(r->text.mem_fd);
	*r = (struct running){ .text.mem_fd = -1 };
}
