// SPDX-License-Identifier: BSD-2-Clause
#include "sample/lang/lang_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define CUT         "..."
#define UNREADABLE  "[unreadable Python frame]"
#define BLOCK_BYTES 16 /* what malloc takes besides, about */

/* ---- texts */

static size_t put_utf8(char *to, uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = '?';
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 63));
		to[2] = (char)(0x80 | (c & 63));
		return 3;
	}
	to[0] = (char)(0xf0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 63));
	to[2] = (char)(0x80 | (c >> 6 & 63));
	to[3] = (char)(0x80 | (c & 63));
	return 4;
}

static uint32_t char_at(const uint8_t *bytes, uint32_t width, size_t i)
{
	uint16_t two;
	uint32_t four;

	if (width == 1)
		return bytes[i];
	if (width == 2) {
		memcpy(&two, bytes + 2 * i, 2);
		return two;
	}
	memcpy(&four, bytes + 4 * i, 4);
	return four;
}

bool lang_text(char *to, size_t size, const struct sample_text *t, const uint8_t *bytes,
	       size_t most)
{
	size_t n = 0;

	if ((t->width != 1 && t->width != 2 && t->width != 4) || size < 2 * sizeof(CUT))
		return false;
	const size_t has = most / t->width, length = t->length < has ? t->length : has;
	bool cut = length < t->length;

	for (size_t i = 0; i < length; i++) {
		if (n + 4 + sizeof(CUT) > size) {
			cut = true;
			break;
		}
		n += put_utf8(to + n, char_at(bytes, t->width, i));
	}
	snprintf(to + n, size - n, "%s", cut ? CUT : "");
	return true;
}

/* ---- functions */

static uint32_t hash_function(const char *name, const char *file, uint32_t line)
{
	return hash_u64_pair((uint64_t)hash_bytes(name, strlen(name)) << 32 |
				     hash_bytes(file, strlen(file)),
			     line);
}

static int add_function(struct lang_names *l, const char *name, const char *file, uint32_t line,
			uint32_t *number)
{
	const uint32_t hash = hash_function(name, file, line);
	size_t at;

	for (uint32_t i = hash_index_first(&l->by_name, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&l->by_name, hash, &at)) {
		const struct lang_function *f = &l->functions[i];

		if (f->line == line && !strcmp(f->name, name) && !strcmp(f->file, file)) {
			*number = i;
			return 0;
		}
	}
	struct lang_function f = { .name = strdup(name), .file = strdup(file), .line = line };
	int err = f.name && f.file ? vec_reserve(&l->functions, &l->cap, l->n + 1) : -ENOMEM;

	if (!err)
		err = hash_index_put(&l->by_name, hash, (uint32_t)l->n);
	if (err) {
		free(f.name);
		free(f.file);
		return err;
	}
	f.address = LANG_ADDRESS_FROM + ++l->n_addresses * LANG_ADDRESS_STEP;
	l->bytes += strlen(name) + strlen(file) + 2 * (1 + BLOCK_BYTES);
	*number = (uint32_t)l->n;
	l->functions[l->n++] = f;
	return 0;
}

static struct lang_code *find_code(const struct lang_names *l, uint32_t serial, uint64_t code)
{
	const uint32_t hash = hash_u64_pair(code, serial);
	size_t at;

	for (uint32_t i = hash_index_first(&l->by_code, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&l->by_code, hash, &at))
		if (l->codes[i].code == code && l->codes[i].serial == serial)
			return &l->codes[i];
	return NULL;
}

static bool is_full(const struct lang_names *l)
{
	return l->n >= LANG_CODES_MAX || l->n_codes >= LANG_CODES_MAX || l->bytes >= LANG_BYTES_MAX;
}

bool lang_names_full(const struct lang_names *l)
{
	return is_full(l) || l->n_unwritten + SAMPLE_PYTHON_FRAMES >= LANG_CODES_MAX;
}

static void drop_all(struct lang_names *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->functions[i].name);
		free(l->functions[i].file);
	}
	l->n = l->n_codes = l->bytes = 0;
	hash_index_free(&l->by_name);
	hash_index_free(&l->by_code);
	l->n_dropped++;
}

/* Names like <module> and <lambda> say little without their file. */
static void name_of(char *to, size_t size, const char *name, const char *file)
{
	const char *slash = strrchr(file, '/');

	if (*name == '<')
		snprintf(to, size, "%s:%s", slash ? slash + 1 : file, name);
	else
		snprintf(to, size, "%s", name);
}

