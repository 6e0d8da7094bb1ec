// SPDX-License-Identifier: BSD-2-Clause
/* A fuzzer without libFuzzer: runs it on each file of the folders and files named, once. Linked to
 * the objects of the build with sanitizers (make SAN=1 replays), so that a push tries the corpora
 * without a build of their own. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* Fuzzers' own mutators call it; nothing is mutated here. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
	(void)data;
	(void)max_size;
	return size;
}

static unsigned long inputs;
/* The input that is running, for the one who reads the sanitizer's report. */
static char now[4096];

static void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static void one_file(const char *path, size_t longest)
{
	FILE *f = fopen(path, "re");
	struct stat st;

	if (!f || fstat(fileno(f), &st))
		die(path);
	size_t size = (size_t)st.st_size > longest ? longest : (size_t)st.st_size;
	uint8_t *data = malloc(size ? size : 1); /* its exact size: a read behind it is seen */
	if (!data || fread(data, 1, size, f) != size)
		die(path);
	fclose(f);
	snprintf(now, sizeof(now), "%s", path);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	inputs++;
}

static void all_of(const char *path, size_t longest)
{
	DIR *d = opendir(path);
	const struct dirent *e;

	if (!d && errno == ENOTDIR) {
		one_file(path, longest);
		return;
	}
	if (!d)
		die(path);
	while ((e = readdir(d))) {
		char below[4096];
		struct stat st;

		if (*e->d_name == '.')
			continue;
		snprintf(below, sizeof(below), "%s/%s", path, e->d_name);
		if (!stat(below, &st) && S_ISREG(st.st_mode))
			one_file(below, longest);
	}
	closedir(d);
}

static void name_input(void)
{
	if (*now)
		fprintf(stderr, "input: %s\n", now);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: %s LONGEST FOLDER|FILE...\n", argv[0]);
		return 2;
	}
	atexit(name_input);
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 2; i < argc; i++)
		all_of(argv[i], strtoul(argv[1], NULL, 10));
	*now = '\0';
	printf("%lu inputs\n", inputs);
	return inputs ? 0 : 1;
}
