/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The parts that every program of probes.bpf.c needs. They are the configuration and the maps, the
 * goroutine that hit the probe, and its depth. They also put an event into its ring, or count it as
 * lost. probes.bpf.c includes this once.
 */
/* ---- configuration, frozen before the programs are loaded */

const volatile struct probe_config config;

struct probe_state state;

/* ---- maps */

/* One ring buffer a CPU: a shared one halves the throughput with every producer. */
struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* the template's size; user space makes the real rings */
};

/* The key is a CPU, the value its ring buffer. User space sets the size and adds the rings. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__array(values, struct ring);
} rings SEC(".maps");

/* The key is a CPU, the value its counters. User space has it mapped. It cannot map a per-CPU
 * array. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct cpu_counters);
} counters SEC(".maps");

/* The key is a goid, the value its losses. User space removes the entries in each round. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, uint64_t);
	__type(value, struct lost_goid);
} lost_goids SEC(".maps");

/* Empty. It is for a tail call that is never made, see may_record. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint32_t);
} no_program SEC(".maps");

/* ---- the goroutine of a hit */

struct hit {
	uint64_t g;    /* address of the current g */
	uint64_t goid; /* its goid; on a system stack that of m.curg */
	uint64_t m;
	uint32_t depth;
	uint16_t flags;
	uint32_t cpu;
	struct cpu_counters *count;
};

/* Statuses in runtime.g.atomicstatus (runtime2.go). G_SCAN is the bit of a stack scan. */
#define G_RUNNABLE 1
#define G_RUNNING  2
#define G_SYSCALL  3
#define G_WAITING  4
#define G_DEAD     6
#define G_SCAN     0x1000

static __always_inline int read_u64(uint64_t addr, uint64_t *v)
{
	return bpf_probe_read_user(v, sizeof(*v), (const void *)addr);
}

/* bpf_get_ns_current_pid_tgid: b4490c5c4e02, Linux 5.7. */
static __always_inline int in_target(void)
{
	struct bpf_pidns_info ns;

	return !bpf_get_ns_current_pid_tgid(config.target.pidns_dev, config.target.pidns_ino, &ns,
					    sizeof(ns)) &&
	       ns.tgid == config.target.tgid;
}

static __always_inline struct cpu_counters *cpu_count(uint32_t cpu)
{
	return bpf_map_lookup_elem(&counters, &cpu);
}

#define GOID_UNKNOWN ~0ull

static __noinline int count_loss(struct cpu_counters *c, uint64_t goid)
{
	struct lost_goid *old, new = {};

	if (!c)
		return 0;
	__sync_fetch_and_add(&c->lost_begun, 1);
	uint64_t now = bpf_ktime_get_ns();
	if (!c->lost_first_ns)
		c->lost_first_ns = now;
	c->lost_last_ns = now;
	old = goid == GOID_UNKNOWN ? 0 : bpf_map_lookup_elem(&lost_goids, &goid);
	if (old) {
		old->last_ns = now;
		__sync_fetch_and_add(&old->count, 1);
	} else if (goid != GOID_UNKNOWN) {
		new.first_ns = new.last_ns = now;
		new.count = 1;
		/* Without room it counts as a loss of an unknown goroutine. */
		bpf_map_update_elem(&lost_goids, &goid, &new, BPF_NOEXIST);
	}
	__sync_fetch_and_add(&c->lost_done, 1);
	return 0;
}

#define PAUSED_NEVER 99 /* no value of state.paused */

/*
 * Since Linux 6.13 a program of this type with 64 bytes of stack or more has a stack for each CPU
 * instead ("private stack", verifier.c bpf_enable_priv_stack). The kernel counts on a recursion
 * check that uprobes do not have. A uprobe's program may be preempted (on 7.x by default) by
 * another thread's on the same CPU. Then both write to the one stack, and events are wrong or
 * missing. A program with a tail call gets no such stack, hence this one. It costs nothing, because
 * no event passes it.
 */
static __always_inline int may_record(void *ctx, int runtime)
{
	if (!state.paused || (runtime && state.paused == PAUSED_CALLS))
		return 1;
	if (state.paused == PAUSED_NEVER)
		bpf_tail_call(ctx, &no_program, 0);
	return 0;
}

/*
 * Returns non-zero when another gotrace's program, which ran before on the same byte, has performed
 * the RET. Each program gets the registers as the one before left them. bpf_get_func_ip returns
 * their ip as well (uprobe_multi_link_handler). So only the cookie has the probe's place. When a
 * RET and the address it returns to have equal low bits, this returns 0. perform_ret then looks
 * closer, and the event's depth is wrong.
 */
static __always_inline int has_returned(struct pt_regs *ctx, uint64_t cookie)
{
	return config.rets != RETS_STEPPED && (COOKIE_FLAGS(cookie) & COOKIE_RET) &&
	       COOKIE_RET_BITS(REG_PC(ctx)) != COOKIE_RA(cookie);
}

/* Returns the bytes from the stack pointer up to the return address. They are negative once the
 * return address has been popped. */
