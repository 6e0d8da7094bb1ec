// SPDX-License-Identifier: BSD-2-Clause
#include "attach/text_watch.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attach/target/target.h"
#include "base/log.h"
#include "trace/keys.h"

#define INT3     0xcc
#define CALL     0xe8 /* the kernel makes a call of a probed long nop */
#define AT_ONCE  64   /* probes in one look */
#define FIRST_NS 10000000ull
#define APART_NS 250000000ull
#define NAMED    5 /* functions in the sentence */
/* Bytes that tell whether an instruction is the file's. A single one may be so by chance. */
#define COMPARED 4

/* ---- the image */

void text_watch_close(struct text_watch *w)
{
	if (w->text.plan)
		close(w->text.mem_fd);
	w->text.plan = NULL;
	w->text.page_bytes = 0;
	w->patched = false;
}

/* The descriptor is of the memory of this image: once the process has executed another, or ended,
 * nothing can be read from it. So nothing of one image is ever compared with another. */
static bool open_image(struct text_watch *w)
{
	const struct plan *plan = w->probing->plan;
	const struct gofunc *funcs;
	char path[32];

	if (w->text.plan)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/mem", w->pid);
	w->text.mem_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (w->text.mem_fd < 0)
		return false;
	if (gobin_funcs(plan->binary, &funcs) &&
	    !target_text_bias(w->pid, w->exe_fd, funcs[0].vaddr, funcs[0].file_off,
			      &w->text.bias)) {
		w->text.plan = plan;
		return true;
	}
	close(w->text.mem_fd);
	return false;
}

void text_watch_patched(struct text_watch *w)
{
	w->patched = open_image(w);
}

void text_watch_start(struct text_watch *w, uint64_t now_ns)
{
	w->start_ns = now_ns;
	w->apart_ns = FIRST_NS;
	w->next_ns = now_ns + FIRST_NS;
}

/* ---- one probe */

enum presence {
	THERE,
	GONE,     /* the text is the file's again */
	REPLACED, /* by other code */
	UNKNOWN,
	NOT_LOOKED_FOR,
};

/* GONE: the text is as the file has it, but for breakpoints. */
static enum presence compare_with_file(struct text_watch *w, uint64_t vaddr, size_t n)
{
	const uint8_t *file = NULL;
	uint8_t is[UINT8_MAX]; /* site_stub.displaced_len is a byte */

	/* A probe may be in the last bytes of the text. */
	while (n && !(file = gobin_bytes(w->probing->plan->binary, vaddr, n)))
		n--;
	if (!file || !text_patch_read(&w->text, vaddr, is, n))
		return UNKNOWN;
	for (size_t i = 0; i < n; i++)
		if (is[i] != file[i] && is[i] != INT3)
			return REPLACED;
	return GONE;
}

/* A breakpoint of another tool may take the place of the first byte of a jump. */
static enum presence look_for(struct text_watch *w, const struct plan_site *s)
{
	const struct probing *p = w->probing;
	const bool in_stub = p->in_stub[s->number];
	uint8_t is;

	if (p->left_alone[s->number] ||
	    (w->released && s->func != PLAN_NO_FUNC && w->released[s->func]) ||
	    (in_stub && (!w->patched || !s->stub.displaced_len)))
		return NOT_LOOKED_FOR;
	const uint64_t vaddr = in_stub ? s->stub.displaced_vaddr : s->vaddr;

	text_patch_turn_page(&w->text, vaddr); /* sites of a function stand together */
	if (!text_patch_read(&w->text, vaddr, &is, 1))
		return UNKNOWN;
	if (is == INT3 || (in_stub && text_patch_is_there(&w->text, s) == 1))
		return THERE;
	const uint8_t *file = gobin_bytes(p->plan->binary, s->vaddr, 1);

	if (!in_stub && is == CALL && file && *file != CALL)
		return THERE;
	return compare_with_file(w, vaddr, in_stub ? s->stub.displaced_len : COMPARED);
}

/* ---- all of them */

struct missing {
	size_t n, of, n_funcs;
	const char *first[NAMED];
};

struct look {
	struct missing gone, replaced;
	bool unknown; /* a part could not be read */
};

static void add_name(struct missing *m, const char *name, const char **last)
{
	/* Sites of a function stand together. */
	if (!name || (*last && !strcmp(*last, name)))
		return;
	*last = name;
	for (size_t i = 0; i < m->n_funcs && i < NAMED; i++)
		if (!strcmp(m->first[i], name))
			return;
	if (m->n_funcs < NAMED)
		m->first[m->n_funcs] = name;
	m->n_funcs++;
}

static struct look look_for_all(struct text_watch *w)
{
	const struct plan *plan = w->probing->plan;
	struct look l = { .unknown = false };
	const char *last = NULL;
	size_t of = 0;

	for (size_t i = 0; i < plan->n_sites && !l.unknown; i++) {
		const struct plan_site *s = &plan->sites[i];
		enum presence is = look_for(w, s);
		struct missing *m = is == GONE ? &l.gone : &l.replaced;

		l.unknown = is == UNKNOWN;
		of += is != UNKNOWN && is != NOT_LOOKED_FOR;
		if (is != GONE && is != REPLACED)
			continue;
		m->n++;
		add_name(m, s->func == PLAN_NO_FUNC ? s->runtime_func : plan->funcs[s->func].name,
			 &last);
	}
	text_patch_close_page(&w->text);
	l.gone.of = l.replaced.of = of;
	return l;
}

