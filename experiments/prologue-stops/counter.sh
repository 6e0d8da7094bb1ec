# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034,SC2016 # scratch is set by who sources this, command_ns and missed are for them
# Counts stopped prologues without gotrace and without a probe in any of the program's own functions: events of the kernel's
# tracefs at the entries of five functions of the Go runtime. Sourced by run.sh, which sets $scratch.
#
# counter_ends            removes what is left of the events
# counted BINARY COMMAND...  runs COMMAND while BINARY's events are counted; they are in $scratch/events, $missed is how many
#                         the kernel could not store, $command_ns how long it took
#
# newstack is called where a prologue finds too little stack; what it calls says what became of that. The others have more
# callers, so the return address is stored, too. Offsets are of Go 1.19 to 1.27: in g stack.lo 0, stack.hi 8, stackguard0
# 16, m 48, sched.pc 64; in m morebuf.g 24 (runtime2.go). newstack runs on g0, the goroutine that stopped is morebuf.g.

tracefs=/sys/kernel/tracing
group=prologue_stops_$$
instance=$tracefs/instances/$group

# The event's offset in the file, of an address of the program.
file_offset() { # BINARY ADDRESS-IN-HEX
	readelf -lW "$1" | awk '$1 == "LOAD" { print $2, $3, $5 }' | while read -r offset address size; do
		if ((0x$2 >= address && 0x$2 < address + size)); then
			printf '0x%x\n' $((0x$2 - address + offset))
			break
		fi
	done
}
define() { # NAME BINARY FUNCTION FETCH
	local address offset
	address=$(awk -v name="$3" '$4 == name { print $1; exit }' "$scratch/symbols")
	if [ -z "$address" ]; then
		[ "$3" = runtime.gopreempt_m ] && return 0 # inlined in newer versions
		echo "prologue-stops: $2 has no $3" >&2
		return 1
	fi
	offset=$(file_offset "$2" "$address")
	[ -n "$offset" ] || { echo "prologue-stops: no part of $2 holds $3" >&2; return 1; }
	echo "p:$group/$1 $2:$offset $4" >>$tracefs/uprobe_events
}
begin_counter() { # BINARY
	go tool nm -size "$1" >"$scratch/symbols" &&
		define newstack "$1" runtime.newstack 'guard=+16(+24(+48(%r14))):s64 pc=+64(+24(+48(%r14))):u64' &&
		define copystack "$1" runtime.copystack 'ret=$stack0:u64 lo=+0(%ax):u64 hi=+8(%ax):u64 size=%bx:u64' &&
		define preempt "$1" runtime.gopreempt_m 'ret=$stack0:u64' &&
		define sched "$1" runtime.goschedImpl 'ret=$stack0:u64' &&
		define park "$1" runtime.preemptPark 'ret=$stack0:u64' &&
		mkdir "$instance" &&
		echo 16384 >"$instance/buffer_size_kb" &&
		echo mono >"$instance/trace_clock" &&
		echo 1 >"$instance/events/$group/enable"
}
counter_ends() {
	[ ! -d "$instance" ] || { echo 0 >"$instance/events/$group/enable"; rmdir "$instance"; }
	{ grep -o "$group/[a-z]*" $tracefs/uprobe_events || true; } | sed 's/^/-:/' | while read -r event; do
		echo "$event" >>$tracefs/uprobe_events
	done
}
counted() { # BINARY COMMAND...
	local status=0 from
	begin_counter "$1" || return 1
	shift
	from=$(date +%s%N)
	"$@" || status=$?
	command_ns=$(($(date +%s%N) - from))
	echo 0 >"$instance/events/$group/enable"
	cat "$instance/trace" >"$scratch/events"
	missed=$(cat "$instance"/per_cpu/cpu*/stats | awk '/^(overrun|dropped events):/ { n += $NF } END { print n + 0 }')
	counter_ends
	return "$status"
}