static __always_inline int32_t to_return_address(struct pt_regs *ctx, uint64_t cookie)
{
	if (COOKIE_FLAGS(cookie) & COOKIE_RET)
		return has_returned(ctx, cookie) ? -RETURN_BYTES : 0;
	return COOKIE_RA(cookie);
}

/* The front of a g. */
struct g_front {
	uint64_t words[G_READ_MAX / 8];
	uint64_t addr;
	int failed; /* could not be read yet */
};

static int read_front(uint32_t try __attribute__((unused)), void *ctx)
{
	struct g_front *g = ctx;

	g->failed = bpf_probe_read_user(g->words, config.g_read_bytes, (const void *)g->addr) != 0;
	return !g->failed; /* 1 ends the loop */
}

/*
 * Reads the front again, because the kernel may be moving its page and soon be done with it. After
 * a failure it reads nothing again for 16 times as long as this took, because the time is the
 * program's.
 *
 * bpf_loop: e6f2dd0f8067, Linux 5.17. The verifier would go through each turn of a loop of our own,
 * however bounded, in each program.
 */
static __noinline int read_front_again(struct g_front *g, struct cpu_counters *c)
{
	uint64_t start = bpf_ktime_get_ns(), end;

	if (!c || start < c->no_tries_ns)
		return 0;
	bpf_loop(config.g_read_again, read_front, g, 0);
	if (g->failed) {
		end = bpf_ktime_get_ns();
		c->no_tries_ns = end + 16 * (end - start);
	}
	return 0;
}

#define NO_G0 -2 /* g has no goid and is not its m's g0, so it belongs to a signal stack */

/* Fills h from g in its register (ABIInternal, cmd/compile/abi-internal.md). Returns 0 when the
 * event is to be kept, else -1 or NO_G0. */
static __always_inline int hit_locate(struct pt_regs *ctx, uint64_t cookie, struct hit *h)
{
	struct g_front front;
	const uint64_t *g = front.words;
	uint64_t sp = REG_SP(ctx) + to_return_address(ctx, cookie);

	h->cpu = bpf_get_smp_processor_id();
	h->count = cpu_count(h->cpu);
	if (!h->count)
		return -1;
	h->g = front.addr = REG_G(ctx);
	/* This reads the front of g at once, because 8 bytes and 168 cost the same. */
	read_front(0, &front);
	if (front.failed && config.g_read_again)
		read_front_again(&front, h->count);
	if (front.failed) {
		/* An event of some goroutine is lost. */
		__sync_fetch_and_add(&h->count->dropped_fault, 1);
		count_loss(h->count, GOID_UNKNOWN);
		return -1;
	}
	uint64_t lo = g[config.g_stack_lo / 8 % (G_READ_MAX / 8)];
	uint64_t hi = g[config.g_stack_hi / 8 % (G_READ_MAX / 8)];
	h->m = g[config.g_m / 8 % (G_READ_MAX / 8)];
	h->goid = g[config.g_goid / 8 % (G_READ_MAX / 8)];
	h->flags = 0;
	h->depth = hi - sp;
	if (sp < lo || sp > hi) {
		__sync_fetch_and_add(&h->count->dropped_outside, 1);
		return -1;
	}
	if (h->goid == 0) {
		uint64_t g0 = 0, curg = 0;

		if (read_u64(h->m + config.m_g0, &g0) || g0 != h->g) {
			__sync_fetch_and_add(&h->count->dropped_signal, 1);
			return NO_G0;
		}
		h->flags = EVF_SYSTEM;
		h->depth = -(uint32_t)sp;
		if (read_u64(h->m + config.m_curg, &curg) == 0 && curg)
			read_u64(curg + config.g_goid, &h->goid);
	}
	return 0;
}

/* ---- submitting an event */

static __always_inline void *reserve(const struct hit *h, uint32_t bytes)
{
	void *ring = bpf_map_lookup_elem(&rings, &h->cpu);
	void *rec = 0;

	/* The verifier accepts only a constant size at each call. */
	if (ring)
		rec = bytes == sizeof(struct event_ext)
			      ? bpf_ringbuf_reserve(ring, sizeof(struct event_ext), 0)
			      : bpf_ringbuf_reserve(ring, sizeof(struct event), 0);
	if (!rec)
		count_loss(h->count, h->goid);
	return rec;
}

/* Fills the common part but for the time. */
static __always_inline void fill(struct event *e, const struct hit *h, uint64_t cookie,
				 uint32_t kind)
{
	e->goid = h->goid;
	e->site = COOKIE_SITE(cookie);
	e->depth = h->depth;
	e->tid = bpf_get_current_pid_tgid();
	e->kind = kind;
	e->flags = h->flags | (COOKIE_FLAGS(cookie) & COOKIE_SECOND ? EVF_WIRE_SECOND : 0);
}

/* Fills the common part and submits. It reads the clock after the reservation, so a record with a
 * time before user space's clock is already in the ring. */
static __always_inline void submit(struct event *e, const struct hit *h, uint64_t cookie,
				   uint32_t kind)
{
	fill(e, h, cookie, kind);
	e->ts_ns = bpf_ktime_get_ns();
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
}
