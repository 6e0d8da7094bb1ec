// SPDX-License-Identifier: BSD-2-Clause
/*
 * What nothing can go below: a probe with an empty BPF program on each kind of
 * instruction, a system call, and reading the clock and storing it.
 *
 *   floor WHAT CALLS THREADS     WHAT: nop5 nop1 jump push ret syscall rdtsc
 *
 * Prints calls a thread, wall time of the slowest thread and processor time of the
 * mean thread, in ns. As root for probes.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

/* BPF_TRACE_UPROBE_MULTI, Linux 6.6; older headers have no name for it. */
#define TRACE_UPROBE_MULTI ((enum bpf_attach_type)48)

extern const unsigned char site_nop5[], site_nop1[], site_jump[], site_push[], site_ret[];
__asm__(".text\n"
	".balign 16\nsite_nop5: .byte 0x0f, 0x1f, 0x44, 0, 0\nret\n"
	".balign 16\nsite_nop1: nop\nret\n"
	".balign 16\nsite_jump: .byte 0xe9, 0, 0, 0, 0\nret\n"
	".balign 16\nsite_push: push %rbp\npop %rbp\nret\n"
	".balign 16\nsite_ret: ret\n");

static const struct {
	const char *name;
	const unsigned char *site; /* NULL: no probe */
} kinds[] = {
	{ "nop5", site_nop5 }, { "nop1", site_nop1 }, { "jump", site_jump }, { "push", site_push },
	{ "ret", site_ret },   { "syscall", NULL },   { "rdtsc", NULL },
};

static const unsigned char *site;
static const char *what;
static unsigned calls, threads;
static pthread_barrier_t barrier;

struct result {
	uint64_t wall_ns, cpu_ns;
};

static uint64_t now_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* Nothing of ours is below rsp here: the call and the kernel may write there. */
__attribute__((noinline)) static void call_site(void)
{
	void (*f)(void) = (void (*)(void))(uintptr_t)site;

	f();
}

static void turn(unsigned n, volatile uint64_t *out)
{
	if (site) {
		for (unsigned i = 0; i < n; i++)
			call_site();
	} else if (strcmp(what, "syscall") == 0) {
		for (unsigned i = 0; i < n; i++)
			syscall(SYS_getppid);
	} else {
		for (unsigned i = 0; i < n; i++)
			out[i & 1023] = __rdtsc();
	}
}

static void *run(void *arg)
{
	struct result *r = arg;
	uint64_t *out = calloc(1024, sizeof(*out));

	if (!out)
		exit(1);
	turn(calls / 10, out);
	pthread_barrier_wait(&barrier);
	uint64_t wall = now_ns(CLOCK_MONOTONIC), cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);
	turn(calls, out);
	r->cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	r->wall_ns = now_ns(CLOCK_MONOTONIC) - wall;
	free(out);
	return NULL;
}

static uint64_t own_file_off(const void *at)
{
	uint64_t addr = (uintptr_t)at, start, end, off, found = 0;
	char line[512];
	FILE *f = fopen("/proc/self/maps", "re");

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " r-x%*c %" SCNx64, &start, &end, &off) ==
			    3 &&
		    addr >= start && addr < end)
			found = addr - start + off;
	if (f)
		fclose(f);
	return found;
}

/* 0 or -errno; the link lives until the process ends. */
static int attach(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, load, .expected_attach_type = TRACE_UPROBE_MULTI);
	unsigned long off = own_file_off(site);
	int prog = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "empty", "Dual BSD/GPL", insns, 2, &load);

	if (prog < 0 || !off)
		return -errno;
	LIBBPF_OPTS(bpf_link_create_opts, link,
		    .uprobe_multi = {
			    .path = "/proc/self/exe", .offsets = &off, .cnt = 1, .pid = getpid() });
	return bpf_link_create(prog, 0, TRACE_UPROBE_MULTI, &link) < 0 ? -errno : 0;
}

int main(int argc, char **argv)
{
	struct result r[64] = { { 0 } };
	pthread_t thread[64];
	uint64_t wall_ns = 0, cpu_ns = 0;
	size_t k = 0, n_kinds = sizeof(kinds) / sizeof(kinds[0]);

	while (argc == 4 && k < n_kinds && strcmp(argv[1], kinds[k].name))
		k++;
	calls = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	threads = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	if (k >= n_kinds || !calls || !threads || threads > 64) {
		fputs("floor WHAT CALLS THREADS\n", stderr);
		return 2;
	}
	what = kinds[k].name;
	site = kinds[k].site;
	int err = site ? attach() : 0;
	if (err) {
		fprintf(stderr, "floor: no probe on %s: %s\n", what, strerror(-err));
		return 1;
	}
	if (pthread_barrier_init(&barrier, NULL, threads))
		return 1;
	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, run, &r[i]))
			return 1;
	for (unsigned i = 0; i < threads; i++) {
		pthread_join(thread[i], NULL);
		wall_ns = r[i].wall_ns > wall_ns ? r[i].wall_ns : wall_ns;
		cpu_ns += r[i].cpu_ns / threads;
	}
	printf("%u,%" PRIu64 ",%" PRIu64 "\n", calls, wall_ns, cpu_ns);
	return 0;
}
