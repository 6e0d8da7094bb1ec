#!/bin/bash
# What tracing costs: greet, oto and ants plain and in every way of probing, the
# thesis's among them. Reproduces tables 7.2 and 7.3 of the thesis, and what it says of ants.
#
#   sudo experiments/overhead/run.sh [PROGRAM...]    greet greet-2s oto oto-main ants; all without one
#
# RUNS=5        rounds that count; one more goes before them and is discarded
# QUICK=1       one round, on any machine
# WORKLOADS=    instead of PROGRAM...
# VARIANTS=     besides plain, of: thesis thesis-links emulated springboard nop inline
# GO=1.22.0     the Go version to build the programs with
# RESUME=FOLDER goes on with a run that was interrupted
# SEED=         of the orders of variants
# GOTRACE=      the command to measure, build/gotrace
# RESULTS=      where to put the results, results/overhead
#
# Every run writes a folder of its own: raw.csv (never edited), hyperfine.jsonl, environment.txt,
# summary.csv, tables.md, overhead.png, overhead.svg.
set -eu
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
workloads=$top/experiments/workloads
# shellcheck disable=SC2086 # a list of words
[ $# -gt 0 ] || set -- ${WORKLOADS:-greet greet-2s oto oto-main ants}
# Sound needs somewhere to go: all of this runs inside a private sink then.
if [[ " $* " == *" oto"* ]] && [ -z "${OVERHEAD_SINK:-}" ]; then
	OVERHEAD_SINK=1 exec "$workloads/oto/with-sink.sh" "$here/run.sh" "$@"
fi
prepare overhead 5
work=$scratch
programs=$(chosen program 'greet greet-2s oto oto-main ants' "$*")
read -ra programs <<<"$programs"
usual='thesis thesis-links emulated springboard nop inline'
variants="plain $(chosen variant "$usual" "${VARIANTS:-$usual}")"
read -ra variants <<<"$variants"
for tool in hyperfine gnuplot /usr/bin/time cc; do
	command -v "$tool" >/dev/null || cannot "$tool is missing; run: ci/deps.sh experiment"
done

say() { echo "overhead: $*" >&2; }

# Sets `command`: how a program is run in a variant. A traced one leaves
# $work/trace, a plain one $work/wall.
set_command() { # PROGRAM VARIANT
	local target select
	case $1 in
	greet) target=("$work/bin/greet.noinline") select=(-p main) ;;
	greet-2s) target=("$work/bin/greet.noinline" -rounds "$greet_rounds") select=(-p main -p time) ;;
	oto) target=("$work/bin/oto.noinline") select=(-p main -p github.com/ebitengine/oto/v3) ;; # as the thesis ran it
	oto-main) target=("$work/bin/oto.noinline") select=(-p main) ;;
	ants) target=("$work/bin/ants.noinline") select=(-p main -p github.com/panjf2000/ants/v2) ;;
	esac
	case $2 in
	plain) command=("$work/wall" "$work/wall.ns" "${target[@]}") ;;
	nop) command=("$GOTRACE" record -o "$work/trace" --probe=springboard --stub=nop "${select[@]}" -- "${target[@]}") ;;
	thesis-links) command=("$GOTRACE" record -o "$work/trace" --probe=thesis --attach=perf "${select[@]}" -- "${target[@]}") ;;
	*) command=("$GOTRACE" record -o "$work/trace" --probe="$2" "${select[@]}" -- "${target[@]}") ;;
	esac
}

