// SPDX-License-Identifier: BSD-2-Clause
#include "sample/lang/python_layout.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "binary/foreign_elf.h"

/*
 * The offsets in the structs of 3.11 and 3.12, as offsetof gives them with the headers of 3.11.7
 * and 3.12.1 on x86-64: Include/cpython/pystate.h (PyThreadState, _PyCFrame),
 * Include/internal/pycore_interp.h, pycore_runtime.h, pycore_frame.h, Include/cpython/code.h,
 * Include/cpython/unicodeobject.h.
 */
#define RUNTIME_INTERPRETERS 40 /* interpreters.head, in both */
static const struct sample_python v3_11 = {
	.by_cframe = 1,
	.no_entry_frame = 1,
	.interpreter_next = 0,
	.interpreter_threads = 16,
	.thread_next = 8,
	.thread_id = 152,
	.thread_frame = 56,
	.cframe_frame = 8,
	.cframe_previous = 16,
	.frame_previous = 48,
	.frame_code = 32,
	.frame_owner = 69,
	.object_type = 8,
	.code_file = 112,
	.code_name = 128,
	.code_line = 72,
	.text_length = 16,
	.text_state = 32,
	.text_ascii = 48,
	.text_compact = 72,
};
static const struct sample_python v3_12 = {
	.by_cframe = 1,
	.interpreter_next = 0,
	.interpreter_threads = 72,
	.thread_next = 8,
	.thread_id = 136,
	.thread_frame = 56,
	.cframe_frame = 0,
	.cframe_previous = 8,
	.frame_previous = 8,
	.frame_code = 0,
	.frame_owner = 70,
	.object_type = 8,
	.code_file = 112,
	.code_name = 128,
	.code_line = 68,
	.text_length = 16,
	.text_state = 32,
	.text_ascii = 40,
	.text_compact = 56,
};

/* Positions in struct _Py_DebugOffsets of 3.13, in words of 8 bytes. The first is a cookie. */
#define DEBUG_COOKIE "xdebugpy"
#define W_VERSION    1
#define W_FREE       2 /* built without the global lock */
#define OFFSET_LIMIT (1u << 20)
#define COMPACT_MORE 16 /* PyCompactUnicodeObject has utf8_length and utf8 besides */

static int by_debug_offsets(struct sample_python *to, uint64_t version, uint64_t runtime,
			    const uint64_t *words)
{
	const struct {
		uint32_t *to;
		unsigned word;
	} fields[] = {
		{ &to->interpreter_next, 8 }, { &to->interpreter_threads, 9 },
		{ &to->thread_next, 21 },     { &to->thread_frame, 23 },
		{ &to->thread_id, 24 },       { &to->frame_previous, 29 },
		{ &to->frame_code, 30 },      { &to->frame_owner, 33 },
		{ &to->code_file, 35 },       { &to->code_name, 37 },
		{ &to->code_line, 39 },       { &to->object_type, 45 },
		{ &to->text_state, 68 },      { &to->text_length, 69 },
		{ &to->text_ascii, 70 },
	};
	const uint64_t head = words[5];

	if (memcmp(words, DEBUG_COOKIE, sizeof(*words)) != 0 || words[W_VERSION] != version)
		return -EINVAL;
	if (words[W_FREE])
		return -ENOTSUP;
	if (head >= OFFSET_LIMIT)
		return -EINVAL;
	to->interpreters = runtime + head;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (words[fields[i].word] >= OFFSET_LIMIT)
			return -EINVAL;
		*fields[i].to = (uint32_t)words[fields[i].word];
	}
	to->text_compact = to->text_ascii + COMPACT_MORE;
	return 0;
}

int python_layout_of(struct sample_python *to, uint64_t version, uint64_t runtime,
		     uint64_t code_type, const void *bytes, size_t n)
{
	uint64_t words[PYTHON_RUNTIME_BYTES / sizeof(uint64_t)];
	int err = 0;

	*to = (struct sample_python){ 0 };
	switch (version >> 16) {
	case 0x030b:
		*to = v3_11;
		to->interpreters = runtime + RUNTIME_INTERPRETERS;
		break;
	case 0x030c:
		*to = v3_12;
		to->interpreters = runtime + RUNTIME_INTERPRETERS;
		break;
	case 0x030d:
		if (n < sizeof(words))
			return -EINVAL;
		memcpy(words, bytes, sizeof(words));
		err = by_debug_offsets(to, version, runtime, words);
		break;
	default:
		return -ENOTSUP;
	}
	to->code_type = code_type;
	return err;
}

