// SPDX-License-Identifier: BSD-2-Clause
/* Inlined functions by DWARF, compared with libdw in programs of several compilers, and of damaged
 * files. */

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "symbols/inlines.h"

#define MOST     128
#define LONG_NS  (3600 * 1000000000ull)
#define MOST_PCS 300

static char folder[PATH_MAX], sources[PATH_MAX];

__attribute__((format(printf, 1, 2))) static int run(const char *format, ...)
{
	char *command = NULL, *text = NULL;
	va_list args;

	va_start(args, format);
	assert_true(vasprintf(&command, format, args) > 0);
	va_end(args);
	assert_true(asprintf(&text, "cd %s && (%s) >log 2>&1", folder, command) > 0);
	const int status = system(text);

	free(command);
	free(text);
	return status;
}

static bool there_is(const char *program)
{
	return !run("command -v %s", program);
}

FIXTURE(make_folder)
{
	strcpy(folder, "/tmp/gotrace-inlines-XXXXXX");
	return mkdtemp(folder) && realpath("fixtures/native", sources) ? 0 : -1;
}

FIXTURE(remove_folder)
{
	char text[PATH_MAX + 32];

	snprintf(text, sizeof(text), "rm -rf %s", folder);
	return system(text);
}

static int open_file(const char *name)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return open(path, O_RDWR | O_CLOEXEC);
}

static struct inlines *open_inlines(const char *name, uint64_t most_bytes)
{
	char path[2 * PATH_MAX];
	const int fd = open_file(name);

	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	uint64_t left = LONG_NS;
	struct inlines *x = inlines_open(fd, &(struct inlines_place){ path, "", most_bytes },
					 &left);

	close(fd);
	return x;
}

/* ---- libdw */

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &a) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a))
		name = dwarf_formstring(&a);
	return name ? name : dwarf_diename(die);
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static bool unit_at(Dwarf *dwarf, uint64_t pc, Dwarf_Die *unit)
{
	Dwarf_CU *cu = NULL;

	while (!dwarf_get_units(dwarf, cu, &cu, NULL, NULL, unit, NULL))
		if (dwarf_haspc(unit, pc) == 1)
			return true;
	return false;
}

struct place {
	const char *file;
	int line;
};

static void same_place(const struct place *want, const struct inline_frame *got)
{
	assert_int_equal(got->line, want->line);
	if (want->file)
		assert_string_equal(base_name(got->file), base_name(want->file));
}

static struct place call_of(Dwarf_Die *unit, Dwarf_Die *die)
{
	Dwarf_Word file = 0, line = 0;
	Dwarf_Attribute a;
	Dwarf_Files *files;

	if (dwarf_attr(die, DW_AT_call_file, &a))
		dwarf_formudata(&a, &file);
	if (dwarf_attr(die, DW_AT_call_line, &a))
		dwarf_formudata(&a, &line);
	const bool has_files = !dwarf_getsrcfiles(unit, &files, NULL);

	return (struct place){ has_files ? dwarf_filesrc(files, file, NULL, NULL) : NULL,
			       (int)line };
}

static bool is_function(Dwarf_Die *die)
{
	const int tag = dwarf_tag(die);

	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* The functions that have pc, outermost first. dwarf_getscopes finds none in units of rustc. */
static size_t find(Dwarf_Die *parent, uint64_t pc, Dwarf_Die *chain, size_t n)
{
	Dwarf_Die child;

	if (dwarf_child(parent, &child))
		return n;
	do {
		const bool function = is_function(&child);
		const int has = function ? dwarf_haspc(&child, pc) : 0;

		if (has == 1) {
			assert_true(n < MOST);
			chain[n] = child;
			return find(&child, pc, chain, n + 1);
		}
		if (!function) {
			const size_t more = find(&child, pc, chain, n);

			if (more > n)
				return more;
		}
	} while (!dwarf_siblingof(&child, &child));
	return n;
}

/* Returns how many functions are inlined at pc. */
static size_t same_frames(Dwarf *dwarf, uint64_t pc, const struct inline_frame *f, size_t n)
{
	Dwarf_Die unit, chain[MOST];
	struct place want = { 0 };

	if (!unit_at(dwarf, pc, &unit)) {
		assert_int_equal(n, 0);
		return 0;
	}
	assert_int_equal(find(&unit, pc, chain, 0), n);
	Dwarf_Line *line = dwarf_getsrc_die(&unit, pc);

	if (line) {
		want.file = dwarf_linesrc(line, NULL, NULL);
		dwarf_lineno(line, &want.line);
	}
	for (size_t i = 0; i < n; i++) {
		Dwarf_Die *die = &chain[n - 1 - i];

		assert_non_null(f[i].func);
		assert_string_equal(f[i].func, name_of(die));
		same_place(&want, &f[i]);
		want = call_of(&unit, die);
	}
	return n ? n - 1 : 0;
}

struct seen {
	size_t pcs, deep, deepest;
};

/* Addresses of functions: all in a small program, every so many in a large one. */
static void text_of(int fd, uint64_t *from, uint64_t *to)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;

	assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
	*from = 0;
	while (!*from && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) &&
		    !strcmp(elf_strptr(elf, names, sh.sh_name), ".text")) {
			*from = sh.sh_addr;
			*to = sh.sh_addr + sh.sh_size;
		}
	elf_end(elf);
}