# The end of a raw row: the target's own seconds and processor time, events, lost events, bytes of the trace, functions and
# sites that are probed, seconds to attach and to detach, and then, when all is over, to make the Perun profile, and its bytes.
own_columns() { # VARIANT
	local ns cpu from to
	if [ "$1" = plain ]; then
		read -r ns cpu <"$work/wall.ns"
		awk -v ns="$ns" -v cpu="$cpu" 'BEGIN { printf "%.9f,%.9f,0,0,0,0,0,0,0,0,0\n", ns / 1e9, cpu / 1e9 }'
		return
	fi
	from=$(date +%s%N)
	"$GOTRACE" export --format=perun -o "$work/perun" "$work/trace" >"$work/log" 2>&1 || run_failed
	to=$(date +%s%N)
	"$GOTRACE" info "$work/trace" | awk -v bytes="$(stat -c %s "$work/trace")" -v made="$((to - from))" -v profile="$(stat -c %s "$work/perun")" '
		{ value[$1] = $2 }
		END {
			if (value["end.target_wall_ns"] == "") exit 1
			printf "%.9f,%.9f,%d,%d,%d,%d,%d,%.6f,%.6f,%.6f,%d\n", value["end.target_wall_ns"] / 1e9, value["end.target_cpu_ns"] / 1e9, \
				value["end.events"], value["end.lost_events"], bytes, value["plan.probed"], value["sites"], \
				value["attach.time_ns"] / 1e9, value["end.detach_ns"] / 1e9, made / 1e9, profile
		}' || cannot "the trace does not say how long its target ran"
}

# The values of a row: measure_rounds calls it for each.
measure() { # PROGRAM,TOOL VARIANT ROUND
	local command=() whole user sys own log=$work/log program=${1%,*} tool=${1#*,}
	set_command "$program" "$2"
	rm -f "$work/trace" "$work/wall.ns" "$work/perun"
	if [ "$tool" = time ]; then
		/usr/bin/time -o "$work/time" -f '%e %U %S' "${command[@]}" >/dev/null 2>"$log" || run_failed
		read -r whole user sys <"$work/time"
	else
		local quoted
		quoted=$(printf '%q ' "${command[@]}")
		hyperfine -N --style none --runs 1 --export-csv "$work/hyperfine.csv" --export-json "$work/hyperfine.json" \
			"$quoted" >"$log" 2>&1 || run_failed
		# The command's own commas are in the first, quoted field: count from the end.
		read -r whole user sys < <(awk -F, 'NR == 2 { print $(NF - 6), $(NF - 3), $(NF - 2) }' "$work/hyperfine.csv")
		# Without the command's line, which has the paths of this machine.
		printf '{"program":"%s","round":%s,"variant":"%s","hyperfine":%s}\n' "$program" "$3" "$4" \
			"$(grep -v '"command":' "$work/hyperfine.json" | tr -d ' \n')" >>"$out/hyperfine.jsonl"
	fi
	own=$(own_columns "$2") || exit 1
	[ "$2" != thesis-links ] || links_released || exit 1
	echo "$whole,$user,$sys,$own"
}

run_failed() {
	tail -n 20 "$work/log" >&2
	exit 1
}

names=$(printf '%s\n' "${programs[@]%-*}" | sort -u)
# shellcheck disable=SC2086 # a list of words
"$workloads/build.sh" "$work/bin" $names
cc -O2 -Wall -o "$work/wall" "$here/wall.c"

begin_run
# shellcheck source-path=SCRIPTDIR source=../attach-scale/released.sh
. "$here/../attach-scale/released.sh"
build_stats "$work"
fix go_of_programs "$(go env GOVERSION)"
greet_rounds=0
if [ -n "${RESUME:-}" ]; then
	greet_rounds=$(stored greet_2s_rounds)
elif [[ " ${programs[*]} " == *" greet-2s "* ]]; then
	greet_rounds=$("$work/bin/greet.noinline" -for 2s 2>&1 >/dev/null | awk '/^rounds/ { print $2 }')
fi
fix greet_2s_rounds "$greet_rounds"
fix oto_packages "main github.com/ebitengine/oto/v3" # older runs do not say it, and traced main alone
fix hyperfine "$(hyperfine --version)"
measure_rounds plain "${variants[*]}" "$(for p in "${programs[@]}"; do echo "$p,time $p,hyperfine"; done)" \
	program,tool \
	end_to_end_s,user_s,system_s,target_s,target_cpu_s,events,lost_events,trace_bytes,functions,sites,attach_s,detach_s,processing_s,profile_bytes
end_run
"$here/derive.sh" "$out"
echo "results are in $out"
echo "  raw.csv hyperfine.jsonl environment.txt summary.csv tables.md overhead.png overhead.svg"
