/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads arguments and results of a call by recipes. probes.bpf.c includes this once, after
 * hit.bpf.h. Only the programs entry_values_* and exit_values_* use it. They are loaded when there
 * are values to be read.
 */

/* The key is a site. User space fills the map and sets the number of entries. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct site_values);
} site_values SEC(".maps");

/* The verifier requires each register to be read at an offset that it can see. Without this clang
 * would choose the offset first and read afterwards. */
#define REGISTER(n, name)                                \
	case n: {                                        \
		uint64_t v = ctx->name;                  \
		asm volatile("# %1" : "+r"(v) : "i"(n)); \
		return v;                                \
	}

static __always_inline uint64_t go_register(const struct pt_regs *ctx, uint32_t n)
{
	switch (n) {
		GO_REGISTERS(REGISTER)
	}
	return 0;
}

/* Follows the hops and reads the word there, for a string also the one behind it. Returns
 * VALUE_*. */
static __always_inline uint8_t read_hops(const struct value_recipe *r, uint64_t addr,
					 uint64_t *word, uint64_t *second)
{
	for (uint32_t i = 0; i < VALUE_HOPS_MAX && i < r->hops; i++) {
		if (i && read_u64(addr, &addr))
			return VALUE_FAULT;
		if (!addr)
			return VALUE_NIL;
		addr += (long long)r->off[i];
	}
	*word = 0;
	if (r->kind != VALUE_WORD || r->bytes >= 8) {
		if (read_u64(addr, word))
			return VALUE_FAULT;
	} else if (r->bytes == 4) {
		if (bpf_probe_read_user(word, 4, (const void *)addr))
			return VALUE_FAULT;
	} else if (r->bytes == 2) {
		if (bpf_probe_read_user(word, 2, (const void *)addr))
			return VALUE_FAULT;
	} else if (bpf_probe_read_user(word, 1, (const void *)addr)) {
		return VALUE_FAULT;
	}
	return r->kind == VALUE_TEXT && read_u64(addr + 8, second) ? VALUE_FAULT : VALUE_OK;
}

/* Fills the slot but for a string's bytes. Puts their address into *text. */
static __noinline int read_word(struct pt_regs *ctx, const struct value_recipe *r,
				struct value_slot *slot, uint64_t return_at, uint64_t *text)
{
	uint64_t word, second = 0;
	uint8_t how = VALUE_OK;

	*text = 0;
	if (!r || !slot)
		return 0;
	word = r->from == VALUE_FROM_STACK ? return_at : go_register(ctx, r->from);
	if (r->from == VALUE_FROM_XMM)
		how = VALUE_IN_XMM;
	else if (r->hops)
		how = read_hops(r, word, &word, &second);
	else if (r->kind == VALUE_TEXT)
		second = go_register(ctx, (uint32_t)r->from + 1);
	if (how == VALUE_OK && r->kind == VALUE_COUNT && word && read_u64(word, &word))
		how = VALUE_FAULT;
	if (how == VALUE_OK && r->kind == VALUE_ITAB && word && read_u64(word + 8, &word))
		how = VALUE_FAULT;
	if (r->kind == VALUE_TEXT) {
		*text = word;
		word = second;
	}
	slot->word = word;
	slot->stored = 0;
	slot->how = how;
	for (int i = 0; i < 5; i++)
		slot->pad[i] = 0;
	return 0;
}

/* Reads all values of the site into `out`, which has room for values of their kind. */
static __always_inline void read_values(struct pt_regs *ctx, struct site_values *s,
					uint64_t return_at, uint8_t *out, int with_text)
{
	for (uint32_t i = 0; i < VALUES_MAX; i++) {
		struct value_recipe *r = &s->recipe[i];
		uint32_t at = r->at, n = r->room;
		struct value_slot *slot;
		uint64_t text = 0;

		if (i >= s->n)
			break;
		if (!with_text)
			at = i * sizeof(*slot);
		if (at > VALUES_BYTES - sizeof(*slot))
			break;
		slot = (struct value_slot *)(out + at);
		read_word(ctx, r, slot, return_at, &text);
		if (!with_text || r->kind != VALUE_TEXT || slot->how != VALUE_OK)
			continue;
		if (slot->word < n)
			n = slot->word;
		if (!n)
			continue;
		if (n > VALUE_TEXT_MAX)
			n = VALUE_TEXT_MAX;
		if (bpf_probe_read_user(out + at + sizeof(*slot), n, (const void *)text))
			slot->how = VALUE_NO_TEXT;
		else
			slot->stored = n;
	}
}

/* Records an event like record_call, with the values of the site. */
static __always_inline void record_values(struct pt_regs *ctx, uint64_t cookie, struct hit *h)
{
	uint32_t site = COOKIE_SITE(cookie);
	struct site_values *s = bpf_map_lookup_elem(&site_values, &site);
	uint64_t return_at = REG_SP(ctx) + to_return_address(ctx, cookie);
	void *ring = bpf_map_lookup_elem(&rings, &h->cpu);
	struct event *e = 0;
	uint64_t before = 0, now;

	if (!s || !ring)
		return;
	if (s->has_text) {
		e = bpf_ringbuf_reserve(ring, VALUES_RECORD_LARGE, 0);
		before = bpf_ktime_get_ns();
		if (e)
			read_values(ctx, s, return_at, (uint8_t *)(e + 1), 1);
	} else {
		e = bpf_ringbuf_reserve(ring, VALUES_RECORD_SMALL, 0);
		before = bpf_ktime_get_ns();
		if (e)
			read_values(ctx, s, return_at, (uint8_t *)(e + 1), 0);
	}
	if (!e) {
		count_loss(h->count, h->goid);
		return;
	}
	h->flags |= EVF_WIRE_VALUES;
	fill(e, h, cookie, COOKIE_KIND(cookie));
	/* Reading takes no time of the call, which begins after the reading or has ended before
	 * it. */
	now = bpf_ktime_get_ns();
	e->ts_ns = COOKIE_KIND(cookie) == EV_EXIT ? before : now;
	h->count->values_ns += now - before;
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
}