static struct seen compare(const char *name)
{
	const int fd = open_file(name);
	struct inlines *x = open_inlines(name, 256 << 20);
	struct inline_frame f[MOST];
	struct seen seen = { 0 };
	uint64_t from, to, left = LONG_NS;

	assert_true(fd >= 0);
	elf_version(EV_CURRENT);
	text_of(fd, &from, &to);
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);

	assert_non_null(dwarf);
	assert_non_null(x);
	const uint64_t step = (to - from) / MOST_PCS + 1;

	for (uint64_t pc = from; pc < to; pc += step) {
		const size_t n = inlines_at(x, pc, f, MOST, &left);
		const size_t deep = same_frames(dwarf, pc, f, n);

		seen.pcs += n > 0;
		seen.deep += deep > 0;
		seen.deepest = deep > seen.deepest ? deep : seen.deepest;
	}
	assert_true(inlines_bytes(x) > 0);
	inlines_close(x);
	dwarf_end(dwarf);
	close(fd);
	return seen;
}

/* ---- programs */

static const struct build {
	const char *compiler, *source, *flags;
	size_t deepest; /* as deep as chains must be, at least */
} builds[] = {
	{ "gcc", "inlined.c", "-gdwarf-5", 2 },
	{ "gcc", "inlined.c", "-gdwarf-4", 2 },
	{ "gcc", "inlined.c", "-gdwarf-2", 2 },
	{ "g++", "inlined.cc", "-gdwarf-5", 5 },
	{ "g++", "inlined.cc", "-gdwarf-4", 5 },
	{ "g++", "inlined.cc", "-gdwarf-3", 5 },
	{ "g++", "inlined.cc", "-g -gz -ffunction-sections -Wl,--gc-sections", 5 },
	{ "g++", "inlined.cc", "-g -flto", 5 },
	{ "clang", "inlined.c", "-gdwarf-5", 2 },
	{ "clang", "inlined.c", "-gdwarf-4", 2 },
	{ "clang++", "inlined.cc", "-gdwarf-5", 5 },
	{ "clang++", "inlined.cc", "-gdwarf-4 -no-pie", 5 },
};

TEST(as_libdw)
{
	size_t done = 0;

	for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		const struct build *b = &builds[i];

		if (!there_is(b->compiler))
			continue;
		assert_int_equal(run("%s -O2 %s -o prog %s/%s", b->compiler, b->flags, sources,
				     b->source),
				 0);
		const struct seen seen = compare("prog");

		assert_true(seen.pcs >= 50);
		assert_true(seen.deep >= 20);
		assert_true(seen.deepest >= b->deepest);
		done++;
	}
	assert_true(done >= 8); /* gcc and g++ are always there */
}

TEST(rust_as_libdw)
{
	if (!there_is("rustc"))
		skip();
	assert_int_equal(run("rustc -O -g -o prog %s/inlined.rs", sources), 0);
	const struct seen seen = compare("prog");

	assert_true(seen.deep >= 100 && seen.deepest >= 5);
}

/* ---- what dwz moved elsewhere */

static void same_text(const char *a, const char *b)
{
	assert_int_equal(!a, !b);
	if (a)
		assert_string_equal(a, b);
}

