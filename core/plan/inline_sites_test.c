// SPDX-License-Identifier: BSD-2-Clause
/* Plans with inline stubs: what is patched does not overlap, and how much of real programs it is.
 */
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"

#include <stdlib.h>

#include "base/vec.h"
#include "binary/x86_64/x86_arch.h"
#include "bpf/event.h"
#include "plan/inline_hook.h"
#include "plan/plan.h"
#include "plan/ring.h"
#include "plan/stubs.h"

static const char *const all[] = { "all" };

static struct plan *inline_plan(const struct gobin *b, struct golayout *layout)
{
	const struct plan_options opt = {
		.packages = all,
		.n_packages = 1,
		.strategy = PROBE_INLINE,
		.inline_stubs = { .layout = layout, .ring_bytes = 1 << 20 },
	};

	assert_int_equal(gobin_layout(b, layout), 0);
	struct plan *p = plan_build(b, &opt);
	assert_non_null(p);
	return p;
}

/* Bytes of the text that a recording changes, or puts a breakpoint on. */
struct range {
	uint64_t start, end;
	const char *func;
};

static int by_start(const void *x, const void *y)
{
	const struct range *a = x, *b = y;

	return a->start < b->start ? -1 : a->start > b->start;
}

static void check_apart(struct range *r, size_t n)
{
	qsort(r, n, sizeof(*r), by_start);
	for (size_t i = 1; i < n; i++)
		if (r[i].start < r[i - 1].end)
			fail_msg("%s: bytes at %llx are taken twice (%s)", r[i].func,
				 (unsigned long long)r[i].start, r[i - 1].func);
}

static void check_padding(const struct plan *p, const struct site_stub *s)
{
	const uint8_t *code = gobin_bytes(p->binary, s->padding_vaddr, 5);
	int64_t distance = (int64_t)(s->padding_vaddr - (s->displaced_vaddr + 2));

	assert_true(distance >= -128 && distance < 128);
	assert_in_range(s->displaced_len, 2, 4);
	assert_non_null(code);
	if (!s->has_room) {
		assert_memory_equal(code, "\xcc\xcc\xcc\xcc\xcc", 5);
		return;
	}
	const struct plan_room *room = &p->stubs.rooms[s->room];

	assert_true(s->room < p->stubs.n_rooms);
	assert_in_range(s->padding_vaddr, room->vaddr + 5, room->vaddr + room->len - 5);
}

/* What is moved to make room; the jumps there are apart, too. */
static size_t check_rooms(const struct plan *p, struct range *r)
{
	const struct plan_stubs *t = &p->stubs;

	for (size_t i = 0; i < t->n_rooms; i++) {
		const struct plan_room *room = &t->rooms[i];
		unsigned used = 0;

		for (size_t k = 0; k < p->n_sites; k++) {
			const struct site_stub *s = &p->sites[k].stub;

			used += s->has_room && s->room == i &&
				(s->padding_vaddr - room->vaddr) % 5 == 0;
		}
		for (size_t k = 0; k < t->n_branches; k++)
			used += t->branches[k].has_room && t->branches[k].room == i;
		assert_true(used <= room->n_used); /* some may have been given up again */
		assert_in_range(room->n_used, 1, room->len / 5 - 1);
		assert_int_equal(room->enter_off % INLINE_ALIGN, 0);
		r[i] = (struct range){ room->vaddr, room->vaddr + room->len, "room" };
	}
	return t->n_rooms;
}

/* A RET that the stub returns in place of: nothing but padding makes room for the jump. */
static void check_ret(const struct gobin *b, const struct plan_site *s)
{
	const uint8_t *code = gobin_bytes(b, s->stub.displaced_vaddr, s->stub.displaced_len);

	assert_non_null(code);
	assert_int_equal(s->stub.displaced_vaddr, s->vaddr);
	assert_in_range(s->stub.displaced_len, 2, 5);
	assert_int_equal(s->stub.displaced_len < 5, s->stub.padding_vaddr != 0);
	assert_memory_equal(code, "\xc3\xcc\xcc\xcc\xcc", s->stub.displaced_len);
	assert_int_equal(s->stub.to_frame_bytes, 0);
	assert_int_equal(s->stub.ring_to_frame_bytes, 0);
	assert_true(s->kind == EV_EXIT || s->kind == EV_ENTRY_EXIT);
}

