// SPDX-License-Identifier: BSD-2-Clause
/* Rows of .eh_frame, compared with libdw, and of damaged sections. */

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "binary/ehframe.h"
#include "binary/x86_64/x86_arch.h"

#define MOST 1000000

/* The C library of this test: its path. */
static int open_libc(void)
{
	char line[4096];
	int fd = -1;
	FILE *f = fopen("/proc/self/maps", "re");

	assert_non_null(f);
	while (fd < 0 && fgets(line, sizeof(line), f)) {
		char *path = strchr(line, '/');

		line[strcspn(line, "\n")] = '\0';
		if (path && strstr(path, "/libc.so.6"))
			fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	fclose(f);
	assert_true(fd >= 0);
	return fd;
}

/* The row says what libdw does of that place. False: libdw says what no row can. */
static bool same(Dwarf_CFI *cfi, uint64_t pc, const struct ehframe_row *r)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Op mem[3], *ops;
	size_t n;

	if (dwarf_cfi_addrframe(cfi, pc, &frame)) {
		assert_int_equal(r->rule, EHFRAME_UNKNOWN);
		return false;
	}
	assert_int_equal(dwarf_frame_cfa(frame, &ops, &n), 0);
	bool plain = n == 1 && (ops->atom == DW_OP_breg6 || ops->atom == DW_OP_breg7 ||
				ops->atom == DW_OP_bregx);
	if (!plain) {
		free(frame);
		return false;
	}
	uint64_t reg = ops->atom == DW_OP_bregx ? ops->number : (uint64_t)(ops->atom - DW_OP_breg0);
	int64_t off = (int64_t)(ops->atom == DW_OP_bregx ? ops->number2 : ops->number);
	assert_int_equal(r->rule, reg == 6 ? EHFRAME_FP : reg == 7 ? EHFRAME_SP : r->rule);
	assert_int_equal(r->cfa * 8, off);
	assert_int_equal(dwarf_frame_register(frame, 6, mem, &ops, &n), 0);
	int64_t rbp = n == 2 && mem[1].atom == DW_OP_plus_uconst ? (int64_t)mem[1].number : 0;
	assert_int_equal(r->fp * 8, rbp);
	free(frame);
	return true;
}

TEST(test_as_libdw)
{
	int fd = open_libc();
	struct ehframe e;
	size_t compared = 0;

	assert_int_equal(ehframe_read(&e, fd, MOST), 0);
	assert_true(e.n > 10000);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Dwarf_CFI *cfi = dwarf_getcfi_elf(elf);
	assert_non_null(cfi);
	for (size_t i = 0; i + 1 < e.n; i += 3) {
		const struct ehframe_row *r = &e.rows[i];

		assert_true(r->vaddr < r[1].vaddr);
		if (r->rule != EHFRAME_SP && r->rule != EHFRAME_FP)
			continue;
		compared += same(cfi, r->vaddr, r);
		compared += same(cfi, r[1].vaddr - 1, r);
	}
	/* Ubuntu 24.04 builds its C library with frame pointers: its table has fewer rows. */
	assert_true(compared * 2 > e.n);
	dwarf_cfi_end(cfi);
	elf_end(elf);
	/* no more than asked for */
	ehframe_free(&e);
	assert_int_equal(ehframe_read(&e, fd, 100), -E2BIG);
	ehframe_free(&e);
	close(fd);
}

/* Functions as libdw has them: no less, and each begins and ends where its rows do. */
TEST(test_ranges)
{
	int fd = open_libc();
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Dwarf_CFI *cfi = dwarf_getcfi_elf(elf);
	struct ehframe rows, e;

	assert_non_null(cfi);
	assert_int_equal(ehframe_read(&rows, fd, MOST), 0);
	assert_int_equal(ehframe_ranges(&e, elf, 1 << 30), 0);
	assert_int_equal(e.n_ranges, rows.n_fdes);
	for (size_t i = 0; i < e.n_ranges; i++) {
		const uint64_t ends[] = { e.ranges[i].from, e.ranges[i].to - 1 };
		Dwarf_Addr at[2][2];

		assert_true(e.ranges[i].from < e.ranges[i].to);
		for (int k = 0; k < 2; k++) {
			Dwarf_Frame *frame;

			if (dwarf_cfi_addrframe(cfi, ends[k], &frame))
				fail_msg("%#lx: %s", (unsigned long)ends[k], dwarf_errmsg(-1));
			dwarf_frame_info(frame, &at[k][0], &at[k][1], NULL);
			free(frame);
		}
		assert_int_equal(at[0][0], e.ranges[i].from);
		assert_int_equal(at[1][1], e.ranges[i].to);
	}
	ehframe_free(&rows);
	ehframe_free(&e);
	dwarf_cfi_end(cfi);
	elf_end(elf);
	close(fd);
}

/* Its bytes, to be freed. */
static uint8_t *section_of(int fd, size_t *n, uint64_t *vaddr)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Elf_Scn *scn = NULL;
	uint8_t *bytes = NULL;
	GElf_Shdr sh;
	size_t names;

	assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
	while (!bytes && (scn = elf_nextscn(elf, scn))) {
		assert_non_null(gelf_getshdr(scn, &sh));
		if (strcmp(elf_strptr(elf, names, sh.sh_name), ".eh_frame"))
			continue;
		Elf_Data *d = elf_rawdata(scn, NULL);

		*n = d->d_size;
		*vaddr = sh.sh_addr;
		bytes = malloc(*n);
		memcpy(bytes, d->d_buf, *n);
	}
	elf_end(elf);
	assert_non_null(bytes);
	return bytes;
}

/* Whatever is in it, it is read within its bounds (sanitizers look), and rows are in order. */
TEST(test_damaged)
{
	int fd = open_libc();
	size_t n = 0;
	uint64_t vaddr = 0;
	uint8_t *whole = section_of(fd, &n, &vaddr);

	close(fd);
	srand(20);
	for (int round = 0; round < 2000; round++) {
		/* in memory of its own, so that one byte too many is seen */
		size_t from = ((size_t)rand() % n) & ~(size_t)3, len = (size_t)rand() % 4096;
		struct ehframe e;

		from = round % 2 ? 0 : from;
		len = len < n - from ? len : n - from;
		uint8_t *part = malloc(len + !len);
		memcpy(part, whole + from, len);
		for (int k = rand() % 8; k && len; k--)
			part[(size_t)rand() % len] = (uint8_t)rand();
		ehframe_parse(&e, &x86_arch, part, len, vaddr, 5000);
		assert_true(e.n <= 5000);
		ehframe_free(&e);
		ehframe_parse_ranges(&e, part, len, vaddr);
		for (size_t i = 1; i < e.n_ranges; i++)
			assert_true(e.ranges[i - 1].from <= e.ranges[i].from);
		ehframe_free(&e);
		free(part);
	}
	free(whole);
}

TEST(test_none)
{
	struct ehframe e;
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

	assert_int_equal(ehframe_read(&e, fd, MOST), -EBADMSG);
	ehframe_free(&e);
	close(fd);
	assert_int_equal(ehframe_parse(&e, &x86_arch, "", 0, 0, MOST), 0);
	assert_int_equal(e.n, 0);
	ehframe_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_libdw),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_none),
	};

	elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
