# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # experiment is of who sources this
# Links a site are perf events, which the kernel releases one after the other, each after several grace periods, in a child that
# outlives gotrace (core/attach/probes/links_detach.c). perf_uprobe_destroy holds event_mutex for three of them
# (kernel/trace/trace_event_perf.c): who attaches such meanwhile waits in line, in perf_uprobe_init. Sourced by run.sh.

# Waits until the kernel is done with a gotrace that has ended. The child has no memory and no command line any more by then:
# its name is what is left of it.
links_released() {
	local name waited=0
	name="($(basename "$GOTRACE" | cut -c 1-15))"
	while cat /proc/[0-9]*/stat 2>/dev/null | grep -F "$name " | grep -qvF "$name Z"; do
		[ $((waited += 1)) -lt 6000 ] || { echo "$experiment: a gotrace runs for ten minutes after it should have ended" >&2; return 1; }
		sleep 0.1
	done
}
