/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Labels of goroutines. g.labels is a *labelMap (runtime/pprof/label.go and runtime.go). */
#ifndef GOTRACE_LABELS_BPF_H
#define GOTRACE_LABELS_BPF_H

#include "bpf/walk.bpf.h"

static __always_inline int read_label(struct sample_label *to, uint64_t key_at, uint64_t value_at)
{
	uint64_t key[2] = { 0, 0 }, value[2] = { 0, 0 };
	uint32_t n;

	if (bpf_probe_read_user(key, sizeof(key), (void *)key_at) ||
	    bpf_probe_read_user(value, sizeof(value), (void *)value_at))
		return -1;
	to->key_bytes = key[1];
	to->value_bytes = value[1];
	n = key[1] < SAMPLE_KEY_BYTES ? key[1] : SAMPLE_KEY_BYTES;
	if (n && bpf_probe_read_user(to->key, n, (void *)key[0]))
		return -1;
	n = value[1] < SAMPLE_VALUE_BYTES ? value[1] : SAMPLE_VALUE_BYTES;
	if (n && bpf_probe_read_user(to->value, n, (void *)value[0]))
		return -1;
	return 0;
}

struct label_context {
	struct walk *w;
	uint64_t list;    /* address of the slice's labels, or of a bucket's keys */
	uint64_t step;    /* bytes from one label to the next */
	uint64_t value;   /* bytes from a key to its value */
	uint64_t tophash; /* for a bucket: the bytes that mark taken slots */
	uint32_t n;       /* number of slots to look at */
	uint32_t failed;
};

static long next_label(uint32_t i, struct label_context *c)
{
	struct walk *w = c->w;
	uint32_t at = w->labels.n;

	if (i >= c->n || at >= SAMPLE_LABELS)
		return 1;
	/* A slot's top hash is above 4 when it is taken (runtime/map.go, minTopHash 5). */
	if (c->tophash && ((c->tophash >> (i & 7) * 8) & 255) < 5)
		return 0;
	if (read_label(&w->labels.label[at], c->list + i * c->step,
		       c->list + i * c->step + c->value)) {
		c->failed = 1;
		return 1;
	}
	w->labels.n = at + 1;
	return 0;
}

/* Returns 0, or -1 when the labels could not be read or fill more than one bucket of a map. */
static __always_inline int read_labels(struct walk *w)
{
	uint64_t of = w->curg ? w->curg : w->g, map = 0, words[3] = { 0, 0, 0 };
	struct label_context c = { .w = w };
	const struct walk_context here = { .w = w };

	w->labels.n = w->labels.n_all = 0;
	if (!of || w->binary.g_labels < 0 || read_word(&here, of + w->binary.g_labels, &map) ||
	    !map)
		return 0;
	if (w->binary.labels_list) {
		if (bpf_probe_read_user(words, sizeof(words), (void *)map))
			return -1;
		c.list = words[0];
		c.n = w->labels.n_all = words[1];
		c.step = 32;
		c.value = 16;
	} else {
		/* a map[string]string: hmap of count, flags, B ..., buckets (runtime/map.go) */
		if (read_word(&here, map, &map) || !map ||
		    bpf_probe_read_user(words, sizeof(words), (void *)map) ||
		    (words[1] >> 8 & 255) || read_word(&here, words[2], &c.tophash))
			return -1;
		w->labels.n_all = words[0];
		c.list = words[2] + 8;
		c.n = 8;
		c.step = 16;
		c.value = 8 * 16;
	}
	bpf_loop(SAMPLE_LABELS, next_label, &c, 0);
	return c.failed ? -1 : 0;
}

static __always_inline void send_labels(struct walk *w, struct sample_counters *count)
{
	uint32_t n;

	if (read_labels(w) || w->labels.n_all > SAMPLE_LABELS)
		count->labels_lost++;
	n = w->labels.n;
	if (!n || n > SAMPLE_LABELS)
		return;
	w->labels.h = w->record.h;
	w->labels.h.kind = SAMPLE_RECORD_LABELS;
	if (bpf_ringbuf_output(&ring, &w->labels,
			       __builtin_offsetof(struct sample_label_record, label) +
				       n * sizeof(struct sample_label),
			       BPF_RB_NO_WAKEUP))
		count->labels_lost++;
	else
		w->record.flags |= SAMPLE_LABELLED;
}

#endif
