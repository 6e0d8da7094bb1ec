// SPDX-License-Identifier: BSD-2-Clause
/*
 * Whole Go binaries, damaged, opened and planned in every way (libFuzzer; ci/fuzz.sh). Where
 * gobin_fuzz changes what core/binary reads, this changes what a plan reads, too: the code of
 * functions, of the runtime's above all, and DWARF.
 *
 *   byte: which binary; byte: strategy, kind of stub, values, states; byte: selection; then ten
 *   bytes an edit: u8 region, u8 how, u32 place in it, u32 value (all little-endian)
 *
 * The binaries are built from fixtures/binaries into $GOTRACE_TEST_BINARIES.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "binary/look_fixture.h"
#include "plan/plan_print.h"
#include "plan/site_cookie.h"

#define MAX_REGIONS 128
#define MAX_EDITS   12
#define EDIT_BYTES  10
#define HEAD_BYTES  3

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct region {
	uint64_t off, len;
};

struct base {
	const char *name;
	uint8_t *bytes;
	size_t size;
	int fd; /* in memory; edited and put right again */
	struct region regions[MAX_REGIONS];
	size_t n_regions;
};

/* The fuzzer's own: filled once, one thread. */
static struct base bases[] = { { .name = "values.plain" },
			       { .name = "kinds.pie" },
			       { .name = "kinds.stripped" },
			       { .name = "cgo.pie.stripped" } };
#define N_BASES (sizeof(bases) / sizeof(bases[0]))
static unsigned errors;
static FILE *sink;

/* What a plan looks at inside the runtime, and functions with something to find. */
static const char *const looked_at[] = {
	"runtime.main",        "runtime.gdestroy",    "runtime.goexit0",
	"runtime.newproc1",    "runtime.recovery",    "runtime.sigpanic",
	"runtime.newstack",    "runtime.copystack",   "runtime.gopreempt_m",
	"runtime.goschedImpl", "runtime.preemptPark", "runtime.sigtramp",
	"runtime.casgstatus",  "runtime.coroswitch",  "runtime.reentersyscall",
	"runtime.exitsyscall",
};

static void count_line(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	(void)line;
	errors += level == LOG_LEVEL_ERROR;
}

static void add_region(struct base *b, uint64_t off, uint64_t len)
{
	if (len && off < b->size && len <= b->size - off && b->n_regions < MAX_REGIONS)
		b->regions[b->n_regions++] = (struct region){ off, len };
}

static void find_regions(struct base *b, const struct gobin *good)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)b->bytes;
	const Elf64_Shdr *s = (const Elf64_Shdr *)(b->bytes + h->e_shoff);
	const struct gofunc *funcs;
	size_t n = gobin_funcs(good, &funcs);

	add_region(b, 0, sizeof(*h));
	add_region(b, h->e_phoff, (uint64_t)h->e_phnum * h->e_phentsize);
	add_region(b, h->e_shoff, (uint64_t)h->e_shnum * h->e_shentsize);
	for (size_t i = 0; i < h->e_shnum; i++) {
		if (s[i].sh_type == SHT_NOBITS)
			continue;
		add_region(b, s[i].sh_offset, s[i].sh_size);
		if (s[i].sh_size > 1024) /* where tables say how long they are */
			add_region(b, s[i].sh_offset, 96);
	}
	for (size_t i = 0; i < sizeof(looked_at) / sizeof(looked_at[0]); i++) {
		const struct gofunc *f = gobin_func_named(good, looked_at[i]);

		if (f)
			add_region(b, f->file_off, f->size);
	}
	for (size_t i = 0; i < n; i++)
		if (strncmp(funcs[i].name, "main.", 5) == 0)
			add_region(b, funcs[i].file_off, funcs[i].size);
}

static bool load(struct base *b, const char *folder)
{
	char path[4096];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", folder, b->name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) || !(b->bytes = malloc((size_t)st.st_size)))
		return false;
	b->size = (size_t)st.st_size;
	b->fd = memfd_create("binary", MFD_CLOEXEC);
	for (size_t n = 0; n < b->size;) {
		ssize_t r = read(fd, b->bytes + n, b->size - n);

		if (r <= 0 || pwrite(b->fd, b->bytes + n, (size_t)r, (off_t)n) != r)
			return false;
		n += (size_t)r;
	}
	struct gobin *good = gobin_open(fd, path);

	close(fd);
	if (!good)
		return false;
	find_regions(b, good);
	gobin_close(good);
	return true;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	sink = fopen("/dev/null", "w");
	if (!sink || setenv("GOTRACE_TEST_BINARIES", "build/binaries", 0) ||
	    system("fixtures/binaries/build.sh \"$GOTRACE_TEST_BINARIES\" >&2"))
		exit(1);
	for (size_t i = 0; i < N_BASES; i++) {
		if (!load(&bases[i], getenv("GOTRACE_TEST_BINARIES"))) {
			fprintf(stderr, "%s: cannot be read\n", bases[i].name);
			exit(1);
		}
	}
	if (!getenv("PLAN_FUZZ_TALK"))
		log_set_sink(count_line, NULL);
	return 0;
}

