// SPDX-License-Identifier: BSD-2-Clause
#include "attach/probes/children.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "attach/probes/embedded_bpf.h"
#include "attach/probes/executable_id.h"
#include "attach/probes/kernel_types.h"
#include "base/log.h"

static int load(struct children *c, const struct target_config *target)
{
	const struct embedded_bpf e = { BPF_OBJECT(children), target, sizeof(*target),
					sizeof(*c->state) };
	void *state;
	int err = embedded_bpf_load(&e, &c->object, &state);

	if (err)
		return err;
	c->state = state;
	c->fork = kernel_types_attach(c->object, BPF_NAME(children, on_fork));
	if (c->fork)
		c->exec = kernel_types_attach(c->object, BPF_NAME(children, on_exec));
	return c->exec ? 0 : -errno;
}

void children_watch(struct children *c, const struct target_config *target, int exe_fd)
{
	struct target_config t = *target;
	int err;

	*c = (struct children){ 0 };
	if (executable_id(exe_fd, &t.exe))
		log_debug("the target's file is not known: %s", strerror(errno));
	err = load(c, &t);
	if (err) {
		log_debug("children of the target cannot be counted: %s", strerror(-err));
		children_close(c);
	}
}

bool children_counted(const struct children *c)
{
	return c->exec != NULL;
}

unsigned children_own_execs(const struct children *c)
{
	return children_counted(c) ? __atomic_load_n(&c->state->own_execs, __ATOMIC_ACQUIRE) : 0;
}

void children_stop_own(struct children *c, bool on)
{
	if (children_counted(c))
		__atomic_store_n(&c->state->stop_own, on, __ATOMIC_RELEASE);
}

bool children_stopped(const struct children *c)
{
	return children_counted(c) &&
	       __atomic_load_n(&c->state->stopped, __ATOMIC_ACQUIRE) != c->state->continued;
}

void children_continued(struct children *c)
{
	__atomic_store_n(&c->state->continued, c->state->stopped, __ATOMIC_RELEASE);
}

void children_close(struct children *c)
{
	bpf_link__destroy(c->fork);
	bpf_link__destroy(c->exec);
	embedded_bpf_unmap(c->state, sizeof(*c->state));
	bpf_object__close(c->object);
	*c = (struct children){ 0 };
}
