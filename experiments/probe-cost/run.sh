#!/bin/bash
# What a probe costs: ns added to a call by each way of probing, against the same loop untraced, and the floor below them all.
#
#   sudo experiments/probe-cost/run.sh
#
# RUNS=12       rounds that count; one more goes before them and is discarded
# QUICK=1       one round of framed and floor, on any machine
# WORKLOADS=    of: framed straight deref framed-2 (on two threads) floor floor-2
# VARIANTS=     besides plain and thesis, of: emulated springboard-jump springboard-nop inline bpftrace-empty bpftrace-map
# GO=1.22.0     the Go version to build the loop with
# RESUME=FOLDER goes on with a run that was interrupted
# SEED= GOTRACE= RESULTS=   as everywhere
#
# Each run writes results/probe-cost/<run-id>/: raw.csv (never edited), environment.txt, doctor.txt, and derived from them
# summary.csv, summary.md. Every row is measured by a process of its own.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
prepare probe-cost 12
usual='framed straight deref framed-2 floor floor-2'
workloads=$(chosen workload "$usual" "${WORKLOADS:-$([ -n "${QUICK:-}" ] && echo framed floor || echo "$usual")}")
usual='emulated springboard-jump springboard-nop inline bpftrace-empty bpftrace-map'
variants=$(chosen variant "plain thesis $usual" "${VARIANTS:-$usual}")
[[ " $variants" != *" bpftrace"* ]] || command -v bpftrace >/dev/null || cannot "bpftrace is missing; run: ci/deps.sh correctness"
(cd "$here/loop" && go build -o "$scratch/loop" . && go build -ldflags='-s -w' -o "$scratch/loop.stripped" .)
"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror "$here/floor.c" -o "$scratch/floor" -lbpf -pthread
"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$top/core" "$here/stubs.c" -o "$scratch/stubs"

# What is measured of a case. Thesis is a base, too, of how many times less the others cost.
variants_of() { # FUNCTION,THREADS
	local v all="plain plain-again thesis thesis-again"
	case $1 in
	floor,1) echo nop5 nop1 jump push ret syscall rdtsc stub-none stub-empty stub-noclock stub-clock; return ;;
	floor,*) echo nop5 nop1 jump push ret syscall rdtsc; return ;;
	esac
	for v in $variants; do
		case $1,$v in
		*,plain | *,thesis) ;;
		framed,1,*) all+=" $v" ;;
		framed,*,bpftrace-*) ;;
		framed,*) all+=" $v" ;;
		*,emulated | *,springboard-jump) all+=" $v" ;;
		esac
	done
	echo "$all"
}
# What of a plain call counts little needs many calls; what single-steps needs few.
calls_of() { # VARIANT
	case $1 in
	plain) echo 100000000 ;; # a fifth of a second: less is shorter than what a machine does beside it
	stub-*) echo 5000000 ;;
	rdtsc) echo 2000000 ;;
	inline) echo 1000000 ;; # their events fit into the ring
	syscall) echo 200000 ;;
	springboard-* | nop5 | nop1 | jump | push) echo 50000 ;;
	emulated) echo 10000 ;;
	*) echo 4000 ;;
	esac
}
info() { "$GOTRACE" info trace | awk -v k="$1" '$1 == k { print $2; found = 1; exit } END { exit !found }'; }

# The values of a row.
measure() { # FUNCTION,THREADS VARIANT
	local function=${1%,*} threads=${1#*,} calls events=0 lost=0 options=() script
	cd "$scratch" || return 1
	calls=$(calls_of "$2")
	local args=(-function "$function" -threads "$threads" -calls "$calls" -out row)
	rm -f row trace
	case $function,$2 in
	floor,stub-*) ./stubs "$2" "$calls" >row || return 1 ;;
	floor,*) ./floor "$2" "$calls" "$threads" >row || return 1 ;;
	*,plain) ./loop "${args[@]}" || return 1 ;;
	*,bpftrace-*)
		script=$(bpftrace_script "$2" "$function")
		bpftrace -q --unsafe -e "$script" -c "./loop.stripped ${args[*]}" >log 2>&1 || { cat log >&2; return 1; } ;;
	*)
		options=("--probe=${2%-*}" --no-states)
		[ "$2" = "${2%-*}" ] || options+=("--stub=${2#*-}")
		"$GOTRACE" record --max-cost=off -o trace "${options[@]}" -f "main.$function" -- ./loop "${args[@]}" 2>log || { cat log >&2; return 1; }
		events=$(info end.events) && lost=$(info end.lost_events) || return 1 ;;
	esac
	[ -s row ] || { echo "$2 of $1 left no row" >&2; return 1; }
	echo "$(cat row),$events,$lost"
}

# By place in the file: bpftrace puts nothing inside a function whose bounds it sees.
site() { # FUNCTION KIND
	"$GOTRACE" plan --probe=thesis --format=json -f "main.$1" loop.stripped | awk -v kind="$2" '
		/^ *"runtime_sites"/ { over = 1 }
		!over && /^ *"kind":/ { gsub(/[",]/, ""); this = $2 }
		!over && !found && /^ *"file_off":/ && this == kind { gsub(/,/, ""); print $2; found = 1 }'
}
bpftrace_script() { # VARIANT FUNCTION
	local entry exit
	entry=uprobe:./loop.stripped:$(site "$2" entry) exit=uprobe:./loop.stripped:$(site "$2" exit)
	case $1 in
	bpftrace-empty) echo "$entry {} $exit {}" ;;
	*) echo "$entry { @start[tid] = nsecs; } $exit /@start[tid]/ { @total += nsecs - @start[tid]; delete(@start[tid]); }" ;;
	esac
}

begin_run
out=$(realpath "$out") # the rows are written from elsewhere
fix go_of_programs "$(go env GOVERSION)"
fix bpftrace "$(bpftrace --version 2>/dev/null || echo none)"
[ -s "$out/doctor.txt" ] || "$GOTRACE" doctor >"$out/doctor.txt" || true # its status says whether all is well
build_stats "$scratch"
cases=$(for w in $workloads; do case $w in *-2) echo "${w%-2},2" ;; *) echo "$w,1" ;; esac; done)
measure_rounds plain "plain thesis $variants" "$(echo "$cases" | paste -sd' ')" function,threads calls,wall_ns,cpu_ns,events,lost_events
end_run
"$here/derive.sh" "$out"
cat "$out/summary.md"
echo "results are in $out"
