/* SPDX-License-Identifier: BSD-2-Clause */
/* Arbitrary bytes as events of the functions of exec_fixture.h, for fuzzers. */
#ifndef GOTRACE_FUZZ_EVENTS_FIXTURE_H
#define GOTRACE_FUZZ_EVENTS_FIXTURE_H

#include <stdbool.h>

#include "bpf/event.h"

#define FUZZ_EVENT_BYTES 8

/* FUZZ_EVENT_BYTES as an event at or after *now_ns; time jumps about when not in order. */
struct event_ext fuzz_event(const uint8_t *p, bool in_order, uint64_t *now_ns);

#endif