/* The frames of both programs are those of one, by name and line. Returns how many are inlined. */
static size_t same_programs(const char *a, const char *b)
{
	struct inlines *x = open_inlines(a, 256 << 20), *y = open_inlines(b, 256 << 20);
	struct inline_frame f[MOST], g[MOST];
	uint64_t from, to, left = LONG_NS;
	const int fd = open_file(a);
	size_t deep = 0;

	assert_non_null(x);
	assert_non_null(y);
	text_of(fd, &from, &to);
	close(fd);
	for (uint64_t pc = from; pc < to; pc++) {
		const size_t n = inlines_at(x, pc, f, MOST, &left);

		assert_int_equal(inlines_at(y, pc, g, MOST, &left), n);
		for (size_t i = 0; i < n; i++) {
			assert_string_equal(f[i].func, g[i].func);
			assert_int_equal(f[i].line, g[i].line);
			same_text(base_name(f[i].file), base_name(g[i].file));
			assert_int_equal(f[i].decl_line, g[i].decl_line);
			same_text(f[i].decl_file, g[i].decl_file);
		}
		deep += n ? n - 1 : 0;
	}
	inlines_close(x);
	inlines_close(y);
	return deep;
}

TEST(through_dwz)
{
	static const char *const flags[] = { "-gdwarf-4", "-gdwarf-5" };

	if (!there_is("dwz"))
		skip();
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(
			run("mkdir -p sub && rm -f sub/common && g++ -O2 %s -Wl,--build-id -o a "
			    "%s/inlined.cc && g++ -O1 %s -Wl,--build-id -o b %s/inlined.cc && "
			    "cp a one && dwz one && cp a c && dwz -m sub/common -M sub/common c b && "
			    "readelf -SW c | grep gnu_debugaltlink",
			    flags[i], sources, flags[i], sources),
			0);
		assert_true(same_programs("a", "one") > 500);
		assert_true(same_programs("a", "c") > 500);
		/* another file has that name: its names are no names of these */
		assert_int_equal(run("cp b sub/common"), 0);
		struct inlines *x = open_inlines("c", 256 << 20);

		assert_non_null(x);
		inlines_close(x);
		assert_int_equal(run("rm sub/common"), 0);
		x = open_inlines("c", 256 << 20);
		assert_non_null(x);
		inlines_close(x);
	}
}

/* ---- files without, and what is too much */

TEST(nothing_to_find)
{
	struct inline_frame f[MOST];
	uint64_t from, to, left = LONG_NS;

	assert_int_equal(
		run("gcc -O2 -o without %s/inlined.c && gcc -O2 -g -gz -o packed %s/inlined.c && "
		    "gcc -O2 -g -gsplit-dwarf -o split %s/inlined.c",
		    sources, sources, sources),
		0);
	assert_null(open_inlines("without", 256 << 20));
	assert_null(open_inlines("packed", 100)); /* unpacked it takes more */
	struct inlines *x = open_inlines("split", 256 << 20);
	const int fd = open_file("split");

	text_of(fd, &from, &to);
	close(fd);
	for (uint64_t pc = from; x && pc < to; pc++)
		assert_int_equal(inlines_at(x, pc, f, MOST, &left), 0);
	inlines_close(x);
}

/* Few frames are the function and the innermost ones. Without time there are none. */
TEST(few_frames)
{
	struct inline_frame all[MOST], few[2];
	uint64_t from, to, left = LONG_NS, none = 0;
	size_t deep = 0;

	assert_int_equal(run("g++ -O2 -g -o prog %s/inlined.cc", sources), 0);
	const int fd = open_file("prog");
	struct inlines *x = open_inlines("prog", 256 << 20), *y = open_inlines("prog", 256 << 20);

	text_of(fd, &from, &to);
	close(fd);
	for (uint64_t pc = from; pc < to; pc++) {
		const size_t n = inlines_at(x, pc, all, MOST, &left);

		assert_int_equal(inlines_at(y, pc, few, 2, &none), 0);
		assert_int_equal(inlines_at(y, pc, few, 2, &left), n < 2 ? n : 2);
		if (n < 3)
			continue;
		assert_string_equal(few[0].func, all[0].func);
		assert_string_equal(few[1].func, all[n - 1].func);
		deep++;
	}
	assert_true(deep > 100);
	assert_true(left < LONG_NS);
	inlines_close(x);
	inlines_close(y);
}

/* ---- damaged files */

static uint64_t look_all(const char *name)
{
	struct inlines *x = open_inlines(name, 1 << 20);
	struct inline_frame f[MOST];
	uint64_t from, to, left = LONG_NS, bytes = 0;
	const int fd = open_file(name);

	text_of(fd, &from, &to);
	close(fd);
	for (uint64_t pc = from; x && pc < to; pc += 16) {
		const size_t n = inlines_at(x, pc, f, MOST, &left);

		assert_true(n <= MOST);
		for (size_t i = 0; i < n; i++) {
			bytes += f[i].func ? strlen(f[i].func) : 0;
			bytes += f[i].file ? strlen(f[i].file) : 0;
			bytes += f[i].decl_file ? strlen(f[i].decl_file) : 0;
		}
	}
	if (x)
		assert_true(inlines_bytes(x) < 64 << 20);
	inlines_close(x);
	return bytes;
}