/* ---- in a file */

/* The interpreter has some thousand symbols. libelf keeps a copy of the section. */
#define SYMBOLS_BYTES (4u << 20)

struct symbols {
	uint64_t runtime, version, code_type; /* link-time addresses; 0: not found */
};

static void take_symbol(struct symbols *to, const char *name, uint64_t at)
{
	if (!strcmp(name, "_PyRuntime"))
		to->runtime = at;
	else if (!strcmp(name, "Py_Version"))
		to->version = at;
	else if (!strcmp(name, "PyCode_Type"))
		to->code_type = at;
}

/* The interpreter exports them for its extensions, so stripped files have them, too. */
static void find_symbols(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, struct symbols *to)
{
	Elf_Scn *strings = elf_getscn(elf, sh->sh_link);
	GElf_Shdr of_strings;

	if (!strings || !gelf_getshdr(strings, &of_strings) ||
	    !foreign_elf_data(strings, &of_strings, SYMBOLS_BYTES))
		return;
	Elf_Data *data = foreign_elf_data(scn, sh, SYMBOLS_BYTES);
	const size_t n = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;
	GElf_Sym sym;

	for (size_t i = 0; i < n && gelf_getsym(data, (int)i, &sym); i++) {
		const char *name = sym.st_shndx == SHN_UNDEF
					   ? NULL
					   : elf_strptr(elf, sh->sh_link, sym.st_name);

		if (name)
			take_symbol(to, name, sym.st_value);
	}
}

/* Reads bytes of the file that are loaded at a link-time address. Returns 0 or -EINVAL. */
static int read_at(Elf *elf, int fd, uint64_t vaddr, void *to, size_t bytes)
{
	GElf_Phdr ph;
	size_t n = 0;

	if (elf_getphdrnum(elf, &n))
		n = 0;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD && vaddr >= ph.p_vaddr &&
		    vaddr - ph.p_vaddr < ph.p_filesz && ph.p_filesz - (vaddr - ph.p_vaddr) >= bytes)
			return pread(fd, to, bytes, (off_t)(ph.p_offset + (vaddr - ph.p_vaddr))) ==
					       (ssize_t)bytes
				       ? 0
				       : -EINVAL;
	return -EINVAL;
}

static int find_text(Elf *elf, struct lang_layout *to)
{
	GElf_Phdr ph;
	size_t n = 0;

	if (elf_getphdrnum(elf, &n))
		n = 0;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD && ph.p_flags & PF_X) {
			to->vaddr = ph.p_vaddr;
			to->file_off = ph.p_offset;
			return 0;
		}
	return -EINVAL;
}

static int recognize(Elf *elf, int fd, struct lang_layout *to)
{
	uint8_t bytes[PYTHON_RUNTIME_BYTES];
	struct symbols found = { 0 };
	uint64_t version;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_DYNSYM) {
			find_symbols(elf, scn, &sh, &found);
			break; /* a file has one */
		}
	if (!found.runtime || !found.code_type)
		return -ENOENT;
	if (!found.version) /* before 3.11 */
		return -ENOTSUP;
	if (read_at(elf, fd, found.version, &version, sizeof(version)))
		return -EINVAL;
	/* Before 3.13 it may be filled with zeros, and not be in the file. */
	const size_t n = read_at(elf, fd, found.runtime, bytes, sizeof(bytes)) ? 0 : sizeof(bytes);
	const int err = find_text(elf, to);

	return err ? err
		   : python_layout_of(&to->python, version, found.runtime, found.code_type, bytes,
				      n);
}

int python_recognize(int fd, struct lang_layout *to)
{
	Elf *elf = foreign_elf_open(fd);
	const int err = elf && gelf_getclass(elf) == ELFCLASS64 ? recognize(elf, fd, to) : -ENOENT;

	elf_end(elf);
	return err;
}

const struct lang lang_python = { "Python", "python", python_recognize };
