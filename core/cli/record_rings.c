// SPDX-License-Identifier: BSD-2-Clause
/* How many rings the stubs of a recording write to, and how large they are. */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "attach/kernel/memory_cap.h"
#include "attach/target/ring_area.h"
#include "base/log.h"
#include "cli/record_run.h"

#define INLINE_RING_BYTES  (32u << 20)
#define ADDRESS_SPACE_PART 256 /* of its limit, for all rings */

/* Go makes a P for each CPU that the process may run on, unless GOMAXPROCS says otherwise. */
unsigned record_rings(const struct record_options *opt)
{
	const char *procs = getenv("GOMAXPROCS");
	long n = procs ? strtol(procs, NULL, 10) : 0, cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (opt->n_rings)
		return opt->n_rings;
	n = n > cpus ? n : cpus;
	return n < 1 ? 1 : n > RING_MAX ? RING_MAX : (unsigned)n;
}

/* Rings take address space of the program, whose limit (RLIMIT_AS, ulimit -v) may be tight. */
static uint64_t address_space_cap(pid_t pid)
{
	struct rlimit limit;

	if (prlimit(pid, RLIMIT_AS, NULL, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur / ADDRESS_SPACE_PART;
}

/* As asked for, but all together within the limits. */
uint32_t record_ring_bytes(const struct record_options *opt, unsigned n)
{
	uint64_t size = opt->inline_ring_bytes ? opt->inline_ring_bytes : INLINE_RING_BYTES;
	const uint64_t space = address_space_cap(opt->pid);

	while (size > RING_SIZE_MIN && size * n > memory_cap_bytes())
		size /= 2;
	if (size > RING_SIZE_MIN && size * n > space) {
		while (size > RING_SIZE_MIN && size * n > space)
			size /= 2;
		log_warn(
			"the program's address space is limited (ulimit -v): each of %u rings has %" PRIu64
			" KB; where they fill up, the program is slower, or loses events (--overflow)",
			n, size / 1024);
	} else if (size < opt->inline_ring_bytes)
		log_warn("--ring: %u rings may take %" PRIu64 " MB together, so each has %" PRIu64
			 " KB; fewer rings (--rings) can be larger",
			 n, memory_cap_bytes() / 1000000, size / 1000);
	return (uint32_t)size;
}
