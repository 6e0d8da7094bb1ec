// SPDX-License-Identifier: BSD-2-Clause
/* Signals at every instruction of every stub and of the hook. INLINE_FUZZ=all does all there is
 * where otherwise some kinds of stubs stand for the others. */
#include "base/test_fixture.h"
#include "plan/inline_fuzz_fixture.h"

#include <capstone/capstone.h>
#include <stdlib.h>
#include <string.h>

#include "binary/x86_64/x86_arch.h"
#include "plan/inline_asm.h"
#include "plan/inline_regions.h"

/* Stubs are no code of the compiler: sanitizers add nothing to them. */
static unsigned one_of(void)
{
	return test_one_of(3, 5);
}

static void all(enum child_handlers handlers)
{
	struct fuzz f = { .handlers = handlers };

	for (unsigned i = 0; i < n_world_cases; i += one_of())
		for (unsigned ring = 0; ring < FUZZ_RINGS; ring++)
			fuzz_case(&f, &world_cases[i], ring);
	print_message("%lu runs\n", (unsigned long)f.runs);
	assert_true(f.runs > 1000);
	assert_int_equal(f.failures, 0);
}

TEST(test_signals)
{
	all(HANDLERS_MASKED);
}

TEST(test_signals_through_c)
{
	all(HANDLERS_CHAINED);
}

/* ---- a test of the test: what is wrong in the hook's table must be seen */

enum plant { SHORTER, GONE, UNDO, RESUME = UNDO + 4, SHOW = RESUME + 3, SHOWN = SHOW + 2, PLANTS };

/* Where the last instruction before `end` of the stub begins. */
static uint16_t last_before(const struct child *k, uint16_t end)
{
	const uint8_t *code = k->w->stub;
	size_t left = sizeof(k->w->stub);
	uint64_t at = 0;
	uint16_t last = 0;
	csh cs;
	cs_insn *in;

	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &cs), CS_ERR_OK);
	in = cs_malloc(cs);
	if (end > k->parts.end)
		end = k->parts.end;
	while (cs_disasm_iter(cs, &code, &left, &at, in) && in->address < end) {
		last = (uint16_t)in->address;
		if (*in->bytes != 0xcc)
			continue;
		/* A probed jump. */
		code += 4;
		left -= 4;
		at += 4;
	}
	cs_free(in, 1);
	cs_close(&cs);
	return last;
}

/* Whether the change makes no difference that anything could see. */
static bool harmless(const struct child *k, const struct region *r, unsigned start, unsigned what)
{
	const struct inline_parts *o = &k->parts;

	switch (what) {
	case SHORTER: /* its last instruction finds r12 to be the ring already, */
		return r->end == o->ring ||
		       /* or is the comparison, which the text has as well */
		       (k->c->compare_len && r->end == o->displaced);
	case UNDO + 1: /* nothing has written rdx yet */
		return !(r->undo & UNDO_RDX) || r->end == o->ring;
	case UNDO:
	case UNDO + 2:
	case UNDO + 3: /* undone though there is nothing to be undone */
		return !(r->undo & 1 << (what - UNDO));
	case RESUME: /* STUB instead of HERE: before the trap it may begin anew */
		return r->show == SHOW_TARGET && !k->c->len;
	case RESUME + 2: /* HERE instead of STUB: what restores registers may be repeated */
		return r->resume == RESUME_STUB &&
		       (k->c->late ? r->end == o->saved || r->end == o->slow_tail
				   : r->at == o->compare);
	case SHOW:
		/* a stub that branches go to jumps back to its window */
		if (!k->c->len && r->show == SHOW_TARGET)
			return true;
		return r->show == SHOW_FIXED && start == 0 && last_before(k, r->end) == 0;
	case SHOW + 1: /* at its address in the text the jump goes past the window */
		return r->show == SHOW_TARGET && start == k->c->len;
	case SHOWN:
		return r->show == SHOW_TARGET;
	default:
		return false;
	}
}

static void change(const struct child *k, struct region *r, unsigned what)
{
	if (what == SHORTER)
		r->end = last_before(k, r->end);
	else if (what == GONE)
		r->end = 0;
	else if (what < RESUME)
		r->undo ^= 1 << (what - UNDO);
	else if (what < SHOW)
		r->resume = (r->resume + 1 + what - RESUME) % 4;
	else if (what < SHOWN)
		r->show = (r->show + 1 + what - SHOW) % 3;
	else
		r->shown++;
}

static enum planted plant_in_table(struct child *k, unsigned n)
{
	struct shape shape = { 0 };
	struct inline_stub s = world_stub(k);
	unsigned regions = inline_regions(&k->program, &s, &k->parts, &shape), i = n / PLANTS;
	uint8_t *at = memmem(k->w->hook, sizeof(k->w->hook), &shape,
			     offsetof(struct shape, regions) + regions * sizeof(struct region));
	struct region r = shape.regions[i];

	if (i + 1 >= regions)
		return NO_MORE;
	if (last_before(k, r.end) < (i ? shape.regions[i - 1].end : 0))
		return NOT_PLANTED; /* no instruction begins in it */
	if (harmless(k, &r, i ? shape.regions[i - 1].end : 0, n % PLANTS))
		return NOT_PLANTED;
	change(k, &r, n % PLANTS);
	assert_non_null(at);
	memcpy(at + offsetof(struct shape, regions) + i * sizeof(r), &r, sizeof(r));
	return PLANTED;
}

