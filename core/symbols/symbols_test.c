// SPDX-License-Identifier: BSD-2-Clause
/* Addresses of Go programs, this program, the kernel and maps into functions. */
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/foreign_file.h"
#include "binary/gobin_impl.h"
#include "binary/goframes.h"
#include "symbols/demangle.h"
#include "symbols/elf_symbols.h"
#include "symbols/name_list.h"
#include "symbols/symbols.h"

static void put_stack(struct sample_tables *t, const uint64_t *pcs, uint32_t n)
{
	assert_int_equal(sample_tables_stack(t, &(struct sample_stack){ 0, n, pcs, 0 }), 0);
}

static void put_process(struct sample_tables *t)
{
	const struct sample_process p = { .pid = (uint32_t)getpid(), .comm = "x" };

	assert_int_equal(sample_tables_process(t, &p), 0);
}

static struct sample_image image_of(const char *path, uint64_t start, bool with_id)
{
	struct sample_image i = { .start = start, .end = start + (64u << 20), .path = path };
	FILE *f = fopen(path, "r");
	struct elf_symbols *e = f ? elf_symbols_open(fileno(f), NULL, 0, 0) : NULL;
	const uint8_t *id;

	assert_non_null(e);
	if (with_id) {
		i.build_id_len = (uint8_t)elf_symbols_build_id(e, &id);
		memcpy(i.build_id, id, i.build_id_len);
	}
	elf_symbols_close(e);
	fclose(f);
	return i;
}

/* Every call in every function: what is inlined there, and the function itself at the end. */
TEST(go_frames)
{
	static const char *const names[] = { "kinds", "kinds.stripped", "kinds.pie.stripped" };
	struct goframe f[64];

	for (size_t v = 0; v < 3; v++) {
		struct gobin *b = open_binary(names[v]);
		const struct gofunc *funcs;
		size_t n = gobin_funcs(b, &funcs), inlined = 0, placed = 0;

		for (size_t i = 0; i < n; i++)
			for (uint64_t pc = funcs[i].vaddr; pc < funcs[i].vaddr + funcs[i].size;
			     pc += 3) {
				size_t k = gobin_frames(b, pc, f, 64);
				const char *file;
				uint32_t line;

				assert_true(k > 0);
				assert_ptr_equal(f[k - 1].func, funcs[i].name);
				/* the innermost is where the pc is */
				if (!gobin_line(b, pc, &file, &line)) {
					assert_string_equal(f[0].file, file);
					assert_int_equal(f[0].line, line);
					placed++;
				}
				inlined += k - 1;
				for (size_t d = 0; d + 1 < k; d++)
					assert_true(f[d].func && *f[d].func);
				if (k > 1) /* as many as are asked for, no more */
					assert_int_equal(gobin_frames(b, pc, f, k - 1), k - 1);
			}
		assert_true(inlined > 1000 && placed > 1000);
		assert_int_equal(gobin_frames(b, 1, f, 64), 0);
		gobin_close(b);
	}
}

/* In a trace: the file is found, offsets are made addresses, also of a PIE somewhere. */
TEST(go_symbols)
{
	static const char *const names[] = { "kinds", "kinds.pie.stripped", "user.goid" };

	for (size_t v = 0; v < 3; v++) {
		char path[PATH_MAX];
		assert_non_null(realpath(binary_path(names[v]), path));
		struct gobin *b = open_binary(names[v]);
		const struct gofunc *f = gobin_func_named(b, "main.main");
		const uint64_t base = 0x555500000000, pcs[] = { base + f->file_off + 5, 0x10 };
		struct sample_tables t = { 0 }, out;
		struct sample_image i = image_of(path, base, true);
		struct symbols_counts c;

		put_process(&t);
		assert_int_equal(sample_tables_image(&t, &i), 0);
		put_stack(&t, pcs, 2);
		assert_int_equal(symbols_resolve(&t, &(struct symbols_options){ .here = true },
						 &out, &c),
				 0);
		assert_int_equal(c.addresses, 2);
		assert_int_equal(c.found, 1);
		assert_int_equal(c.no_image, 1);
		assert_int_equal(sample_tables_merge(&t, &out), 0);
		const struct sample_location *l = sample_tables_find(&t, 0, pcs[0]);
		assert_non_null(l);
		const struct sample_symbol *s = &t.symbols[l->frames[l->n - 1].symbol];
		assert_string_equal(s->name, "main.main");
		assert_int_equal(s->kind, SYMBOL_GO);
		assert_int_equal(s->start_line, f->start_line);
		assert_true(l->frames[l->n - 1].line >= s->start_line);
		sample_tables_free(&out);
		/* nothing is asked twice */
		assert_int_equal(symbols_resolve(&t, &(struct symbols_options){ .here = true },
						 &out, &c),
				 0);
		assert_int_equal(c.addresses, 1);
		sample_tables_free(&out);
		sample_tables_free(&t);
		gobin_close(b);
	}
}

