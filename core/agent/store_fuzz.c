// SPDX-License-Identifier: BSD-2-Clause
/*
 * Indexes of stores that a stranger has made (libFuzzer; ci/fuzz.sh). An input changes one of ours:
 * three bytes where (0xffffff: the index ends at the next three), one how many, and what stands
 * there then. It is read or refused in one line, and nothing is written.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/store.h"
#include "base/log.h"

#define ROWS 60 /* some pages */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[] = "/tmp/store_fuzz.XXXXXX", file[64];
static uint8_t *ours, *theirs;
static size_t bytes;
static unsigned said;

static void count(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	said += level == LOG_LEVEL_ERROR;
	if (strchr(line, '\n'))
		abort();
}

static void remove_all(void)
{
	static const char *const names[] = { "index.db", "room" };
	char path[96];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* The bytes of the index; how many. */
static size_t read_index(uint8_t *to, size_t most)
{
	FILE *f = fopen(file, "re");
	const size_t n = f ? fread(to, 1, most, f) : 0;

	check(f && !fclose(f));
	return n;
}

static void make_ours(void)
{
	static const char *const services[] = { "nginx", "a service", "" };
	struct store s;

	check(mkdtemp(dir) && !atexit(remove_all));
	snprintf(file, sizeof(file), "%s/index.db", dir);
	check(!store_open(&s, dir));
	for (unsigned i = 0; i < ROWS; i++) {
		char path[32];
		const struct profile p = {
			.service = (char *)(uintptr_t)services[i % 3],
			.labels = (char *)(uintptr_t) "{\"executable\":\"/usr/sbin/x\"}",
			.from_ns = 1000 + i,
			.to_ns = 1010 + i,
			.samples = i,
			.event = "cpu-clock",
			.build_ids = (char *)(uintptr_t) "[\"0123456789abcdef\"]",
			.path = path
		};

		snprintf(path, sizeof(path), "20261128/%u", i);
		check(!store_add(&s, &p, 1, i & 1));
	}
	store_close(&s);
	ours = malloc(1 << 20);
	theirs = malloc(1 << 20);
	check(ours && theirs);
	bytes = read_index(ours, 1 << 20);
	log_set_sink(count, NULL);
}

/* The changed index, in ours's place. How many bytes it has. */
static size_t write_theirs(const uint8_t *data, size_t size)
{
	size_t n = bytes;
	FILE *f;

	memcpy(theirs, ours, bytes);
	while (size >= 4) {
		const size_t at = data[0] | data[1] << 8 | data[2] << 16;
		size_t many = 1 + data[3] % 16;

		if (at == 0xffffff && size >= 6) {
			n = (data[3] | data[4] << 8 | data[5] << 16) % (bytes + 1);
			data += 6;
			size -= 6;
			continue;
		}
		data += 4;
		size -= 4;
		many = many < size ? many : size;
		for (size_t i = 0; i < many; i++)
			theirs[(at + i) % bytes] = data[i];
		data += many;
		size -= many;
	}
	f = fopen(file, "we");
	check(f && fwrite(theirs, 1, n, f) == n && !fclose(f));
	return n;
}

/* A part of the path is "..", or the path begins at the root. "x../y" stays below. */
static bool leads_out(const char *path)
{
	bool out = *path == '/';

	for (const char *part = path; part; part = strchr(part, '/')) {
		part += *part == '/';
		out |= !strncmp(part, "..", 2) && (!part[2] || part[2] == '/');
	}
	return out;
}

static int each(void *ctx, const struct profile *p)
{
	unsigned *n = ctx;

	check(p->service && p->labels && p->build_ids && !leads_out(p->path));
	return ++*n > 1000000 ? -E2BIG : 0;
}

static void ask(struct store *s, const struct store_query *q)
{
	unsigned rows = 0, before = said;
	const int err = store_find(s, q, each, &rows);

	check(err == -E2BIG || said == before + (err != 0));
}

/* Nothing was made, and nothing written. */
static void check_unchanged(size_t n)
{
	static uint8_t now[1 << 20];
	DIR *d = opendir(dir);

	check(d && read_index(now, sizeof(now)) == n && !memcmp(now, theirs, n));
	for (struct dirent *e; (e = readdir(d));)
		check(*e->d_name == '.' || !strcmp(e->d_name, "index.db") ||
		      !strcmp(e->d_name, "room"));
	closedir(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct store s;

	if (!ours)
		make_ours();
	const size_t n = write_theirs(data, size);

	said = 0;
	if (store_open_to_read(&s, dir)) {
		check(said == 1);
	} else {
		check(!said);
		ask(&s, &(struct store_query){ 0 });
		ask(&s,
		    &(struct store_query){ .service = "nginx", .from_ns = 1020, .to_ns = 1040 });
		ask(&s, &(struct store_query){ .first_id = 5, .end_id = 9 });
		store_close(&s);
	}
	check_unchanged(n);
	return 0;
}
