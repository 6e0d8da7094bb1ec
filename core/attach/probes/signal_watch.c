// SPDX-License-Identifier: BSD-2-Clause
#include "attach/probes/signal_watch.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "attach/probes/embedded_bpf.h"
#include "attach/probes/kernel_types.h"
#include "attach/target/target.h"
#include "base/log.h"

void signal_watch_open(struct signal_watch *w, uint32_t signals)
{
	struct signals_config config = { .signals = signals };
	const struct embedded_bpf e = { BPF_OBJECT(signals), &config, sizeof(config),
					sizeof(*w->state) };
	void *state = NULL;
	int err = target_identify(getpid(), &config.tracer);

	*w = (struct signal_watch){ 0 };
	if (!err)
		err = embedded_bpf_load(&e, &w->object, &state);
	w->state = state;
	if (!err && (!(w->fork = kernel_types_attach(w->object, BPF_NAME(signals, on_launch))) ||
		     !(w->signal = kernel_types_attach(w->object, BPF_NAME(signals, on_signal)))))
		err = -errno;
	if (err) {
		log_debug("who is sent signals cannot be seen: %s", strerror(-err));
		signal_watch_close(w);
	}
}

void signal_watch_launching(struct signal_watch *w, bool now)
{
	if (w->state)
		w->state->launching = now;
}

/* The last time, 0 when there is none. */
static uint64_t last_ns(const struct signal_watch *w, bool to_target, int signo, uint32_t sender)
{
	uint64_t last = 0;

	for (int i = 0; w->state && i < SIGNALS_NOTED; i++) {
		const volatile struct signal_note *n = &w->state->notes[i];

		if (n->to_target == to_target && n->signo == signo && n->sender == sender &&
		    n->ns > last)
			last = n->ns;
	}
	return last;
}

uint64_t signal_watch_received_ns(const struct signal_watch *w, int signo, uint32_t sender)
{
	return last_ns(w, false, signo, sender);
}

bool signal_watch_target_got(const struct signal_watch *w, int signo, uint32_t sender,
			     uint64_t since_ns)
{
	uint64_t last = last_ns(w, true, signo, sender);

	return last && last >= since_ns;
}

void signal_watch_close(struct signal_watch *w)
{
	bpf_link__destroy(w->fork);
	bpf_link__destroy(w->signal);
	embedded_bpf_unmap(w->state, sizeof(*w->state));
	bpf_object__close(w->object);
	*w = (struct signal_watch){ 0 };
}