/* A signal's handler returns to the start of a function. The address of that caller is the byte
 * before, which belongs to no function. */
TEST(return_to_a_start)
{
	const uint64_t base = 0x555500000000;
	char path[PATH_MAX];

	assert_non_null(realpath(binary_path("kinds.stripped"), path));
	struct gobin *b = open_binary("kinds.stripped");
	const struct gofunc *f = gobin_func_named(b, "runtime.sigreturn__sigaction");
	assert_non_null(f);
	assert_null(gobin_func_at(b, f->vaddr - 1));
	const uint64_t pcs[] = { base + f->file_off - 1, base + f->file_off - 2 };
	struct sample_image i = image_of(path, base, true);
	struct sample_tables t = { 0 }, out;
	struct symbols_counts c;

	put_process(&t);
	assert_int_equal(sample_tables_image(&t, &i), 0);
	put_stack(&t, pcs, 2);
	assert_int_equal(symbols_resolve(&t, &(struct symbols_options){ .here = true }, &out, &c),
			 0);
	assert_int_equal(c.found, 1);
	assert_int_equal(sample_tables_merge(&t, &out), 0);
	const struct sample_location *l = sample_tables_find(&t, 0, pcs[0]);
	assert_non_null(l);
	assert_string_equal(t.symbols[l->frames[l->n - 1].symbol].name, f->name);
	sample_tables_free(&out);
	sample_tables_free(&t);
	gobin_close(b);
}

/* Later, only the same file will do: by its build id. */
TEST(another_file_is_not_asked)
{
	const uint64_t pcs[] = { 0x1000 };
	char go[PATH_MAX];

	assert_non_null(realpath(binary_path("user.goid"), go));
	for (int k = 0; k < 6; k++) {
		const int changed = k % 3;
		struct sample_image i = image_of(k < 3 ? "/proc/self/exe" : go, 0, changed < 2);
		struct sample_tables t = { 0 }, out;
		struct symbols_counts c;

		i.build_id[FILE_ID_GO_BYTES - 1] ^= changed == 1;
		put_process(&t);
		assert_int_equal(sample_tables_image(&t, &i), 0);
		put_stack(&t, pcs, 1);
		assert_int_equal(symbols_resolve(&t, &(struct symbols_options){ .here = false },
						 &out, &c),
				 0);
		assert_int_equal(c.no_file, changed ? 1 : 0);
		sample_tables_free(&out);
		sample_tables_free(&t);
	}
}

/* A function of this very program, by .symtab. */
TEST(own_symbols)
{
	struct sample_tables t = { 0 }, out;
	unsigned long start, end, off;
	char line[512], path[256];
	FILE *maps = fopen("/proc/self/maps", "r");
	const uint64_t pcs[] = { (uint64_t)(uintptr_t)own_symbols + 4 };

	put_process(&t);
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx r-xp %lx %*s %*s %255s", &start, &end, &off, path) == 4 &&
		    pcs[0] >= start && pcs[0] < end) {
			const struct sample_image i = {
				.start = start, .end = end, .file_off = off, .path = path
			};
			assert_int_equal(sample_tables_image(&t, &i), 0);
		}
	fclose(maps);
	put_stack(&t, pcs, 1);
	assert_int_equal(symbols_resolve(&t, &(struct symbols_options){ .here = true }, &out, NULL),
			 0);
	assert_int_equal(out.n_symbols, 1);
	assert_string_equal(out.symbols[0].name, "own_symbols");
	assert_int_equal(out.symbols[0].kind, SYMBOL_NATIVE);
	sample_tables_free(&out);
	sample_tables_free(&t);
}

