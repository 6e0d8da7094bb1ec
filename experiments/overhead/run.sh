#!/bin/bash
# What tracing costs: greet, oto and ants plain and in every way of probing, the
# thesis's among them. Reproduces tables 7.2 and 7.3 of the thesis.
#
#   sudo experiments/overhead/run.sh [PROGRAM...]    greet greet-2s oto ants; all without one
#
# RUNS=5        runs that count; one more goes before them and is discarded
# GOTRACE=      the command to measure, build/gotrace
# RESULTS=      where to put the results, results/overhead
#
# Every run writes a folder of its own: raw.csv (never edited), environment.txt,
# summary.csv, tables.md, overhead.png, overhead.svg.
set -eu
unset SUDO_UID SUDO_GID # traces are written to a folder of root's own, whoever called sudo
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
workloads=$top/experiments/workloads
RUNS=${RUNS:-5}
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
RESULTS=${RESULTS:-$top/results/overhead}
[ $# -gt 0 ] || set -- greet greet-2s oto ants
programs=("$@")
variants=(plain thesis emulated springboard nop inline)

die() { echo "overhead: $*" >&2; exit 1; }
say() { echo "overhead: $*" >&2; }

check_setup() {
	local tool p
	[ -x "$GOTRACE" ] || die "$GOTRACE is missing; run: make"
	[ "$(id -u)" = 0 ] || die "tracing needs root; run: sudo make experiment-overhead"
	[ "$RUNS" -ge 1 ] 2>/dev/null || die "RUNS=$RUNS is no number of runs"
	for tool in hyperfine gnuplot /usr/bin/time cc; do
		command -v "$tool" >/dev/null || die "$tool is missing; run: ci/deps.sh experiment"
	done
	command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
	for p in "${programs[@]}"; do
		case $p in greet | greet-2s | oto | ants) ;; *) die "no program is called '$p'" ;; esac
	done
}

# Sets `command`: how a program is run in a variant. A traced one leaves
# $work/trace, a plain one $work/wall.
set_command() { # PROGRAM VARIANT
	local target select
	case $1 in
	greet) target=("$work/bin/greet.noinline") select=(-p main -p time) ;;
	greet-2s) target=("$work/bin/greet.noinline" -rounds "$rounds") select=(-p main -p time) ;;
	oto) target=("$work/bin/oto.noinline") select=(-p main -p github.com/ebitengine/oto/v3) ;;
	ants) target=("$work/bin/ants.noinline") select=(-p main -p github.com/panjf2000/ants/v2) ;;
	esac
	case $2 in
	plain) command=("$work/wall" "$work/wall.ns" "${target[@]}") ;;
	nop) command=("$GOTRACE" record -o "$work/trace" --probe=springboard --stub=nop "${select[@]}" -- "${target[@]}") ;;
	*) command=("$GOTRACE" record -o "$work/trace" --probe="$2" "${select[@]}" -- "${target[@]}") ;;
	esac
}

# One `key value` of what gotrace stored in the trace.
info() { # KEY
	"$GOTRACE" info "$work/trace" | awk -v k="$1" '$1 == k || $1 == k ":" { print $2; exit }'
}

# The end of a raw row: the target's own seconds, events, lost events, bytes of the trace.
own_columns() { # VARIANT
	local ns events=0 lost=0 bytes=0
	if [ "$1" = plain ]; then
		ns=$(cat "$work/wall.ns")
	else
		ns=$(info end.target_wall_ns)
		events=$(info end.events)
		lost=$(info end.lost_events)
		bytes=$(stat -c %s "$work/trace")
	fi
	[ -n "$ns" ] || die "the trace does not say how long its target ran"
	awk -v ns="$ns" -v rest="$events,$lost,$bytes" 'BEGIN { printf "%.9f,%s\n", ns / 1e9, rest }'
}

run_once() { # RUN PROGRAM VARIANT TOOL; appends a row to raw.csv
	local command=() whole user sys discarded=0 log=$work/log
	[ "$1" != 0 ] || discarded=1
	set_command "$2" "$3"
	rm -f "$work/trace" "$work/wall.ns"
	if [ "$4" = time ]; then
		/usr/bin/time -o "$work/time" -f '%e %U %S' "${command[@]}" >/dev/null 2>"$log" || run_failed "$@"
		read -r whole user sys <"$work/time"
	else
		local quoted
		quoted=$(printf '%q ' "${command[@]}")
		hyperfine -N --style none --runs 1 --export-csv "$work/hyperfine.csv" "$quoted" >"$log" 2>&1 || run_failed "$@"
		# The command's own commas are in the first, quoted field: count from the end.
		read -r whole user sys < <(awk -F, 'NR == 2 { print $(NF - 6), $(NF - 3), $(NF - 2) }' "$work/hyperfine.csv")
	fi
	printf '%s,%s,%s,%s,%s,%s,%s,%s,%s\n' "$2" "$3" "$4" "$1" "$discarded" "$whole" "$user" "$sys" \
		"$(own_columns "$3")" >>"$out/raw.csv"
}

run_failed() {
	tail -n 20 "$work/log" >&2
	die "run $1 of $2, $3, by $4 failed; the rows so far are in $out/raw.csv"
}

check_setup
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure overhead
# Sound needs somewhere to go: all of this runs inside a private sink then.
if [[ " ${programs[*]} " == *" oto "* ]] && [ -z "${OVERHEAD_SINK:-}" ]; then
	OVERHEAD_SINK=1 exec "$workloads/oto/with-sink.sh" "$here/run.sh" "$@"
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-overhead.XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
names=$(printf '%s\n' "${programs[@]%-2s}" | sort -u)
# shellcheck disable=SC2086 # a list of words
"$workloads/build.sh" "$work/bin" $names
cc -O2 -Wall -o "$work/wall" "$here/wall.c"
rounds=0
if [[ " ${programs[*]} " == *" greet-2s "* ]]; then
	rounds=$("$work/bin/greet.noinline" -for 2s 2>&1 >/dev/null | awk '/^rounds/ { print $2 }')
fi

begin_run
note hyperfine "$(hyperfine --version)"
note runs "$RUNS after 1 discarded, variants interleaved"
note programs "${programs[*]}"
note greet_2s_rounds "$rounds"
echo "program,variant,tool,run,discarded,end_to_end_s,user_s,system_s,target_s,events,lost_events,trace_bytes" >"$out/raw.csv"
for run in $(seq 0 "$RUNS"); do
	for program in "${programs[@]}"; do
		say "run $run of $RUNS: $program"
		for tool in time hyperfine; do
			for variant in "${variants[@]}"; do
				run_once "$run" "$program" "$variant" "$tool"
			done
		done
	done
done
end_run
"$here/derive.sh" "$out"
echo "results are in $out"
echo "  raw.csv environment.txt summary.csv tables.md overhead.png overhead.svg"
