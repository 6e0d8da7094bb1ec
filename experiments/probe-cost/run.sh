#!/bin/bash
# What a probe costs: ns added to a call by each way of probing, against the same
# loop untraced, and the floor below them all.
#
#   sudo experiments/probe-cost/run.sh      ROUNDS=12, GOTRACE=build/gotrace
#
# Each run writes results/probe-cost/<run-id>/: rows.csv (never edited), environment.txt,
# doctor.txt, summary.md. In a round every row is measured once, each by a process of its own.
set -eu
unset SUDO_UID SUDO_GID # traces are written to a folder of root's own, whoever called sudo
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
rounds=${ROUNDS:-12}
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
die() { echo "probe-cost: $*" >&2; exit 1; }
[ -x "$GOTRACE" ] || die "$GOTRACE is missing; run: make"
[ "$(id -u)" = 0 ] || die "probing needs root; run: sudo make experiment-probe-cost"
command -v bpftrace >/dev/null || die "bpftrace is missing; run: ci/deps.sh correctness"
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure probe-cost
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$here/loop" && go build -o "$work/loop" . && go build -ldflags='-s -w' -o "$work/loop.stripped" .)
"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror "$here/floor.c" -o "$work/floor" -lbpf -pthread
"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$top/core" "$here/stubs.c" -o "$work/stubs"
cd "$work"

begin_run
note bpftrace "$(bpftrace --version)"
note rounds "$rounds"
"$GOTRACE" doctor >"$out/doctor.txt" || true
rows=$out/rows.csv
echo "round,variant,function,threads,calls,wall_ns,cpu_ns,events,lost_events" >"$rows"

# What of a plain call counts little needs many calls; what single-steps needs few.
calls_of() { # VARIANT
	case $1 in
	plain) echo 5000000 ;;
	inline) echo 1000000 ;; # their events fit into the ring
	springboard-*) echo 50000 ;;
	emulated) echo 10000 ;;
	*) echo 4000 ;;
	esac
}
info() { "$GOTRACE" info trace | awk -v k="$1" '$1 == k { print $2; exit }'; }

loop() { # ROUND VARIANT FUNCTION THREADS
	local calls events=0 lost=0 options=() script
	calls=$(calls_of "$2")
	local args=(-function "$3" -threads "$4" -calls "$calls" -out row)
	rm -f row trace
	case $2 in
	plain) ./loop "${args[@]}" ;;
	bpftrace-*)
		script=$(bpftrace_script "$2" "$3")
		bpftrace -q --unsafe -e "$script" -c "./loop.stripped ${args[*]}" >log 2>&1 || { cat log >&2; die "$2 failed"; } ;;
	*)
		options=("--probe=${2%-*}")
		[ "$2" = "${2%-*}" ] || options+=("--stub=${2#*-}")
		"$GOTRACE" record -o trace "${options[@]}" -f "main.$3" -- ./loop "${args[@]}" 2>log || { cat log >&2; die "$2 failed"; }
		events=$(info end.events) lost=$(info end.lost_events) ;;
	esac
	[ -s row ] || die "$2 of $3 left no row"
	echo "$1,$2,$3,$4,$(cat row),$events,$lost" >>"$rows"
}

# By place in the file: bpftrace puts nothing inside a function whose bounds it sees.
site() { # FUNCTION KIND
	"$GOTRACE" plan --probe=thesis --format=json -f "main.$1" loop.stripped | awk -v kind="$2" '
		/^ *"runtime_sites"/ { exit }
		/^ *"kind":/ { gsub(/[",]/, ""); this = $2 }
		/^ *"file_off":/ && this == kind { gsub(/,/, ""); print $2; exit }'
}
bpftrace_script() { # VARIANT FUNCTION
	local entry exit
	entry=uprobe:./loop.stripped:$(site "$2" entry) exit=uprobe:./loop.stripped:$(site "$2" exit)
	case $1 in
	bpftrace-empty) echo "$entry {} $exit {}" ;;
	*) echo "$entry { @start[tid] = nsecs; } $exit /@start[tid]/ { @total += nsecs - @start[tid]; delete(@start[tid]); }" ;;
	esac
}

floor() { # ROUND KIND CALLS THREADS
	echo "$1,floor,$2,$4,$(./floor "$2" "$3" "$4"),0,0" >>"$rows"
}

for round in $(seq "$rounds"); do
	echo "probe-cost: round $round of $rounds" >&2
	for variant in plain thesis emulated springboard-jump springboard-nop inline bpftrace-empty bpftrace-map; do
		loop "$round" "$variant" framed 1
	done
	for function in straight deref; do
		for variant in plain thesis emulated springboard-jump; do
			loop "$round" "$variant" "$function" 1
		done
	done
	for variant in plain thesis emulated springboard-jump springboard-nop inline; do
		loop "$round" "$variant" framed 2
	done
	for kind in stub-none stub-empty stub-noclock stub-clock; do
		echo "$round,floor,$kind,1,$(./stubs "$kind" 5000000),0,0" >>"$rows"
	done
	for threads in 1 2; do
		for kind in nop5 nop1 jump push; do floor "$round" "$kind" 50000 "$threads"; done
		floor "$round" ret 4000 "$threads"
		floor "$round" syscall 200000 "$threads"
		floor "$round" rdtsc 2000000 "$threads"
	done
done
end_run
awk -f "$here/summary.awk" "$rows" >"$out/summary.md"
cat "$out/summary.md"
echo "rows: $rows"