static const char *written(const char *text)
{
	static char path[] = "/tmp/names-XXXXXX";
	int fd;

	memcpy(path, "/tmp/names-XXXXXX", sizeof(path));
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return path;
}

TEST(lists_of_names)
{
	struct name_list l = { 0 };
	const char *path = written(
		"ffffffff81000000 T _text\nffffffff81000100 t do_it\n"
		"ffffffff81000200 D data\nrubbish\nffffffffc0000000 t go\t[mod]\n");

	assert_int_equal(name_list_kallsyms(&l, path), 0);
	assert_string_equal(name_list_at(&l, 0xffffffff810000ff), "_text");
	assert_string_equal(name_list_at(&l, 0xffffffff81000300), "do_it");
	assert_string_equal(name_list_at(&l, 0xffffffffc0000010), "go [mod]");
	assert_null(name_list_at(&l, 0x1000));
	name_list_free(&l);
	unlink(path);
	/* hidden from whoever may not see them */
	path = written("0000000000000000 T _text\n");
	assert_int_equal(name_list_kallsyms(&l, path), -EPERM);
	unlink(path);
	path = written("1000 10 one\n2000 20 two words\nx\n3000 0 none\n");
	assert_int_equal(name_list_perf_map(&l, path, getuid(), UINT64_MAX), 0);
	assert_string_equal(name_list_at(&l, 0x100f), "one");
	assert_null(name_list_at(&l, 0x1010));
	assert_string_equal(name_list_at(&l, 0x2000), "two words");
	assert_int_equal(l.n, 2);
	name_list_free(&l);
	unlink(path);
}

/* Headers that claim 16 million sections in a file without contents, and a section of nearly all of
 * it. */
TEST(bounded_headers)
{
	const char *path = written("");
	FILE *f = fopen(path, "r+");
	Elf64_Ehdr head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_EXEC,
			    .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shoff = sizeof(Elf64_Ehdr) };
	Elf64_Shdr sections[3] = { { .sh_size = 16 << 20 } };

	assert_int_equal(ftruncate(fileno(f), (off_t)FOREIGN_BINARY_BYTES), 0);
	assert_int_equal(pwrite(fileno(f), &head, sizeof(head), 0), sizeof(head));
	assert_int_equal(pwrite(fileno(f), sections, sizeof(sections), sizeof(head)),
			 sizeof(sections));
	assert_null(elf_symbols_open(fileno(f), NULL, 0, 0));
	assert_null(gobin_open(fileno(f), "x"));
	head.e_shnum = 3;
	head.e_shstrndx = 1;
	sections[0].sh_size = 0;
	sections[1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = 512, .sh_size = 512 };
	sections[2] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB,
				    .sh_offset = 1024,
				    .sh_size = FOREIGN_BINARY_BYTES - 1024,
				    .sh_entsize = sizeof(Elf64_Sym),
				    .sh_link = 1 };
	assert_int_equal(pwrite(fileno(f), &head, sizeof(head), 0), sizeof(head));
	assert_int_equal(pwrite(fileno(f), sections, sizeof(sections), sizeof(head)),
			 sizeof(sections));
	struct elf_symbols *e = elf_symbols_open(fileno(f), NULL, 0, 0);

	assert_non_null(e);
	assert_false(elf_symbols_whole(e));
	assert_int_equal(elf_symbols_bytes(e), 0);
	elf_symbols_close(e);
	fclose(f);
	unlink(path);
}

