/* SPDX-License-Identifier: BSD-2-Clause */
/* The layout of the runtime's structs from DWARF 4 or 5, compressed or not, through libdw. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <string.h>

#include "binary/gobin_impl.h"
#include "binary/godwarf_impl.h"

#define MAX_DEPTH 4

struct want {
	const char *path; /* "sched.sp": members of members */
	size_t field;     /* offset of the int32_t in struct golayout */
	bool required;    /* tracing reads it, and every Go version from 1.19 has it */
};

#define WANT(path_, field_, required_)                              \
	{                                                           \
		path_, offsetof(struct golayout, field_), required_ \
	}

static const struct want g_fields[] = {
	WANT("stack.lo", g_stack_lo, true),
	WANT("stack.hi", g_stack_hi, true),
	WANT("_panic", g_panic, true),
	WANT("m", g_m, true),
	WANT("sched.sp", g_sched_sp, false),
	WANT("sched.pc", g_sched_pc, true),
	WANT("sched.bp", g_sched_bp, false),
	WANT("atomicstatus", g_atomicstatus, false),
	WANT("goid", g_goid, true),
	WANT("gopc", g_gopc, true),
	WANT("startpc", g_startpc, true),
	WANT("parentGoid", g_parent_goid, false),
	WANT("waitreason", g_waitreason, false),
	WANT("sigcode0", g_sigcode0, false),
	WANT("labels", g_labels, false),
	WANT("waitsince", g_waitsince, false),
	WANT("trackingSeq", g_tracking_seq, false),
};
static const struct want m_fields[] = {
	WANT("g0", m_g0, true),          WANT("gsignal", m_gsignal, false),
	WANT("procid", m_procid, false), WANT("p", m_p, false),
	WANT("curg", m_curg, true),      WANT("morebuf.sp", m_morebuf_sp, true),
};
static const struct want panic_fields[] = {
	WANT("link", panic_link, true),
	WANT("sp", panic_sp, false),
	WANT("startSP", panic_start_sp, false),
	WANT("goexit", panic_goexit, true),
	WANT("recovered", panic_recovered, false),
};

static const struct {
	const char *type;
	const struct want *fields;
	size_t n_fields;
} structs[] = {
	{ "runtime.g", g_fields, sizeof(g_fields) / sizeof(g_fields[0]) },
	{ "runtime.m", m_fields, sizeof(m_fields) / sizeof(m_fields[0]) },
	{ "runtime._panic", panic_fields, sizeof(panic_fields) / sizeof(panic_fields[0]) },
};
#define N_STRUCTS (sizeof(structs) / sizeof(structs[0]))

static int member(Dwarf_Die *type, const char *name, size_t len, Dwarf_Die *out)
{
	if (dwarf_child(type, out) != 0)
		return -ENOENT;
	do {
		const char *n = dwarf_tag(out) == DW_TAG_member ? dwarf_diename(out) : NULL;

		if (n && strlen(n) == len && memcmp(n, name, len) == 0)
			return 0;
	} while (dwarf_siblingof(out, out) == 0);
	return -ENOENT;
}

/* Offset of a dotted path of members. A Go type DIE may be a typedef of the struct. 0; -ENOENT:
 * there is no such member; -EBADMSG: the type of one is not there. */
static int path_offset(Dwarf_Die *type, const char *path, int32_t *out)
{
	Dwarf_Die cur = *type, m;
	Dwarf_Attribute attr;
	Dwarf_Word off, sum = 0;

	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		size_t len = strcspn(path, ".");

		if (member(&cur, path, len, &m) < 0 ||
		    !dwarf_attr(&m, DW_AT_data_member_location, &attr) ||
		    dwarf_formudata(&attr, &off) != 0 || off > INT32_MAX)
			return -ENOENT;
		sum += off;
		path += len;
		if (!*path) {
			*out = (int32_t)sum;
			return sum <= INT32_MAX ? 0 : -ENOENT;
		}
		path++;
		if (!dwarf_attr(&m, DW_AT_type, &attr) || !dwarf_formref_die(&attr, &cur) ||
		    dwarf_peel_type(&cur, &cur) != 0)
			return -EBADMSG;
	}
	return -ENOENT;
}

/* What is being searched. */
struct search {
	struct golayout *out;
	unsigned found; /* a bit for each struct that was read */
	bool part;      /* types may be in units that are not there */
};

static int read_struct(Dwarf_Die *type, size_t which, const struct search *s)
{
	for (size_t i = 0; i < structs[which].n_fields; i++) {
		const struct want *w = &structs[which].fields[i];
		int32_t *field = (int32_t *)((char *)s->out + w->field);
		int err = path_offset(type, w->path, field);

		if (err) {
			*field = -1;
			if (w->required || (s->part && err == -EBADMSG))
				return -ENOENT;
		}
	}
	return 0;
}

#define ALL ((1u << N_STRUCTS) - 1)

/* Looks through one unit's types. */
static void read_unit(Dwarf_Die *unit, struct search *s)
{
	Dwarf_Die die;

	if (dwarf_child(unit, &die) != 0)
		return;
	do {
		const char *name = dwarf_tag(&die) == DW_TAG_structure_type ? dwarf_diename(&die)
									    : NULL;

		if (!name || strncmp(name, "runtime.", 8) != 0)
			continue;
		for (size_t i = 0; i < N_STRUCTS; i++)
			if (!(s->found & 1u << i) && strcmp(name, structs[i].type) == 0 &&
			    read_struct(&die, i, s) == 0)
				s->found |= 1u << i;
	} while (s->found != ALL && dwarf_siblingof(&die, &die) == 0);
}

/* Looks through the units of package runtime, or through the others. */
static void read_units(Dwarf *dwarf, bool runtime, struct search *s)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t kind;

	while (s->found != ALL && dwarf_get_units(dwarf, cu, &cu, NULL, &kind, &unit, NULL) == 0) {
		const char *name = dwarf_diename(&unit);

		if (runtime == (name && strcmp(name, "runtime") == 0))
			read_unit(&unit, s);
	}
}

/* Most binaries have the runtime's types in the first MB. */
#define PART_BYTES (1u << 20)
#define PART_MAX   (1u << 28)

/* In the first units of package runtime, as many as it takes. */
static bool find_in_part(const struct gobin *b, struct golayout *out)
{
	struct search s = { .out = out, .part = true };
	bool whole = false;

	for (size_t bytes = PART_BYTES; s.found != ALL && !whole && bytes <= PART_MAX; bytes *= 4) {
		struct godwarf_part part;

		int err = godwarf_part_open(b, bytes, &part);

		if (err == -ERANGE)
			continue;
		if (err)
			return false;
		s.found = 0;
		read_units(part.dwarf, true, &s);
		whole = part.whole;
		godwarf_part_close(&part);
	}
	return s.found == ALL;
}

static bool find_in_whole(const struct gobin *b, struct golayout *out)
{
	struct search s = { .out = out };
	Elf *elf;
	Dwarf *dwarf;

	if (godwarf_open(b, &elf, &dwarf))
		return false;
	/* The linker puts the types into package runtime's unit; the others are the second round.
	 */
	read_units(dwarf, true, &s);
	read_units(dwarf, false, &s);
	godwarf_close(elf, dwarf);
	return s.found == ALL;
}

int godwarf_layout(const struct gobin *b, struct golayout *out)
{
	out->from_dwarf = find_in_part(b, out) || find_in_whole(b, out);
	return out->from_dwarf ? 0 : -ENOENT;
}