/* Where the edit goes and the bytes it writes, up to 8. */
static size_t edit(const struct base *b, const uint8_t *p, uint8_t out[8], uint64_t *at)
{
	const struct region *r = &b->regions[p[0] % b->n_regions];
	uint32_t place, value;

	memcpy(&place, p + 2, sizeof(place));
	memcpy(&value, p + 6, sizeof(value));
	*at = r->off + place % r->len;
	return look_edit(b->bytes, b->size, *at, p[1], value, out);
}

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static void check_stub(const struct plan *p, const struct plan_site *s)
{
	uint32_t probes[SITE_PROBES_MAX];
	unsigned n = site_stub_probes(s, probes);
	const struct gofunc *f = p->funcs[s->func].fn;

	for (unsigned i = 0; i < n; i++)
		check(probes[i] < p->stubs.bytes, "a probe outside the stubs");
	if (!s->stub.displaced_len)
		return;
	check(s->stub.enter_off < p->stubs.bytes, "a stub outside the stubs");
	check(s->stub.displaced_vaddr >= f->vaddr &&
		      s->stub.displaced_vaddr + s->stub.displaced_len <= f->vaddr + f->size + 16,
	      "displaced bytes outside their function");
	check(gobin_bytes(p->binary, s->stub.displaced_vaddr, s->stub.displaced_len) != NULL,
	      "displaced bytes that are not in the file");
}

static void check_sites(const struct plan *p)
{
	const struct plan_value *values;
	struct plan_switch switches[PLAN_SWITCHES];

	for (size_t i = 0; i < p->n_sites; i++) {
		const struct plan_site *s = &p->sites[i];

		check(s->number == i, "a site with another number");
		check(gobin_bytes(p->binary, s->vaddr, 1) != NULL,
		      "a site that is not in the file");
		check(s->func == PLAN_NO_FUNC || s->func < p->n_funcs, "a site of no function");
		check(s->program < SITE_PROGRAMS, "a site of no program");
		site_cookie(s, false);
		site_values_of(p, s, &values);
		if (s->func == PLAN_NO_FUNC)
			continue;
		const struct gofunc *f = p->funcs[s->func].fn;

		check(s->vaddr >= f->vaddr && s->vaddr < f->vaddr + f->size,
		      "a site outside its function");
		if (!site_has_stub(s))
			continue;
		site_cookie(s, true);
		plan_can_join(s);
		check_stub(p, s);
		for (unsigned k = site_is_inline(s) ? plan_switches(p, s, switches) : 0; k--;)
			check(switches[k].off < p->stubs.bytes, "a switch outside the stubs");
	}
}

/* What the second and third byte ask for. */
static void options(uint8_t how, uint8_t selection, const struct golayout *layout,
		    struct plan_options *o)
{
	static const char *const packages[] = { "main", "sync", "strconv", "os" };
	static const char *const globs[] = { "main.*", "main.*handle*", "sync.*", "os.(*File).*" };
	static const char *const args[] = { "main.handle(r.URL.Path,r.id,n)",
					    "main.byvalue(p.a,w.name)", "main.kinds",
					    "main.*(%1,%0)" };
	static const char *const rets[] = { "main.div", "main.label" };
	static const enum stub_kind kinds[] = { STUB_JUMP, STUB_NOP5, STUB_NOP10, STUB_INLINE };

	o->strategy = how % PROBE_STRATEGIES;
	o->stub = kinds[how >> 3 & 3];
	if (o->stub == STUB_INLINE) {
		o->stub = STUB_JUMP;
		o->running = o->states_if_inline = true;
		o->traps = selection & 8;
	}
	o->states = how & 32;
	o->wrappers = how & 64;
	if (how & 128) {
		o->args = &args[selection & 3];
		o->n_args = 1;
		o->rets = &rets[selection & 1];
		o->n_rets = selection >> 1 & 1;
	}
	o->packages = &packages[selection >> 2 & 3];
	o->n_packages = selection >> 4 & 1;
	o->globs = &globs[selection >> 5 & 3];
	o->n_globs = selection >> 7;
	o->inline_stubs = (struct plan_inline_options){ .layout = layout,
							.ring_bytes = 65536,
							.drop = selection & 8,
							.shadow_stack = selection & 64 };
}

static void open_and_plan(int fd, uint8_t how, uint8_t selection)
{
	struct plan_options o = { 0 };
	struct golayout layout;

	errors = 0;
	struct gobin *b = gobin_open(fd, "x");

	if (!b) {
		check(errors == 1, "a binary that cannot be opened, not in one line");
		return;
	}
	check(errors == 0, "an error of a binary that can be opened");
	bool known = gobin_layout(b, &layout) == 0;

	check(errors == !known, "a layout that is not known, not in one line");
	options(how, selection, known ? &layout : NULL, &o);
	errors = 0;
	struct plan *p = plan_build(b, &o);

	if (p) {
		check(errors == 0, "an error of a plan that can be made");
		check_sites(p);
		check(!plan_print_summary(p, sink) && !plan_print_text(p, sink) &&
			      !plan_print_json(p, sink) && !plan_print_sites(p, sink),
		      "a plan that cannot be printed");
	} else {
		check(errors == 1, "a plan that cannot be made, not in one line");
	}
	plan_free(p);
	gobin_close(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t at[MAX_EDITS];
	uint8_t now[8];
	size_t n = 0;

	if (size < HEAD_BYTES)
		return 0;
	const struct base *b = &bases[data[0] % N_BASES];

	for (size_t p = HEAD_BYTES; p + EDIT_BYTES <= size && n < MAX_EDITS; p += EDIT_BYTES, n++) {
		size_t width = edit(b, data + p, now, &at[n]);

		check(pwrite(b->fd, now, width, (off_t)at[n]) == (ssize_t)width, "no room");
	}
	open_and_plan(b->fd, data[1], data[2]);
	for (size_t i = 0; i < n; i++) {
		size_t width = b->size - at[i] < 8 ? b->size - at[i] : 8;

		check(pwrite(b->fd, b->bytes + at[i], width, (off_t)at[i]) == (ssize_t)width,
		      "no room");
	}
	return 0;
}