/* Branches that go to a stub, and the padding that they take. */
static size_t check_branches(const struct plan *p, const struct site_stub *s, struct range *r,
			     const char *name)
{
	const struct plan_branch *b = &p->stubs.branches[s->first_branch];
	size_t n = 0;

	for (unsigned i = 0; i < s->n_branches; i++) {
		bool shared = false;

		assert_true(b[i].len == 2 ? b[i].padding_vaddr != 0 : b[i].padding_vaddr == 0);
		r[n++] = (struct range){ b[i].vaddr, b[i].vaddr + b[i].len, name };
		for (unsigned k = 0; k < i; k++)
			shared |= b[k].padding_vaddr == b[i].padding_vaddr;
		if (!b[i].padding_vaddr || shared)
			continue;
		if (b[i].has_room) {
			const struct plan_room *room = &p->stubs.rooms[b[i].room];

			assert_in_range(b[i].padding_vaddr, room->vaddr + 5,
					room->vaddr + room->len - 5);
			continue;
		}
		assert_memory_equal(gobin_bytes(p->binary, b[i].padding_vaddr, 5),
				    "\xcc\xcc\xcc\xcc\xcc", 5);
		r[n++] = (struct range){ b[i].padding_vaddr, b[i].padding_vaddr + 5, name };
	}
	if (n)
		assert_int_equal(s->branches_enter_off % INLINE_ALIGN, 0);
	return n;
}

/* Every site of the plan; the number of those without a trap. */
static size_t check_sites(const struct plan *p, struct range *r)
{
	size_t n = 0, n_inline = 0;

	for (size_t i = 0; i < p->n_sites; i++) {
		const struct plan_site *s = &p->sites[i];
		const char *name = s->func == PLAN_NO_FUNC ? s->runtime_func
							   : p->funcs[s->func].fn->name;

		if (!site_has_stub(s)) {
			r[n++] = (struct range){ s->vaddr, s->vaddr + 1, name };
			continue;
		}
		if (s->stub.displaced_len)
			r[n++] = (struct range){ s->stub.displaced_vaddr,
						 s->stub.displaced_vaddr + s->stub.displaced_len,
						 name };
		if (!site_is_inline(s))
			continue;
		n_inline++;
		assert_int_equal(s->stub.enter_off % INLINE_ALIGN, 0);
		assert_true(s->stub.probe_off > s->stub.enter_off || !s->stub.displaced_len);
		assert_true(s->func == PLAN_NO_FUNC || strncmp(name, "runtime.", 8));
		assert_true(strncmp(name, "syscall.", 8));
		assert_true(s->func == PLAN_NO_FUNC || s->kind == EV_ENTRY || s->kind == EV_EXIT ||
			    s->kind == EV_ENTRY_EXIT);
		if (s->stub.returns)
			check_ret(p->binary, s);
		n += check_branches(p, &s->stub, r + n, name);
		if (!s->stub.padding_vaddr) {
			assert_true(s->stub.displaced_len >= 5 || !s->stub.displaced_len);
			continue;
		}
		check_padding(p, &s->stub);
		if (!s->stub.has_room)
			r[n++] = (struct range){ s->stub.padding_vaddr, s->stub.padding_vaddr + 5,
						 name };
	}
	n += check_rooms(p, r + n);
	check_apart(r, n);
	return n_inline;
}

static void check_binary(const char *path, size_t least)
{
	struct gobin *b = open_path(path);
	struct golayout layout;
	struct plan *p = inline_plan(b, &layout);
	struct range *r = calloc(2 * (p->n_sites + p->stubs.n_branches) + p->stubs.n_rooms,
				 sizeof(*r));
	const struct plan_inline *inl = &p->stubs.inl;

	assert_non_null(r);
	assert_null(inl->obstacle);
	assert_true(inl->n_sites >= least);
	assert_int_equal(check_sites(p, r), inl->n_sites);
	assert_int_equal(inl->table_vaddr, p->stubs.vaddr + p->stubs.bytes);
	assert_true(inl->hook_off < p->stubs.bytes);
	free(r);
	plan_free(p);
	gobin_close(b);
}

TEST(test_nothing_overlaps)
{
	char path[4096];

	check_binary(binary_path("kinds"), 500);
	check_binary(binary_path("kinds.pie.stripped"), 500);
	check_binary(binary_path("cgo"), 500);
	go_command(path, sizeof(path));
	check_binary(path, 20000);
}

/* A function that is a RET and nothing else. */
TEST(test_lone_ret)
{
	struct gobin *b = open_binary("kinds");
	struct golayout layout;
	struct plan *p = inline_plan(b, &layout);
	const struct plan_site *s = NULL;

	for (size_t i = 0; i < p->n_sites; i++)
		if (p->sites[i].func != PLAN_NO_FUNC &&
		    !strcmp(p->funcs[p->sites[i].func].fn->name, "main.empty"))
			s = &p->sites[i];
	assert_non_null(s);
	assert_int_equal(s->kind, EV_ENTRY_EXIT);
	assert_true(site_is_inline(s) && s->stub.returns);
	plan_free(p);
	gobin_close(b);
}

