// SPDX-License-Identifier: BSD-2-Clause
/* Programs are the same whether libbpf reads the kernel's types or gets those that an object names,
 * just picked out or kept from before. Loading them needs root and a kernel that tells its types.
 */
#include "base/test_fixture.h"
#include "attach/probes/kernel_types.h"

#include <bpf/libbpf.h>
#include <limits.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attach/kernel/measurement_cache.h"
#include "attach/probes/embedded_bpf.h"

static struct bpf_object *load_plainly(const struct embedded_bpf *e)
{
	struct bpf_object *o = bpf_object__open_mem(e->start, (size_t)(e->end - e->start), NULL);

	assert_non_null(o);
	assert_int_equal(bpf_object__load(o), 0);
	return o;
}

static struct bpf_object *load_with_types(const struct embedded_bpf *e)
{
	int types;
	struct bpf_object *o = kernel_types_open(e->name, e->start, (size_t)(e->end - e->start),
						 &types);

	assert_non_null(o);
	assert_true(types >= 0);
	assert_int_equal(bpf_object__load(o), 0);
	close(types);
	return o;
}

/* But for the numbers of maps. */
static void assert_same_programs(const struct bpf_object *a, struct bpf_object *b)
{
	struct bpf_program *p;
	size_t n_programs = 0;

	bpf_object__for_each_program(p, a)
	{
		struct bpf_program *q = bpf_object__find_program_by_name(b, bpf_program__name(p));
		const struct bpf_insn *x = bpf_program__insns(p), *y = bpf_program__insns(q);
		size_t n = bpf_program__insn_cnt(p);

		assert_int_equal(n, bpf_program__insn_cnt(q));
		for (size_t i = 0; i < n; i++) {
			if (x[i].code == (BPF_LD | BPF_IMM | BPF_DW) && x[i].src_reg)
				continue;
			assert_memory_equal(&x[i], &y[i], sizeof(*x));
		}
		n_programs++;
	}
	assert_true(n_programs > 0);
}

TEST(test_same_programs)
{
	const struct embedded_bpf objects[] = {
		{ BPF_OBJECT(children), NULL, 0, 0 }, { BPF_OBJECT(signals), NULL, 0, 0 },
		{ BPF_OBJECT(off_cpu), NULL, 0, 0 },  { BPF_OBJECT(cpu_samples), NULL, 0, 0 },
		{ BPF_OBJECT(threads), NULL, 0, 0 },
	};
	struct bpf_object *plain[sizeof(objects) / sizeof(*objects)];

	if (geteuid() || access("/sys/kernel/btf/vmlinux", R_OK))
		skip();
	embedded_bpf_log();
	/* First: once the types are read libbpf reads none for such programs. */
	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++)
		plain[i] = load_plainly(&objects[i]);
	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
		char kept[PATH_MAX];

		snprintf(kept, sizeof(kept), MEASUREMENT_CACHE_DIR "/types-%s", objects[i].name);
		unlink(kept);
		for (int again = 0; again < 2; again++) {
			struct bpf_object *o = load_with_types(&objects[i]);

			assert_same_programs(plain[i], o);
			bpf_object__close(o);
			assert_int_equal(access(kept, R_OK), 0);
		}
		bpf_object__close(plain[i]);
	}
}

TESTS(test_same_programs)