int lang_names_take(struct lang_names *l, const struct sample_code_record *r)
{
	char name[2 * SAMPLE_PYTHON_NAME], file[2 * SAMPLE_PYTHON_FILE],
		full[LANG_NAME_BYTES + 512];
	uint32_t function;

	if (!lang_text(name, sizeof(name), &r->name, r->name_bytes, sizeof(r->name_bytes)) ||
	    !*name)
		return 0;
	if (!lang_text(file, sizeof(file), &r->file, r->file_bytes, sizeof(r->file_bytes)))
		*file = '\0';
	if (is_full(l))
		return 0; /* until the owner has written the names, and drops them */
	name_of(full, sizeof(full), name, file);
	int err = add_function(l, full, file, r->line, &function);
	struct lang_code *known = err ? NULL : find_code(l, r->serial, r->code);

	if (known) {
		known->trace = known->function == function ? known->trace : 0;
		known->function = function;
		return 0;
	}
	if (!err)
		err = vec_reserve(&l->codes, &l->cap_codes, l->n_codes + 1);
	if (!err)
		err = hash_index_put(&l->by_code, hash_u64_pair(r->code, r->serial),
				     (uint32_t)l->n_codes);
	if (!err)
		l->codes[l->n_codes++] = (struct lang_code){ .code = r->code,
							     .serial = r->serial,
							     .function = function };
	return err;
}

/* ---- into the trace */

/* Notes once that the trace needs the name of an address. */
static bool note(struct lang_names *l, uint64_t address, uint32_t process, uint32_t function)
{
	const uint32_t hash = hash_u64_pair(address, process);
	size_t at;

	for (uint32_t i = hash_index_first(&l->by_unwritten, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&l->by_unwritten, hash, &at))
		if (l->unwritten[i].address == address && l->unwritten[i].process == process)
			return true;
	if (vec_reserve(&l->unwritten, &l->cap_unwritten, l->n_unwritten + 1) ||
	    hash_index_put(&l->by_unwritten, hash, (uint32_t)l->n_unwritten))
		return false;
	l->unwritten[l->n_unwritten++] = (struct lang_unwritten){ address, process, function };
	return true;
}

static void forget_unwritten(struct lang_names *l)
{
	l->n_unwritten = 0;
	hash_index_free(&l->by_unwritten);
}

uint64_t lang_names_address(struct lang_names *l, uint32_t serial, uint64_t code, uint32_t process)
{
	struct lang_code *c = find_code(l, serial, code);

	if (!c) {
		note(l, LANG_UNREADABLE, process, TRACE_NONE);
		return LANG_UNREADABLE;
	}
	const uint64_t address = l->functions[c->function].address;

	if ((c->trace != l->trace + 1 || c->process != process) &&
	    note(l, address, process, c->function)) {
		c->trace = l->trace + 1;
		c->process = process;
	}
	return address;
}

int lang_names_write(struct lang_names *l, struct trace_writer *w)
{
	const size_t n = l->n_unwritten;
	struct sample_symbol *symbols = calloc(n + 1, sizeof(*symbols));
	struct sample_location *locations = calloc(n + 1, sizeof(*locations));
	struct sample_frame *frames = calloc(n + 1, sizeof(*frames));
	int err = symbols && locations && frames ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !err; i++) {
		const struct lang_unwritten *u = &l->unwritten[i];
		const struct lang_function *f = u->function == TRACE_NONE
							? NULL
							: &l->functions[u->function];

		symbols[i] = (struct sample_symbol){ .name = f ? f->name : UNREADABLE,
						     .file = f && *f->file ? f->file : NULL,
						     .start_line = f ? f->line : 0,
						     .kind = f ? SYMBOL_NATIVE : SYMBOL_UNKNOWN };
		frames[i] = (struct sample_frame){ .symbol = (uint32_t)i };
		locations[i] = (struct sample_location){
			.pc = u->address, .process = u->process, .n = 1, .frames = &frames[i]
		};
	}
	if (!err && n)
		err = trace_writer_symbols(w, &(struct sample_tables){ .symbols = symbols,
								       .n_symbols = n,
								       .locations = locations,
								       .n_locations = n });
	free(symbols);
	free(locations);
	free(frames);
	forget_unwritten(l);
	if (is_full(l))
		drop_all(l);
	return err;
}

void lang_names_again(struct lang_names *l)
{
	l->trace++;
	forget_unwritten(l);
}

void lang_names_free(struct lang_names *l)
{
	drop_all(l);
	forget_unwritten(l);
	free(l->functions);
	free(l->codes);
	free(l->unwritten);
	*l = (struct lang_names){ 0 };
}