/* Calls that fault are recorded where the window begins, or by the probe on sigpanic before it. */
TEST(test_faults)
{
	char path[4096];
	struct golayout layout;
	size_t found = 0;

	go_command(path, sizeof(path));
	struct gobin *b = open_path(path);
	struct plan *p = inline_plan(b, &layout);
	bool *in_stub = calloc(p->n_sites, sizeof(*in_stub));

	assert_non_null(in_stub);
	for (size_t i = 0; i < p->n_funcs; i++) {
		uint32_t entry = p->funcs[i].past_fault_entry;
		const struct plan_site *s = entry == PLAN_NO_SITE ? NULL : &p->sites[entry];

		if (!s || !site_is_inline(s) || s->stub.late || s->stub.displaced_vaddr == s->vaddr)
			continue;
		assert_int_equal(plan_missed_entry(p, in_stub, s->vaddr - 1), entry);
		in_stub[entry] = true;
		assert_int_equal(plan_missed_entry(p, in_stub, s->stub.displaced_vaddr - 1), entry);
		assert_int_equal(plan_missed_entry(p, in_stub, s->stub.displaced_vaddr),
				 PLAN_NO_SITE);
		found++;
	}
	assert_true(found > 10);
	free(in_stub);
	plan_free(p);
	gobin_close(b);
}

/* A stub far behind what may fault stands for a probe on the first byte. */
TEST(test_fault_before_a_stub)
{
	struct gobin *b = open_binary("kinds");
	struct golayout layout;
	struct plan *p = inline_plan(b, &layout);
	bool *in_stub = calloc(p->n_sites, sizeof(*in_stub));
	const struct plan_site *s = NULL;

	assert_non_null(in_stub);
	for (size_t i = 0; i < p->n_funcs; i++)
		if (!strcmp(p->funcs[i].fn->name, "main.(*pair).endless"))
			s = &p->sites[p->funcs[i].past_fault_entry];
	assert_non_null(s);
	assert_int_equal(s->kind, EV_ENTRY);
	assert_true(site_is_inline(s));
	const struct gofunc *fn = p->funcs[s->func].fn;
	assert_int_equal(s->vaddr, fn->vaddr);
	assert_true(s->stub.displaced_vaddr > fn->vaddr);
	assert_int_equal(plan_missed_entry(p, in_stub, fn->vaddr), PLAN_NO_SITE);
	in_stub[s->number] = true;
	assert_int_equal(plan_missed_entry(p, in_stub, fn->vaddr), s->number);
	assert_int_equal(plan_missed_entry(p, in_stub, s->stub.displaced_vaddr), PLAN_NO_SITE);
	free(in_stub);
	plan_free(p);
	gobin_close(b);
}

/* The go command: at least 91 % of entries and 96.5 % of exits without a trap. */
TEST(test_share)
{
	size_t n[2] = { 0 }, without[2] = { 0 };
	struct golayout layout;
	char path[4096];

	go_command(path, sizeof(path));
	struct gobin *b = open_path(path);
	struct plan *p = inline_plan(b, &layout);

	for (size_t i = 0; i < p->n_sites; i++) {
		const struct plan_site *s = &p->sites[i];
		bool entry = s->program == PROGRAM_ENTRY;

		if (s->func == PLAN_NO_FUNC || s->kind == EV_TAIL || s->kind == EV_ENTRY_TAIL ||
		    !strncmp(p->funcs[s->func].fn->name, "syscall.", 8))
			continue;
		n[entry]++;
		without[entry] += site_is_inline(s);
	}
	print_message("without a trap: %zu of %zu entries, %zu of %zu exits\n", without[1], n[1],
		      without[0], n[0]);
	if (gobin_go_minor(b) >= 20)
		assert_true(without[1] * 100 >= n[1] * 91);
	assert_true(without[0] * 1000 >= n[0] * 965);
	plan_free(p);
	gobin_close(b);
}

/* Another signal handler than the known one: no hook, so no such stubs; springboard's instead. */
/* Where a stub is told to record nothing: a constant in an instruction of its own code. */
TEST(test_switches)
{
	struct gobin *b = open_binary("kinds");
	struct golayout layout;
	struct plan *p = inline_plan(b, &layout);
	size_t n_stubs = 0, n_switches = 0;

	for (size_t i = 0; i < p->n_sites; i++) {
		const struct plan_site *s = &p->sites[i];
		struct plan_switch at[PLAN_SWITCHES];

		if (!site_is_inline(s))
			continue;
		unsigned n = plan_switches(p, s, at);

		if (s->func == PLAN_NO_FUNC) {
			assert_int_equal(n, 0); /* every trace needs it */
			continue;
		}

		n_stubs += (s->stub.displaced_len != 0) + (s->stub.n_branches != 0);
		n_switches += n;
		for (unsigned k = 0; k < n; k++) {
			const uint8_t *code = p->stubs.code + at[k].off;
			int32_t status;

			assert_true(at[k].off >= s->stub.enter_off ||
				    at[k].off >= s->stub.branches_enter_off);
			assert_memory_equal(code - 7, "\x41\x83\xbe",
					    3); /* cmpl $2, status(%r14) */
			memcpy(&status, code - 4, 4);
			assert_int_equal(status, layout.g_atomicstatus);
			assert_int_equal(*code, 2);
			assert_int_equal(at[k].records, 2);
			assert_int_equal(at[k].silent, 0xff);
		}
	}
	assert_true(n_stubs > 100);
	assert_int_equal(n_switches, n_stubs); /* each records */
	plan_free(p);
	gobin_close(b);
}