/* Where the section is in the file. */
static GElf_Shdr section_of(Elf *elf, const char *name)
{
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;

	assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && !strcmp(elf_strptr(elf, names, sh.sh_name), name))
			return sh;
	fail();
	return sh;
}

static uint64_t random_of(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

TEST(damaged_bytes)
{
	static const char *const names[] = { ".debug_info",   ".debug_abbrev",   ".debug_line",
					     ".debug_ranges", ".debug_rnglists", ".debug_str" };
	uint64_t seed = 1, bytes = 0;

	for (int version = 4; version <= 5; version++) {
		assert_int_equal(run("g++ -O2 -gdwarf-%d -o whole %s/inlined.cc", version, sources),
				 0);
		for (int round = 0; round < 60; round++) {
			assert_int_equal(run("cp whole damaged"), 0);
			const int fd = open_file("damaged");
			const char *name = names[round % 6];

			if (version == 5 && round % 6 == 3)
				name = names[4];
			if (version == 4 && round % 6 == 4)
				name = names[3];
			Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
			const GElf_Shdr sh = section_of(elf, name);

			elf_end(elf);
			for (int i = 0; i < 1 + round / 6; i++) {
				const uint8_t byte = (uint8_t)random_of(&seed);
				const off_t at = (off_t)(sh.sh_offset +
							 random_of(&seed) % sh.sh_size);

				assert_int_equal(pwrite(fd, &byte, 1, at), 1);
			}
			close(fd);
			bytes += look_all("damaged");
		}
	}
	assert_true(bytes > 0);
}

/* An inlined function whose origin is itself, and two that are each other's. */
TEST(origins_in_circles)
{
	Dwarf_Off offs[2];
	off_t places[2];
	size_t n = 0;

	assert_int_equal(run("g++ -O2 -gdwarf-4 -o circle %s/inlined.cc", sources), 0);
	const int fd = open_file("circle");
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	Dwarf_Die unit, *at;
	uint64_t from, to;

	text_of(fd, &from, &to);
	Elf *elf = dwarf_getelf(dwarf);
	const GElf_Shdr sh = section_of(elf, ".debug_info");

	for (uint64_t pc = from; pc < to && n < 2; pc++) {
		Dwarf_Attribute a;

		if (!unit_at(dwarf, pc, &unit) || dwarf_getscopes(&unit, pc, &at) <= 0)
			continue;
		const Dwarf_Off off = dwarf_dieoffset(&at[0]);

		if (dwarf_tag(&at[0]) == DW_TAG_inlined_subroutine && (!n || offs[0] != off) &&
		    dwarf_attr(&at[0], DW_AT_abstract_origin, &a) && a.form == DW_FORM_ref4) {
			/* the attribute is among the first bytes of its entry */
			uint32_t value;
			Dwarf_Die to_die;
			uint8_t bytes[16];

			assert_non_null(dwarf_formref_die(&a, &to_die));
			value = (uint32_t)dwarf_cuoffset(&to_die);
			assert_int_equal(pread(fd, bytes, sizeof(bytes),
					       (off_t)(sh.sh_offset + off)),
					 sizeof(bytes));
			uint8_t *found = memmem(bytes, sizeof(bytes), &value, 4);

			assert_non_null(found);
			offs[n] = off - dwarf_dieoffset(&unit) + dwarf_cuoffset(&unit);
			offs[n] = dwarf_cuoffset(&at[0]);
			places[n++] = (off_t)(sh.sh_offset + off) + (found - bytes);
		}
		free(at);
	}
	assert_int_equal(n, 2);
	dwarf_end(dwarf);
	for (int each = 0; each < 2; each++) {
		for (size_t i = 0; i < 2; i++) {
			const uint32_t value = (uint32_t)offs[each ? 1 - i : i];

			assert_int_equal(pwrite(fd, &value, 4, places[i]), 4);
		}
		assert_true(look_all("circle") > 0);
	}
	close(fd);
}

TESTS_BETWEEN(make_folder, remove_folder, as_libdw, rust_as_libdw, through_dwz, nothing_to_find,
	      few_frames, damaged_bytes, origins_in_circles)
