// SPDX-License-Identifier: BSD-2-Clause
#include "attach/probes/off_cpu.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "attach/probes/beside.h"
#include "attach/probes/embedded_bpf.h"
#include "attach/probes/kernel_types.h"
#include "base/log.h"

static int load(struct off_cpu *o, const struct probes *probes, int64_t tls_g)
{
	void *state;
	int err = beside_load(&o->object, &state, sizeof(*o->state), probes, tls_g,
			      BPF_OBJECT(off_cpu));

	if (err)
		return err;
	o->state = state;
	o->link = kernel_types_attach(o->object, BPF_NAME(off_cpu, on_switch));
	return o->link ? 0 : -errno;
}

const char *off_cpu_watch(struct off_cpu *o, const struct probes *probes, const struct gobin *b)
{
	int64_t tls_g;
	int err;

	*o = (struct off_cpu){ 0 };
	if (gobin_tls_g(b, &tls_g) || probes->config.g_status < 0)
		return "where a thread of this program keeps its goroutine is not known";
	err = load(o, probes, tls_g);
	if (!err)
		return NULL;
	log_debug("switches of threads cannot be watched: %s", strerror(-err));
	off_cpu_close(o);
	return "this kernel does not allow it (it needs Linux 5.18 or newer, with BTF)";
}

struct off_cpu_state off_cpu_close(struct off_cpu *o)
{
	const struct off_cpu_state seen = o->state ? *o->state : (struct off_cpu_state){ 0 };

	bpf_link__destroy(o->link);
	embedded_bpf_unmap(o->state, sizeof(*o->state));
	bpf_object__close(o->object);
	*o = (struct off_cpu){ 0 };
	return seen;
}