TEST(test_unknown_handler)
{
	size_t size;
	uint8_t *p = load_binary("kinds", &size), *at = p;
	struct golayout layout;

	while ((at = memmem(at, size - (size_t)(at - p), x86_arch.sigtramp,
			    x86_arch.sigtramp_bytes)))
		at[3] ^= 1;
	struct gobin *b = open_bytes(p, size);
	struct plan *plan = inline_plan(b, &layout);
	assert_non_null(strstr(plan->stubs.inl.obstacle, "runtime.sigtramp"));
	assert_int_equal(plan->stubs.inl.n_sites, 0);
	assert_true(plan->stubs.n_sites > 500);
	for (size_t i = 0; i < plan->n_sites; i++)
		assert_false(site_is_inline(&plan->sites[i]));
	plan_free(plan);
	gobin_close(b);
	free(p);
}

/* The first site whose stub displaces an instruction that refers to memory. */
static const struct plan_site *refers(const struct plan *p)
{
	for (size_t i = 0; i < p->n_sites; i++)
		if (site_has_stub(&p->sites[i]) && p->sites[i].stub.n_rip &&
		    p->sites[i].stub.displaced_len)
			return &p->sites[i];
	return NULL;
}

/* A damaged distance: what it refers to is in reach of the text, and of no stub. */
TEST(test_too_far)
{
	size_t size;
	uint8_t *bytes = load_binary("kinds", &size);
	struct gobin *b = open_bytes(bytes, size);
	struct golayout layout;
	struct plan *p = inline_plan(b, &layout);
	const struct plan_site *s = refers(p);

	assert_non_null(s);
	const struct gofunc *f = p->funcs[s->func].fn;
	uint8_t *at = memmem(bytes, size, gobin_bytes(b, f->vaddr, f->size), f->size);

	assert_non_null(at);
	memcpy(at + (s->stub.displaced_vaddr - f->vaddr) + s->stub.rip[0], "\x00\x00\x00\x80", 4);
	plan_free(p);
	gobin_close(b);
	b = open_bytes(bytes, size);
	p = inline_plan(b, &layout);
	assert_non_null(strstr(p->stubs.inl.obstacle, "2 GiB"));
	assert_int_equal(p->stubs.n_sites, 0);
	for (size_t i = 0; i < p->n_sites; i++)
		assert_false(site_has_stub(&p->sites[i]));
	plan_free(p);
	gobin_close(b);
	free(bytes);
}

/* Code to displace that the file does not hold: of a stub, of one that traps, of moved code. No
 * reader of binaries lets that get here. */
TEST(test_not_in_file)
{
	const struct plan_options traps = {
		.packages = all, .n_packages = 1, .strategy = PROBE_SPRINGBOARD, .stub = STUB_NOP5
	};
	struct gobin *b = open_binary("kinds");
	struct golayout layout;

	for (int which = 0; which < 3; which++) {
		struct plan *p = which == 1 ? plan_build(b, &traps) : inline_plan(b, &layout);
		const struct plan_room room = { .vaddr = 1, .len = 8 };
		struct plan_site *s = p->sites;

		while (!site_has_stub(s) || !s->stub.displaced_len)
			assert_true(++s < p->sites + p->n_sites);
		free(p->stubs.code);
		p->stubs.code = NULL;
		if (which == 2) {
			assert_int_equal(vec_reserve(&p->stubs.rooms, &p->stubs.cap_rooms,
						     p->stubs.n_rooms + 1),
					 0);
			p->stubs.rooms[p->stubs.n_rooms++] = room;
		} else {
			s->stub.displaced_vaddr = 1;
		}
		assert_int_equal(stubs_finish(p, false), 0);
		const char *why = which == 1 ? p->stubs.obstacle : p->stubs.inl.obstacle;

		assert_non_null(why);
		assert_non_null(strstr(why, "does not hold"));
		assert_int_equal(p->stubs.n_sites, 0);
		plan_free(p);
	}
	gobin_close(b);
}

TESTS_BETWEEN(set_up_binaries, NULL, test_too_far, test_not_in_file, test_nothing_overlaps,
	      test_lone_ret, test_faults, test_share, test_fault_before_a_stub, test_switches,
	      test_unknown_handler)
