/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random executions of a Go program whose calls are known, for testing what the engine makes of
 * their events. Equal seeds give equal executions.
 *
 * The truth is kept as the execution goes, call by call, with no thought for speed and none of the
 * engine's code.
 */
#ifndef GOTRACE_EXEC_FIXTURE_H
#define GOTRACE_EXEC_FIXTURE_H

#include "model/model.h"

#define EXEC_FUNCS 6

/* A path of the truth; same folding as the engine promises. Node 0 is the root. */
struct exec_node {
	uint32_t parent, func;
	bool go_edge;
	uint64_t go_pc;
	uint64_t growth_ns, growths, preempt_ns, preempts, declined;
	uint64_t total_ns; /* while the innermost call's path went through it */
};

struct exec_call {
	uint64_t stack; /* goid, or thread id when system */
	uint64_t goid;  /* the goid that the engine should report */
	bool system;
	uint32_t func, node, level;
	int64_t parent; /* the call below it on its stack; -1: none */
	uint64_t start_ns, end_ns, child_ns;
	enum call_end end;
	bool open, suspect;
	bool folded;   /* into a path above its caller's, or its caller's own */
	bool in_place; /* the call below it jumped to it */
};

struct exec_options {
	bool thesis; /* entries at the symbol's start and EV_MORESTACK */
	bool global; /* EV_STOP and EV_RESUME */
	unsigned steps;
	const bool *skip; /* steps to leave out; NULL: none */
};

struct exec {
	struct trace_info info;
	struct event_ext *events;
	size_t n, cap;
	struct exec_call *calls;
	size_t n_calls, cap_calls;
	struct exec_node *nodes;
	size_t n_nodes, cap_nodes;
	uint64_t root_ns; /* time of all outermost calls and their stops */
};

/* The functions main.a, main.b, ... and all sites that they can have. 0 or -ENOMEM. */
int exec_info(struct trace_info *info);
/* The site of func that emits `kind`; tails by target, TRACE_NONE of others. */
uint32_t exec_site(uint32_t func, unsigned kind, uint32_t target);

uint64_t exec_random(uint64_t *state); /* a small generator, for callers too */
/* 0 or -ENOMEM; free with exec_free in either case. */
int exec_make(struct exec *x, uint64_t seed, const struct exec_options *opt);
void exec_free(struct exec *x);

#endif
