// SPDX-License-Identifier: BSD-2-Clause
/* Samples that were taken before the BPF program knew the executable of a Go program. */
#include "base/test_fixture.h"
#include "sample/go_chain.h"
#include "sample/tables_fixture.h"

#define AT     0x7f0000000000ull /* where code that is linked elsewhere runs */
#define STRAY  0x7ffd12345678ull /* a word that is no return address */
#define A_PAGE 4096

static uint64_t link_of(const struct sample_binary *b, uint32_t what)
{
	for (uint32_t i = 0; i < b->n_specials; i++)
		if (b->special[i].what == what)
			return b->text + b->special[i].from + 1;
	fail_msg("the program has no such function");
	return 0;
}

static struct sample_binary two_functions(void)
{
	return (struct sample_binary){
		.text = 0x1000,
		.etext = 0x2000,
		.n_specials = 3,
		.special = { { 0x100, 0x110, SAMPLE_AT_ROOT },
			     { 0x200, 0x210, SAMPLE_AT_SWITCH },
			     { 0x300, 0x310, SAMPLE_AT_SCHED } },
	};
}

TEST(a_stack_ends_at_its_root)
{
	const struct sample_binary b = two_functions();
	const uint64_t pcs[] = { AT + 0x1500, AT + 0x1208, AT + 0x110f, STRAY, AT + 0x1100 };
	uint32_t n = 5;

	assert_true(go_chain_ends(&b, AT, pcs, &n));
	assert_int_equal(n, 3);
	const uint64_t scheduler[] = { AT + 0x1500, AT + 0x1300, AT + 0x1100 };

	n = 3;
	assert_true(go_chain_ends(&b, AT, scheduler, &n));
	assert_int_equal(n, 2);
}

TEST(a_stack_without_a_root_stays_as_it_is)
{
	const struct sample_binary b = two_functions();
	/* just before and behind the root, with another bias, and outside of the text */
	const uint64_t pcs[] = { AT + 0x10ff, AT + 0x1110, 0x1100, AT + 0x2100, AT + 0x100 };
	uint32_t n = 5;

	assert_false(go_chain_ends(&b, AT, pcs, &n));
	assert_int_equal(n, 5);
	n = 0;
	assert_false(go_chain_ends(&b, AT, pcs, &n));
}

static void map(struct world *w, uint32_t pid, const char *path, uint64_t at)
{
	const struct side_band_reader r = processes_reader(&w->p);
	const struct side_band_map m = {
		.pid = pid, .start = at, .file_off = A_PAGE, .bytes = 1 << 20, .path = path
	};

	r.map(r.ctx, &m, ++w->ts_ns);
}

/* A process that has executed a copy of the program and mapped it at `at`. */
static const struct sample_binary *begin(struct world *w, uint32_t pid, const char *path,
					 uint64_t at)
{
	const struct side_band_reader r = processes_reader(&w->p);
	uint64_t number;

	r.exec(r.ctx, pid, "program", ++w->ts_ns);
	assert_int_equal(binaries_learn(&w->b, path, path, &number), 0);
	w->p.all[w->p.n - 1].binary = number;
	w->p.all[w->p.n - 1].learned = true;
	map(w, pid, path, at);
	map(w, pid, "/lib/another.so", at + (1ull << 30));
	return &told[n_told - 1].b;
}

/* The record of a sample with this root, and what the walk took for frames behind it. */
static struct sample_record *record_of(const struct world *w, uint32_t pid, uint64_t root)
{
	struct sample_record *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	r->pid = pid;
	r->h.ts_ns = w->ts_ns;
	r->flags = SAMPLE_NO_BINARY | SAMPLE_UNREADABLE;
	r->n_kernel = 1;
	r->n_user = 3;
	r->pcs[0] = ~0ull << 40;
	r->pcs[1] = root + (1 << 19);
	r->pcs[2] = root;
	r->pcs[3] = STRAY;
	return r;
}

static bool is_whole(struct world *w, struct sample_record *r, uint32_t *n)
{
	*n = r->n_user;
	return processes_reach_root(&w->p, r, n);
}

static void check_program(void **state, const char *name)
{
	struct world *w = *state;
	const struct sample_binary *b = begin(w, FIRST, copy_of(name, 1), AT);
	const uint64_t bias = AT - (b->start_code & -(uint64_t)A_PAGE);
	struct sample_record *r = record_of(w, FIRST, link_of(b, SAMPLE_AT_ROOT) + bias);
	uint32_t n;

	assert_true(is_whole(w, r, &n));
	assert_int_equal(n, 2);
	/* The process has ended by the time at which gotrace reads its samples. */
	end(w, FIRST);
	assert_true(is_whole(w, r, &n));
	/* A walk that knew the program says itself where it ended. */
	r->flags = SAMPLE_UNREADABLE;
	assert_false(is_whole(w, r, &n));
	r->flags |= SAMPLE_NO_BINARY;
	r->pcs[2] = link_of(b, SAMPLE_AT_SWITCH) + bias;
	assert_false(is_whole(w, r, &n));
	r->pid++;
	assert_false(is_whole(w, r, &n));
	free(r);
}

static void samples_of_a_new_program_reach_the_root(void **state)
{
	check_program(state, "kinds");
}

static void samples_of_a_new_program_at_any_address_reach_the_root(void **state)
{
	check_program(state, "kinds.pie");
}

UNIT_TESTS(set_up_binaries, NULL, set_up, tear_down, a_stack_ends_at_its_root,
	   a_stack_without_a_root_stays_as_it_is, samples_of_a_new_program_reach_the_root,
	   samples_of_a_new_program_at_any_address_reach_the_root)