/* A perf map in the way of a FIFO, a device, a link, a file without end, somebody else's. */
TEST(hostile_perf_maps)
{
	const uint64_t later = foreign_file_deadline();
	struct name_list l = { 0 };
	const char *path = written("1000 10 one\n");

	assert_int_equal(name_list_perf_map(&l, path, getuid() + 1, later), getuid() ? -EPERM : 0);
	assert_int_equal(truncate(path, (off_t)1 << 40), 0);
	assert_int_equal(name_list_perf_map(&l, path, getuid(), later), -EFBIG);
	assert_int_equal(truncate(path, 32 << 20), 0); /* one line of zeros */
	assert_int_equal(name_list_perf_map(&l, path, getuid(), later), 0);
	assert_int_equal(name_list_perf_map(&l, path, getuid(), 1), -ETIMEDOUT);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(name_list_perf_map(&l, path, getuid(), later), -EINVAL);
	unlink(path);
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_int_equal(name_list_perf_map(&l, path, getuid(), later), -ELOOP);
	unlink(path);
	name_list_free(&l);
	if (getuid())
		return;
	path = written("1000 10 one\n");
	assert_int_equal(chown(path, 12345, 12345), 0);
	assert_int_equal(name_list_perf_map(&l, path, 12346, later), -EPERM);
	assert_int_equal(name_list_perf_map(&l, path, 12345, later), 0);
	name_list_free(&l);
	unlink(path);
}

/* As many names as a small file can hold: it is refused, not taken in part. */
TEST(a_million_names)
{
	struct name_list l = { 0 };
	const char *path = written("");
	FILE *f = fopen(path, "w");

	for (int i = 0; i <= 1 << 20; i++)
		fputs("1 1 a\n", f);
	fclose(f);
	assert_int_equal(name_list_perf_map(&l, path, getuid(), UINT64_MAX), -EFBIG);
	name_list_free(&l);
	unlink(path);
}

/* Each of these at the place of a binary, and of its perf map: the others are still named. */
TEST(hostile_images)
{
	static const char *const kinds[] = { "fifo", "device", "large" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		for (int here = 0; here < 2; here++) {
			const char *path = written("");
			const uint64_t pcs[] = { 0x1000, 0x9000 };
			struct sample_tables t = { 0 }, out;
			struct symbols_counts c;
			struct sample_image file = { .end = 0x8000, .path = path }, map = {
				.start = 0x8000, .end = 0xa000, .path = path, .kind = IMAGE_PERF_MAP
			};

			if (i == 2) {
				assert_int_equal(truncate(path, (off_t)3 << 40), 0);
			} else {
				unlink(path);
				assert_int_equal(
					i ? symlink("/dev/zero", path) : mkfifo(path, 0600), 0);
			}
			put_process(&t);
			assert_int_equal(sample_tables_image(&t, &file), 0);
			assert_int_equal(sample_tables_image(&t, &map), 0);
			put_stack(&t, pcs, 2);
			assert_int_equal(symbols_resolve(&t,
							 &(struct symbols_options){ .here = here },
							 &out, &c),
					 0);
			assert_int_equal(c.found, 0);
			assert_int_equal(c.refused, here ? 2 : 1);
			unlink(path);
			sample_tables_free(&out);
			sample_tables_free(&t);
		}
}

#define BOMB \
	"Br_EBq_EBp_EBo_EBn_EBm_EBl_EBk_EBj_EBi_EBh_EBg_EBf_EBe_EBd_EBc_EBb_EBa_EB9_EB8_EB7_EB6_EB5_EB4_EE"

static void demangled(const char *mangled, const char *want)
{
	char *name = demangle(mangled);

	assert_string_equal(name, want);
	free(name);
}

TEST(mangled_names)
{
	demangled("_ZNSt6vectorIiSaIiEE9push_backERKi",
		  "std::vector<int, std::allocator<int> >::push_back(int const&)");
	/* Rust: the mangling of today, and the one before (rustc's RFC 2603) */
	demangled("_RNvNtCsjrHSEGnQ3l9_3std2rt19lang_start_internal",
		  "std::rt::lang_start_internal");
	demangled("_ZN1r14Thing$LT$T$GT$3run17h0c00123456789abcE", "r::Thing<T>::run");
	assert_null(demangle("main"));
	assert_null(demangle("_Zrubbish"));
	assert_null(demangle("_Rrubbish"));
	/* a tuple of two of the tuple before, 24 times: 200 MB */
	assert_null(demangle("_RIC1aTTTTTTTTTTTTTTTTTTTTTTTTTuuE" BOMB));
}

TESTS_BETWEEN(set_up_binaries, NULL, go_frames, go_symbols, return_to_a_start,
	      another_file_is_not_asked, own_symbols, lists_of_names, bounded_headers,
	      hostile_perf_maps, a_million_names, hostile_images, mangled_names)