static void write_names(const struct missing *m, size_t n, char text[TEXT_WATCH_SENTENCE])
{
	for (size_t i = 0; i < m->n_funcs && i < NAMED && n < TEXT_WATCH_SENTENCE; i++)
		n += (size_t)snprintf(text + n, TEXT_WATCH_SENTENCE - n, "%s%s", i ? ", " : "",
				      m->first[i]);
	if (m->n_funcs > NAMED && n < TEXT_WATCH_SENTENCE)
		snprintf(text + n, TEXT_WATCH_SENTENCE - n, " ...");
}

static void write_gone(const struct missing *m, double s, char text[TEXT_WATCH_SENTENCE])
{
	if (m->n == m->of) {
		snprintf(
			text, TEXT_WATCH_SENTENCE,
			"after %.2f s none of the %zu probes was in the program's text any more. "
			"The program replaced its text, or executed itself anew from a thread that "
			"was not its first. Every call from about then on is missing",
			s, m->of);
		return;
	}
	write_names(
		m,
		(size_t)snprintf(
			text, TEXT_WATCH_SENTENCE,
			"after %.2f s %zu of %zu probes were gone from the program's text. The program remapped its text, dropped its pages or wrote over it. Calls from "
			"about then on are missing of %zu function%s, ",
			s, m->n, m->of, m->n_funcs, m->n_funcs == 1 ? "" : "s"),
		text);
}

static void write_replaced(const struct missing *m, double s, char text[TEXT_WATCH_SENTENCE])
{
	write_names(m,
		    (size_t)snprintf(
			    text, TEXT_WATCH_SENTENCE,
			    "after %.2f s the program had written other code over %zu of %zu "
			    "probes. Calls that this code leads elsewhere are not counted as calls "
			    "of what it replaced, ",
			    s, m->n, m->of),
		    text);
}

/* What was found earlier is not forgotten when less is missing later. */
static void look_at_all(struct text_watch *w, uint64_t now_ns)
{
	const double s = (double)(now_ns - w->start_ns) / 1e9;
	struct look l = look_for_all(w);
	const bool first_gone = !w->n_gone, first_replaced = !w->n_replaced;

	if (l.unknown) {
		/* Parts of the text may be gone for ever; memory without a user is another image.
		 */
		if (text_patch_memory_ended(&w->text))
			text_watch_close(w);
		return;
	}
	w->looks++;
	if (l.gone.n > w->n_gone) {
		w->n_gone = l.gone.n;
		write_gone(&l.gone, s, w->gone);
		if (first_gone)
			log_warn("%s", w->gone);
	}
	if (l.replaced.n > w->n_replaced) {
		w->n_replaced = l.replaced.n;
		write_replaced(&l.replaced, s, w->replaced);
		if (first_replaced)
			log_info("%s", w->replaced);
	}
}

/* ---- every now and then */

int text_watch_wait_ms(const struct text_watch *w, uint64_t now_ns, int ms)
{
	uint64_t left_ns = w->next_ns > now_ns ? w->next_ns - now_ns : 0;

	return left_ns / 1000000 < (uint64_t)ms ? (int)(left_ns / 1000000) + 1 : ms;
}

void text_watch_look(struct text_watch *w, uint64_t now_ns)
{
	const struct plan *plan = w->probing->plan;
	bool gone = false, replaced = false;

	if (now_ns < w->next_ns)
		return;
	w->apart_ns = w->apart_ns * 2 < APART_NS ? w->apart_ns * 2 : APART_NS;
	w->next_ns = now_ns + w->apart_ns;
	if (!open_image(w))
		return;
	for (size_t k = 0; k < AT_ONCE && k < plan->n_sites && !gone; k++) {
		enum presence is = look_for(w, &plan->sites[w->next++ % plan->n_sites]);

		if (is == UNKNOWN) {
			if (text_patch_memory_ended(&w->text))
				text_watch_close(w);
			return;
		}
		gone = is == GONE;
		replaced |= is == REPLACED;
	}
	text_patch_close_page(&w->text);
	w->looks++;
	if ((gone && !w->n_gone) || (replaced && !w->n_replaced))
		look_at_all(w, now_ns);
}

void text_watch_end(struct text_watch *w, uint64_t now_ns)
{
	if (w->start_ns && open_image(w))
		look_at_all(w, now_ns);
}

int text_watch_describe(const struct text_watch *w, struct trace_info *end)
{
	int err = w->looks ? trace_info_setf(end, KEY_END_TEXT_LOOKS, "%u", w->looks) : 0;

	if (!err && w->n_gone)
		err = trace_info_setf(end, KEY_END_TEXT_GONE, "%zu", w->n_gone);
	if (!err && w->n_gone)
		err = trace_info_set(end, KEY_WARN_TEXT, w->gone);
	if (!err && w->n_replaced)
		err = trace_info_setf(end, KEY_END_REPLACED, "%zu", w->n_replaced);
	return err || !w->n_replaced ? err : trace_info_set(end, KEY_WARN_REPLACED, w->replaced);
}
