// SPDX-License-Identifier: BSD-2-Clause
#include "sample/lang/lang_stack.h"

struct merging {
	struct lang_names *names;
	const struct sample_python_record *r;
	uint32_t process;
	uint32_t frame; /* the next one of r */
	uint64_t *to;
	uint32_t n, most;
};

static void put(struct merging *m, uint64_t pc)
{
	/* One stands for any number of frames. */
	if (pc == STACK_MISSING_PC && m->n && m->to[m->n - 1] == pc)
		return;
	if (m->n < m->most)
		m->to[m->n++] = pc;
}

static void put_frame(struct merging *m)
{
	const uint64_t code = PYTHON_CODE(m->r->frames[m->frame++]);

	put(m, code == PYTHON_MISSING
		       ? STACK_MISSING_PC
		       : lang_names_address(m->names, m->r->serial, code, m->process));
}

static bool has_frames(const struct merging *m)
{
	return m->frame < m->r->n && m->frame < SAMPLE_PYTHON_FRAMES;
}

/* Returns false if the run has no frame. An evaluator that begins or ends has none. */
static bool put_run(struct merging *m, uint32_t run)
{
	bool any = false;

	for (; has_frames(m) && PYTHON_RUN(m->r->frames[m->frame]) <= run; any = true)
		put_frame(m);
	return any;
}

uint32_t lang_stack(struct lang_names *l, const struct sample_python_record *r, uint32_t process,
		    const uint64_t *pcs, uint32_t n, uint64_t *to, uint32_t most)
{
	struct merging m = { .names = l, .r = r, .process = process, .to = to, .most = most };
	uint32_t run = 0;

	for (uint32_t i = 0; i < n; i++) {
		const bool is_evaluator = run < r->n_runs && run < SAMPLE_PYTHON_RUNS &&
					  r->evaluator[run] == i;

		if (!is_evaluator || !put_run(&m, run++))
			put(&m, pcs[i]);
	}
	if (has_frames(&m))
		put(&m, STACK_MISSING_PC);
	while (has_frames(&m))
		put_frame(&m);
	return m.n;
}