/* The same for how the hook finds the stub: number 2 of three. */
static enum planted plant_in_lookup(struct child *k, unsigned n)
{
	static const uint32_t first_granule[2] = { 1, 2 };
	uint32_t meta[2] = { sizeof(k->w->before), 0 },
		 granules = (k->parts.end + INLINE_ALIGN - 1) / INLINE_ALIGN;
	uint32_t window = (uint32_t)(k->w->text + TEXT_WINDOW - k->w->before);
	uint8_t *at, *end = k->w->hook + sizeof(k->w->hook);

	meta[1] = window;
	at = memmem(k->w->hook, sizeof(k->w->hook), meta, sizeof(meta));
	assert_non_null(at);
	if (n < 2) {
		meta[0] += n ? 0 : INLINE_ALIGN;
		meta[1] += n ? 1 : 0;
		memcpy(at, meta, sizeof(meta));
		return PLANTED;
	}
	at = memmem(at, (size_t)(end - at), first_granule, sizeof(first_granule));
	assert_non_null(at);
	if ((n -= 2) == 2 * granules)
		return NO_MORE;
	if (last_before(k, (uint16_t)((n / 2 + 1) * INLINE_ALIGN)) < n / 2 * INLINE_ALIGN)
		return NOT_PLANTED; /* no instruction begins in it */
	/* none, or the next stub's */
	memcpy(at + 4 + n / 2 * 4, &(uint32_t){ n % 2 ? 3 : 0 }, 4);
	return PLANTED;
}

/* The next case's stub is the same, its registers are others. */
static bool is_twin(const struct world_case *c)
{
	return c + 1 < world_cases + n_world_cases && c->drop == c[1].drop &&
	       c->what == c[1].what && c->entry == c[1].entry && c->late == c[1].late &&
	       c->bare == c[1].bare && !memcmp(c->code, c[1].code, sizeof(c->code));
}

/* Whether any way through the stub, to find the ring, or to pass the window, shows it. */
static enum planted is_seen(const struct world_case *c, fuzz_plant *plant, unsigned n, bool *seen)
{
	struct fuzz f = { .quiet = true };
	enum planted is = PLANTED;

	do {
		for (unsigned ring = 0; is == PLANTED && !f.failures && ring < FUZZ_RINGS; ring++)
			is = fuzz_planted(&f, c, ring, plant, n);
	} while (is_twin(c++));
	*seen = f.failures > 0;
	return is;
}

/* All that can be planted in one stub. How much of it was not seen. */
static unsigned plant_all(const struct world_case *c, fuzz_plant *plant)
{
	unsigned planted = 0, missed = 0;
	bool seen;
	enum planted is;

	for (unsigned n = 0; (is = is_seen(c, plant, n, &seen)) != NO_MORE; n++) {
		planted += is == PLANTED;
		if (is != PLANTED || seen)
			continue;
		missed++;
		if (plant == plant_in_table)
			print_message("%s: change %u of region %u is not seen\n", c->name,
				      n % PLANTS, n / PLANTS);
		else
			print_message("%s: change %u of how it is found is not seen\n", c->name, n);
	}
	print_message("%s: %u errors planted\n", c->name, planted);
	assert_true(planted > 0);
	return missed;
}

TEST(test_planted)
{
	static const char *const some[] = { "exit, result read, drop",
					    "leaf, second of two taken, drop", "ret, drop",
					    "branch to a ret, drop" };

	unsigned missed = 0;

	for (unsigned c = 0; c < n_world_cases; c++) {
		bool wanted = getenv("INLINE_FUZZ") && world_cases[c].tells &&
			      !(c && is_twin(&world_cases[c - 1]));

		for (unsigned i = 0; i < sizeof(some) / sizeof(*some); i++)
			wanted |= !strcmp(some[i], world_cases[c].name);
		if (wanted) {
			missed += plant_all(&world_cases[c], plant_in_table);
			missed += plant_all(&world_cases[c], plant_in_lookup);
		}
	}
	assert_int_equal(missed, 0);
}

/* A second signal at each instruction of the hook, for a first one at each of the stub: it waits,
 * as Go has it, or it comes in between. */
static void nested(enum child_handlers handlers)
{
	struct fuzz f = { .handlers = handlers, .nested = true };
	unsigned step = getenv("INLINE_FUZZ") ? 1 : 13 * one_of();

	for (unsigned i = 0; i < n_world_cases; i += step)
		for (unsigned ring = 0; ring < FUZZ_RINGS; ring += RING_STOPPED - RING_FRESH)
			fuzz_case(&f, &world_cases[i], ring);
	print_message("%lu runs\n", (unsigned long)f.runs);
	assert_int_equal(f.failures, 0);
}

TEST(test_second_signal_waits)
{
	nested(HANDLERS_MASKED);
}

TEST(test_second_signal_nested)
{
	nested(HANDLERS_NESTED);
}

/* The hook does what the bytes do that its jump replaces, and goes on behind them. */
TEST(test_handler_is_known)
{
	const uint8_t known[] = { 0x48, 0x83, 0xec, SIGTRAMP_FRAME, 0x48,
				  0x89, 0x6c, 0x24, SIGTRAMP_RBP };

	assert_int_equal(x86_arch.sigtramp_bytes, INLINE_SIGTRAMP_BYTES);
	assert_memory_equal(x86_arch.sigtramp, known, sizeof(known));
}

TESTS(test_handler_is_known, test_signals, test_signals_through_c, test_second_signal_waits,
      test_second_signal_nested, test_planted)
