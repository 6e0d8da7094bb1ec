// SPDX-License-Identifier: BSD-2-Clause
#include "attach/host/shadow_stack.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool shadow_stack_of_process(pid_t pid)
{
	static const char key[] = "x86_Thread_features:"; /* not its _locked neighbour */
	char path[64], line[256];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	FILE *f = fopen(path, "re");
	if (!f)
		return true;
	while (!found && fgets(line, sizeof(line), f))
		found = !strncmp(line, key, sizeof(key) - 1) && strstr(line, "shstk");
	found |= ferror(f) != 0;
	fclose(f);
	return found;
}

/* The properties of a note: type and size, then data padded to 8 bytes. */
static bool asks_for_it(const unsigned char *p, size_t n)
{
	while (n >= 8) {
		uint32_t type, size, bits;

		memcpy(&type, p, 4);
		memcpy(&size, p + 4, 4);
		p += 8, n -= 8;
		if (size > n)
			return false;
		if (type == GNU_PROPERTY_X86_FEATURE_1_AND && size >= 4) {
			memcpy(&bits, p, 4);
			return bits & GNU_PROPERTY_X86_FEATURE_1_SHSTK;
		}
		size_t step = (size_t)(size + 7) & ~(size_t)7;
		if (step > n)
			return false;
		p += step, n -= step;
	}
	return false;
}

static bool in_notes(const unsigned char *p, size_t n)
{
	Elf64_Nhdr note;

	while (n >= sizeof(note)) {
		memcpy(&note, p, sizeof(note));
		size_t name = (size_t)(note.n_namesz + 3) & ~(size_t)3;
		size_t all = sizeof(note) + name + (((size_t)note.n_descsz + 7) & ~(size_t)7);

		if (sizeof(note) + name + note.n_descsz > n)
			return false;
		if (note.n_type == NT_GNU_PROPERTY_TYPE_0 && note.n_namesz == 4 &&
		    !memcmp(p + sizeof(note), "GNU", 4) &&
		    asks_for_it(p + sizeof(note) + name, note.n_descsz))
			return true;
		if (all >= n)
			return false;
		p += all, n -= all;
	}
	return false;
}

/* Notes of more than this, or more program headers, are no executable of a compiler's. */
#define NOTES_MAX   4096
#define HEADERS_MAX 256

bool shadow_stack_of_file(int fd)
{
	unsigned char notes[NOTES_MAX];
	Elf64_Ehdr e;
	Elf64_Phdr h;

	if (pread(fd, &e, sizeof(e), 0) != sizeof(e) || e.e_phnum > HEADERS_MAX ||
	    e.e_phentsize != sizeof(h))
		return true;
	for (int i = 0; i < e.e_phnum; i++) {
		if (pread(fd, &h, sizeof(h), e.e_phoff + i * sizeof(h)) != sizeof(h))
			return true;
		if (h.p_type != PT_GNU_PROPERTY)
			continue;
		if (h.p_filesz > sizeof(notes) ||
		    pread(fd, notes, h.p_filesz, h.p_offset) != (ssize_t)h.p_filesz)
			return true;
		if (in_notes(notes, h.p_filesz))
			return true;
	}
	return false;
}
