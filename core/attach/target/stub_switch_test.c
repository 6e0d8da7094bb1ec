// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "attach/target/stub_switch.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "binary/binaries_fixture.h"

/* A plan whose stubs are in a child, as the kernel maps them: private, not writable. */
struct here {
	struct gobin *binary;
	struct golayout layout;
	struct plan *plan;
	uint8_t *code, *is;
	pid_t pid;
	uint64_t bias;
	bool *in_stub, *off;
};

static void set_up(struct here *h)
{
	h->binary = open_binary("kinds");
	assert_int_equal(gobin_layout(h->binary, &h->layout), 0);
	const struct plan_options opt = {
		.strategy = PROBE_INLINE,
		.inline_stubs = { .layout = &h->layout, .ring_bytes = 1 << 20 },
	};
	h->plan = plan_build(h->binary, &opt);
	assert_non_null(h->plan);
	h->code = mmap(NULL, h->plan->stubs.bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(h->code, MAP_FAILED);
	memcpy(h->code, h->plan->stubs.code, h->plan->stubs.bytes);
	assert_int_equal(mprotect(h->code, h->plan->stubs.bytes, PROT_READ | PROT_EXEC), 0);
	h->bias = (uint64_t)h->code - h->plan->stubs.vaddr;
	h->in_stub = calloc(h->plan->n_sites, 1);
	h->off = calloc(h->plan->n_funcs, 1);
	assert_true(h->in_stub && h->off);
	memset(h->in_stub, true, h->plan->n_sites);
	h->is = malloc(h->plan->stubs.bytes);
	assert_non_null(h->is);
	h->pid = fork();
	assert_true(h->pid >= 0);
	if (!h->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
}

static void tear_down(struct here *h)
{
	kill(h->pid, SIGKILL);
	waitpid(h->pid, NULL, 0);
	munmap(h->code, h->plan->stubs.bytes);
	free(h->is);
	free(h->in_stub);
	free(h->off);
	plan_free(h->plan);
	gobin_close(h->binary);
}

static size_t bytes_changed(const struct here *h)
{
	const size_t bytes = h->plan->stubs.bytes;
	const struct iovec to = { h->is, bytes }, from = { h->code, bytes };
	size_t n = 0;

	assert_int_equal(process_vm_readv(h->pid, &to, 1, &from, 1, 0), bytes);
	for (size_t i = 0; i < bytes; i++)
		n += h->is[i] != h->plan->stubs.code[i];
	return n;
}

static size_t switches_of(const struct here *h, uint32_t func)
{
	struct plan_switch at[PLAN_SWITCHES];
	size_t n = 0;

	for (size_t i = 0; i < h->plan->n_sites; i++)
		if (h->plan->sites[i].func == func && site_is_inline(&h->plan->sites[i]))
			n += plan_switches(h->plan, &h->plan->sites[i], at);
	return n;
}

static uint32_t some_func(const struct here *h)
{
	for (uint32_t f = 0; f < h->plan->n_funcs; f++)
		if (switches_of(h, f) > 1)
			return f;
	fail();
	return 0;
}

/* One byte of each stub of the function, and no other; a second time nothing more. */
TEST(only_its_stubs)
{
	struct here h;
	size_t left = 1;

	set_up(&h);
	uint32_t func = some_func(&h);
	h.off[func] = true;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(stub_switch_off(h.pid, h.plan, h.bias, h.in_stub, h.off, &left),
				 0);
		assert_int_equal(left, 0);
		assert_int_equal(bytes_changed(&h), switches_of(&h, func));
	}
	memset(h.in_stub, false, h.plan->n_sites);
	memset(h.off, true, h.plan->n_funcs);
	assert_int_equal(stub_switch_off(h.pid, h.plan, h.bias, h.in_stub, h.off, &left), 0);
	assert_int_equal(bytes_changed(&h), switches_of(&h, func));
	tear_down(&h);
}

/* Where the process has other code nothing is written. */
TEST(other_code)
{
	struct here h;
	size_t left = 0;

	set_up(&h);
	uint32_t func = some_func(&h);
	h.off[func] = true;
	assert_int_equal(stub_switch_off(h.pid, h.plan, h.bias + 1, h.in_stub, h.off, &left), 0);
	assert_int_equal(left, switches_of(&h, func));
	assert_int_equal(bytes_changed(&h), 0);
	tear_down(&h);
}

TEST(no_process)
{
	struct here h;
	size_t left = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	set_up(&h);
	memset(h.off, true, h.plan->n_funcs);
	assert_int_equal(stub_switch_off(pid, h.plan, h.bias, h.in_stub, h.off, &left), -ENOENT);
	tear_down(&h);
}

TESTS_BETWEEN(set_up_binaries, NULL, only_its_stubs, other_code, no_process)
