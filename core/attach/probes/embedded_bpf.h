/* SPDX-License-Identifier: BSD-2-Clause */
/* The BPF objects that are linked into gotrace, and memory shared with them. */
#ifndef GOTRACE_EMBEDDED_BPF_H
#define GOTRACE_EMBEDDED_BPF_H

#include <stddef.h>

struct bpf_object;

/* The compiled objects of bpf/, as ELF files in memory. */
extern const unsigned char bpf_probes_start[], bpf_probes_end[];
extern const unsigned char bpf_children_start[], bpf_children_end[];
extern const unsigned char bpf_cpu_samples_start[], bpf_cpu_samples_end[];
extern const unsigned char bpf_signals_start[], bpf_signals_end[];
extern const unsigned char bpf_sample_start[], bpf_sample_end[];
extern const unsigned char bpf_deaths_start[], bpf_deaths_end[];
extern const unsigned char bpf_threads_start[], bpf_threads_end[];
extern const unsigned char bpf_waits_start[], bpf_waits_end[];
extern const unsigned char bpf_off_cpu_start[], bpf_off_cpu_end[];

/* A small object with its configuration in .rodata and one struct of state in .bss. */
struct embedded_bpf {
	const char *name;
	const unsigned char *start, *end;
	const void *config;
	size_t config_bytes, state_bytes;
};

/* Loads it and maps its state, shared with its programs; libbpf's own words are logged for
 * debugging. 0 or -errno, then neither is set. The state is given back by embedded_bpf_unmap. */
int embedded_bpf_load(const struct embedded_bpf *e, struct bpf_object **object, void **state);

/* Maps the memory of a loaded object's map, shared with its programs. NULL and errno. To be
 * unmapped with the same size. */
void *embedded_bpf_map(struct bpf_object *o, const char *map, size_t bytes);
void embedded_bpf_unmap(void *at, size_t bytes);

/* What libbpf has to say goes to the debug log from now on. */
void embedded_bpf_log(void);

#endif
